/*
 * Preloaded into nginx or adsd: makes writes to journal segments fail.
 *
 * While $ADS_SHIM_FOLDER/write exists, write() to a segment fails with EIO,
 * every second time after taking half of the bytes; while $ADS_SHIM_FOLDER/sync
 * exists, fdatasync() fails with EIO.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
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
    if (!is_segment(fd) || !is_on("write")) {
        return real(fd, bytes, len);
    }
    if (n++ % 2 == 0) {
        return real(fd, bytes, len / 2);
    }
    errno = EIO;
    return -1;
}


int
fdatasync(int fd)
{
    static int (*real)(int);

    if (real == NULL) {
        real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    }
    if (!is_on("sync")) {
        return real(fd);
    }
    errno = EIO;
    return -1;
}
