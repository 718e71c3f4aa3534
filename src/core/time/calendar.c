#include "core/time/calendar.h"

#include "base/arena.h"
#include "base/clock.h"
#include "core/time/hours.h"

#include <glib.h>
#include <stdio.h>

enum { NEXT_7_DAYS = 17 }; /* the words from here on begin with today, and are in the future */
enum unit { DAYS, WEEKS, MONTHS, YEARS };

/* A span of `length` units. Its first unit is `back` units before the current one. */
static const struct {
    enum unit unit;
    int back, length;
} spans[] = {
    {DAYS, 0, 1},                                                                        /* today */
    {WEEKS, 0, 1},                                                                       /* currentweek */
    {MONTHS, 0, 1},                                                                      /* currentmonth */
    {YEARS, 0, 1},                                                                       /* currentyear */
    {DAYS, -1, 1},                                                                       /* tomorrow */
    {DAYS, 1, 1},                                                                        /* yesterday */
    {WEEKS, 1, 1},                                                                       /* lastweek */
    {MONTHS, 1, 1},                                                                      /* lastmonth */
    {YEARS, 1, 1},                                                                       /* lastyear */
    {DAYS, 6, 7},                                                                        /* last7days */
    {DAYS, 29, 30},  {DAYS, 89, 90}, {DAYS, 179, 180}, {DAYS, 364, 365}, {WEEKS, -1, 1}, /* nextweek */
    {MONTHS, -1, 1},                                                                     /* nextmonth */
    {YEARS, -1, 1},                                                                      /* nextyear */
    {DAYS, 0, 7},                                                                        /* next7days */
    {DAYS, 0, 30},   {DAYS, 0, 90},  {DAYS, 0, 180},   {DAYS, 0, 365},
};
_Static_assert(sizeof spans / sizeof *spans == RELATIVE_DATES, "a span for each word");

const struct word relative_dates[] = {{0, "today"},
                                      {1, "currentweek"},
                                      {2, "currentmonth"},
                                      {3, "currentyear"},
                                      {4, "tomorrow"},
                                      {5, "yesterday"},
                                      {6, "lastweek"},
                                      {7, "lastmonth"},
                                      {8, "lastyear"},
                                      {9, "last7days"},
                                      {10, "last30days"},
                                      {11, "last90days"},
                                      {12, "last180days"},
                                      {13, "last365days"},
                                      {14, "nextweek"},
                                      {15, "nextmonth"},
                                      {16, "nextyear"},
                                      {17, "next7days"},
                                      {18, "next30days"},
                                      {19, "next90days"},
                                      {20, "next180days"},
                                      {21, "next365days"},
                                      {0, NULL}};
const char *const relative_labels[] = {
    "Today",         "Current week",  "Current month", "Current year",  "Tomorrow",     "Yesterday",
    "Last week",     "Last month",    "Last year",     "Last 7 days",   "Last 30 days", "Last 90 days",
    "Last 180 days", "Last 365 days", "Next week",     "Next month",    "Next year",    "Next 7 days",
    "Next 30 days",  "Next 90 days",  "Next 180 days", "Next 365 days",
};

bool relative_fits(int word, const char *sub_type) {
    return !(sub_type && strcmp(sub_type, "PAST") == 0 && (spans[word].back < 0 || word >= NEXT_7_DAYS));
}

/* ---- days ------------------------------------------------------------------------------------ */

#define EPOCH 719163 /* 1970-01-01 in days of GDate (1 is 0001-01-01) */

static bool read_digits(struct str s, int64_t *v) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9') return false;
    return str_to_int(s, v);
}

bool day_parse(struct str s, int64_t *day) {
    int64_t y, m, d;
    if (s.n != 10 || s.p[4] != '-' || s.p[7] != '-') return false;
    if (!read_digits((struct str){s.p, 4}, &y) || !read_digits((struct str){s.p + 5, 2}, &m) ||
        !read_digits((struct str){s.p + 8, 2}, &d))
        return false;
    if (!g_date_valid_dmy((GDateDay)d, (GDateMonth)m, (GDateYear)y)) return false;
    GDate date;
    g_date_clear(&date, 1);
    g_date_set_dmy(&date, (GDateDay)d, (GDateMonth)m, (GDateYear)y);
    *day = (int64_t)g_date_get_julian(&date) - EPOCH;
    return *day >= DAY_FIRST;
}

struct str day_write(char *room, int64_t day) {
    GDate date;
    g_date_clear(&date, 1);
    g_date_set_julian(&date, (guint32)(day + EPOCH));
    int n = snprintf(room, DAY_ROOM, "%04d-%02d-%02d", g_date_get_year(&date), g_date_get_month(&date),
                     g_date_get_day(&date));
    return (struct str){room, (size_t)n};
}

struct str day_text(struct arena *a, int64_t day) {
    return day_write(arena_bytes(a, DAY_ROOM), day);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

int64_t day_of(struct str zone, int64_t ms) {
    return floor_div(ms + TIME_SECOND * time_zone_offset(zone, ms), TIME_DAY);
}

/* The start of a day: midnight of the local clock. If the clock shows midnight twice, the first; if it
 * skips midnight, the moment of the skip. */
static int64_t day_start(struct str zone, int64_t day) {
    int64_t wall = day * TIME_DAY;
    int64_t before = wall - TIME_SECOND * time_zone_offset(zone, wall - TIME_DAY);
    int64_t after = wall - TIME_SECOND * time_zone_offset(zone, wall + TIME_DAY);
    bool early = before + TIME_SECOND * time_zone_offset(zone, before) == wall;
    bool late = after + TIME_SECOND * time_zone_offset(zone, after) == wall;
    return early || !late ? before : after;
}

struct period day_span(struct str zone, int64_t first, int64_t n) {
    return (struct period){day_start(zone, first), day_start(zone, first + n)};
}

/* ---- words ----------------------------------------------------------------------------------- */

static int64_t month_start(int64_t months) { /* months: counted from January of year 0 */
    GDate date;
    g_date_clear(&date, 1);
    g_date_set_dmy(&date, 1, (GDateMonth)(months % 12 + 1), (GDateYear)(months / 12));
    return (int64_t)g_date_get_julian(&date) - EPOCH;
}

int64_t month_days(int64_t day, int64_t *next) {
    GDate date;
    g_date_clear(&date, 1);
    g_date_set_julian(&date, (guint32)(day + EPOCH));
    int64_t month = g_date_get_year(&date) * 12 + g_date_get_month(&date) - 1;
    *next = month_start(month + 1);
    return month_start(month);
}

struct period relative_span(int word, struct str zone, int64_t now) {
    int64_t today = day_of(zone, now), back = spans[word].back, length = spans[word].length, first, last;
    GDate date;
    g_date_clear(&date, 1);
    g_date_set_julian(&date, (guint32)(today + EPOCH));
    int64_t month = g_date_get_year(&date) * 12 + g_date_get_month(&date) - 1, year = g_date_get_year(&date);
    switch (spans[word].unit) {
    case WEEKS:
        first = today - (g_date_get_weekday(&date) - G_DATE_MONDAY) - 7 * back;
        last = first + 7 * length;
        break;
    case MONTHS:
        first = month_start(month - back);
        last = month_start(month - back + length);
        break;
    case YEARS:
        first = month_start((year - back) * 12);
        last = month_start((year - back + length) * 12);
        break;
    default: first = today - back; last = first + length;
    }
    return day_span(zone, first, last - first);
}
