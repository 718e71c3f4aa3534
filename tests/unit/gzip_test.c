/* Compressed replies: what they decompress to, and that no length depends on a secret. */
#include "api/call/gzip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct buf filled(const char *text) {
    struct buf b = {0};
    buf_text(&b, text);
    return b;
}

/* Decompresses one gzip member. */
static struct buf unpacked(const struct buf *in) {
    struct buf out = {0};
    z_stream z = {.next_in = (Bytef *)in->p, .avail_in = (uInt)in->n};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    buf_reserve(&out, 8 << 20);
    z.next_out = (Bytef *)out.p;
    z.avail_out = (uInt)out.cap;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    out.n = out.cap - z.avail_out;
    inflateEnd(&z);
    return out;
}

static size_t packed_size(const char *text, const struct plain_part *parts, int count) {
    struct buf b = filled(text);
    assert_true(gzip_body(&b, parts, count));
    struct buf back = unpacked(&b);
    assert_int_equal(back.n, strlen(text));
    assert_memory_equal(back.p, text, back.n);
    size_t n = b.n;
    buf_free(&back);
    buf_free(&b);
    return n;
}

static struct plain_part part_of(const char *text, const char *secret) {
    const char *at = strstr(text, secret);
    assert_non_null(at);
    return (struct plain_part){(size_t)(at - text), strlen(secret)};
}

#define FILL                                                                             \
    "{\"subject\":\"The engine stalls\",\"status\":\"OPEN\"},{\"subject\":\"The engine " \
    "stops\",\"status\":\"OPEN\"},"
#define FILLS FILL FILL FILL FILL FILL FILL FILL FILL FILL FILL
#define SECRET "5f4dcc3b5aa765d61d8327deb882cf99"
#define OTHER_ "8a91bd07c6e2f1435d09ab77c1e4f620"

static void a_text_comes_back(void **state) {
    (void)state;
    struct plain_part p = part_of(FILLS SECRET FILLS, SECRET);
    assert_true(packed_size(FILLS FILLS, NULL, 0) < strlen(FILLS FILLS) / 4);
    packed_size(FILLS SECRET FILLS, &p, 1);
    packed_size(FILLS SECRET, &p, 1);
    struct plain_part first = {0, 10}, two[] = {{0, 10}, {10, 10}};
    packed_size(FILLS, &first, 1);
    packed_size(FILLS, two, 2);
}

static void large_and_random_texts_come_back(void **state) {
    (void)state;
    unsigned seed = 7;
    for (size_t n = 1; n < (4U << 20); n = n * 3 + 1) {
        char *text = malloc(n + 1);
        for (size_t i = 0; i < n; i++)
            text[i] = (char)(i % 7 ? 'a' + (int)(seed = seed * 1103515245 + 12345) % 4 : 'x'),
            text[i] |= 0x20;
        text[n] = '\0';
        struct buf b = {0};
        buf_add(&b, text, n);
        struct plain_part parts[] = {{n / 3, n / 9}, {n / 2, n / 9}};
        if (gzip_body(&b, parts, n > 9 ? 2 : 0)) {
            struct buf back = unpacked(&b);
            assert_int_equal(back.n, n);
            assert_memory_equal(back.p, text, n);
            buf_free(&back);
        } else assert_memory_equal(b.p, text, n); /* it would not be shorter */
        buf_free(&b);
        free(text);
    }
}

/* The guess stands before and behind the secret, as in a list with a session id at its end. */
static void the_length_does_not_depend_on_the_secret(void **state) {
    (void)state;
    static const char *const right =
        FILLS "guess=" SECRET FILLS "\"session_id\":\"" SECRET "\"," FILLS "guess=" SECRET;
    static const char *const wrong =
        FILLS "guess=" SECRET FILLS "\"session_id\":\"" OTHER_ "\"," FILLS "guess=" SECRET;
    struct plain_part p = part_of(wrong, OTHER_);
    assert_int_equal(packed_size(right, &p, 1), packed_size(wrong, &p, 1));
    assert_true(packed_size(right, NULL, 0) < packed_size(wrong, NULL, 0)); /* without the rule it does */
    struct buf b = filled(wrong);
    assert_true(gzip_body(&b, &p, 1));
    assert_non_null(memmem(b.p, b.n, OTHER_, strlen(OTHER_)));
    buf_free(&b);
}

static void the_header_is_read_as_http_defines_it(void **state) {
    (void)state;
    static const char *const yes[] = {"gzip",   "deflate, gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "GZIP",
                                      "x-gzip", "gzip;q=0.001",  "identity, gzip ; q=1"};
    static const char *const no[] = {"",      "identity", "br",      "gzip;q=0", "gzip; q=0.000, *",
                                     "*;q=0", "deflate",  "gzipped", "gz ip"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(coding_accepted(str_of(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(coding_accepted(str_of(no[i])));
    assert_false(coding_accepted((struct str){0}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_comes_back),
        cmocka_unit_test(large_and_random_texts_come_back),
        cmocka_unit_test(the_length_does_not_depend_on_the_secret),
        cmocka_unit_test(the_header_is_read_as_http_defines_it),
    };
    return cmocka_run_group_tests_name("compressed replies", tests, NULL, NULL);
}
