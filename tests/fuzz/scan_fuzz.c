/* The scanner of requests says the same however the bytes are cut, and never reads past them. */
#include "http/scan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
    struct scan whole = {0}, single = {0};
    char *copy = malloc(n + 1); /* of just this size: a byte behind it is an error */
    memcpy(copy, data, n);
    size_t taken = scan_feed(&whole, copy, n), at = 0;
    while (at < n && scan_feed(&single, copy + at, 1)) at++;
    if (at != taken || whole.err != single.err || whole.heads != single.heads || scan_in_head(&whole) != scan_in_head(&single)) abort();
    if ((taken < n) != (whole.err != 0) || scan_request(&whole) < whole.heads) abort();
    free(copy);
    return 0;
}
