/* The scanner of requests: its result does not depend on how the bytes are cut.
 * tests/http/framing.test.mjs lists what it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "http/scan.h"

#include <stdio.h>
#include <stdlib.h>

#define GET_A "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
#define POST_5 "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
#define CHUNKED \
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n"

static const struct {
    const char *text;
    int64_t heads;
    size_t taken; /* 0: all bytes */
} cases[] = {
    {GET_A GET_A POST_5 CHUNKED GET_A, 5, 0},
    {GET_A "GET /\x01", 1, sizeof GET_A - 1 + 5},
    {POST_5 "G(", 1, sizeof POST_5 - 1 + 1},
    {POST_5 "\r\n" GET_A, 2, 0},
    /* a method may begin with a digit; the error comes at the end */
    {CHUNKED "5", 1, sizeof CHUNKED - 1 + 1},
    {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello5", 1, 64},
    {"GET / HTTP/1.0\r\n\r\n", 1, 0},
    {"GET / HTTP/1.1\r\n\r\n", 0, 17},
};

/* A text after a scanner got it in pieces. taken: bytes that it took. n: bytes that it left. */
struct left {
    size_t taken, n;
    char text[64 * 1024];
};

static struct scan fed(const char *text, size_t n, size_t piece, struct left *left) {
    struct scan s = {0};
    left->taken = left->n = 0;
    while (left->taken < n && !s.err) {
        size_t some = n - left->taken < piece ? n - left->taken : piece, kept;
        memcpy(left->text + left->n, text + left->taken, some);
        left->taken += scan_feed(&s, left->text + left->n, some, &kept);
        left->n += kept;
    }
    return s;
}

static void the_cuts_between_pieces_do_not_matter(void **state) {
    (void)state;
    static struct left left;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].text), wanted = cases[i].taken ? cases[i].taken : n;
        for (size_t piece = 1; piece <= n; piece++) {
            struct scan s = fed(cases[i].text, n, piece, &left);
            assert_int_equal(left.taken, wanted);
            assert_int_equal(s.heads, cases[i].heads);
            assert_int_equal(s.err != 0, left.taken < n);
            assert_int_equal(s.err != 0, s.reason != NULL);
        }
    }
}

static void extensions_of_chunks_are_removed(void **state) {
    (void)state;
    static struct left left;
#define HEAD_CHUNKED "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    static const char text[] = HEAD_CHUNKED "3;\r\n;a;\r\n2;x=\"y\";z\r\nlo\r\n0;e\r\nX: ;y\r\n\r\n" GET_A,
                      wanted[] = HEAD_CHUNKED "3\r\n;a;\r\n2\r\nlo\r\n0\r\nX: ;y\r\n\r\n" GET_A;
    for (size_t piece = 1; piece < sizeof text; piece++) {
        struct scan s = fed(text, sizeof text - 1, piece, &left);
        assert_int_equal(s.heads, 2);
        assert_int_equal(left.n, sizeof wanted - 1);
        assert_memory_equal(left.text, wanted, left.n);
    }
}

static void it_is_known_which_request_a_byte_belongs_to(void **state) {
    (void)state;
    static const char text[] = GET_A POST_5 CHUNKED;
    size_t kept, second = sizeof GET_A - 1, third = second + sizeof POST_5 - 1;
    struct scan s = {0};
    for (size_t i = 0; i < sizeof text - 1; i++) {
        assert_int_equal(scan_request(&s), i < second ? 1 : i < third ? 2 : 3);
        bool body = (i >= third - 5 && i < third) || i >= sizeof text - 1 - 25;
        assert_int_equal(scan_in_head(&s), !body && i != 0 && i != second && i != third);
        char c = text[i];
        assert_int_equal(scan_feed(&s, &c, 1, &kept), 1);
    }
    assert_int_equal(scan_request(&s), 4);
    assert_false(scan_in_head(&s));
}

/* Scans a head that consists of `line`, with %s replaced by n letters, and `times` fields. */
static int error_of(const char *line, int n, int times, const char *field) {
    static char text[64 * 1024], letters[16 * 1024];
    static struct left left;
    memset(letters, 'a', sizeof letters);
    size_t at = (size_t)snprintf(text, 16 * 1024, line, n, letters);
    for (int i = 0; i < times; i++) at += (size_t)snprintf(text + at, sizeof text - at, "%s\r\n", field);
    at += (size_t)snprintf(text + at, sizeof text - at, "\r\n");
    return fed(text, at, at, &left).err;
}

#define LINE "GET /%.*s HTTP/1.1\r\nHost: a\r\n"

static void limits_have_their_own_errors(void **state) {
    (void)state;
    assert_int_equal(error_of(LINE, LIMIT_URI - 1, 0, ""), 0);
    assert_int_equal(error_of(LINE, LIMIT_URI, 0, ""), ERR_URI_TOO_LONG);
    assert_int_equal(error_of(LINE, 0, LIMIT_HEADERS - 1, "X: y"), 0);
    assert_int_equal(error_of(LINE, 0, LIMIT_HEADERS, "X: y"), ERR_HEADERS_TOO_LARGE);
    assert_int_equal(error_of(LINE, 0, 1, "Content-Length: 99999999999999999999"), ERR_PAYLOAD_TOO_LARGE);
    assert_int_equal(error_of(LINE, 0, 1, "Content-Length: 0000000000000000000000000000000000000005"),
                     ERR_BODY_INVALID);
    assert_int_equal(error_of("GET / HTTP/1.1\r\nHost: a\r\nX: %.*s\r\n", 12000, 0, ""), 0);
    assert_int_equal(error_of("GET / HTTP/1.1\r\nHost: a\r\nX: %.*s\r\n", 12300, 0, ""),
                     ERR_HEADERS_TOO_LARGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cuts_between_pieces_do_not_matter),
        cmocka_unit_test(extensions_of_chunks_are_removed),
        cmocka_unit_test(it_is_known_which_request_a_byte_belongs_to),
        cmocka_unit_test(limits_have_their_own_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
