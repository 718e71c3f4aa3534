/* Mails in wire format, with any names. */
#include "mail/mime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct arena *a;

static struct mail plain(void) {
    return (struct mail){.from_name = S("Support"),
                         .from = S("desk@example.com"),
                         .to_name = S("Ada Byron"),
                         .to = S("ada@example.com"),
                         .subject = S("Hello"),
                         .text = S("one\ntwo\n"),
                         .html = S("<p>one</p>\n"),
                         .message_id = S("1@example.com"),
                         .date = 0};
}

static const char *written(struct mail m) {
    struct str out = mime_write(a, &m);
    assert_non_null(out.p);
    return out.p;
}

/* Returns how many lines begin with this text. */
static int lines(const char *text, const char *begin) {
    int n = 0;
    for (const char *at = text; at; at = strstr(at, "\r\n"), at = at ? at + 2 : NULL)
        n += strncmp(at, begin, strlen(begin)) == 0;
    return n;
}

static void a_plain_mail(void **state) {
    const char *text = written(plain());
    (void)state;
    assert_non_null(strstr(text, "From: Support\r\n <desk@example.com>\r\n"));
    assert_non_null(strstr(text, "To: Ada Byron\r\n <ada@example.com>\r\n"));
    assert_non_null(strstr(
        text, "Subject: Hello\r\nDate: Thu, 01 Jan 1970 00:00:00 +0000\r\nMessage-Id: <1@example.com>\r\n"));
    assert_int_equal(lines(text, "Auto-Submitted: auto-generated"), 1);
    assert_non_null(strstr(text, "Content-Type: multipart/alternative; boundary="));
    for (const char *at = text; (at = strchr(at, '\n')); at++) assert_int_equal(at[-1], '\r');
}

static void no_name_makes_a_header(void **state) {
    static const char *const names[] = {"x\r\nBcc: evil@example.com",
                                        "x\nBcc: evil@example.com",
                                        "=?utf-8?Q?x=0D=0ABcc:_evil?=",
                                        "\"x\" <evil@example.com>,",
                                        "x\rBcc: evil@example.com",
                                        "\r\n\r\nbody",
                                        "x\x7F",
                                        " ",
                                        ""};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct mail m = plain();
        m.from_name = m.to_name = m.subject = str_of(names[i]);
        const char *text = written(m);
        assert_int_equal(lines(text, "Bcc:"), 0);
        assert_int_equal(lines(text, "From:"), 1);
        assert_int_equal(lines(text, "Content-Type: multipart/alternative"), 1);
        struct str head = {text, (size_t)(strstr(text, "\r\n\r\n") - text)};
        assert_null(memmem(head.p, head.n, "evil", 4));
        assert_null(memmem(head.p, head.n, "body", 4));
    }
}

static void long_names_are_folded_and_cut(void **state) {
    struct mail m = plain();
    /* not a multiple of three bytes, so the last character is incomplete */
    struct str name = {arena_alloc(a, 10000), 9999};
    (void)state;
    for (size_t i = 0; i < 10000; i++) ((char *)name.p)[i] = "\xE5\x90\x8D"[i % 3];
    m.to_name = m.subject = name;
    const char *text = written(m);
    for (const char *at = text, *end; (end = strstr(at, "\r\n")); at = end + 2) assert_true(end - at <= 76);
}

static void an_address_that_is_none_is_not_written(void **state) {
    static const char *const bad[] = {
        "", "nobody", "a@b@c", "a@x\r\nBcc: y@z", "a b@example.com", "<a@example.com>", "a@-x.example"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mail m = plain();
        m.to = str_of(bad[i]);
        assert_null(mime_write(a, &m).p);
    }
    assert_string_equal(mime_address(a, S("ines@B\xC3\xBC\x63her.example")).p, "ines@xn--bcher-kva.example");
}

static void without_html_the_text_is_all(void **state) {
    struct mail m = plain();
    (void)state;
    m.html = (struct str){0};
    const char *text = written(m);
    assert_int_equal(lines(text, "Content-Type: text/plain; charset=utf-8"), 1);
    assert_null(strstr(text, "multipart"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_mail),
        cmocka_unit_test(no_name_makes_a_header),
        cmocka_unit_test(long_names_are_folded_and_cut),
        cmocka_unit_test(an_address_that_is_none_is_not_written),
        cmocka_unit_test(without_html_the_text_is_all),
    };
    a = arena_new();
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(a);
    return rc;
}
