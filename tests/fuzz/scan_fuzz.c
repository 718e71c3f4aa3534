/* The scanner of requests gives the same result however the bytes are cut, and never reads past the end. */
#include "http/scan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
    struct scan whole = {0}, single = {0};
    char *copy = malloc(n + 1); /* exactly this size, so that a read past the end is detected */
    memcpy(copy, data, n);
    size_t taken = scan_feed(&whole, copy, n), at = 0;
    while (at < n && scan_feed(&single, copy + at, 1)) at++;
    if (at != taken || whole.err != single.err || whole.heads != single.heads ||
        scan_in_head(&whole) != scan_in_head(&single))
        abort();
    if ((taken < n) != (whole.err != 0) || scan_request(&whole) < whole.heads) abort();
    free(copy);
    return 0;
}
