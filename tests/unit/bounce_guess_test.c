/* Notices of failed delivery that are no reports: which mails are one, and which reason they give. The rates over whole corpora are in
 * bounce_corpora_test.c; here each sign decides one mail. */
#include "core/mail/bounce_guess.h"

#include "with_arena.h"

#include <stdio.h>
#include <string.h>

#define DAEMON "mailer-daemon@mx.example"
#define POSTMASTER "postmaster@mx.example"
#define ANN "ann@people.example"
#define OPENS "This is the mail system at host mx.example. "

static struct incoming letter(const char *from, const char *subject, const char *text) {
    return (struct incoming){.from = {.address = from ? str_of(from) : (struct str){0}},
                             .subject = str_of(subject),
                             .text = str_of(text)};
}

/* A notice that depends on its sender, which must be a mail system. */
static struct incoming notice_of(const char *name, const char *address) {
    struct incoming m = letter(address, "Returned mail", "user unknown");
    if (name) m.from.name = str_of(name);
    return m;
}

static bool looks(const struct incoming *m) {
    struct bounce_guess guess;
    return bounce_looks_like(arena, m, &guess);
}

static bool at_path(const struct incoming *m) {
    struct bounce_guess guess;
    return bounce_at_return_path(arena, m, &guess);
}

static struct bounce_guess guess_of(const char *text) {
    struct incoming m = letter(DAEMON, "", text);
    struct bounce_guess guess;
    bounce_looks_like(arena, &m, &guess);
    return guess;
}

/* `count` times `word`, then `end`. */
static const char *repeated(const char *word, int count, const char *end) {
    size_t n = strlen(word), most = n * (size_t)count;
    char *out = arena_bytes(arena, most + strlen(end) + 1);
    for (int i = 0; i < count; i++) memcpy(out + n * (size_t)i, word, n);
    memcpy(out + most, end, strlen(end) + 1);
    return out;
}

static void assert_looks(const char *from, const char *subject, const char *text, bool expected) {
    struct incoming m = letter(from, subject, text);
    if (looks(&m) != expected)
        fail_msg("%s / %s / %s is %sa notice", from, subject, text, expected ? "not " : "");
}

static void test_mail_systems(void **state) {
    (void)state;
    static const struct {
        const char *subject, *text;
        bool is_notice;
    } cases[] = {
        {"Returned mail", "User  unknown", true},
        {"Returned mail", "Nothing.", false},
        {"x", "mailbox full", false},
        {"x", "550 mailbox full", true},
        {"x", "mailbox full (#4.2.2)", true},
        {"x", "550 hm", false},
        {"Over quota", "mailbox full", true},
        {"Delivery status", "mailbox full", false},
        {"x", "user\r\n  unknown", true},
        {"x", "superuser unknown", false},
        {"x", "a_user unknown", true},
        {"x", "zuser unknown", false},
        {"x", "auser unknown", false},
        {"UNZUSTELLBAR", "550 hm", true},
        {"Returned mail", "domino", true},
        {"Rejected: x", "domino", false},
        {"x", "550 returned to you", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_looks(DAEMON, cases[i].subject, cases[i].text, cases[i].is_notice);
    struct incoming m = letter(DAEMON, "x", "");
    m.quoted = S("user unknown");
    assert_true(looks(&m));
    assert_looks(DAEMON, repeated(" ", 487, "Returned mail"), "550 hm", true);
    assert_looks(DAEMON, repeated(" ", 488, "Returned mail"), "550 hm", false);
    assert_looks(DAEMON, "x", repeated(" ", 11988, "user unknown"), true);
    assert_looks(DAEMON, "x", repeated(" ", 11989, "user unknown"), false);
    assert_looks(DAEMON, "x", repeated("x ", 5900, "user unknown"), true);
    assert_looks(DAEMON, "x", repeated("x ", 6000, "user unknown"), false);
    m = letter(DAEMON, "x", "");
    m.quoted = str_of(repeated("x ", 6000, "user unknown"));
    assert_false(looks(&m));
}

static void test_senders(void **state) {
    (void)state;
    static const struct {
        const char *name, *address;
        bool is_system;
    } cases[] = {
        {NULL, DAEMON, true},
        {NULL, POSTMASTER, true},
        {NULL, ANN, false},
        {"Mail Delivery Subsystem", ANN, true},
        {NULL, "xpostmaster@mx.example", false},
        {NULL, "mail-postmaster@mx.example", true},
        {"Mailer-Daemon", "bounce@mx.example", true},
        {"bounce", DAEMON, true},
        {"mailadmin", NULL, true},
        {"mta", NULL, false},
        {"mailadmin", ANN, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct incoming m = notice_of(cases[i].name, cases[i].address);
        if (looks(&m) != cases[i].is_system) fail_msg("sender %zu", i);
    }
    struct incoming m = notice_of(repeated(" ", 590, "postmaster"), NULL);
    assert_true(looks(&m));
    m = notice_of(repeated(" ", 591, "postmaster"), NULL);
    assert_false(looks(&m));
    m = notice_of("mailadmin", NULL);
    m.text = S("Can you help? user unknown");
    assert_false(looks(&m));
}

static void test_people(void **state) {
    (void)state;
    static const char *const begins[] = {
        "Re:", "Fw:", "FWD:", "Aw:", "Wg:", "Tr:", "Rv:", "R:", "Sv:", "Antw:", "回复", "转发", "答复"};
    assert_looks(DAEMON, "Undelivered mail returned to sender", "Look: user unknown", true);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *subject = str_fmt(arena, "%s Undelivered mail returned to sender", begins[i]).p;
        assert_looks(DAEMON, subject, "Look: user unknown", false);
        assert_looks(DAEMON, subject, OPENS "user unknown", true);
        assert_looks(DAEMON, subject, "Transcript of session follows", true);
        assert_looks(ANN, subject, OPENS "user unknown", false);
    }
    assert_looks(POSTMASTER, "Returned mail", "user unknown", true);
    assert_looks(POSTMASTER, "Returned mail", "Can you help? user unknown", false);
    assert_looks(DAEMON, "Returned mail", "Can you help? user unknown", true);
    assert_looks(POSTMASTER, "Returned mail", "user unknown\n> can you help", true);
    assert_looks(POSTMASTER, "Returned mail", "user unknown\n>>> can you help", false);
}

static void test_strangers(void **state) {
    (void)state;
    assert_looks(ANN, "Returned mail", OPENS, true);
    assert_looks(ANN, "x", OPENS, false);
    assert_looks(ANN, "x", OPENS "user unknown", true);
    assert_looks(ANN, "x", OPENS "undeliverable mail", true);
    assert_looks(ANN, "x", OPENS "no mailbox", false);
    assert_looks(ANN, "Returned mail", "transcript of session follows", false);
    assert_looks(ANN, "Returned mail", repeated("x ", 101, OPENS), false);
    assert_looks(ANN, "Returned mail", "Hello. " OPENS, false);
    assert_looks(ANN, "Returned mail", "He said hello. " OPENS, true);
    assert_looks(ANN, "Returned mail", OPENS "Can you help?", false);
    assert_looks(ANN, "Returned mail", OPENS "I am on vacation.", false);
    struct incoming m = letter(ANN, "Returned mail", OPENS);
    m.signs.list_id = S("<l.people.example>");
    assert_false(looks(&m));
}

static void test_answers(void **state) {
    (void)state;
    assert_looks(DAEMON, "Out of office", "user unknown", false);
    assert_looks(DAEMON, "Out of office", "550 user unknown", true);
    assert_looks(DAEMON, "Out of office", "unrouteable address", true);
    assert_looks(DAEMON, "x", "I am on vacation. user unknown", false);
    assert_looks(DAEMON, "x", repeated("x ", 350, "I am on vacation. user unknown"), true);
    assert_looks(DAEMON, "Delivered: your mail", "user unknown", false);
    assert_looks(DAEMON, "Not delivered: your mail", "user unknown", true);
    assert_looks(DAEMON, "Delivered: your mail", "user unknown, failed permanently", true);
    assert_looks(DAEMON, "Delivered: your mail", OPENS, true);
    assert_looks(DAEMON, "Delivered: your mail", "transcript of session follows", false);
    assert_looks(DAEMON, "x", "user unknown. Return receipt.", false);
    assert_looks(DAEMON, "Returned mail", "user unknown. Return receipt.", true);
    assert_looks(DAEMON, "Return receipt", "user unknown", false);
}

static void test_closed_accounts(void **state) {
    (void)state;
    static const char closed[] = "This address is no longer in use.";
    static const struct {
        const char *from, *subject, *text;
        bool automatic, is_notice;
    } cases[] = {
        {ANN, "Your mail", closed, true, true},         {ANN, "Your mail", closed, false, false},
        {ANN, "Your mail", "I am here.", true, false},  {ANN, "Re: your mail", closed, true, false},
        {ANN, "Re: out of office", closed, true, true}, {POSTMASTER, "Your mail", closed, true, true},
        {DAEMON, "Your mail", closed, true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int sign = 0; sign < 3; sign++) {
            struct incoming m = letter(cases[i].from, cases[i].subject, cases[i].text);
            m.envelope_from = S("x@people.example");
            if (cases[i].automatic && sign == 0) m.signs.auto_submitted = S("auto-replied; owner");
            if (cases[i].automatic && sign == 1) m.signs.autoreply = S("X-Autoreply: yes");
            if (cases[i].automatic && sign == 2) m.envelope_from = S("");
            if (looks(&m) != cases[i].is_notice) fail_msg("closed account %zu with sign %d", i, sign);
        }
    }
    struct incoming unknown = letter(ANN, "Your mail", closed);
    assert_false(looks(&unknown));
}

static void test_return_path(void **state) {
    (void)state;
    static const struct {
        const char *subject, *text, *autoreply;
        bool is_notice;
    } cases[] = {
        {"x", "Hm.", NULL, true},
        {"Out of office", "Hm.", NULL, false},
        {"Out of office", "My account is disabled.", NULL, true},
        {"Out of office: returned mail", "mailbox full", NULL, true},
        {"Out of office: returned mail", "Hm.", NULL, false},
        {"Out of office", "mailbox full", NULL, false},
        {"x", "mailbox full", "X-Autoreply: yes", false},
        {"x", "user unknown", "X-Autoreply: yes", true},
        {"Delivered: x", "Hm.", NULL, false},
        {"Delivered: x", OPENS, NULL, true},
        {"Delivered: x", "transcript of session follows", NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct incoming m = letter(ANN, cases[i].subject, cases[i].text);
        if (cases[i].autoreply) m.signs.autoreply = str_of(cases[i].autoreply);
        if (at_path(&m) != cases[i].is_notice) fail_msg("return path %zu", i);
    }
    struct incoming m = letter(ANN, "x", "550 5.7.1 spam");
    struct bounce_guess guess;
    assert_true(bounce_at_return_path(arena, &m, &guess));
    assert_true(guess.type == REJECT_BLOCKED && str_eq(guess.status, S("5.7.1")));
}

static void assert_reason(const char *text, const char *reason) {
    struct str found = guess_of(text).reason;
    assert_string_equal(str_dup(arena, found).p, reason);
}

static void test_reasons(void **state) {
    (void)state;
    assert_reason("Hi.\n550 5.1.1 <x>: User  unknown \n", "550 5.1.1 <x>: user unknown");
    assert_reason("said (450-greylisted)", "450-greylisted)");
    assert_reason("failed: 5.2.2 mailbox full", "5.2.2 mailbox full");
    assert_reason("mailbox full. user unknown here", "user unknown here");
    assert_reason("user unknown. mailbox full", "user unknown. mailbox full");
    assert_reason("abc", "abc");
    assert_reason("a 550 y", "550 y");
    assert_reason("a 501 y", "501 y");
    assert_reason("said 550 zur\xC3\xBC"
                  "ckgewiesen \xC3\x80 \xE2\x82\xAC",
                  "550 zur?ckgewiesen ? ?");
    static const char *const no_codes[] = {"a x550 y", "a 5500 y", "a 560 y", "a 350 y",
                                           "a 5x0 y",  "a 550",    "a 55x y"};
    for (size_t i = 0; i < sizeof no_codes / sizeof *no_codes; i++) assert_reason(no_codes[i], no_codes[i]);
    assert_int_equal(guess_of(repeated("x", 350, "")).reason.n, 300);
    assert_int_equal(guess_of(repeated("x", 299, "")).reason.n, 299);
    assert_int_equal(guess_of("550 5.7.1 spam").type, REJECT_BLOCKED);
    struct incoming m = letter(DAEMON, "Returned mail", "");
    struct bounce_guess guess;
    bounce_looks_like(arena, &m, &guess);
    assert_string_equal(str_dup(arena, guess.reason).p, "returned mail");
    m.subject = S("");
    bounce_looks_like(arena, &m, &guess);
    assert_string_equal(str_dup(arena, guess.reason).p, "the notice gives no reason");
}

static void test_statuses(void **state) {
    (void)state;
    static const struct {
        const char *text, *status;
    } cases[] = {
        {"x 5.1.1 y", "5.1.1"},
        {"(#5.123.123)", "5.123.123"},
        {"4.7.1 then 5.1.1", "5.1.1"},
        {"5.1.1 then 5.2.2", "5.1.1"},
        {"5.1.1 then 4.2.2", "5.1.1"},
        {"4.2.2 then 4.7.1", "4.2.2"},
        {"ends 5.1.1.", "5.1.1"},
        {"5.1.1.1", NULL},
        {"1.5.1.1", NULL},
        {"15.1.1", NULL},
        {"5.1234.1", NULL},
        {"5.1.1234", NULL},
        {"9.1.1", NULL},
        {"5.9.9", "5.9.9"},
        {"5.1", NULL},
        {"5..1", NULL},
        {"x", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str found = guess_of(cases[i].text).status;
        if (cases[i].status == NULL ? found.p != NULL : !str_eq(found, str_of(cases[i].status)))
            fail_msg("the status of \"%s\" is %.*s", cases[i].text, (int)found.n, found.p ? found.p : "");
    }
}

static void test_delays(void **state) {
    (void)state;
    struct bounce_guess guess;
    struct incoming m = letter(DAEMON, "Delivery status notification (delay)", "Hm.");
    bounce_looks_like(arena, &m, &guess);
    assert_true(guess.delayed);
    assert_true(guess_of("This is a warning message only.").delayed);
    assert_false(guess_of("user unknown\n> this is a warning message only").delayed);
    assert_false(guess_of("user unknown").delayed);
}

static void test_types(void **state) {
    (void)state;
    static const struct {
        const char *status, *text;
        enum reject_type type;
    } cases[] = {
        {"", "", REJECT_BOUNCE},
        {"5.1.1", "Dropped", REJECT_DROPPED},
        {"5.1.1", "spam", REJECT_BOUNCE},
        {"5.2.2", "spam", REJECT_BOUNCE},
        {"4.1.1", "spam", REJECT_DEFERRED},
        {"4.2.2", "", REJECT_DEFERRED},
        {"5.7.1", "", REJECT_BLOCKED},
        {"5.3.0", "SPAM", REJECT_BLOCKED},
        {"4.0.0", "spam", REJECT_BLOCKED},
        {"", "NOT AUTHORIZED", REJECT_BLOCKED},
        {"", "antispam", REJECT_BOUNCE},
        {"5.7", "", REJECT_BLOCKED},
        {"4.0", "", REJECT_DEFERRED},
        {"4.4.7", "", REJECT_EXPIRED},
        {"5.4.7", "", REJECT_EXPIRED},
        {"5.4.71", "", REJECT_ERROR},
        {"5.0.0", "message expired", REJECT_EXPIRED},
        {"4.3.0", "message expired", REJECT_EXPIRED},
        {"4.3.0", "x", REJECT_DEFERRED},
        {"5.3.0", "x", REJECT_ERROR},
        {"5.6.0", "x", REJECT_ERROR},
        {"5.3.0", "no mailbox", REJECT_BOUNCE},
        {"5.0.0", "x", REJECT_BOUNCE},
        {"5.8.0", "x", REJECT_BOUNCE},
        {"4.", "x", REJECT_BOUNCE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum reject_type type = reject_type_of(str_of(cases[i].status), str_of(cases[i].text));
        if (type != cases[i].type) fail_msg("%s %s is %d", cases[i].status, cases[i].text, (int)type);
    }
    /* a text is read up to its byte 1999, and a status up to its length */
    assert_int_equal(reject_type_of(S(""), str_of(repeated(" ", 1995, "spam"))), REJECT_BLOCKED);
    assert_int_equal(reject_type_of(S(""), str_of(repeated(" ", 1995, "spam and more"))), REJECT_BLOCKED);
    assert_int_equal(reject_type_of(S(""), str_of(repeated(" ", 1996, "spam"))), REJECT_BOUNCE);
    assert_int_equal(reject_type_of((struct str){"5.7", 2}, S("")), REJECT_BOUNCE);
    assert_int_equal(reject_type_of((struct str){"4.0", 2}, S("")), REJECT_BOUNCE);
    assert_int_equal(reject_type_of((struct str){"5.4.7x", 5}, S("")), REJECT_EXPIRED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mail_systems), cmocka_unit_test(test_senders),
        cmocka_unit_test(test_people),       cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_answers),      cmocka_unit_test(test_closed_accounts),
        cmocka_unit_test(test_return_path),  cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_statuses),     cmocka_unit_test(test_delays),
        cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
