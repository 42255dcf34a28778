/*
 * Preloaded into nginx: faults in the journal's system calls, each as long as
 * a file of its name is in $ADS_SHIM_FOLDER.
 *
 *     write    write() to a segment takes half of the bytes, the next is EIO
 *     before   the process is killed at write(), before a byte is written
 *     after    the process is killed once write() has written
 *     rename   rename() to a segment's name takes its time
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


static char folder[256];


/* Read while it is there: nginx clears its environment. */
__attribute__((constructor)) static void
begin(void)
{
    const char *value = getenv("ADS_SHIM_FOLDER");

    (void)snprintf(folder, sizeof(folder), "%s", value == NULL ? "" : value);
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
