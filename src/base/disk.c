#include "base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int sync_path(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -1 : fsync(fd), fault = errno;
    if (fd >= 0) close(fd);
    errno = fault;
    return rc;
}

int rename_new(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return -1;
    return link(from, to) == 0 ? unlink(from) : -1;
}

int plain_open(const char *path, const char **why) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *why = fd >= 0 ? "it is not a regular file" : errno == ELOOP ? "it is a symbolic link" : strerror(errno);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))) return fd;
    close(fd);
    return -1;
}

FILE *plain_stream(const char *path, const char **why) {
    int fd = plain_open(path, why);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && !f) {
        *why = strerror(errno);
        close(fd);
    }
    return f;
}

bool is_plain_folder(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
