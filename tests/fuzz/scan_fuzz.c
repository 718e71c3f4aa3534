/* The scanner of requests gives the same result however the bytes are cut, and never reads past the end. */
#include "http/scan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
    struct scan whole = {0}, single = {0};
    /* exactly this size, so that a read past the end is detected */
    char *copy = malloc(n + 1), *bytes = malloc(n + 1);
    memcpy(copy, data, n);
    memcpy(bytes, data, n);
    size_t left, taken = scan_feed(&whole, copy, n, &left), at = 0, out = 0, kept;
    for (; at < n && scan_feed(&single, bytes + at, 1, &kept); at++)
        if (kept) bytes[out++] = bytes[at];
    if (at != taken || out != left || memcmp(copy, bytes, out) != 0) abort();
    if (whole.err != single.err || whole.heads != single.heads ||
        scan_in_head(&whole) != scan_in_head(&single))
        abort();
    if ((taken < n) != (whole.err != 0) || scan_request(&whole) < whole.heads) abort();
    free(copy);
    free(bytes);
    return 0;
}
