/* Days and spans in a time zone: the words of rules, clock changes, days that a zone skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "core/time/calendar.h"

static void assert_span(const char *word, struct str zone, struct str now, struct str from, struct str to) {
    int64_t at, first, end;
    assert_true(time_parse_iso(now, &at) && time_parse_iso(from, &first) && time_parse_iso(to, &end));
    struct period s = relative_span(word_id(relative_dates, str_of(word)), zone, at);
    if (s.from != first || s.to != end)
        print_message("%s at %s: %lld..%lld\n", word, now.p, (long long)s.from, (long long)s.to);
    assert_int_equal(s.from, first);
    assert_int_equal(s.to, end);
}

static void words_are_spans_of_whole_days(void **state) {
    (void)state;
    static const struct {
        const char *word, *from, *to;
    } of_a_saturday[] = {
        {"today", "2026-11-21", "2026-11-22"},       {"tomorrow", "2026-11-22", "2026-11-23"},
        {"yesterday", "2026-11-20", "2026-11-21"},   {"currentweek", "2026-11-16", "2026-11-23"},
        {"lastweek", "2026-11-09", "2026-11-16"},    {"currentmonth", "2026-11-01", "2026-12-01"},
        {"lastmonth", "2026-10-01", "2026-11-01"},   {"currentyear", "2026-01-01", "2027-01-01"},
        {"lastyear", "2025-01-01", "2026-01-01"},    {"last7days", "2026-11-15", "2026-11-22"},
        {"last30days", "2026-10-23", "2026-11-22"},  {"last90days", "2026-08-24", "2026-11-22"},
        {"last180days", "2026-05-26", "2026-11-22"}, {"last365days", "2025-11-22", "2026-11-22"},
        {"nextweek", "2026-11-23", "2026-11-30"},    {"nextmonth", "2026-12-01", "2027-01-01"},
        {"nextyear", "2027-01-01", "2028-01-01"},    {"next7days", "2026-11-21", "2026-11-28"},
        {"next30days", "2026-11-21", "2026-12-21"},  {"next90days", "2026-11-21", "2027-02-19"},
        {"next180days", "2026-11-21", "2027-05-20"}, {"next365days", "2026-11-21", "2027-11-21"},
    };
    struct arena *a = arena_new();
    assert_int_equal(sizeof of_a_saturday / sizeof *of_a_saturday, RELATIVE_DATES);
    for (size_t i = 0; i < RELATIVE_DATES; i++)
        assert_span(of_a_saturday[i].word, S("UTC"), S("2026-11-21T10:10:00+00:00"),
                    str_fmt(a, "%sT00:00:00+00:00", of_a_saturday[i].from),
                    str_fmt(a, "%sT00:00:00+00:00", of_a_saturday[i].to));
    arena_free(a);
}

static void words_of_the_future_do_not_fit_a_time_that_has_passed(void **state) {
    (void)state;
    for (const struct word *w = relative_dates; w->word; w++) {
        bool future = strncmp(w->word, "next", 4) == 0 || strcmp(w->word, "tomorrow") == 0;
        assert_int_equal(relative_fits((int)w->id, "PAST"), !future);
        assert_true(relative_fits((int)w->id, NULL));
        assert_true(relative_fits((int)w->id, "FUTURE"));
    }
}

static void a_week_begins_on_monday_and_a_month_may_be_in_another_year(void **state) {
    (void)state;
    assert_span("currentweek", S("UTC"), S("2026-11-22T23:59:59Z"), S("2026-11-16T00:00:00Z"),
                S("2026-11-23T00:00:00Z"));
    assert_span("currentweek", S("UTC"), S("2026-11-23T00:00:00Z"), S("2026-11-23T00:00:00Z"),
                S("2026-11-30T00:00:00Z"));
    assert_span("lastmonth", S("UTC"), S("2027-01-31T12:00:00Z"), S("2026-12-01T00:00:00Z"),
                S("2027-01-01T00:00:00Z"));
    assert_span("currentmonth", S("UTC"), S("2028-02-29T12:00:00Z"), S("2028-02-01T00:00:00Z"),
                S("2028-03-01T00:00:00Z"));
}

static void midnight_is_the_zones_and_days_may_have_23_or_25_hours(void **state) {
    (void)state;
    assert_span("today", S("Europe/Berlin"), S("2026-11-21T23:30:00Z"), S("2026-11-21T23:00:00Z"),
                S("2026-11-22T23:00:00Z"));
    assert_span("today", S("Europe/Berlin"), S("2026-03-29T10:00:00Z"), S("2026-03-28T23:00:00Z"),
                S("2026-03-29T22:00:00Z"));
    assert_span("today", S("Europe/Berlin"), S("2026-10-25T10:00:00Z"), S("2026-10-24T22:00:00Z"),
                S("2026-10-25T23:00:00Z"));
    assert_span("today", S("Asia/Kathmandu"), S("2026-11-21T18:14:59Z"), S("2026-11-20T18:15:00Z"),
                S("2026-11-21T18:15:00Z"));
    assert_span("currentmonth", S("America/New_York"), S("2026-11-21T10:00:00Z"), S("2026-11-01T04:00:00Z"),
                S("2026-12-01T05:00:00Z"));
}

static void a_skipped_midnight_is_the_moment_of_the_skip(void **state) {
    (void)state;
    /* Cuba's clocks went from 00:00 to 01:00. Samoa skipped December 30, 2011. */
    assert_span("today", S("America/Havana"), S("2024-03-10T12:00:00Z"), S("2024-03-10T05:00:00Z"),
                S("2024-03-11T04:00:00Z"));
    assert_span("yesterday", S("Pacific/Apia"), S("2011-12-30T12:00:00Z"), S("2011-12-30T10:00:00Z"),
                S("2011-12-30T10:00:00Z"));
    assert_span("today", S("Pacific/Apia"), S("2011-12-30T12:00:00Z"), S("2011-12-30T10:00:00Z"),
                S("2011-12-31T10:00:00Z"));
}

static void days_are_dates_that_exist(void **state) {
    (void)state;
    int64_t day;
    struct arena *a = arena_new();
    assert_true(day_parse(S("1970-01-01"), &day) && day == 0);
    assert_true(day_parse(S("2028-02-29"), &day));
    assert_string_equal(day_text(a, day).p, "2028-02-29");
    assert_true(day_parse(S("0001-01-02"), &day) && day == DAY_FIRST);
    static const char *const bad[] = {"",           "2026-02-29", "2026-13-01", "2026-00-10",  "2026-1-1",
                                      "0000-01-01", "2026/01/01", "-026-01-01", "2026-01-011", "2026/01-01",
                                      "2026-01/01", "20x6-01-01", "2026-1x-01", "2026-01-0x",  "2026-01-00",
                                      "2026-01-32", "202:-01-01", "202/-01-01"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(day_parse(str_of(bad[i]), &day));
    assert_int_equal(day_of(S("UTC"), -1), -1);
    assert_int_equal(day_of(S("Asia/Tokyo"), -1), 0);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_spans_of_whole_days),
        cmocka_unit_test(words_of_the_future_do_not_fit_a_time_that_has_passed),
        cmocka_unit_test(a_week_begins_on_monday_and_a_month_may_be_in_another_year),
        cmocka_unit_test(midnight_is_the_zones_and_days_may_have_23_or_25_hours),
        cmocka_unit_test(a_skipped_midnight_is_the_moment_of_the_skip),
        cmocka_unit_test(days_are_dates_that_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
