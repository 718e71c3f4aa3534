/* Business time: properties on random calendars in all zones, and a comparison with a reference that steps
 * minute by minute through the C library's local time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "core/time/business_time.h"
#include "core/time/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HOURS(from, to) ((uint32_t)((1u << (to)) - (1u << (from)))) /* from:00 to to:00 */
#define EVERY_HOUR HOURS(0, 24)

static uint64_t seed = 12;

static int64_t draw(int64_t below) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (int64_t)(seed % (uint64_t)below);
}

static int64_t draw_between(int64_t from, int64_t to) { return from + draw(to - from); }

static int64_t iso(const char *text) {
    int64_t ms;
    assert_true(time_parse_iso(str_of(text), &ms));
    return ms;
}

/* ---- the reference --------------------------------------------------------------------------- */

static void enter_zone(const char *zone) {
    char name[80];
    snprintf(name, sizeof name, ":%s", zone);
    setenv("TZ", name, 1);
    tzset();
}

static bool open_by_steps(const struct hours *h, int64_t ms) {
    time_t t = ms / 1000;
    struct tm local;
    localtime_r(&t, &local);
    uint32_t open = h->week[(local.tm_wday + 6) % 7];
    for (int i = 0; i < h->holiday_count; i++) {
        const struct holiday *d = &h->holidays[i];
        if (d->year == local.tm_year + 1900 && d->month == local.tm_mon + 1 && d->day == local.tm_mday)
            open = d->open;
    }
    return open >> local.tm_hour & 1;
}

/* from and to: whole minutes. The offset of the zone is whole minutes. */
static int64_t open_minutes(const struct hours *h, int64_t from, int64_t to) {
    int64_t n = 0;
    for (int64_t t = from; t < to; t += TIME_MINUTE) n += open_by_steps(h, t);
    return n * TIME_MINUTE;
}

/* ---- calendars ------------------------------------------------------------------------------- */

static struct str *zones; /* all names of the tz database */
static int zone_count;

static int read_zones(void **state) {
    static char text[64 * 1024];
    FILE *f = popen("cd /usr/share/zoneinfo && find . -type f -o -type l | sed 's,^\\./,,' | sort", "r");
    (void)state;
    zones = calloc(2000, sizeof *zones);
    struct str all = {text, fread(text, 1, sizeof text - 1, f)};
    pclose(f);
    while (all.p && all.n && zone_count < 2000) {
        struct str line = str_cut(&all, '\n');
        if (line.n && time_zone_known(line)) ((char *)line.p)[line.n] = 0, zones[zone_count++] = line;
    }
    assert_in_range(zone_count, 300, 2000);
    return 0;
}

static int free_zones(void **state) {
    (void)state;
    free(zones);
    return 0;
}

static uint32_t random_hours(void) {
    switch (draw(4)) {
    case 0: return 0;
    case 1: return HOURS(9, 17);
    case 2: return (uint32_t)draw(1 << 24);
    default: return EVERY_HOUR;
    }
}

static void random_week(struct hours *h, const char *zone) {
    *h = (struct hours){.time_zone = zone};
    do
        for (int i = 0; i < 7; i++) h->week[i] = random_hours();
    while (!(h->week[0] | h->week[1] | h->week[2] | h->week[3] | h->week[4] | h->week[5] | h->week[6]));
}

/* Holidays on random days from `from` to `to`. */
static void random_holidays(struct arena *a, struct hours *h, int n, int64_t from, int64_t to) {
    h->holidays = arena_array(a, (size_t)n + 1, sizeof *h->holidays);
    for (h->holiday_count = 0; h->holiday_count < n; h->holiday_count++) {
        time_t t = draw_between(from, to) / 1000;
        struct tm day;
        gmtime_r(&t, &day);
        h->holidays[h->holiday_count] =
            (struct holiday){day.tm_year + 1900, day.tm_mon + 1, day.tm_mday, random_hours()};
    }
}

#define FIRST iso("1973-01-01T00:00:00Z") /* offsets are whole minutes from here on */

/* An instant near a clock change of the zone, or any instant. A whole minute. */
static int64_t interesting(struct arena *a, struct str zone) {
    struct zone z;
    assert_true(zone_read(a, zone, 2040, &z));
    int i = (int)draw(z.count);
    int64_t at = z.spans[i].start * TIME_SECOND;
    if (at < FIRST || at > iso("2200-01-01T00:00:00Z")) at = draw_between(FIRST, iso("2200-01-01T00:00:00Z"));
    return at / TIME_MINUTE * TIME_MINUTE;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void all_zones_agree_with_the_reference(void **state) {
    (void)state;
    for (int i = 0; i < zone_count; i++)
        for (int k = 0; k < 2; k++) {
            struct arena *a = arena_new();
            struct hours h;
            int64_t near = interesting(a, zones[i]), from = near - draw(1440) * TIME_MINUTE,
                    to = near + draw(1440) * TIME_MINUTE;
            random_week(&h, zones[i].p);
            random_holidays(a, &h, (int)draw(3), near - 2 * TIME_DAY, near + 2 * TIME_DAY);
            const struct business_time *b = business_time_prepare(a, &h);
            assert_non_null(b);
            enter_zone(zones[i].p);
            int64_t expected = open_minutes(&h, from, to);
            if (business_open(b, from, to) != expected)
                print_message("%s at %lld\n", zones[i].p, (long long)near);
            assert_int_equal(business_open(b, from, to), expected);
            arena_free(a);
        }
}

/* Whole years of a few zones: half-hour changes, changes at midnight, a skipped day, summer time in the
 * south, none. */
static void years_agree_with_the_reference(void **state) {
    static const struct {
        const char *zone, *from;
    } years[] = {
        {"Europe/Berlin", "2026"},    {"Australia/Lord_Howe", "2026"}, {"America/St_Johns", "2008"},
        {"Pacific/Apia", "2011"},     {"Asia/Kolkata", "2024"},        {"Africa/Casablanca", "2026"},
        {"America/New_York", "2050"}, {"Pacific/Auckland", "2099"},    {"Europe/Dublin", "2071"},
        {"America/Santiago", "2400"}, {"Asia/Gaza", "2030"},           {"Antarctica/Troll", "2060"},
        {"America/Asuncion", "2020"}, {"Asia/Kathmandu", "1986"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof years / sizeof *years; i++) {
        struct arena *a = arena_new();
        struct hours h;
        int64_t from = iso(str_fmt(a, "%s-01-01T00:00:00Z", years[i].from).p), to = from + 366 * TIME_DAY;
        random_week(&h, years[i].zone);
        random_holidays(a, &h, 12, from, to);
        enter_zone(years[i].zone);
        const struct business_time *b = business_time_prepare(a, &h);
        assert_int_equal(business_open(b, from, to), open_minutes(&h, from, to));
        arena_free(a);
    }
}

static void properties_hold_at_any_distance(void **state) {
    (void)state;
    int64_t last = iso("9999-12-31T00:00:00Z");
    for (int i = 0; i < 1000; i++) {
        struct arena *a = arena_new();
        struct hours h;
        random_week(&h, zones[draw(zone_count)].p);
        random_holidays(a, &h, (int)draw(30), iso("1990-01-01T00:00:00Z"),
                        draw(20) ? iso("2060-01-01T00:00:00Z") : last);
        const struct business_time *b = business_time_prepare(a, &h);
        for (int k = 0; k < 20; k++) {
            int64_t x = draw_between(draw(2) ? iso("0001-01-02T00:00:00Z") : 0, last), at;
            int64_t y = draw(2) ? draw_between(x, last) : x + draw(30 * TIME_DAY), z = y + draw(TIME_DAY),
                    open = business_open(b, x, y);
            assert_true(open >= 0 && open <= y - x);
            /* additive, and so monotone */
            assert_int_equal(open + business_open(b, y, z), business_open(b, x, z));
            assert_int_equal(business_open(b, y, x), -open);
            assert_true(business_after(b, x, open, &at));
            assert_true(at <= y);
            assert_int_equal(business_open(b, x, at), open);                   /* inverse */
            if (open) assert_int_equal(business_open(b, x, at - 1), open - 1); /* the first such instant */
            assert_int_equal(business_open(b, at, y), 0);
        }
        arena_free(a);
    }
}

static const struct business_time *prepared(struct arena *a, const char *zone, const uint32_t *week,
                                            struct holiday *days, int n) {
    struct hours h = {.time_zone = zone, .holidays = days, .holiday_count = n};
    memcpy(h.week, week, sizeof h.week);
    const struct business_time *b = business_time_prepare(a, &h);
    assert_non_null(b);
    return b;
}

static const uint32_t always[7] = {EVERY_HOUR, EVERY_HOUR, EVERY_HOUR, EVERY_HOUR,
                                   EVERY_HOUR, EVERY_HOUR, EVERY_HOUR};
static const uint32_t office[7] = {HOURS(9, 12) | HOURS(13, 17),
                                   HOURS(9, 12) | HOURS(13, 17),
                                   HOURS(9, 12) | HOURS(13, 17),
                                   HOURS(9, 12) | HOURS(13, 17),
                                   HOURS(9, 12) | HOURS(13, 17),
                                   0,
                                   0};
static const uint32_t nights[7] = {HOURS(0, 6), HOURS(0, 6), HOURS(0, 6), HOURS(0, 6),
                                   HOURS(0, 6), HOURS(0, 6), HOURS(0, 6)};
static const uint32_t one_hour[7] = {[2] = HOURS(10, 11)};
static const uint32_t never[7] = {0};

static void assert_after(const struct business_time *b, const char *from, int64_t open,
                         const char *expected) {
    int64_t at;
    assert_true(business_after(b, iso(from), open, &at));
    if (at != iso(expected)) print_message("%lld after %s is not %s\n", (long long)open, from, expected);
    assert_int_equal(at, iso(expected));
}

static void days_with_a_clock_change_count_as_they_last(void **state) {
    struct arena *a = arena_new();
    (void)state;
    const struct business_time *b = prepared(a, "Europe/Berlin", nights, NULL, 0);
    /* 23 hours */
    assert_int_equal(business_open(b, iso("2026-03-28T23:00:00Z"), iso("2026-03-29T22:00:00Z")),
                     5 * TIME_HOUR);
    /* 25 hours */
    assert_int_equal(business_open(b, iso("2026-10-24T22:00:00Z"), iso("2026-10-25T23:00:00Z")),
                     7 * TIME_HOUR);
    /* at 4:00 */
    assert_after(b, "2026-03-28T23:00:00Z", 3 * TIME_HOUR, "2026-03-29T02:00:00Z");
    /* at 6:00 */
    assert_after(b, "2026-10-24T22:00:00Z", 7 * TIME_HOUR, "2026-10-25T05:00:00Z");
    const uint32_t skipped[7] = {[6] = HOURS(2, 3)};
    b = prepared(a, "Europe/Berlin", skipped, NULL, 0);
    assert_int_equal(business_open(b, iso("2026-03-28T00:00:00Z"), iso("2026-03-30T00:00:00Z")), 0);
    assert_int_equal(business_open(b, iso("2026-10-24T00:00:00Z"), iso("2026-10-26T00:00:00Z")),
                     2 * TIME_HOUR);
    arena_free(a);
}

static void gaps_and_weekends_are_left_out(void **state) {
    struct arena *a = arena_new();
    (void)state;
    const struct business_time *b = prepared(a, "UTC", office, NULL, 0);
    assert_after(b, "2026-11-20T11:30:00Z", TIME_HOUR, "2026-11-20T13:30:00Z"); /* a Friday, over lunch */
    assert_after(b, "2026-11-20T16:30:00Z", TIME_HOUR, "2026-11-23T09:30:00Z"); /* over the weekend */
    /* the end of the day, not the next morning */
    assert_after(b, "2026-11-20T16:00:00Z", TIME_HOUR, "2026-11-20T17:00:00Z");
    assert_after(b, "2026-11-21T12:00:00Z", 0, "2026-11-21T12:00:00Z");
    assert_after(b, "2026-11-21T12:00:00Z", 1000, "2026-11-23T09:00:01Z");
    arena_free(a);
}

static void a_holiday_closes_its_day_or_opens_other_hours(void **state) {
    struct arena *a = arena_new();
    struct holiday days[] = {{2028, 2, 29, 0}, {2028, 3, 1, HOURS(10, 11)}, {2028, 3, 4, HOURS(8, 9)}};
    (void)state;
    const struct business_time *b = prepared(a, "America/New_York", office, days, 3);
    /* 2028-02-29 is a Tuesday and a leap day. New York is 5 hours behind. */
    assert_int_equal(business_open(b, iso("2028-02-29T05:00:00Z"), iso("2028-03-01T05:00:00Z")), 0);
    assert_int_equal(business_open(b, iso("2028-02-28T05:00:00Z"), iso("2028-03-06T05:00:00Z")),
                     (7 + 0 + 1 + 7 + 7 + 1) * TIME_HOUR);
    assert_after(b, "2028-02-28T21:30:00Z", TIME_HOUR, "2028-03-01T15:30:00Z");
    arena_free(a);
}

static void one_open_hour_a_week_reaches_far(void **state) {
    struct arena *a = arena_new();
    (void)state;
    const struct business_time *b = prepared(a, "UTC", one_hour, NULL, 0);
    assert_after(b, "2026-11-23T00:00:00Z", 5 * TIME_HOUR, "2026-12-23T11:00:00Z");
    /* 400 years */
    assert_int_equal(business_open(b, iso("2026-11-23T00:00:00Z"), iso("2426-11-23T00:00:00Z")),
                     20871 * TIME_HOUR);
    assert_after(b, "2026-11-23T00:00:00Z", 20872 * TIME_HOUR, "2426-11-25T11:00:00Z");
    arena_free(a);
}

static void a_calendar_that_never_opens_is_an_error(void **state) {
    struct arena *a = arena_new();
    struct holiday past[] = {{2020, 2, 29, HOURS(10, 11)}};
    int64_t at;
    (void)state;
    const struct business_time *b = prepared(a, "Europe/Berlin", never, past, 1);
    assert_int_equal(business_open(b, iso("2020-01-01T00:00:00Z"), iso("2021-01-01T00:00:00Z")), TIME_HOUR);
    assert_after(b, "2020-01-01T00:00:00Z", TIME_HOUR, "2020-02-29T10:00:00Z");
    assert_false(business_after(b, iso("2020-01-01T00:00:00Z"), TIME_HOUR + 1, &at));
    assert_false(business_after(b, iso("2026-01-01T00:00:00Z"), 1, &at));
    assert_true(business_after(b, iso("2026-01-01T00:00:00Z"), 0, &at));
    b = prepared(a, "UTC", one_hour, NULL, 0); /* a goal that is not reached before the year 10000 */
    assert_false(business_after(b, iso("2026-01-01T00:00:00Z"), INT64_MAX, &at));
    assert_false(business_after(b, iso("2026-01-01T00:00:00Z"), 20871 * 25 * TIME_HOUR, &at));
    arena_free(a);
}

static void an_unknown_zone_is_refused(void **state) {
    struct arena *a = arena_new();
    (void)state;
    struct hours h = {.time_zone = "Europe/Atlantis"};
    assert_null(business_time_prepare(a, &h));
    h.time_zone = "../../etc/passwd";
    assert_null(business_time_prepare(a, &h));
    arena_free(a);
}

static void stretches_add_up_to_the_open_time(void **state) {
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct arena *a = arena_new();
        struct hours h;
        struct str zone = zones[draw(zone_count)];
        int64_t from = interesting(a, zone) - draw(TIME_DAY), to = from + draw(10 * TIME_DAY), open = 0,
                until;
        random_week(&h, zone.p);
        random_holidays(a, &h, 3, from, from + 10 * TIME_DAY);
        const struct business_time *b = business_time_prepare(a, &h);
        enum business_stretch before = 0;
        for (int64_t t = from; t < to; t = until) {
            enum business_stretch kind = business_stretch_at(b, t, to, &until);
            assert_true(until > t && until <= to && kind != before);
            assert_int_equal(business_open(b, t, until), kind == BUSINESS_OPEN ? until - t : 0);
            open += kind == BUSINESS_OPEN ? until - t : 0;
            before = kind;
        }
        assert_int_equal(open, business_open(b, from, to > from ? to : from));
        arena_free(a);
    }
}

static void all_hours_open_is_plain_time(void **state) {
    (void)state;
    for (int i = 0; i < zone_count; i++) {
        struct arena *a = arena_new();
        const struct business_time *b = prepared(a, zones[i].p, always, NULL, 0);
        int64_t from = draw(iso("2100-01-01T00:00:00Z")), n = draw(iso("5000-01-01T00:00:00Z")), at;
        assert_int_equal(business_open(b, from, from + n), n);
        assert_true(business_after(b, from, n, &at));
        assert_int_equal(at, from + n);
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_zones_agree_with_the_reference),
        cmocka_unit_test(years_agree_with_the_reference),
        cmocka_unit_test(properties_hold_at_any_distance),
        cmocka_unit_test(days_with_a_clock_change_count_as_they_last),
        cmocka_unit_test(gaps_and_weekends_are_left_out),
        cmocka_unit_test(a_holiday_closes_its_day_or_opens_other_hours),
        cmocka_unit_test(one_open_hour_a_week_reaches_far),
        cmocka_unit_test(a_calendar_that_never_opens_is_an_error),
        cmocka_unit_test(an_unknown_zone_is_refused),
        cmocka_unit_test(stretches_add_up_to_the_open_time),
        cmocka_unit_test(all_hours_open_is_plain_time),
    };
    return cmocka_run_group_tests_name("business time", tests, read_zones, free_zones);
}
