/* Reading a header twice gives the same result, with sizes that its type allows. */
#include "files/picture.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int fd = -1;
    static char path[32];
    struct picture first = {0}, second = {0};
    if (fd < 0) {
        fd = memfd_create("picture", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) abort();
    int rc = picture_look(path, &first);
    if (rc < 0 || picture_look(path, &second) != rc) abort();
    if (rc == 0) return 0;
    if (first.type != second.type || first.width != second.width || first.height != second.height) abort();
    /* 31 bits of PNG, 24 bits and one of WebP (RFC 9649 section 2.7), 16 bits of the others */
    int most = first.type == PICTURE_PNG ? INT32_MAX : first.type == PICTURE_WEBP ? 1 << 24 : 0xFFFF;
    if (first.width <= 0 || first.height <= 0 || first.width > most || first.height > most) abort();
    return 0;
}
