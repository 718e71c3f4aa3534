/* Budgets of senders, relays and doors, and the origins that are found in a mail. */
#include "jobs/mail_budget.h"

#include "core/words.h"

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include <sodium.h>
#include <string.h>

#define NOW INT64_C(1000000)

static void a_budget_comes_back_with_time_and_is_never_overdrawn(void **state) {
    struct mail_budgets *b = mail_budgets_new();
    (void)state;
    assert_int_equal(mail_budget_left(b, 7, NOW), 60000);
    for (int i = 1; i <= 3; i++) {
        mail_budget_take(b, 7, 20000, NOW);
        assert_int_equal(mail_budget_left(b, 7, NOW), 60000 - 20000 * i);
    }
    mail_budget_take(b, 7, 20000, NOW);
    assert_int_equal(mail_budget_left(b, 7, NOW), 0);
    assert_int_equal(mail_budget_left(b, 8, NOW), 60000);
    assert_int_equal(mail_budget_left(b, 7, NOW + 19000), 19000);
    assert_int_equal(mail_budget_left(b, 7, NOW + 60000), 60000);
    assert_int_equal(mail_budget_left(b, 7, NOW + 600000), 60000);
    mail_budgets_free(b);
}

static void a_full_table_forgets_the_key_that_has_used_least(void **state) {
    struct mail_budgets *b = mail_budgets_new();
    (void)state;
    mail_budget_take(b, 5, 60000, NOW);
    for (uint64_t i = 1; i <= 100; i++) mail_budget_take(b, 5 + 4096 * i, 20000, NOW);
    assert_int_equal(mail_budget_left(b, 5, NOW), 0);
    mail_budgets_free(b);
}

static struct mail_origin origin(const char *from, const char *raw) {
    struct inbox_mail m = {.door = DOOR_LMTP, .raw = str_of(raw)};
    if (from) m.envelope_from = str_of(from);
    return mail_origin_of(&m);
}

static void the_sender_is_that_of_the_envelope_or_of_the_mail(void **state) {
    (void)state;
    uint64_t ada = origin("ada@people.example", "From: x@y.example\r\n\r\n").sender;
    assert_true(origin("ADA@people.example", "").sender == ada);
    assert_true(origin("bob@people.example", "").sender != ada);
    assert_true(origin("", "X: y\r\nFrom: Ada@people.example\r\n\r\n").sender == ada);
    assert_true(origin(NULL, "From: ada@people.example\r\n\r\n").sender == ada);
    assert_true(origin(NULL, "\r\nFrom: ada@people.example\r\n").sender != ada);
}

static void the_relay_is_the_address_in_the_topmost_received_header(void **state) {
    static const char *const same[] = {
        "Received: from mail.example (rdns.example [192.0.2.7])\r\n\tby mx.example\r\n\r\n",
        "Return-Path: <a@b.example>\r\nreceived: from [203.0.113.9] (mail.example [192.0.2.7])\r\n\r\n",
        "Received: from [192.0.2.7] (helo=mail.example)\r\n\r\n",
        "Received: from a (b [192.0.2.7])\r\nReceived: from c (d [203.0.113.9])\r\n\r\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct mail_origin o = origin("a@b.example", same[i]);
        assert_true(o.relay == origin("c@d.example", same[0]).relay);
        assert_true(o.relay != o.door);
    }
    struct mail_origin none =
        origin("a@b.example", "Received: from a (b) by c\r\n\r\nReceived: from c (d [203.0.113.9])\r\n");
    assert_true(none.relay == none.door);
    assert_true(none.door != mail_origin_of(&(struct inbox_mail){.door = DOOR_PIPE}).door);
}

int main(void) {
    if (sodium_init() < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_comes_back_with_time_and_is_never_overdrawn),
        cmocka_unit_test(a_full_table_forgets_the_key_that_has_used_least),
        cmocka_unit_test(the_sender_is_that_of_the_envelope_or_of_the_mail),
        cmocka_unit_test(the_relay_is_the_address_in_the_topmost_received_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
