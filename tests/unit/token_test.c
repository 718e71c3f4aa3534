/* Tokens of mails: one desk reads only its own, of their kind, and in their form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#undef fail /* cmocka's fail: work.h has one, too */

#include "core/letters/token.h"

static struct desk desk, other;

static int keys_make(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof desk.token_key.bytes; i++) desk.token_key.bytes[i] = (unsigned char)i;
    other.token_key = desk.token_key;
    other.token_key.bytes[31] ^= 1;
    return 0;
}

static const enum token_kind token_kinds[] = {TOKEN_REPLY, TOKEN_RETURN, TOKEN_MESSAGE_ID, TOKEN_SUBJECT};
static const int64_t numbers[] = {1, 9, 10, 1234567, INT64_MAX};

/* For each kind and each number. */
static void every_token(void (*check)(struct arena *a, enum token_kind kind, int64_t number,
                                      struct str token)) {
    struct arena *a = arena_new();
    for (size_t k = 0; k < sizeof token_kinds / sizeof *token_kinds; k++)
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            check(a, token_kinds[k], numbers[n], mail_token(&desk, a, token_kinds[k], numbers[n]));
    arena_free(a);
}

static void read_back(struct arena *a, enum token_kind kind, int64_t number, struct str token) {
    int64_t id = 0;
    char *upper = str_dup(a, token).p ? arena_alloc(a, token.n + 1) : NULL;
    for (size_t i = 0; i < token.n; i++)
        upper[i] = (char)(token.p[i] >= 'a' && token.p[i] <= 'z' ? token.p[i] - 32 : token.p[i]);
    assert_int_equal(mail_token_read(&desk, kind, token, &id), TOKEN_GOOD);
    assert_true(id == number);
    id = 0;
    assert_int_equal(mail_token_read(&desk, kind, (struct str){upper, token.n}, &id), TOKEN_GOOD);
    assert_true(id == number);
}

static void a_token_names_its_number_in_either_case(void **state) {
    (void)state;
    every_token(read_back);
}

/* A changed character makes a token forged, or no token at all; never a good one. */
static void refuse_changes(struct arena *a, enum token_kind kind, int64_t number, struct str token) {
    (void)number;
    int64_t id = -1;
    for (size_t i = 0; i < token.n; i++) {
        for (int c = 1; c < 256; c++) {
            char *changed = arena_alloc(a, token.n + 1);
            memcpy(changed, token.p, token.n);
            /* the same letter in the other case */
            if ((changed[i] ^ c) == (token.p[i] ^ 32) && token.p[i] >= 'a') continue;
            changed[i] = (char)(changed[i] ^ c);
            assert_int_not_equal(mail_token_read(&desk, kind, (struct str){changed, token.n}, &id),
                                 TOKEN_GOOD);
        }
    }
    assert_int_equal(id, -1);
}

static void a_changed_token_is_refused(void **state) {
    (void)state;
    every_token(refuse_changes);
}

static void refuse_elsewhere(struct arena *a, enum token_kind kind, int64_t number, struct str token) {
    (void)a, (void)number;
    int64_t id = -1;
    assert_int_equal(mail_token_read(&other, kind, token, &id), TOKEN_FORGED);
    for (size_t k = 0; k < sizeof token_kinds / sizeof *token_kinds; k++)
        if (token_kinds[k] != kind)
            assert_int_equal(mail_token_read(&desk, token_kinds[k], token, &id), TOKEN_ABSENT);
    for (size_t n = 0; n < token.n; n++)
        assert_int_not_equal(mail_token_read(&desk, kind, (struct str){token.p, n}, &id), TOKEN_GOOD);
    assert_int_equal(id, -1);
}

static void a_token_of_another_desk_or_kind_is_refused(void **state) {
    (void)state;
    every_token(refuse_elsewhere);
}

static void other_texts_are_no_tokens(void **state) {
    static const char *const texts[] = {"",
                                        "c",
                                        "c1",
                                        "c1-",
                                        "c-aaaaaaaaaaaaaaaa",
                                        "c01-aaaaaaaaaaaaaaaa",
                                        "c-1-aaaaaaaaaaaaaaaa",
                                        "c99999999999999999999-aaaaaaaaaaaaaaaa",
                                        "c1_aaaaaaaaaaaaaaaa",
                                        "1-aaaaaaaaaaaaaaaaaa",
                                        "invoices"};
    int64_t id = -1;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(mail_token_read(&desk, TOKEN_REPLY, str_of(texts[i]), &id), TOKEN_ABSENT);
}

static void expect_parts(struct arena *a, const char *address, const char *without, const char *token) {
    struct str part, rest = address_without_plus(a, str_of(address), &part);
    assert_true(str_eq(rest, str_of(without)));
    assert_true(token ? part.p && str_eq(part, str_of(token)) : part.p == NULL);
}

static void the_plus_part_of_an_address_is_added_and_removed(void **state) {
    struct arena *a = arena_new();
    (void)state;
    expect_parts(a, "support+c1-x@desk.example", "support@desk.example", "c1-x");
    expect_parts(a, "support+@desk.example", "support@desk.example", "");
    expect_parts(a, "a+b+c@desk.example", "a@desk.example", "b+c");
    expect_parts(a, "+c@desk.example", "+c@desk.example", NULL);
    expect_parts(a, "support@desk+x.example", "support@desk+x.example", NULL);
    expect_parts(a, "support", "support", NULL);
    expect_parts(a, "", "", NULL);
    assert_true(
        str_eq(address_with_plus(a, S("support@desk.example"), S("c1-x")), S("support+c1-x@desk.example")));
    assert_true(str_eq(address_with_plus(a, S("support"), S("x")), S("support")));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_names_its_number_in_either_case),
        cmocka_unit_test(a_changed_token_is_refused),
        cmocka_unit_test(a_token_of_another_desk_or_kind_is_refused),
        cmocka_unit_test(other_texts_are_no_tokens),
        cmocka_unit_test(the_plus_part_of_an_address_is_added_and_removed),
    };
    return cmocka_run_group_tests(tests, keys_make, NULL);
}
