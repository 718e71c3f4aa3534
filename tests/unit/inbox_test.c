/* Files of the inbox: envelopes, order, abandoned drafts. The doors have tests of their own
 * (tests/api/lmtp.test.mjs). */
#include "mail/inbox.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static struct arena *a;
static struct str data, inbox;

static struct str stored; /* the name of the last mail */

static int begin_test(void **state) {
    static char place[] = "/tmp/inbox-XXXXXX";
    (void)state;
    strcpy(place, "/tmp/inbox-XXXXXX");
    a = arena_new();
    data = str_of(mkdtemp(place));
    inbox = inbox_open(a, data);
    return inbox.p ? 0 : -1;
}

static int end_test(void **state) {
    (void)state;
    int rc = system(str_fmt(a, "rm -r %s", data.p).p);
    arena_free(a);
    return rc;
}

/* Writes a file into new, as an older version or an operator did. */
static void drop_in(const char *name, struct str text) {
    FILE *f = fopen(str_fmt(a, "%s/new/%s", inbox.p, name).p, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    assert_int_equal(fclose(f), 0);
}

static struct inbox_mail only_mail(void) {
    struct str names[2];
    struct inbox_mail m;
    assert_int_equal(inbox_list(a, inbox, INBOX_NEW, names, 2), 1);
    assert_int_equal(inbox_read(a, inbox, (struct inbox_file){INBOX_NEW, names[0]}, &m), 0);
    assert_true(inbox_done(a, inbox, (struct inbox_file){INBOX_NEW, names[0]}));
    return m;
}

static void assert_same(struct str got, struct str expected) {
    assert_int_equal(got.p == NULL, expected.p == NULL);
    assert_true(str_eq(got, expected));
}

static void a_mail_comes_back_as_it_was_put(void **state) {
    const struct inbox_mail mails[] = {
        {DOOR_LMTP, S("ada@people.example"), S("support+x@desk.example"),
         S("Subject: x\r\n\r\n\0\r\nfrom: <evil@x>\n")},
        {DOOR_PIPE, S(""), {0}, S("")},
        {DOOR_IMAP, {0}, S("\"a: b\"@c.example"), S("deskd-mail 1\ndoor: PIPE\nto: <evil@x>\n\nx")},
        {DOOR_PIPE, S("<a>@b"), S("é@desk.example"), S("\n\n")},
    };
    (void)state;
    for (size_t i = 0; i < sizeof mails / sizeof *mails; i++) {
        assert_int_equal(inbox_put(a, inbox, &mails[i], &stored), 0);
        struct inbox_mail m = only_mail();
        assert_int_equal(m.door, mails[i].door);
        assert_same(m.envelope_from, mails[i].envelope_from);
        assert_same(m.recipient, mails[i].recipient);
        assert_same(m.raw, mails[i].raw);
    }
}

static void an_address_makes_no_line(void **state) {
    (void)state;
    assert_int_equal(inbox_put(a, inbox,
                               &(struct inbox_mail){DOOR_PIPE, S("a\nto: <evil@x>"), S("b\r@c"), S("x")},
                               &stored),
                     0);
    struct inbox_mail m = only_mail();
    assert_null(m.envelope_from.p);
    assert_null(m.recipient.p);
}

static void a_file_without_an_envelope_is_a_mail_by_pipe(void **state) {
    const struct str files[] = {
        S("From: a@b\n\nx"),   S(""), S("x"), S("deskd-mail 1"), S("deskd-mail 1\ndoor: LMTP\nto: <a@b>\n"),
        S("deskd-mail 2\n\nx")};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        drop_in("old", files[i]);
        struct inbox_mail m = only_mail();
        assert_int_equal(m.door, DOOR_PIPE);
        assert_null(m.recipient.p);
        assert_same(m.raw, files[i]);
    }
}

static void the_first_mails_are_listed_in_their_order(void **state) {
    struct str names[3];
    struct inbox_mail m;
    (void)state;
    for (int i = 0; i < 9; i++)
        assert_int_equal(
            inbox_put(a, inbox, &(struct inbox_mail){.door = DOOR_LMTP, .raw = str_fmt(a, "%d", i)}, &stored),
            0);
    drop_in("0c6f4e9e-8a3b-4c7d-9e2f-000000000000", S("old"));
    assert_int_equal(inbox_list(a, inbox, INBOX_NEW, names, 3), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(inbox_read(a, inbox, (struct inbox_file){INBOX_NEW, names[i]}, &m), 0);
        assert_same(m.raw, i == 0 ? S("old") : str_fmt(a, "%d", i - 1));
    }
}

static void a_start_removes_only_abandoned_drafts(void **state) {
    struct inbox_draft d;
    (void)state;
    assert_int_equal(inbox_begin(&d, a, inbox, &(struct inbox_mail){.door = DOOR_LMTP}), 0);
    const char *abandoned = str_fmt(a, "%s/tmp/abandoned", inbox.p).p;
    int fd = open(abandoned, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_non_null(inbox_open(a, data).p);
    assert_int_equal(access(abandoned, F_OK), -1);
    assert_int_equal(inbox_add(&d, S("x")), 0);
    assert_int_equal(inbox_sync(&d), 0);
    assert_int_equal(inbox_keep(&d, a, inbox), 0);
    assert_same(only_mail().raw, S("x"));
}

static void a_dropped_mail_leaves_nothing(void **state) {
    struct inbox_draft d;
    struct str names[1];
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        assert_int_equal(inbox_begin(&d, a, inbox, &(struct inbox_mail){.door = DOOR_LMTP}), 0);
        const char *path = d.path;
        if (kept) assert_int_equal(inbox_keep(&d, a, inbox), 0);
        inbox_drop(&d);
        inbox_drop(&d);
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(inbox_list(a, inbox, INBOX_NEW, names, 1), 0);
    }
}

static void a_mail_is_found_where_it_is(void **state) {
    (void)state;
    assert_int_equal(inbox_put(a, inbox, &(struct inbox_mail){.door = DOOR_IMAP, .raw = S("x")}, &stored), 0);
    assert_int_equal(inbox_find(a, inbox, stored), INBOX_WAITS);
    assert_true(inbox_move(a, inbox, (struct inbox_file){INBOX_NEW, stored}, INBOX_SLOW));
    assert_int_equal(inbox_find(a, inbox, stored), INBOX_ASIDE);
    assert_true(inbox_move(a, inbox, (struct inbox_file){INBOX_SLOW, stored}, INBOX_LATER));
    assert_int_equal(inbox_find(a, inbox, stored), INBOX_ASIDE);
    assert_true(inbox_move(a, inbox, (struct inbox_file){INBOX_LATER, stored}, INBOX_NEW));
    assert_true(inbox_fail(a, inbox, (struct inbox_file){INBOX_NEW, stored}));
    assert_int_equal(inbox_find(a, inbox, stored), INBOX_FAILED);
    assert_int_equal(inbox_put(a, inbox, &(struct inbox_mail){.door = DOOR_IMAP, .raw = S("x")}, &stored), 0);
    assert_true(inbox_done(a, inbox, (struct inbox_file){INBOX_NEW, stored}));
    assert_int_equal(inbox_find(a, inbox, stored), INBOX_GONE);
}

static void a_folder_that_is_no_inbox_is_refused(void **state) {
    (void)state;
    assert_int_equal(
        inbox_put(a, S("/nowhere/mail"), &(struct inbox_mail){.door = DOOR_PIPE, .raw = S("x")}, &stored),
        ENOENT);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        TEST(a_mail_comes_back_as_it_was_put),
        TEST(an_address_makes_no_line),
        TEST(a_mail_is_found_where_it_is),
        TEST(a_file_without_an_envelope_is_a_mail_by_pipe),
        TEST(the_first_mails_are_listed_in_their_order),
        TEST(a_start_removes_only_abandoned_drafts),
        TEST(a_dropped_mail_leaves_nothing),
        TEST(a_folder_that_is_no_inbox_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
