/* Reading of mails: each by the confined process, as the desk does. */
#include "read_mail.h"

#include "base/buf.h"
#include "mail/read_child.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

/* Lines of C texts end with \n; a mail has them as they are. */
static struct incoming read_text_of(const char *raw) { return mail_of(str_of(raw)); }

/* ---- the header ------------------------------------------------------------------------------ */

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

static void the_first_in_reply_to_alone_is_a_reference(void **state) {
    (void)state;
    struct incoming m = read_text_of("From: a@b.c\nX-Entity: <x@example.com>\n\nHello\n");
    assert_int_equal(m.reference_count, 0);
    m = read_text_of("From: a@b.c\nX-Entity: <x@example.com>\nIn-Reply-To: <1@example.com>\n"
                     "In-Reply-To: <2@example.com>\n\nHello\n");
    assert_int_equal(m.reference_count, 1);
    is_text(m.references[0], "1@example.com");
}

/* ---- bodies and files ------------------------------------------------------------------------ */

static void quotes_and_signatures_are_folded(void **state) {
    (void)state;
    struct incoming m = read_text_of(
        "From: a@b.c\n\nYes.\n\nOn Tue, Jan 6, 2026 at 9:14 AM Desk <d@example.com> wrote:\n> Does it work?\n");
    is_text(m.text, "Yes.");
    assert_non_null(strstr(m.quoted.p, "Does it work?"));
    m = read_text_of("From: a@b.c\nContent-Type: text/html\n\n<p>Yes.</p><div class=gmail_quote>On Tue, Jan "
                     "6, 2026 at 9:14 AM Desk &lt;d@example.com&gt; wrote:<blockquote>Does it "
                     "work?</blockquote></div>");
    is_text(m.text, "Yes.");
    assert_non_null(strstr(m.html.p, "<p>Yes.</p><details class=\"quoted\"><summary>"));
    m = read_text_of(
        "From: a@b.c\nSubject: Fwd: x\n\nSee.\n\nOn Tue, Jan 6, 2026 at 9:14 AM Desk <d@example.com> wrote:\n> Does it work?\n");
    is_text(m.quoted, "");
}

static void recipients_of_a_quoted_header_may_take_two_more_lines(void **state) {
    (void)state;
    struct incoming m = read_text_of("From: a@b.c\n\nYes.\n\nFrom: Desk <d@example.com>\nTo: Ada <a@b.c>;\n"
                                     "Bob <b@b.c>;\nCarl <c@b.c>\nSubject: Lamp\n\nDoes it work?\n");
    is_text(m.text, "Yes.");
    assert_non_null(strstr(m.quoted.p, "Does it work?"));
    m = read_text_of("From: a@b.c\n\nYes.\n\nFrom: Desk <d@example.com>\nTo: Ada <a@b.c>;\nBob <b@b.c>;\n"
                     "Carl <c@b.c>;\nDora <d@b.c>\nSubject: Lamp\n\nDoes it work?\n");
    is_text(m.quoted, "");
}

#define INTRODUCED "On Tue, Jan 6, 2026 at 9:14 AM Desk <d@example.com> wrote:\n> Does it work?\n"

static void a_quote_above_the_answer_is_folded(void **state) {
    (void)state;
    struct incoming m = read_text_of("From: a@b.c\n\n" INTRODUCED "\nYes.\n\n-- \nAda\n");
    is_text(m.text, "Yes.");
    is_text(m.quoted, INTRODUCED "\n-- \nAda");
    m = read_text_of("From: a@b.c\nContent-Type: text/html\n\n<div class=moz-cite-prefix>On 1/6/26 9:14 AM, "
                     "Desk wrote:</div><blockquote type=cite><p>Does it work?</p></blockquote><p>Yes.</p>");
    is_text(m.text, "Yes.");
    assert_non_null(strstr(m.html.p, "<p>Does it work?</p></blockquote></details><p>Yes.</p>"));
    m = read_text_of("From: a@b.c\n\n" INTRODUCED "\nYes.\n\n> And now?\n\nNo.\n");
    is_text(m.quoted, ""); /* the answers are between the quotes */
    m = read_text_of("From: a@b.c\n\nHello,\n\n" INTRODUCED "\nYes, it works again.\n");
    is_text(m.quoted, ""); /* the sender chose the line as context */
}

static void a_quote_between_an_answer_and_its_closing_is_folded(void **state) {
    (void)state;
    struct incoming m =
        read_text_of("From: a@b.c\n\nYes, it works again.\n\n" INTRODUCED "\nMany thanks\nAda\nNavy\n");
    is_text(m.text, "Yes, it works again.\n\nMany thanks\nAda\nNavy");
    is_text(m.quoted, "On Tue, Jan 6, 2026 at 9:14 AM Desk <d@example.com> wrote:\n> Does it work?");
    m = read_text_of("From: a@b.c\n\nYes, it works again.\n\n" INTRODUCED
                     "\nMany thanks\nAda\nNavy\nLondon\n");
    is_text(m.quoted, ""); /* four lines may be an answer */
}

/* Reads a mail with an answer below a quotation of this style. Returns the folded text. */
static struct str folded_above(const char *style) {
    struct incoming m = read_text_of(
        str_fmt(arena,
                "From: a@b.c\nContent-Type: text/html\n\n<div>On 1/6/26 9:14 AM, Desk "
                "wrote:</div><blockquote style=\"%s\"><p>Does it work?</p></blockquote><p>Yes.</p>",
                style)
            .p);
    return m.quoted;
}

static void an_indented_text_without_a_border_is_no_quote(void **state) {
    static const char *const styles[] = {"margin:0 0 0 40px;border:none;padding:0", "border: none"};
    (void)state;
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) is_text(folded_above(styles[i]), "");
    assert_true(folded_above("margin:0").n > 0);
}

#define QUOTED_BELOW                                                                       \
    "On Tue, Jan 6, 2026 at 9:14 AM Desk &lt;d@example.com&gt; wrote:<blockquote>Does it " \
    "work?</blockquote>"

/* Returns what a reader sees before unfolding. */
static struct str unfolded(struct incoming *m) {
    const char *fold = memmem(m->html.p, m->html.n, "<details", 8);
    return fold ? (struct str){m->html.p, (size_t)(fold - m->html.p)} : m->html;
}

static void an_answer_in_wrongly_nested_html_is_never_folded(void **state) {
    static const struct {
        const char *html;
        bool folds;
    } mails[] = {
        {"<p>Hi<p><b>My answer<p>and more</p><div class=gmail_quote>" QUOTED_BELOW "</div>", true},
        {"<p>Hi<p><b><i>My answer</b><p>and more</p></i><blockquote type=cite>Does it work?</blockquote>",
         true},
        {"<p>Hi<p><font color=red><div>My answer</font>and more</div><p>" QUOTED_BELOW, true},
        {"<p>Hi<table><tr><td><div class=gmail_quote>" QUOTED_BELOW
         "</div></td></tr>My answer and more</table>",
         false},
        {"<table><tr><td><div class=gmail_quote>" QUOTED_BELOW "</div></td></tr>My answer and more</table>",
         false},
        {"<p>Hi<table><tr><td>On Tue, Jan 6, 2026 at 9:14 AM Desk &lt;d@example.com&gt; wrote:</td></tr>My "
         "answer and more</table>",
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof mails / sizeof *mails; i++) {
        struct incoming m =
            mail_of(str_fmt(arena, "From: a@b.c\nContent-Type: text/html\n\n%s", mails[i].html));
        struct str seen = unfolded(&m);
        if (!memmem(seen.p, seen.n, "My answer", 9) || !memmem(seen.p, seen.n, "and more", 8) ||
            !memmem(m.text.p, m.text.n, "My answer", 9))
            fail_msg("the answer is folded: %s", m.html.p);
        if ((seen.n < m.html.n) != mails[i].folds)
            fail_msg("%s: %s", mails[i].folds ? "not folded" : "folded", m.html.p);
    }
}

static void charsets_and_encodings_are_decoded(void **state) {
    (void)state;
    is_text(read_text_of("From: a@b.c\nContent-Type: text/plain; charset=ks_c_5601-1987\n\n\xBD\xBA").text,
            "\xEC\x8A\xA4");
    is_text(read_text_of("From: a@b.c\nContent-Type: text/plain; charset=unknown-8bit\n\n\xE9t\xE9").text,
            "\xC3\xA9t\xC3\xA9");
    is_text(read_text_of("From: a@b.c\nContent-Type: text/plain; charset=utf8\n\n\xC3\xA9\x00").text,
            "\xC3\xA9");
    is_text(read_text_of("From: a@b.c\nContent-Transfer-Encoding: quoted-printable\n\na=\nb=41").text, "abA");
    is_text(read_text_of("From: a@b.c\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n#0V%T\n`\nend\n")
                .text,
            "Cat");
    is_text(
        read_text_of("From: a@b.c\nContent-Type: text/plain; format=flowed; delsp=yes\n\none \ntwo\n").text,
        "onetwo");
    is_text(read_text_of("From: a@b.c\rSubject: x\r\rbare").text, "bare");
}

static void wrappers_are_kept_and_named(void **state) {
    (void)state;
    struct incoming m =
        read_text_of("From: a@b.c\nContent-Type: multipart/encrypted; boundary=x\n\n--x\nContent-Type: "
                     "application/pgp-encrypted\n\nVersion: 1\n--x\nContent-Type: "
                     "application/octet-stream\n\nsecret\n--x--\n");
    assert_non_null(strstr(m.text.p, "This mail is encrypted."));
    assert_int_equal(m.file_count, 2);
    is_text(m.files[1].name, "encrypted.asc");
    m = read_text_of("From: a@b.c\nContent-Type: multipart/signed; "
                     "boundary=x\n\n--x\n\nHello\n--x\nContent-Type: "
                     "application/pgp-signature\n\nsig\n--x--\n");
    is_text(m.text, "Hello");
    is_text(m.files[0].name, "signature.asc");
    m = read_text_of(
        "From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\nSubject: In/side\n\nx\n--x\n"
        "Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\n--x--\n");
    is_text(m.files[0].name, "In-side.eml");
    is_text(m.files[1].name, "invitation.ics");
    assert_true(m.signs.is_calendar_reply);
}

/* ---- hostile mails --------------------------------------------------------------------------- */

static struct str repeated(const char *before, const char *piece, int times, const char *after) {
    struct buf b = {0};
    buf_text(&b, before);
    for (int i = 0; i < times; i++) buf_text(&b, piece);
    buf_text(&b, after);
    return buf_take(&b, arena);
}

static void hostile_mails_are_read_within_limits(void **state) {
    (void)state;
    assert_true(mail_of(repeated("From: a@b.c\nTo: ", "g:", 250000, "\n\nx")).to_count == 0);
    struct incoming m = mail_of(repeated("From: a@b.c\nX-Long: ", "0123456789", 100000, "\n\nHello"));
    is_text(m.text, "Hello");
    assert_true(m.cut);
    m = mail_of(repeated("From: a@b.c\n", "X-Many: y\n", 50000, "\nHello"));
    is_text(m.text, "Hello");
    m = mail_of(repeated("From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n",
                         "--x\nContent-Type: multipart/mixed; boundary=x\n\n", 10000, "--x\n\nend"));
    assert_true(m.cut);
    m = mail_of(repeated("From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n",
                         "--x\nContent-Disposition: attachment\n\na\n", 2000, "--x--\n"));
    assert_int_equal(m.file_count, INCOMING_FILES);
    assert_true(m.cut);
    m = mail_of(repeated("From: a@b.c\nTo: x@y.z", ", a@b.c", 1500, "\n\nx"));
    assert_int_equal(m.to_count, INCOMING_ADDRESSES);
    m = mail_of(repeated("From: a@b.c\nContent-Type: text/html\n\n", "<div>", 20000, "x"));
    is_text(m.text, "x");
}

/* Each of these once took time or memory that grew with the square of its length, and its reader was
 * killed. */
static void work_on_hostile_mails_grows_with_their_length(void **state) {
    struct incoming m;
    (void)state;
    const char *words = repeated("", "=?a?q?", 10000, "").p,
               *parameters = repeated("", ";a=\"\"", 3000, "").p;
    m = mail_of(repeated(
        "From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n",
        str_fmt(
            arena,
            "--x\nContent-Type: text/x-one%s\nContent-Disposition: attachment; filename=\"%.15000s\"\n\na\n",
            parameters, words)
            .p,
        1000, "--x--\n"));
    assert_int_equal(m.file_count, INCOMING_FILES);
    m = mail_of(repeated(
        "From: a@b.c\n",
        str_fmt(arena, "To: %s%s\n", repeated("", "a", 60000, "@").p, repeated("", ":", 60000, "").p).p, 300,
        "\nHello"));
    is_text(m.text, "Hello");
    m = mail_of(repeated(
        "From: a@b.c\nContent-Type: multipart/alternative; boundary=y\n\n--y\nContent-Type: multipart/mixed; boundary=x\n\n",
        str_fmt(arena, "--x\n\n%s\n", repeated("", "word ", 8000, "").p).p, 900, "--x--\n--y--\n"));
    assert_true(m.cut);
    m = mail_of(repeated("From: a@b.c\n\nHello\n",
                         "On Tue, Jan 6, 2026 at 9:14 AM Desk <d@example.com> wrote:\n> Does it work?\n",
                         300000, "My answer\n"));
    assert_true(m.cut);
    m = mail_of(repeated("From: a@b.c\n\nHello\n",
                         "On Tue, Jan 6, 2026 at 9:14 AM Desk <d@example.com> wrote:\n> Does it work?\n",
                         60000, "\nMy answer\n"));
    assert_int_equal(m.quoted.n, 0);
    struct buf attributes = {0};
    for (int i = 0; i < 300000; i++) buf_fmt(&attributes, "a%d=b ", i);
    m = mail_of(repeated("From: a@b.c\nContent-Type: text/html\n\n<p>Hello</p><p ",
                         buf_take(&attributes, arena).p, 1, ">x"));
    is_text(m.text, "Hello");
    assert_true(m.cut);
    m = mail_of(repeated("From: a@b.c\nReferences: <a@b>", " <b@c>", 7000000, "\n\nHello"));
    assert_true(m.cut);
}

static void implausible_dates_and_missing_senders_are_absent(void **state) {
    (void)state;
    assert_int_equal(read_text_of("From: a@b.c\nDate: Thu, 1 Jan 1970 00:00:00 +0000\n\nx").date, 0);
    assert_int_equal(read_text_of("From: a@b.c\nDate: Sun, 1 Jan 2090 00:00:00 +0000\n\nx").date, 0);
    struct incoming m = read_text_of("Subject: a\x01\x02 b\n\nx");
    assert_null(m.from.address.p);
    assert_int_equal(m.signs.from_headers, 0);
    is_text(m.subject, "a b");
}

static void a_mail_that_can_not_be_read_says_why(void **state) {
    (void)state;
    struct incoming m = {.recipient = S("support@example.com")};
    assert_int_equal(mail_read(arena, S(""), NOW, &mail_wholly, &m), 0);
    is_text(m.fault, "The mail can't be read: it is empty.");
    is_text(m.recipient, "support@example.com");
    assert_int_equal(m.sha256.n, 64);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], MAIL_ARGUMENT) == 0) return mail_child();
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_mail_is_read_whole),
        cmocka_unit_test(the_first_in_reply_to_alone_is_a_reference),
        cmocka_unit_test(quotes_and_signatures_are_folded),
        cmocka_unit_test(recipients_of_a_quoted_header_may_take_two_more_lines),
        cmocka_unit_test(a_quote_above_the_answer_is_folded),
        cmocka_unit_test(a_quote_between_an_answer_and_its_closing_is_folded),
        cmocka_unit_test(an_indented_text_without_a_border_is_no_quote),
        cmocka_unit_test(charsets_and_encodings_are_decoded),
        cmocka_unit_test(wrappers_are_kept_and_named),
        cmocka_unit_test(hostile_mails_are_read_within_limits),
        cmocka_unit_test(implausible_dates_and_missing_senders_are_absent),
        cmocka_unit_test(a_mail_that_can_not_be_read_says_why),
        cmocka_unit_test(an_answer_in_wrongly_nested_html_is_never_folded),
        cmocka_unit_test(work_on_hostile_mails_grows_with_their_length),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
