/*
 * Reads and replaces files of secrets.
 */
#include "ctl/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/ctl.h"


int
ctl_file_read(char text[CTL_FILE_MAX], const char *path)
{
    ssize_t len;
    int fd;

    fd = open(path, O_RDONLY | O_CLOEXEC);
    len = fd < 0 ? -1 : read(fd, text, CTL_FILE_MAX - 1);
    if (fd >= 0) {
        close(fd);
    }
    if (len < 0) {
        return ctl_refuse("%s: %s", path, strerror(errno));
    }
    text[len] = '\0';
    return CTL_OK;
}


static bool
text_write(int fd, const char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        ssize_t n = write(fd, text, left);

        if (n < 0) {
            return false;
        }
        text += n;
        left -= (size_t)n;
    }
    return fsync(fd) == 0;
}


int
ctl_file_replace(const char *path, const char *text, unsigned mode)
{
    char tmp[PATH_MAX];
    struct stat st;
    bool ok;
    int fd, rc = CTL_OK;

    snprintf(tmp, sizeof(tmp), "%s.new", path);
    fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0) {
        return ctl_refuse("%s: %s", tmp, strerror(errno));
    }

    /* the new file has the readers of the old one, and no others */
    ok = (stat(path, &st) != 0
          || (fchown(fd, st.st_uid, st.st_gid) == 0
              && fchmod(fd, st.st_mode & 0770) == 0))
         && text_write(fd, text);
    ok = close(fd) == 0 && ok && rename(tmp, path) == 0;
    if (!ok) {
        rc = ctl_refuse("%s: %s; it is as it was", path, strerror(errno));
        unlink(tmp);
    }
    return rc;
}
