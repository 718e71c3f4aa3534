#include "base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int sync_path(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -1 : fsync(fd), fault = errno;
    if (fd >= 0) close(fd);
    errno = fault;
    return rc;
}
