/* Reading of mails: each by the confined process, as the desk does. */
#include "mail/read.h"

#include "base/buf.h"
#include "mail/read_child.h"

/* clang-format off: cmocka wants these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

static struct arena *arena;

static int open_arena(void **state) {
    (void)state;
    arena = arena_new();
    return 0;
}

static int close_arena(void **state) {
    (void)state;
    arena_free(arena);
    return 0;
}

static struct incoming mail_of(struct str raw) {
    struct incoming m = {.recipient = S("support@example.com")};
    int rc = mail_read(arena, raw, &m);
    if (rc != 1) fail_msg("%.*s", (int)m.fault.n, m.fault.p ? m.fault.p : "?");
    return m;
}

static void is_text(struct str s, const char *expected) {
    if (!str_eq(s, str_of(expected))) fail_msg("is         %.*s\n  instead of %s", (int)s.n, s.p ? s.p : "NULL", expected);
}

/* Lines of C texts end with \n; a mail has them as they are. */
static struct incoming read_text_of(const char *raw) { return mail_of(str_of(raw)); }

/* ---- the header ------------------------------------------------------------------------------------------------------- */

static void a_plain_mail_is_read_whole(void **state) {
    (void)state;
    struct incoming m = read_text_of("From: =?utf-8?q?Ad=C3=A9le?= <ada@example.com>\r\n"
                                     "To: Desk <support@example.com>, b@example.com\r\n"
                                     "Cc: Team: c@example.com, \"D, E\" <d@example.com>;\r\n"
                                     "Subject: =?iso-8859-1?B?Z3L832U=?= und\r\n mehr\r\n"
                                     "Message-ID: <1@example.com>\r\n"
                                     "In-Reply-To: <0@example.com>\r\n"
                                     "References: <a@b> <0@example.com>\r\n"
                                     "Date: Fri, 2 Jan 2026 03:04:05 +0100\r\n"
                                     "\r\n"
                                     "Hello\r\nyou\r\n");
    is_text(m.from.name, "Ad\xC3\xA9le");
    is_text(m.from.address, "ada@example.com");
    assert_int_equal(m.to_count, 2);
    is_text(m.to[0].name, "Desk");
    is_text(m.to[1].address, "b@example.com");
    assert_int_equal(m.cc_count, 2);
    is_text(m.cc[1].name, "D, E");
    is_text(m.subject, "gr\xC3\xBC\xC3\x9F"
                       "e und mehr");
    is_text(m.message_id, "1@example.com");
    assert_int_equal(m.reference_count, 2);
    is_text(m.references[0], "a@b");
    is_text(m.references[1], "0@example.com");
    assert_int_equal(m.date, 1767319445000);
    is_text(m.text, "Hello\nyou");
    assert_null(m.html.p);
    assert_int_equal(m.signs.from_headers, 1);
    is_text(m.recipient, "support@example.com");
    assert_int_equal(m.sha256.n, 64);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], MAIL_ARGUMENT) == 0) return mail_child();
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_mail_is_read_whole),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
