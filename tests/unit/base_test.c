/* The pure functions of base/: folding, numbers, names, times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/address.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/fold.h"
#include "base/phone.h"
#include "base/random.h"
#include "base/slots.h"

#define assert_text(got, want)                 \
    do {                                       \
        struct str g_ = (got), w_ = (want);    \
        assert_int_equal(g_.n, w_.n);          \
        assert_memory_equal(g_.p, w_.p, w_.n); \
    } while (0)

static void names_are_folded_without_case_and_marks(void **state) {
    (void)state;
    struct arena *a = arena_new();
    assert_text(fold_key(a, S("M\xC3\xBCller")), S("muller"));
    assert_text(fold_key(a, S("Stra\xC3\x9F"
                              "e")),
                S("strasse"));
    /* U+02DC becomes a blank and a mark */
    assert_text(fold_key(a, S("\xC3\x89\xCB\x9C\xC3\xA9z")), S("e ez"));
    assert_text(fold_key(a, S("ABC")), S("abc"));
    arena_free(a);
}

static void domains_are_lower_case_a_labels(void **state) {
    (void)state;
    struct arena *a = arena_new();
    assert_text(domain_read(a, S(" Example.COM. ")), S("example.com"));
    assert_text(domain_read(a, S("B\xC3\x9C"
                                 "CHER.example")),
                S("xn--bcher-kva.example"));
    assert_text(domain_read(a, S("bu\xCC\x88"
                                 "cher.example")),
                S("xn--bcher-kva.example")); /* decomposed */
    assert_text(domain_read(a, S("xn--bcher-kva.example")), S("xn--bcher-kva.example"));
    assert_text(domain_text(a, S("xn--bcher-kva.example")), S("b\xC3\xBC"
                                                              "cher.example"));
    static const char *const bad[] = {"",
                                      ".",
                                      "localhost",
                                      "a..b",
                                      "-a.b",
                                      "a-.b",
                                      "a b.c",
                                      "a_b.c",
                                      "127.0.0.1",
                                      "::1",
                                      "a@b.c",
                                      "http://a.b",
                                      "a.b/c",
                                      "xn--a.example",
                                      "a.b:80",
                                      "*.a.b",
                                      "a.\xFF"
                                      "b",
                                      "a\tb.c",
                                      "\xE2\x92\x88.b",
                                      "a\xE2\x84\x80"
                                      ".b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_null(domain_read(a, str_of(bad[i])).p);
    char label[80], *at = label;
    for (int i = 0; i < 64; i++) *at++ = 'a';
    memcpy(at, ".example", 9);
    assert_null(domain_read(a, str_of(label)).p);
    assert_non_null(domain_read(a, str_of(label + 1)).p);
    arena_free(a);
}

static int sign(int v) { return (v > 0) - (v < 0); }

static void decimals_sort_as_their_numbers(void **state) {
    (void)state;
    struct arena *a = arena_new();
    static const char *const rising[] = {"-1000000000000000000000",
                                         "-100",
                                         "-12.51",
                                         "-12.5",
                                         "-12",
                                         "-1.25",
                                         "-1.2",
                                         "-1",
                                         "-0.5",
                                         "-0.05",
                                         "-0.0499",
                                         "0",
                                         "0.0499",
                                         "0.05",
                                         "0.5",
                                         "1",
                                         "1.2",
                                         "1.25",
                                         "9",
                                         "10",
                                         "12",
                                         "12.5",
                                         "100",
                                         "1000000000000000000000"};
    enum { N = sizeof rising / sizeof *rising };
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            struct str x = decimal_key(a, str_of(rising[i])), y = decimal_key(a, str_of(rising[k]));
            assert_int_equal(sign(strcmp(str_dup(a, x).p, str_dup(a, y).p)), sign(i - k));
        }
    static const char *const same[][2] = {
        {"-0", "0.00"}, {"012", "12"}, {"12.50", "12.5"}, {"0.10", "00.1"}, {"-7.0", "-07"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_text(decimal_key(a, str_of(same[i][0])), decimal_key(a, str_of(same[i][1])));
    static const char *const bad[] = {"",    "-",  "+1",  ".5",  "5.",  "1.2.3",
                                      "1e3", " 1", "1,5", "0x1", "--1", "nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_null(decimal_key(a, str_of(bad[i])).p);
    arena_free(a);
}

static void addresses_have_one_at_and_labels(void **state) {
    (void)state;
    static const char *const good[] = {"a@b.c", "first.last@sub.example.com", "x+y@localhost",
                                       "\xC3\xBC@b\xC3\xBC"
                                       "cher.example"};
    static const char *const bad[] = {"",       "a",      "@b.c",   "a@",     "a@@b.c", "a b@c.d", "a@.c",
                                      "a@b..c", "a@-b.c", ".a@b.c", "a.@b.c", "a@b,c",  "<a@b.c>"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(email_valid(str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(email_valid(str_of(bad[i])));
}

#define MUELLER "m\xC3\xBCller"

static void addresses_are_one_in_any_case_and_writing_of_the_domain(void **state) {
    (void)state;
    struct arena *a = arena_new();
    assert_text(email_key(a, S(" Ada@Example.COM ")), S("ada@example.com"));
    assert_text(email_key(a, S("a@" MUELLER ".example")), S("a@xn--mller-kva.example"));
    assert_text(email_key(a, S("A@M\xC3\x9CLLER.Example")), S("a@xn--mller-kva.example"));
    /* u and its dots as two characters */
    assert_text(email_key(a, S("a@mu\xCC\x88ller.example")), S("a@xn--mller-kva.example"));
    assert_text(email_key(a, S("a@XN--MLLER-KVA.example")), S("a@xn--mller-kva.example"));
    assert_text(email_key(a, S("\xC3\x84@b.example")), S("\xC3\xA4@b.example"));
    assert_text(email_key(a, S("A\xCC\x88@b.example")), S("\xC3\xA4@b.example"));
    assert_text(domain_key(a, S("M\xC3\xBCller.Example")), S("xn--mller-kva.example"));
    assert_null(domain_key(a, S("\xE2\x80\x8B.example")).p); /* a zero-width space */
    assert_false(email_valid(S("a@\xE2\x80\x8B.example")));
    assert_false(email_valid(S("a@\xE2\x98\x83 .example")));
    assert_text(email_key(a, S("nonsense")), S("nonsense"));
    assert_text(email_key(a, S("")), S(""));
    arena_free(a);
}

static void phone_numbers_are_one_with_their_country_in_any_writing(void **state) {
    (void)state;
    char e164[PHONE_SIZE];
    static const char *const same[][2] = {
        {"+49301234567", ""}, {"+490301234567", "US"}, {"0301234567", "DE"}, {"0049301234567", "de"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(phone_parse(same[i][0], same[i][1], e164), 1);
        assert_string_equal(e164, "+49301234567");
    }
    static const char *const none[][2] = {
        {"+999123456", ""}, {"+49", ""}, {"+49123456789012345", "DE"}, {"+", ""}, {"+1202555", "US"}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(phone_parse(none[i][0], none[i][1], e164), 0);
    assert_int_equal(phone_parse("0301234567", "", e164), -1);
    assert_int_equal(phone_parse("0301234567", "Atlantis", e164), -1);
}

static void numbers_are_strict_and_do_not_overflow(void **state) {
    (void)state;
    int64_t v;
    assert_true(str_to_int(S("9223372036854775807"), &v) && v == INT64_MAX);
    assert_true(str_to_int(S("-9223372036854775808"), &v) && v == INT64_MIN);
    static const char *const bad[] = {
        "", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "9223372036854775808", "-9223372036854775809"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(str_to_int(str_of(bad[i]), &v));
}

static void names_compare_without_underscores_and_case(void **state) {
    (void)state;
    assert_true(name_eq(S("full_name"), S("FullName")));
    assert_true(name_eq(S("client_id"), S("clientID")));
    assert_true(name_eq(S("_case"), S("case")));
    assert_false(name_eq(S("name"), S("names")));
    assert_false(name_eq(S(""), S("a")));
}

static void times_are_read_with_their_zone_and_written_in_utc(void **state) {
    (void)state;
    char text[TIME_ISO_SIZE];
    int64_t ms;
    assert_true(time_parse_iso(S("2026-11-21T10:30:00+01:00"), &ms));
    time_iso(text, ms);
    assert_string_equal(text, "2026-11-21T09:30:00+00:00");
    assert_true(time_parse_iso(S("2024-02-29T23:59:59.999Z"), &ms));
    static const char *const bad[] = {"",
                                      "2026-11-21",
                                      "2026-02-29T00:00:00Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-11-21T24:00:00Z",
                                      "2026-11-21T00:00:00",
                                      "x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(time_parse_iso(str_of(bad[i]), &ms));
    assert_true(time_parse_http(S("Sat, 21 Nov 2026 09:30:00 GMT"), &ms));
    assert_true(time_parse_http(S("Sat, 21 Nov 2026 09:30:00 +0000"), &ms));
    assert_false(time_parse_http(S("Sat, 21 Nov 2026 09:30:00 CET"), &ms));
}

static void each_day_of_800_years_is_written_as_it_is_read(void **state) {
    (void)state;
    char text[TIME_ISO_SIZE], http[TIME_HTTP_SIZE];
    int64_t read;
    for (int64_t day = -146097; day < 146097; day++) {
        int64_t ms = day * 86400000 + (day * 7919 % 86400 + 86400) % 86400 * 1000;
        struct str iso = {text, time_iso(text, ms)}, date = {http, time_http(http, ms)};
        assert_true(time_parse_iso(iso, &read));
        assert_int_equal(read, ms);
        assert_true(time_parse_http(date, &read));
        assert_int_equal(read, ms);
        assert_memory_equal(http, "ThuFriSatSunMonTueWed" + 3 * ((day % 7 + 7) % 7), 3);
    }
}

static void numbers_are_written_as_printf_does(void **state) {
    (void)state;
    char room[INT_TEXT], expected[INT_TEXT];
    for (int64_t power = 1; power <= INT64_MAX / 10; power *= 10)
        for (int64_t n = -1; n < 120; n++)
            for (int sign = -1; sign <= 1; sign += 2) {
                int64_t v = sign * (power + n);
                snprintf(expected, sizeof expected, "%lld", (long long)v);
                assert_true(str_eq(str_int(room, v), str_of(expected)));
                struct str put = {room, (size_t)(int_put(room, v) - room)};
                assert_true(str_eq(put, str_of(expected)));
            }
    assert_true(str_eq(str_int(room, INT64_MIN), S("-9223372036854775808")));
    assert_true(str_eq(str_int(room, INT64_MAX), S("9223372036854775807")));
}

/* A tag gathers short values, so their sizes must not matter. */
static void a_tag_depends_on_the_bytes_and_not_on_their_pieces(void **state) {
    (void)state;
    char bytes[3000], whole[33], pieces[33];
    struct tag t;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 7);
    tag_init(&t);
    tag_add(&t, bytes, sizeof bytes);
    tag_end(&t, whole);
    for (size_t size = 1; size < 600; size += 13) {
        tag_init(&t);
        for (size_t at = 0; at < sizeof bytes; at += size)
            tag_add(&t, bytes + at, size < sizeof bytes - at ? size : sizeof bytes - at);
        tag_end(&t, pieces);
        assert_string_equal(pieces, whole);
    }
}

static void an_arena_returns_to_its_mark(void **state) {
    (void)state;
    struct arena *a = arena_new();
    char *kept = arena_alloc(a, 100);
    struct arena_mark mark = arena_mark(a);
    memset(arena_alloc(a, 100000), 1, 100000);
    arena_return(a, mark);
    char *again = arena_alloc(a, 100);
    assert_ptr_equal(again, kept + 112); /* rounded to 16 */
    for (int i = 0; i < 100; i++) assert_int_equal(again[i], 0);
    arena_free(a);
}

static void an_address_is_counted_by_its_network(void **state) {
    (void)state;
    static const char *const counted[][2] = {
        {"192.0.2.7", "192.0.2.7"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
        {"2001:db8:1:2::", "2001:db8:1:2::/64"},
        {"2001:db8:1:3::1", "2001:db8:1:3::/64"},
        {"::1", "::/64"},
        /* not a /64, because then all of IPv4 would be one address */
        {"::ffff:192.0.2.7", "::ffff:192.0.2.7"},
        {"no address", "no address"},
    };
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        char room[ADDRESS_TEXT];
        assert_text(address_counted_text(room, str_of(counted[i][0])), str_of(counted[i][1]));
    }
    struct address a, b, c;
    assert_true(address_parse(S("[2001:db8:1:2::1]"), &a) &&
                address_parse(S("2001:db8:1:2:ffff:ffff:ffff:ffff"), &b) &&
                address_parse(S("192.0.2.7"), &c));
    a = address_counted(a), b = address_counted(b);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(address_is_mapped(&c));
    b = address_counted(c);
    assert_memory_equal(&b, &c, sizeof c);
}

static void bytes_that_are_not_utf8_are_replaced_one_by_one(void **state) {
    (void)state;
    struct arena *a = arena_new();
    struct str good = S("caf\xC3\xA9");
    assert_ptr_equal(utf8_repaired(a, good).p, good.p);
    assert_true(str_eq(utf8_repaired(a, S("a\xE9z\xC3\xA9\xF0\x9F")),
                       S("a" UTF8_REPLACEMENT "z\xC3\xA9" UTF8_REPLACEMENT UTF8_REPLACEMENT)));
    assert_true(str_eq(utf8_without_cut_end(S("a\xC3")), S("a")));
    assert_true(str_eq(utf8_without_cut_end(S("a\xF0\x9F\x98")), S("a")));
    assert_true(str_eq(utf8_without_cut_end(S("a\xC3\xA9")), S("a\xC3\xA9")));
    assert_true(str_eq(utf8_without_cut_end(S("\xA9\xA9")), S("\xA9\xA9")));
    assert_int_equal(utf8_without_cut_end(S("")).n, 0);
    arena_free(a);
}

static void a_network_has_the_addresses_that_share_its_bits(void **state) {
    static const struct {
        const char *network, *address;
        bool has;
    } table[] = {
        {"10.0.0.0/8", "10.255.0.1", true},
        {"10.0.0.0/8", "11.0.0.1", false},
        {"192.0.2.64/26", "192.0.2.127", true},
        {"192.0.2.64/26", "192.0.2.128", false},
        {"192.0.2.7", "192.0.2.7", true},
        {"192.0.2.7", "192.0.2.6", false},
        {"0.0.0.0/0", "203.0.113.1", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"2001:db8::/33", "2001:db8:7fff::1", true},
        {"::/0", "2001:db8::1", true},
        {"2001:db8::/33", "2001:db8:8000::1", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct network n;
        struct address a;
        assert_true(network_parse(str_of(table[i].network), &n) &&
                    address_parse(str_of(table[i].address), &a));
        assert_int_equal(network_has(&n, &a), table[i].has);
    }
}

static void no_set_has_nul(void **state) {
    (void)state;
    assert_true(in_set(':', ":<>"));
    assert_true(in_set((unsigned char)'\xFE', "\xFE"));
    assert_false(in_set('-', ":<>"));
    assert_false(in_set(0, ":<>"));
    assert_false(in_set(0, ""));
}

static void slots_are_empty_at_first_and_a_hash_finds_what_it_stored(void **state) {
    struct slots *s = slots_new(3, sizeof(int64_t));
    (void)state;
    for (uint64_t hash = 0; hash < 3; hash++) {
        int64_t *slot = slots_lock(s, hash);
        assert_int_equal(*slot, 0);
        *slot = (int64_t)hash + 10;
        slots_unlock(s);
    }
    assert_int_equal(*(int64_t *)slots_lock(s, 2), 12);
    slots_unlock(s);
    assert_int_equal(*(int64_t *)slots_lock(s, UINT64_MAX), 10); /* 2^64 - 1 is a multiple of 3 */
    slots_unlock(s);
    slots_free(s);
    slots_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced_one_by_one),
        cmocka_unit_test(an_address_is_counted_by_its_network),
        cmocka_unit_test(a_network_has_the_addresses_that_share_its_bits),
        cmocka_unit_test(names_are_folded_without_case_and_marks),
        cmocka_unit_test(domains_are_lower_case_a_labels),
        cmocka_unit_test(decimals_sort_as_their_numbers),
        cmocka_unit_test(addresses_have_one_at_and_labels),
        cmocka_unit_test(addresses_are_one_in_any_case_and_writing_of_the_domain),
        cmocka_unit_test(phone_numbers_are_one_with_their_country_in_any_writing),
        cmocka_unit_test(numbers_are_strict_and_do_not_overflow),
        cmocka_unit_test(no_set_has_nul),
        cmocka_unit_test(names_compare_without_underscores_and_case),
        cmocka_unit_test(times_are_read_with_their_zone_and_written_in_utc),
        cmocka_unit_test(each_day_of_800_years_is_written_as_it_is_read),
        cmocka_unit_test(numbers_are_written_as_printf_does),
        cmocka_unit_test(a_tag_depends_on_the_bytes_and_not_on_their_pieces),
        cmocka_unit_test(an_arena_returns_to_its_mark),
        cmocka_unit_test(slots_are_empty_at_first_and_a_hash_finds_what_it_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
