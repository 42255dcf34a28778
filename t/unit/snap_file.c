/*
 * Publishing a table file: a reader that opens its name, at any moment, finds
 * the old file or the new one, whole, and so does a reader after a refused
 * call, a killed adsd or a power cut.
 *
 * The calls by which snap_file.c changes the folder are watched here: before
 * and after each a reader opens the name; each can fail, or be the last of the
 * process.  What these calls would not show, another way to write, the kernel's
 * own list of what happened to the name does.
 */
#include "tables.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIED 9
#define PIECES 5 /* a file is written in at least so many */

static struct watch {
    bool on;
    const struct snap_image *old, *new;
    char path[80];
    unsigned n, fail_at, die_at; /* calls, counted from 1; 0: none */
    bool flip;                   /* the disk changes a bit */
    bool file_dirty, folder_dirty, renamed;
    unsigned n_old, n_new; /* how often a reader found which */
} watch;


static bool
holds(const char *path, const struct snap_image *image)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t *bytes = malloc(image->len + 1);
    uint64_t len = 0;
    ssize_t n;

    assert_true(fd >= 0);
    while (len <= image->len
           && (n = read(fd, bytes + len, image->len + 1 - len)) > 0)
    {
        len += (uint64_t)n;
    }
    close(fd);
    n = len == image->len ? memcmp(bytes, image->bytes, len) : 1;
    free(bytes);
    return n == 0;
}


/* A reader comes. */
static void
look(void)
{
    if (holds(watch.path, watch.new)) {
        watch.n_new++;
    } else {
        assert_true(holds(watch.path, watch.old));
        assert_int_equal(watch.n_new, 0);
        watch.n_old++;
    }
}


/* A call begins: does it fail? */
static bool
fails(void)
{
    if (!watch.on) {
        return false;
    }
    look();
    watch.n++;
    if (watch.n == watch.die_at) {
        _exit(DIED);
    }
    if (watch.n == watch.fail_at) {
        errno = EIO;
        return true;
    }
    return false;
}


static int
ended(int rc)
{
    int error = errno;

    if (watch.on) {
        look();
    }
    errno = error;
    return rc;
}


static inline int
watched_open(const char *path, int flags, ...)
{
    return fails() ? -1 : ended(open(path, flags, 0440));
}


static inline ssize_t
watched_write(int fd, const void *bytes, size_t len)
{
    size_t most = watch.new == NULL ? len : watch.new->len / PIECES;
    uint8_t *copy = malloc(len);
    ssize_t n;

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    len = len < most ? len : most;
    copy[len / 2] ^= watch.flip;
    n = fails() ? -1 : write(fd, copy, len);
    free(copy);
    watch.file_dirty = true;
    return ended((int)n);
}


static inline int
watched_fsync(int fd)
{
    struct stat st;

    if (fails()) {
        return -1;
    }
    assert_int_equal(fstat(fd, &st), 0);
    if (S_ISDIR(st.st_mode)) {
        watch.folder_dirty = false;
    } else {
        watch.file_dirty = false;
    }
    return ended(fsync(fd));
}


static inline int
watched_close(int fd)
{
    bool failed = fails();
    int rc = close(fd);

    return failed ? -1 : ended(rc);
}


static inline int
watched_rename(const char *from, const char *to)
{
    if (fails()) {
        return -1;
    }
    assert_false(watch.file_dirty); /* else a power cut leaves a torn file */
    watch.renamed = true;
    watch.folder_dirty = true;
    return ended(rename(from, to));
}


static inline int
watched_unlink(const char *path)
{
    return fails() ? -1 : ended(unlink(path));
}

#define open watched_open
#define write watched_write
#define fsync watched_fsync
#define close watched_close
#define rename watched_rename
#define unlink watched_unlink
#include "../../adsd/tables/snap_file.c"
#undef open
#undef write
#undef fsync
#undef close
#undef rename
#undef unlink

struct fixture {
    struct t_tables tables; /* two files: any will do */
    char folder[64];
    struct log *log;
};


static int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    t_tables_rows(&f->tables);
    t_tables_build(&f->tables);
    strcpy(f->folder, "/tmp/adsunitXXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->log = log_open_plain("test", LOG_ERROR + 1);
    *state = f;
    return 0;
}


static int
tear_down(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(unlink(watch.path), 0);
    assert_int_equal(rmdir(f->folder), 0);
    log_close(f->log);
    t_tables_free(&f->tables);
    free(f);
    return 0;
}


/* The old file is published, without a reader. */
static void
begin(struct fixture *f)
{
    watch = (struct watch){.old = &f->tables.head, .new = &f->tables.base};
    (void)snprintf(watch.path, sizeof(watch.path), "%s/" SNAP_HEAD_NAME,
                   f->folder);
    assert_int_equal(snap_file_write(f->folder, SNAP_HEAD_NAME,
                                     watch.old->bytes, watch.old->len, f->log),
                     ADS_OK);
    watch.renamed = false;
}


/* The new one by that name, watched. */
static enum ads_err
publish_as(struct fixture *f, const char *name)
{
    enum ads_err err;

    watch.n = 0;
    watch.on = true;
    err = snap_file_write(f->folder, name, watch.new->bytes, watch.new->len,
                          f->log);
    watch.on = false;
    return err;
}


static enum ads_err
publish(struct fixture *f)
{
    return publish_as(f, SNAP_HEAD_NAME);
}


static void
nothing_else_must(const char *folder)
{
    const struct dirent *entry;
    DIR *list = opendir(folder);

    assert_non_null(list);
    while ((entry = readdir(list)) != NULL) {
        if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2) {
            assert_string_equal(entry->d_name, SNAP_HEAD_NAME);
        }
    }
    closedir(list);
}


static void
test_a_reader_finds_a_whole_file_at_any_moment(void **state)
{
    struct fixture *f = *state;

    begin(f);
    assert_int_equal(publish(f), ADS_OK);
    assert_true(holds(watch.path, watch.new));
    assert_true(watch.n_old > 2 * PIECES); /* while it was written, too */
    assert_true(watch.n_new > 0);
    assert_false(watch.file_dirty);
    assert_false(watch.folder_dirty);
    nothing_else_must(f->folder);
}


static void
test_the_name_is_only_ever_moved_to(void **state)
{
    _Alignas(struct inotify_event) char bytes[4096];
    const struct inotify_event *event;
    struct fixture *f = *state;
    unsigned n_moved = 0;
    ssize_t len;
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    begin(f);
    assert_true(fd >= 0);
    assert_true(inotify_add_watch(fd, f->folder,
                                  IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE
                                      | IN_DELETE | IN_MOVE)
                >= 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(publish(f), ADS_OK);
    }

    while ((len = read(fd, bytes, sizeof(bytes))) > 0) {
        for (const char *at = bytes; at < bytes + len;
             at += sizeof(*event) + event->len)
        {
            event = (const struct inotify_event *)at;
            assert_int_equal(event->mask & IN_Q_OVERFLOW, 0);
            if (strcmp(event->name, SNAP_HEAD_NAME) == 0) {
                assert_int_equal(event->mask, IN_MOVED_TO);
                n_moved++;
            }
        }
    }
    close(fd);
    assert_int_equal(n_moved, 2);
}


static void
test_a_call_that_fails_leaves_the_old_file(void **state)
{
    struct fixture *f = *state;
    enum ads_err err;
    unsigned n_failed = 0, n_after = 0;

    for (unsigned i = 1;; i++) {
        begin(f);
        watch.fail_at = i;
        err = publish(f);
        if (watch.n < i) {
            break;
        }
        n_failed += err != ADS_OK;
        if (err == ADS_OK || watch.renamed) {
            /* the folder could not be opened or synced; the name is there */
            n_after += err != ADS_OK;
            assert_true(holds(watch.path, watch.new));
        } else {
            assert_int_equal(err, ADS_IO);
            assert_true(holds(watch.path, watch.old));
        }
        nothing_else_must(f->folder);
    }
    assert_true(n_failed > PIECES);
    assert_int_equal(n_after, 2);
}


/* Each has a name of its own: those that failed would fill the disk. */
static void
test_a_call_that_fails_leaves_no_base(void **state)
{
    struct fixture *f = *state;
    char base[SNAP_BASE_NAME_LEN];
    enum ads_err err;

    snap_file_base_name(base, 1);
    for (unsigned i = 1;; i++) {
        begin(f);
        watch.fail_at = i;
        err = publish_as(f, base);
        if (err == ADS_OK) {
            snap_file_clean(f->folder, 2, 3);
        }
        nothing_else_must(f->folder);
        if (watch.n < i) {
            break;
        }
    }
    assert_int_equal(err, ADS_OK);
}


static void
test_a_killed_one_leaves_a_whole_file(void **state)
{
    struct fixture *f = *state;
    unsigned n_died = 0;
    bool died = true;
    int status;
    pid_t pid;

    for (unsigned i = 1; died; i++) {
        begin(f);
        watch.die_at = i;
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            _exit(publish(f) == ADS_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        died = WEXITSTATUS(status) == DIED;
        assert_true(died || WEXITSTATUS(status) == 0);
        n_died += died;

        assert_true(holds(watch.path, watch.old)
                    || holds(watch.path, watch.new));
        watch.die_at = 0; /* and the next one is not in its way */
        assert_int_equal(publish(f), ADS_OK);
        assert_true(holds(watch.path, watch.new));
        nothing_else_must(f->folder);
    }
    assert_true(n_died > PIECES);
}


static void
test_a_disk_that_changes_a_bit_publishes_nothing(void **state)
{
    struct fixture *f = *state;

    begin(f);
    watch.flip = true;
    assert_int_equal(publish(f), ADS_DAMAGED);
    assert_true(holds(watch.path, watch.old));
    nothing_else_must(f->folder);
}


int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_reader_finds_a_whole_file_at_any_moment),
        TEST(test_the_name_is_only_ever_moved_to),
        TEST(test_a_call_that_fails_leaves_the_old_file),
        TEST(test_a_call_that_fails_leaves_no_base),
        TEST(test_a_killed_one_leaves_a_whole_file),
        TEST(test_a_disk_that_changes_a_bit_publishes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
