/*
 * Runs Argon2id in a process of its own.  Asked and answered over a pair of
 * sockets that keep messages whole.  Both ends are one and the same program
 * file (/proc/self/exe, also after it was replaced on disk), so a message is a
 * struct.
 */
#define _GNU_SOURCE /* SCHED_IDLE, POSIX_SPAWN_SETSID, environ */

#include "auth/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pool.h"

#define MEMORY_BYTES (64u * 1024 * 1024)
#define PASSES 2
#define HELPER_FD 3
#define ANSWER_MS 30000 /* on a machine that never has a moment for it */
#define GROUP_NICE "5"  /* a third of what others have */
#define OWN_NICE 5      /* the same, where Linux makes no groups */

_Static_assert(AUTH_HASH_MAX >= crypto_pwhash_STRBYTES, "a PHC string fits");

struct question {
    uint32_t len;
    bool compares;
    char hash[AUTH_HASH_MAX];
    char text[AUTH_HASH_TEXT_MAX];
};

struct reply {
    bool ok;
    char hash[AUTH_HASH_MAX];
};

struct auth_hash {
    int fd; /* -1: there is no process */
    pid_t pid;
};


bool
auth_hash_make(char *hash, const char *text, size_t len)
{
    return crypto_pwhash_str_alg(hash, text, len, PASSES, MEMORY_BYTES,
                                 crypto_pwhash_ALG_ARGON2ID13)
           == 0;
}


bool
auth_hash_outdated(const char *hash)
{
    return crypto_pwhash_str_needs_rehash(hash, PASSES, MEMORY_BYTES) != 0;
}


/* ---- in adsd ---- */

struct auth_hash *
auth_hash_new(void)
{
    struct auth_hash *helper = xcalloc(1, sizeof(*helper));

    helper->fd = -1;
    return helper;
}


static void
helper_end(struct auth_hash *helper)
{
    if (helper->fd < 0) {
        return;
    }
    (void)close(helper->fd);
    helper->fd = -1;
    (void)kill(helper->pid, SIGKILL); /* ours until waited for */
    while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
}


void
auth_hash_free(struct auth_hash *helper)
{
    if (helper != NULL) {
        helper_end(helper);
        free(helper);
    }
}


static bool
helper_spawn(pid_t *pid, int fd)
{
    char name[] = AUTH_HASH_NAME;
    char *argv[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    bool ok;

    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attr);
    ok = posix_spawn_file_actions_adddup2(&actions, fd, HELPER_FD) == 0
         && posix_spawn_file_actions_addclosefrom_np(&actions, HELPER_FD + 1)
                == 0
         && posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID) == 0
         && posix_spawn(pid, "/proc/self/exe", &actions, &attr, argv, environ)
                == 0;
    (void)posix_spawnattr_destroy(&attr);
    (void)posix_spawn_file_actions_destroy(&actions);
    return ok;
}


static bool
helper_begin(struct auth_hash *helper)
{
    int pair[2];
    bool ok;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return false;
    }
    ok = helper_spawn(&helper->pid, pair[1]);
    (void)close(pair[1]);
    if (ok) {
        helper->fd = pair[0];
    } else {
        (void)close(pair[0]);
    }
    return ok;
}


static bool
ask(const struct auth_hash *helper, const struct question *question,
    struct reply *reply)
{
    struct pollfd readable = {.fd = helper->fd, .events = POLLIN};

    return send(helper->fd, question, sizeof(*question), MSG_NOSIGNAL)
               == (ssize_t)sizeof(*question)
           && poll(&readable, 1, ANSWER_MS) == 1
           && recv(helper->fd, reply, sizeof(*reply), 0)
                  == (ssize_t)sizeof(*reply);
}


/* One that has died meanwhile is noticed by its silence, and asked again. */
static enum ads_err
ask_somebody(struct auth_hash *helper, const struct question *question,
             struct reply *reply)
{
    for (int i = 0; i < 2; i++) {
        if (helper->fd < 0 && !helper_begin(helper)) {
            return ADS_IO;
        }
        if (ask(helper, question, reply)) {
            return ADS_OK;
        }
        helper_end(helper);
    }
    return ADS_IO;
}


enum ads_err
auth_hash_do(struct auth_hash *helper, const char *text, size_t len,
             const char *compare, char *hash, bool *ok)
{
    struct question question = {.len = (uint32_t)len};
    struct reply reply = {.ok = false};
    enum ads_err err;

    *ok = false;
    if (len > sizeof(question.text)
        || (compare != NULL && strlen(compare) >= sizeof(question.hash)))
    {
        return ADS_INVALID;
    }
    memcpy(question.text, text, len);
    question.compares = compare != NULL;
    if (compare != NULL) {
        memcpy(question.hash, compare, strlen(compare));
    }
    err = ask_somebody(helper, &question, &reply);
    if (err == ADS_OK) {
        *ok = reply.ok;
    }
    if (*ok && compare == NULL) {
        memcpy(hash, reply.hash, sizeof(reply.hash));
    }
    sodium_memzero(&question, sizeof(question));
    sodium_memzero(&reply, sizeof(reply));
    return err;
}


/* ---- in the process ---- */

/* The group gives way; there may be no such thing.  Refused (EAGAIN, then *fd
 * stays open) right after somebody else asked for it. */
static void
group_yield(int *fd)
{
    if (*fd >= 0
        && (write(*fd, GROUP_NICE, strlen(GROUP_NICE)) >= 0 || errno != EAGAIN))
    {
        (void)close(*fd);
        *fd = -1;
    }
}


/* Whether each session has a share of the processors.  Idle work in a group of
 * its own gets the group's share; among all others it may get nothing. */
static bool
groups_are_on(void)
{
    int fd =
        open("/proc/sys/kernel/sched_autogroup_enabled", O_RDONLY | O_CLOEXEC);
    char on = '0';

    if (fd >= 0) {
        if (read(fd, &on, 1) != 1) {
            on = '0';
        }
        (void)close(fd);
    }
    return on == '1';
}


static void
yield_to_others(void)
{
    static const struct sched_param none = {.sched_priority = 0};

    if (groups_are_on()) {
        (void)sched_setscheduler(0, SCHED_IDLE, &none);
    } else {
        (void)setpriority(PRIO_PROCESS, 0, OWN_NICE);
    }
}


/* Out of sight: no core file, no debugger. */
static void
hide(void)
{
    const struct rlimit none = {0, 0};

    (void)prctl(PR_SET_NAME, AUTH_HASH_NAME);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0);
}


static void
work(const struct question *question, struct reply *reply)
{
    if (question->len > sizeof(question->text)
        || question->hash[sizeof(question->hash) - 1] != '\0')
    {
        return;
    }
    reply->ok =
        question->compares
            ? crypto_pwhash_str_verify(question->hash, question->text,
                                       question->len)
                  == 0
            : auth_hash_make(reply->hash, question->text, question->len);
}


int
auth_hash_main(void)
{
    int group_fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    struct question question;
    ssize_t sent = 0;

    hide();
    yield_to_others();
    while (sent >= 0
           && recv(HELPER_FD, &question, sizeof(question), 0)
                  == (ssize_t)sizeof(question))
    {
        struct reply reply = {.ok = false};

        group_yield(&group_fd);
        work(&question, &reply);
        sodium_memzero(&question, sizeof(question));
        sent = send(HELPER_FD, &reply, sizeof(reply), MSG_NOSIGNAL);
        sodium_memzero(&reply, sizeof(reply));
    }
    return 0;
}
