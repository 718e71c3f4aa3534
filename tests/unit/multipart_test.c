/* src/http/multipart.c: our own forms, and those of the busboy test suite from CORPORA (default
 * ../shared/corpora). Each is parsed whole, cut at every byte into two writes, and byte by byte. */
#include "http/multipart.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <sodium.h>

#define PARTS_MAX 300

struct seen {
    bool is_file;
    struct str name, filename, type;
    size_t begin, end; /* the place of the value in values */
};

struct log {
    struct seen part[PARTS_MAX];
    size_t n;
    struct buf values;
};

static int on_begin(void *ctx, const struct multipart_part *p) {
    struct log *l = ctx;
    l->part[l->n] = (struct seen){p->filename.p != NULL, p->name,        p->filename, p->type,
                                  .begin = l->values.n,  .end = SIZE_MAX};
    return 0;
}

static int on_data(void *ctx, struct str piece) {
    buf_str(&((struct log *)ctx)->values, piece);
    return 0;
}

static int on_end(void *ctx) {
    struct log *l = ctx;
    l->part[l->n++].end = l->values.n;
    return 0;
}

static const struct multipart_sink sink = {on_begin, on_data, on_end};

static struct str value_of(const struct log *l, const struct seen *s) {
    return (struct str){l->values.n ? l->values.p + s->begin : "", s->end - s->begin};
}

/* Writes the body in two pieces, the first of `cut` bytes. cut SIZE_MAX: one byte at a time. */
static int parse(struct arena *a, struct str type, struct str body, size_t cut, struct log *out,
                 const char **why) {
    struct multipart *m = multipart_new(a, type, &sink, out);
    int err = m ? 0 : -ERR_BODY_INVALID;
    if (why) *why = "no boundary";
    if (m == NULL) return err;
    size_t step = cut == SIZE_MAX ? 1 : cut;
    for (size_t at = 0; at < body.n && err == 0; at += step, step = cut == SIZE_MAX ? 1 : body.n - at)
        err = multipart_feed(m, (struct str){body.p + at, step});
    if (err == 0) err = multipart_end(m);
    if (why) *why = multipart_reason(m);
    return err;
}

/* ---- our own forms --------------------------------------------------------------------------- */

#define TYPE S("multipart/form-data; boundary=B")
#define FIELD(name, value) "--B\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define LAST "--B--\r\n"

/* Parses the body in every cut. Compares the parts as text: name=value, or name:filename:type=value, each
 * followed by a bar. */
static void expect(struct str body, const char *wanted) {
    for (size_t cut = 1; cut <= body.n + 1; cut++) {
        struct arena *a = arena_new();
        struct log *l = ARENA_NEW(a, struct log);
        struct buf got = {0};
        const char *why;
        int err = parse(a, TYPE, body, cut > body.n ? SIZE_MAX : cut, l, &why);
        for (size_t i = 0; i < l->n && !err; i++) {
            const struct seen *s = &l->part[i];
            buf_str(&got, s->name);
            if (s->is_file) buf_fmt(&got, ":%s:%s", s->filename.p, s->type.p ? s->type.p : "");
            buf_char(&got, '=');
            buf_str(&got, value_of(l, s));
            buf_char(&got, '|');
        }
        if (err) buf_fmt(&got, "%s: %s", error_info(err)->code, why);
        buf_char(&got, '\0');
        assert_string_equal(got.p, wanted);
        buf_free(&got);
        buf_free(&l->values);
        arena_free(a);
    }
}

static void parts_are_told_in_order(void **state) {
    (void)state;
    expect(S(FIELD("a", "1") FIELD("b", "") FIELD("a", "2") LAST), "a=1|b=|a=2|");
    expect(S(LAST), "");
    expect(S("--B--"), "");
}

static void bytes_outside_the_parts_are_passed_over(void **state) {
    (void)state;
    expect(S("a preamble\r\n\r\n" FIELD("a", "1") LAST "an epilogue\r\n--B\r\n"), "a=1|");
    expect(S("--B\r\nContent-Type: text/plain\r\n\r\nno disposition\r\n" FIELD("a", "1") LAST), "a=1|");
    expect(S("--B\r\n\r\nno head\r\n" FIELD("a", "1") LAST), "a=1|");
}

static void data_that_begins_like_the_boundary_is_data(void **state) {
    (void)state;
    expect(S(FIELD("a", "\r\n--Bx\r\n--\r\r\n-\r\n--B-x") LAST), "a=\r\n--Bx\r\n--\r\r\n-\r\n--B-x|");
    expect(S(FIELD("a", "\r\n\r\n") LAST), "a=\r\n\r\n|");
    expect(S(FIELD("a", "--Bx") LAST), "a=--Bx|");
    expect(S(FIELD("a", "x\r\n--B \r\r\n--B\ty") LAST), "a=x\r\n--B \r\r\n--B\ty|");
}

static void blanks_may_follow_a_boundary(void **state) {
    (void)state;
    expect(S("--B \t\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B--  "), "a=1|");
}

static void a_part_without_data_may_lack_its_line_end(void **state) {
    (void)state;
    expect(S("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n--B--"), "a=|");
}

#define FILE_PART(disposition, value) \
    "--B\r\nContent-Disposition: form-data; " disposition "\r\n\r\n" value "\r\n"

static void file_names_lose_their_directories(void **state) {
    (void)state;
    expect(S(FILE_PART("name=f; filename=\"a \\\"b\\\".txt\"", "x") LAST), "f:a \"b\".txt:=x|");
    expect(S(FILE_PART("name=f; filename=\"../../etc/passwd\"", "x") LAST), "f:passwd:=x|");
    expect(S(FILE_PART("name=f; filename=\"C:\\dir\\a.txt\"", "x") LAST), "f:a.txt:=x|");
    expect(S(FILE_PART("name=f; filename=\"\"", "x") LAST), "f::=x|");
    expect(S(FILE_PART("filename=a;name=f", "x") LAST), "f:a:=x|");
    expect(S(FILE_PART("filename=a", "x") LAST), ":a:=x|");
    expect(
        S("--B\r\ncontent-type: Application/Octet-Stream\r\ncontent-disposition: form-data; name=f\r\n\r\nx\r\n" LAST),
        "f::Application/Octet-Stream=x|");
}

static void extended_file_names_win(void **state) {
    (void)state;
    expect(S(FILE_PART("name=f; filename=\"euro\"; filename*=UTF-8''%e2%82%ac%20x.txt", "x") LAST),
           "f:\xe2\x82\xac x.txt:=x|");
    expect(S(FILE_PART("name=f; filename*=utf-8'en'..%2fa; filename=b", "x") LAST), "f:a:=x|");
    expect(S(FILE_PART("name=f; filename*=ISO-8859-1''%e4; filename=plain", "x") LAST), "f:plain:=x|");
    expect(S(FILE_PART("name=f; filename*=UTF-8''%e; filename=plain", "x") LAST), "f:plain:=x|");
    expect(S(FILE_PART("name=f; filename*=UTF-8''%ff", "x") LAST),
           "BODY_INVALID: The name of a part is not UTF-8.");
}

#define LONG_PART(n, value) \
    "--B\r\nContent-Length: " n "\r\nContent-Disposition: form-data; name=a\r\n\r\n" value

#define UNFINISHED "BODY_INVALID: The body ends before the last boundary line of the form."
static void a_lost_last_line_is_forgiven_when_the_part_is_whole(void **state) {
    (void)state;
    expect(S(LONG_PART("3", "abc")), "a=abc|");
    expect(S(LONG_PART("3", "abc\r\n")), "a=abc|");
    expect(S(LONG_PART("3", "abc\r\n--B")), "a=abc|");
    expect(S(LONG_PART("5", "abc\r\n")), "a=abc\r\n|");
    expect(S(LONG_PART("0", "")), "a=|");
    expect(S(FIELD("x", "1") LONG_PART("3", "abc")), "x=1|a=abc|");
    expect(S(LONG_PART("4", "abc\r")), "a=abc\r|");
    expect(S(LONG_PART("4", "abc")), UNFINISHED);
    expect(S(LONG_PART("2", "abc")), UNFINISHED);
    expect(S(FIELD("a", "1")), UNFINISHED);
    expect(S(FIELD("a", "1") "--B\r\nContent-"), UNFINISHED);
    expect(S(""), UNFINISHED);
    expect(S("no form at all"), UNFINISHED);
}

static void an_opening_boundary_line_may_end_the_form(void **state) {
    (void)state;
    expect(S(FIELD("a", "1") "--B\r\n"), "a=1|");
    expect(S(FIELD("a", "1") FILE_PART("name=f; filename=a.txt", "x") "--B \t\r\n"), "a=1|f:a.txt:=x|");
    expect(S(LONG_PART("3", "abc\r\n") "--B\r\n"), "a=abc|");
    expect(S(FIELD("a", "") "--B\r\n"), "a=|");
    expect(S("--B\r\n"), "");
    expect(S(FIELD("a", "1") "--B"), UNFINISHED);
    expect(S(FIELD("a", "1") "--B\r"), UNFINISHED);
    expect(S(FIELD("a", "1") "--B\r\n\r\n"), UNFINISHED);
    expect(S(FIELD("a", "1") "--B\r\nContent-Disposition: form-data; name=b\r\n"), UNFINISHED);
    expect(S(FIELD("a", "1") "--B\r\nContent-Disposition: form-data; name=b\r\n\r\n"), UNFINISHED);
    expect(S(LONG_PART("4", "abc\r\n") "--B\r\n"),
           "BODY_INVALID: A part is not as long as its Content-Length says.");
}

static void a_wrong_length_is_refused(void **state) {
    (void)state;
    const char *reason = "BODY_INVALID: A part is not as long as its Content-Length says.";
    expect(S(LONG_PART("3", "abc\r\n" LAST)), "a=abc|");
    expect(S(LONG_PART("2", "abc\r\n" LAST)), reason);
    expect(S(LONG_PART("5", "abc\r\n" LAST)), reason);
    expect(S(LONG_PART("x", "abc\r\n" LAST)), "BODY_INVALID: The Content-Length of a part is not a number.");
    expect(S(LONG_PART("-1", "abc\r\n" LAST)), "BODY_INVALID: The Content-Length of a part is not a number.");
}

#define HEAD(lines) "--B\r\n" lines "\r\n\r\nx\r\n" LAST

static void malformed_heads_are_refused(void **state) {
    (void)state;
    const char *line = "BODY_INVALID: A header line of a part is malformed.";
    const char *disposition = "BODY_INVALID: The Content-Disposition of a part is malformed.";
    expect(S(HEAD("no colon")), line);
    expect(S(HEAD(": no name")), line);
    expect(S(HEAD("Content-Disposition : form-data; name=a")), line);
    expect(S(HEAD("Content-Disposition: form-data; name=\"a")), disposition);
    expect(S(HEAD("Content-Disposition: form-data; name")), disposition);
    expect(S(HEAD("Content-Disposition: form-data; name=a b")), disposition);
    expect(S(HEAD("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b")),
           "BODY_INVALID: A part has two Content-Disposition headers.");
    expect(S(HEAD("Content-Disposition: form-data; name=\"a\x01\"")),
           "BODY_INVALID: A header of a part has a control character.");
    expect(S(HEAD("Content-Disposition: form-data; name=\"\xff\"")),
           "BODY_INVALID: The name of a part is not UTF-8.");
    expect(S(HEAD("Content-Transfer-Encoding: base64\r\nContent-Disposition: form-data; name=a")),
           "BODY_INVALID: The Content-Transfer-Encoding of a part is not supported: send it as binary.");
}

static void a_line_may_go_on_in_the_next(void **state) {
    (void)state;
    expect(S(HEAD("Content-Disposition: form-data;\r\n name=a;\r\n\tfilename=b")), "a:b:=x|");
    expect(S(HEAD("X: a\rb\r\nContent-Disposition: form-data; name=a")),
           "BODY_INVALID: A header of a part has a control character.");
}

static void boundaries_are_checked(void **state) {
    (void)state;
    static const char *const bad[] = {"multipart/form-data",
                                      "multipart/form-data; boundary=",
                                      "multipart/form-data; boundary=\"\"",
                                      "multipart/form-data; boundary=\"a",
                                      "multipart/form-data; boundary=\"a \"",
                                      "multipart/form-data; boundary=\"a\rb\""};
    struct arena *a = arena_new();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(multipart_new(a, str_of(bad[i]), &sink, NULL));
    assert_null(multipart_new(a, str_fmt(a, "multipart/form-data; boundary=%071d", 0), &sink, NULL));
    assert_non_null(multipart_new(a, str_fmt(a, "multipart/form-data; boundary=%070d", 0), &sink, NULL));
    assert_non_null(
        multipart_new(a, S("multipart/form-data; charset=utf-8; Boundary=\"a b\"; x=y"), &sink, NULL));
    arena_free(a);
}

static void limits_hold(void **state) {
    (void)state;
    struct arena *a = arena_new();
    struct log *l = ARENA_NEW(a, struct log);
    struct buf body = {0};
    for (int i = 0; i < LIMIT_PARTS; i++) buf_str(&body, S(FIELD("a", "1")));
    buf_str(&body, S(LAST));
    assert_int_equal(parse(a, TYPE, buf_view(&body), body.n, l, NULL), 0);
    assert_int_equal(l->n, LIMIT_PARTS);
    body.n -= sizeof LAST - 1;
    l->n = 0;
    buf_str(&body, S(FIELD("a", "1") LAST));
    assert_int_equal(parse(a, TYPE, buf_view(&body), body.n, l, NULL), -ERR_PAYLOAD_TOO_LARGE);
    body.n = 0;
    buf_fmt(&body, "--B\r\nX: %0*d\r\n\r\n", LIMIT_PART_HEAD, 0);
    assert_int_equal(parse(a, TYPE, buf_view(&body), body.n, l, NULL), -ERR_BODY_INVALID);
    buf_free(&body);
    buf_free(&l->values);
    arena_free(a);
}

static int refuse_data(void *ctx, struct str piece) {
    (void)ctx, (void)piece;
    return -ERR_SERVICE_UNAVAILABLE;
}

static void the_sink_can_stop_it(void **state) {
    (void)state;
    static const struct multipart_sink stop = {on_begin, refuse_data, on_end};
    struct arena *a = arena_new();
    struct log *l = ARENA_NEW(a, struct log);
    struct multipart *m = multipart_new(a, TYPE, &stop, l);
    assert_int_equal(multipart_feed(m, S(FIELD("a", "1") LAST)), -ERR_SERVICE_UNAVAILABLE);
    assert_int_equal(l->n, 0);
    arena_free(a);
}

/* ---- busboy's forms -------------------------------------------------------------------------- */

static struct str read_whole(struct arena *a, const char *path) {
    FILE *f = fopen(path, "rb");
    struct buf b = {0};
    char piece[8192];
    size_t n;
    if (f == NULL) return (struct str){0};
    while ((n = fread(piece, 1, sizeof piece, f))) buf_add(&b, piece, n);
    fclose(f);
    return buf_take(&b, a);
}

static struct str text(const struct json *o, const char *name) {
    const struct json *v = json_member(o, str_of(name));
    return v && v->type == JSON_STRING ? v->text : (struct str){0};
}

static bool is_true(const struct json *o, const char *name) {
    const struct json *v = json_member(o, str_of(name));
    return v && v->type == JSON_TRUE;
}

/* Decodes the Base64 of a file's data. */
static struct str data_of(struct arena *a, const struct json *item) {
    struct str b64 = text(json_member(item, S("data")), "b64");
    unsigned char *bin = arena_alloc(a, b64.n + 1);
    size_t n = 0;
    assert_int_equal(
        sodium_base642bin(bin, b64.n + 1, b64.p, b64.n, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL), 0);
    return (struct str){(char *)bin, n};
}

/* Only the last component of a name is kept, so names of the case that keeps paths are compared without
 * folders. */
static struct str base_name(struct str s) {
    for (size_t i = s.n; i-- > 0;)
        if (s.p[i] == '/' || s.p[i] == '\\') return (struct str){s.p + i + 1, s.n - i - 1};
    return s;
}

static bool same(struct arena *a, const struct json *item, const struct log *l, const struct seen *s) {
    bool is_file = str_eq(text(item, "type"), S("file"));
    const struct json *info = json_member(item, S("info"));
    struct str value = is_file ? data_of(a, item) : text(item, "val"), type = s->type;
    bool cut = is_true(item, "limited") || is_true(info, "valueTruncated");
    bool equal = cut ? str_starts(value_of(l, s), value) : str_eq(value_of(l, s), value);
    if (!equal || is_file != s->is_file || !str_eq(text(item, "name"), s->name)) return false;
    if (!is_file) return true;
    return str_eq(base_name(text(info, "filename")), s->filename) &&
           (type.p == NULL || str_eq(str_cut(&type, ';'), text(info, "mimeType")));
}

struct expectation {
    bool error, partial; /* partial: busboy stops early, or ignores one kind */
    bool fields, files;
};

static struct expectation expectation_of(const struct json *c, const struct json *list) {
    struct expectation x = {.partial = json_member(c, S("limits")) != NULL};
    for (const struct json *item = list->first; item; item = item->next) {
        if (item->type != JSON_OBJECT) continue;
        x.error |= json_member(item, S("error")) != NULL;
        x.fields |= str_eq(text(item, "type"), S("field"));
        x.files |= str_eq(text(item, "type"), S("file"));
    }
    return x;
}

/* Our limits are refusals, not cuts. So the parts that busboy lists under its limits are the beginning of
 * ours. */
static void compare(struct arena *a, const char *what, const struct json *c, const struct log *l) {
    const struct json *list = json_member(c, S("expected"));
    struct expectation x = expectation_of(c, list);
    size_t at = 0;
    bool filter = x.fields || x.files;
    for (const struct json *item = list->first; item && item->type == JSON_OBJECT; item = item->next, at++) {
        while (at < l->n && filter && !(l->part[at].is_file ? x.files : x.fields)) at++;
        if (at >= l->n || !same(a, item, l, &l->part[at])) fail_msg("%s: part %zu differs", what, at);
    }
    while (at < l->n && filter && !(l->part[at].is_file ? x.files : x.fields)) at++;
    if (at < l->n && !x.partial) fail_msg("%s: %zu parts too many", what, l->n - at);
}

static void run_case(struct arena *a, const struct json *c, struct str body) {
    struct str what = text(c, "what"), type = text(c, "contentType");
    bool error = expectation_of(c, json_member(c, S("expected"))).error;
    struct log *l = ARENA_NEW(a, struct log);
    /* every 13th byte of the two bodies that have 64 KiB of one letter */
    size_t middle = body.n > 20000 ? body.n - 20000 : 0;
    for (size_t cut = 1; cut <= body.n + 1; cut += cut > 10000 && cut < middle ? 13 : 1) {
        struct arena_mark mark = arena_mark(a);
        *l = (struct log){.values = {l->values.p, 0, l->values.cap}};
        int err = parse(a, type, body, cut > body.n ? SIZE_MAX : cut, l, NULL);
        if ((err != 0) != error) fail_msg("%s, cut at %zu: answered %d", what.p, cut, err);
        if (!error) compare(a, what.p, c, l);
        arena_return(a, mark);
    }
    buf_free(&l->values);
}

static void busboys_forms_come_out_equal(void **state) {
    (void)state;
    const char *root = getenv("CORPORA");
    char path[512];
    int ran = 0;
    for (int i = 1; i < 100; i++) {
        struct arena *a = arena_new();
        struct json *c;
        struct json_error why;
        snprintf(path, sizeof path, "%s/multipart/%03d.json", root && *root ? root : "../shared/corpora", i);
        struct str expected = read_whole(a, path);
        memcpy(path + strlen(path) - 4, "body", 4);
        struct str body = read_whole(a, path);
        if (expected.p && json_parse(a, expected, &c, &why) == 0 &&
            str_starts(text(c, "contentType"), S("multipart"))) {
            run_case(a, c, body);
            ran++;
        }
        arena_free(a);
    }
    if (ran == 0) print_message("skipped: no corpora\n");
    else print_message("%d forms\n", ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_told_in_order),
        cmocka_unit_test(bytes_outside_the_parts_are_passed_over),
        cmocka_unit_test(data_that_begins_like_the_boundary_is_data),
        cmocka_unit_test(blanks_may_follow_a_boundary),
        cmocka_unit_test(a_part_without_data_may_lack_its_line_end),
        cmocka_unit_test(file_names_lose_their_directories),
        cmocka_unit_test(extended_file_names_win),
        cmocka_unit_test(an_opening_boundary_line_may_end_the_form),
        cmocka_unit_test(a_lost_last_line_is_forgiven_when_the_part_is_whole),
        cmocka_unit_test(a_wrong_length_is_refused),
        cmocka_unit_test(malformed_heads_are_refused),
        cmocka_unit_test(a_line_may_go_on_in_the_next),
        cmocka_unit_test(boundaries_are_checked),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(the_sink_can_stop_it),
        cmocka_unit_test(busboys_forms_come_out_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
