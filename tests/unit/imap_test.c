/* The text of IMAP: responses are read whole, whatever the pieces in which they come, and each size is
 * bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "mail/imap_text.h"

/* A server that sends a text in pieces, and then closes the connection. */
struct sent {
    struct str rest;
    size_t piece;
};

#define CLOSED (-7)

static int sent_more(void *arg, char *to, size_t room) {
    struct sent *s = arg;
    size_t n = s->piece < room ? s->piece : room;
    if (n > s->rest.n) n = s->rest.n;
    if (n == 0) return CLOSED;
    memcpy(to, s->rest.p, n);
    s->rest = (struct str){s->rest.p + n, s->rest.n - n};
    return (int)n;
}

static int read_one(struct arena *a, const char *text, size_t piece, size_t most, struct imap_response *out) {
    struct sent sent = {str_of(text), piece};
    struct imap_source *source = arena_alloc(a, sizeof *source);
    source->more = sent_more, source->arg = &sent, source->left = most;
    return imap_response_read(source, a, out);
}

static void a_mail_is_read_in_pieces_of_any_size(void **state) {
    (void)state;
    static const char fetch[] =
        "* 3 FETCH (FLAGS (\\Seen \\DELETED) BODY[] {12}\r\nFrom: a\r\n\r\nb RFC822.SIZE 12 UID 42)\r\n";
    for (size_t piece = 1; piece < sizeof fetch; piece++) {
        struct arena *a = arena_new();
        struct imap_response r;
        struct imap_mail m;
        assert_int_equal(read_one(a, fetch, piece, 1000, &r), 0);
        assert_true(imap_mail_read(&r, &m));
        assert_true(m.uid == 42 && m.size == 12 && m.is_deleted && m.has_body);
        assert_true(str_eq(m.body, S("From: a\r\n\r\nb")));
        arena_free(a);
    }
}

static void other_items_of_a_mail_are_passed_over(void **state) {
    (void)state;
    struct arena *a = arena_new();
    struct imap_response r;
    struct imap_mail m;
    assert_int_equal(
        read_one(a,
                 "* 1 FETCH (ENVELOPE (\"UID 9 (\" {3}\r\n) ( NIL) X-GM-LABELS (\"\\\\Inbox\") UID 5 BODY[] "
                 "{2}\r\nhi INTERNALDATE \"17-Jul-1996 02:44:25 -0700\" RFC822.SIZE 2)\r\n",
                 7, 1000, &r),
        0);
    assert_true(imap_mail_read(&r, &m));
    assert_true(m.uid == 5 && m.size == 2 && !m.is_deleted && str_eq(m.body, S("hi")));
    assert_int_equal(read_one(a, "* 1 FETCH (UID 5 BODY[] NIL)\r\n", 100, 1000, &r), 0);
    assert_true(imap_mail_read(&r, &m) && !m.has_body);
    arena_free(a);
}

static void broken_responses_are_refused(void **state) {
    (void)state;
    static const char *const broken[] = {"* 1 FETCH (UID 5",
                                         "* 1 FETCH (UID",
                                         "* 1 FETCH UID 5)",
                                         "* x FETCH (UID 5)",
                                         "* -1 FETCH (UID 5)",
                                         "* 1 FETCH (BODY[] {1})",
                                         "* 1 FETCH (FLAGS (\\Seen)",
                                         "* 1 FETCH (X \"a)",
                                         "* 1 EXPUNGE",
                                         "",
                                         "* 1 FETCH (BODY[] \"a\\\")"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct imap_response r = {.text = str_of(broken[i])};
        struct imap_mail m;
        assert_false(imap_mail_read(&r, &m));
    }
}

static void sizes_are_bounded(void **state) {
    (void)state;
    struct arena *a = arena_new();
    struct imap_response r;
    char *line = arena_alloc(a, IMAP_LINE + 10);
    memset(line, 'x', IMAP_LINE + 1);
    assert_int_equal(read_one(a, line, 4096, 1 << 20, &r), IMAP_SENSELESS);
    assert_int_equal(read_one(a, "* 1 FETCH (BODY[] {99999999999}\r\n", 4096, 1 << 20, &r), IMAP_SENSELESS);
    assert_int_equal(read_one(a, "* 1 FETCH (BODY[] {100}\r\nabc", 4096, 1 << 20, &r), CLOSED);
    assert_int_equal(read_one(a, "* 1 FETCH (BODY[] {100}\r\nabc", 4096, 50, &r), IMAP_SENSELESS);
    assert_int_equal(
        read_one(a, "({0}\r\n{0}\r\n{0}\r\n{0}\r\n{0}\r\n{0}\r\n{0}\r\n{0}\r\n{0}\r\n)\r\n", 4096, 1000, &r),
        IMAP_SENSELESS);
    assert_int_equal(read_one(a, "* OK without an end", 4096, 1000, &r), CLOSED);
    arena_free(a);
}

static void numbers_and_words_are_found(void **state) {
    (void)state;
    int64_t n = 0;
    assert_true(imap_number_read(S("* 12 EXISTS"), S("EXISTS"), &n) && n == 12);
    assert_false(imap_number_read(S("* 12 EXISTSX"), S("EXISTS"), &n));
    assert_false(imap_number_read(S("d1 OK 12 EXISTS"), S("EXISTS"), &n));
    assert_true(imap_code_read(S("* OK [UIDVALIDITY 3857529045] UIDs valid"), S("UIDVALIDITY"), &n) &&
                n == 3857529045);
    assert_false(imap_code_read(S("* OK [UIDNEXT 3] x"), S("UIDVALIDITY"), &n));
    assert_true(imap_has_word(S("* CAPABILITY IMAP4rev1 move"), S("MOVE")));
    assert_false(imap_has_word(S("* CAPABILITY IMAP4rev1 REMOVE"), S("MOVE")));
}

static void folders_are_quoted_in_modified_utf7(void **state) {
    (void)state;
    static const char *const folders[][2] = {
        {"INBOX", "\"INBOX\""},
        {"Tom & \"Jerry\"\\x", "\"Tom &- \\\"Jerry\\\"\\\\x\""},
        {"Entw\xC3\xBCrfe", "\"Entw&APw-rfe\""},
        {"\xE5\x8F\xB0\xE5\x8C\x97/x", "\"&U,BTFw-/x\""}, /* the example of RFC 3501 */
        {"\xF0\x9F\x93\xA7", "\"&2D3c5w-\""},
    };
    struct arena *a = arena_new();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_string_equal(imap_folder(a, str_of(folders[i][0])).p, folders[i][1]);
    assert_null(imap_folder(a, S("a\r\nd9 DELETE x")).p);
    assert_null(imap_folder(a, S("\xFF")).p);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mail_is_read_in_pieces_of_any_size),
        cmocka_unit_test(other_items_of_a_mail_are_passed_over),
        cmocka_unit_test(broken_responses_are_refused),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(numbers_and_words_are_found),
        cmocka_unit_test(folders_are_quoted_in_modified_utf7),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
