/*
 * Preloaded into nginx or adsd: faults in the journal's system calls, each as
 * long as a file of its name is in $ADS_SHIM_FOLDER.
 *
 *     write    write() to a segment takes half of the bytes, the next is EIO
 *     readonly write() to a segment is EROFS
 *     before   the process is killed at write(), before a byte is written
 *     after    the process is killed once write() has written
 *     rename   rename() to a segment's name takes its time
 *     slow-P   fdatasync() of a segment by program P takes 30 ms more
 *     hang-P   it does not return
 *     refuse-P it is EIO
 *     stuck-P  pread() of a segment by P does not return
 *     names-P  fsync() of the journal's folder by P is EIO
 *     tables-P fsync() of the folder of the ad tables by P is EIO
 *
 * The file `disk` there says what a power failure would leave: `synced P inode
 * size` for each fdatasync() that went well, `refused P inode` for the others,
 * `name P name` for each name in the folder when that was synced.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>


static char folder[256];
static char program[32];


/* Read while it is there: nginx clears its environment. */
__attribute__((constructor)) static void
begin(void)
{
    const char *value = getenv("ADS_SHIM_FOLDER");

    (void)snprintf(folder, sizeof(folder), "%s", value == NULL ? "" : value);
    (void)snprintf(program, sizeof(program), "%s",
                   program_invocation_short_name);
}


static int
is_on(const char *name)
{
    char path[512];

    if (folder[0] == '\0') {
        return 0;
    }
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}


static int
is_segment(int fd)
{
    char link[64], path[512];
    ssize_t n;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    if (n <= 0) {
        return 0;
    }
    path[n] = '\0';
    return strstr(path, "/journal/") != NULL;
}


ssize_t
write(int fd, const void *bytes, size_t len)
{
    static ssize_t (*real)(int, const void *, size_t);
    static unsigned n;

    if (real == NULL) {
        real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    }
    if (!is_segment(fd)) {
        return real(fd, bytes, len);
    }
    if (is_on("before")) {
        (void)raise(SIGKILL);
    }
    if (is_on("after")) {
        (void)real(fd, bytes, len);
        (void)raise(SIGKILL);
    }
    if (is_on("readonly")) {
        errno = EROFS;
        return -1;
    }
    if (!is_on("write")) {
        return real(fd, bytes, len);
    }
    if (n++ % 2 == 0) {
        return real(fd, bytes, len / 2);
    }
    errno = EIO;
    return -1;
}


int
rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    int rc;

    if (real == NULL) {
        real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    }
    rc = real(from, to);
    if (strstr(to, "/journal/") != NULL && is_on("rename")) {
        (void)usleep(400000);
    }
    return rc;
}


/* A fault of this program alone. */
static int
is_on_here(const char *fault)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "%s-%s", fault, program);
    return is_on(name);
}


static void
note(const char *what, const char *text)
{
    char path[512], line[512];
    int fd, len;
    ssize_t n;

    (void)snprintf(path, sizeof(path), "%s/disk", folder);
    len = snprintf(line, sizeof(line), "%s %s %s\n", what, program, text);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0) {
        n = write(fd, line, (size_t)len); /* one line, in one piece */
        (void)n;
        (void)close(fd);
    }
}


int
fdatasync(int fd)
{
    static int (*real)(int);
    char text[128];
    struct stat st;

    if (real == NULL) {
        real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    }
    if (folder[0] == '\0' || !is_segment(fd) || fstat(fd, &st) != 0) {
        return real(fd);
    }
    if (is_on_here("slow")) {
        (void)usleep(30000);
    }
    while (is_on_here("hang")) {
        (void)usleep(5000);
    }
    if (is_on_here("refuse")) {
        (void)snprintf(text, sizeof(text), "%lu", (unsigned long)st.st_ino);
        note("refused", text);
        errno = EIO;
        return -1;
    }
    if (real(fd) != 0) {
        return -1;
    }
    (void)snprintf(text, sizeof(text), "%lu %lld", (unsigned long)st.st_ino,
                   (long long)st.st_size);
    note("synced", text);
    return 0;
}


ssize_t
pread(int fd, void *bytes, size_t len, off_t off)
{
    static ssize_t (*real)(int, void *, size_t, off_t);

    if (real == NULL) {
        real =
            (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    }
    while (folder[0] != '\0' && is_on_here("stuck") && is_segment(fd)) {
        (void)usleep(5000);
    }
    return real(fd, bytes, len, off);
}


static int
ends_with(const char *path, const char *end)
{
    size_t len = strlen(path), end_len = strlen(end);

    return len >= end_len && strcmp(path + len - end_len, end) == 0;
}


int
fsync(int fd)
{
    static int (*real)(int);
    char link[64], path[512], names[200][96];
    struct dirent *entry;
    int rc, n_names = 0;
    ssize_t n;
    DIR *list;

    if (real == NULL) {
        real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    }
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    if (ends_with(path, "/state") && is_on_here("tables")) {
        errno = EIO;
        return -1;
    }
    if (folder[0] == '\0' || !ends_with(path, "/journal")) {
        return real(fd);
    }

    if (is_on_here("names")) {
        errno = EIO;
        return -1;
    }

    /* a name that comes while it runs may not be on disk */
    list = opendir(path);
    while (list != NULL && n_names < 200 && (entry = readdir(list)) != NULL) {
        (void)snprintf(names[n_names++], sizeof(names[0]), "%.95s",
                       entry->d_name);
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    rc = real(fd);
    while (rc == 0 && n_names > 0) {
        note("name", names[--n_names]);
    }
    return rc;
}
