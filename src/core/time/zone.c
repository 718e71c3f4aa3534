/* A file of the tz database has a table of transitions. Its last line, a POSIX TZ text, has the rule for
 * the time after the table. The rule is spelled out for one cycle of the calendar. */
#include "core/time/zone.h"

#include "base/arena.h"
#include "core/time/hours.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY 86400
#define FILE_MAX 65536 /* the largest zone has less than 4 KiB */

/* ---- years ----------------------------------------------------------------------------------- */

static bool is_leap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int64_t year_days(int64_t year) { /* days from 1970-01-01 to January 1 */
    int64_t y = year - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 - 719162;
}

int64_t zone_year_start(int year) { return year_days(year) * DAY; }

static int year_at(int64_t seconds) {
    int year = (int)(1970 + seconds / 31556952);
    while (zone_year_start(year) > seconds) year--;
    while (zone_year_start(year + 1) <= seconds) year++;
    return year;
}

/* ---- the rule: std offset [dst [offset] , start [/time] , end [/time]] ----------------------- */

struct rule_day {
    char kind; /* M: month, week, weekday; J: day of the year without February 29; 0: with it */
    int month, week, day;
    int64_t time; /* local seconds of the day; may be negative, or more than a day */
};

struct zone_rule {
    int standard, summer; /* seconds east of UTC */
    bool changes;
    struct rule_day begins, ends; /* days on which summer time begins and ends */
};

static bool rule_name(const char **p) {
    const char *start = *p;
    if (**p == '<') {
        while (**p && **p != '>') ++*p;
        if (**p != '>') return false;
        ++*p;
        return true;
    }
    while ((**p >= 'A' && **p <= 'Z') || (**p >= 'a' && **p <= 'z')) ++*p;
    return *p - start >= 3;
}

static bool rule_number(const char **p, int most, int *out) {
    char *end;
    if (**p < '0' || **p > '9') return false;
    long n = strtol(*p, &end, 10);
    *p = end;
    *out = (int)n;
    return n <= most;
}

/* [+-]hh[:mm[:ss]] */
static bool rule_time(const char **p, int64_t *out) {
    int sign = **p == '-' ? -1 : 1, part[3] = {0};
    if (**p == '-' || **p == '+') ++*p;
    for (int i = 0; i < 3; i++) {
        if (i && **p != ':') break;
        if (i) ++*p;
        if (!rule_number(p, i ? 59 : 167, &part[i])) return false;
    }
    *out = sign * (part[0] * INT64_C(3600) + part[1] * 60 + part[2]);
    return true;
}

static bool rule_day_read(const char **p, struct rule_day *d) {
    *d = (struct rule_day){.time = 7200};
    if (*(*p)++ != ',') return false;
    if (**p == 'M') {
        ++*p;
        d->kind = 'M';
        if (!rule_number(p, 12, &d->month) || *(*p)++ != '.' || !rule_number(p, 5, &d->week) ||
            *(*p)++ != '.' || !rule_number(p, 6, &d->day) || d->month < 1 || d->week < 1)
            return false;
    } else {
        if (**p == 'J') d->kind = *(*p)++;
        if (!rule_number(p, 365, &d->day)) return false;
    }
    if (**p != '/') return true;
    ++*p;
    return rule_time(p, &d->time);
}

static bool rule_read(const char *p, struct zone_rule *r) {
    int64_t west;
    *r = (struct zone_rule){0};
    if (!rule_name(&p) || !rule_time(&p, &west)) return false;
    r->standard = (int)-west;
    if (*p == 0) return true;
    r->changes = true;
    r->summer = r->standard + 3600;
    if (!rule_name(&p)) return false;
    if (*p != ',') {
        if (!rule_time(&p, &west)) return false;
        r->summer = (int)-west;
    }
    return rule_day_read(&p, &r->begins) && rule_day_read(&p, &r->ends) && *p == 0;
}

/* Local seconds since 1970 of the rule's day in a year. */
static int64_t rule_moment(const struct rule_day *d, int year) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    int64_t first = year_days(year);
    if (d->kind == 'J') return (first + d->day - 1 + (d->day > 59 && is_leap(year))) * DAY + d->time;
    if (d->kind == 0) return (first + d->day) * DAY + d->time;
    int64_t start = first + before[d->month - 1] + (d->month > 2 && is_leap(year));
    int64_t next = first + before[d->month] + (d->month > 1 && is_leap(year));
    int64_t weekday = ((start + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
    int64_t day = start + (d->day - weekday + 7) % 7 + (d->week - 1) * 7;
    return (day < next ? day : day - 7) * DAY + d->time;
}

/* ---- the file -------------------------------------------------------------------------------- */

struct tz_file {
    unsigned char bytes[FILE_MAX + 1];
    size_t n, at;
};

static int64_t tz_number(const unsigned char *p, int size) {
    uint64_t v = p[0] & 0x80 ? ~UINT64_C(0) : 0;
    for (int i = 0; i < size; i++) v = v << 8 | p[i];
    return (int64_t)v;
}

struct tz_header {
    int64_t is_utc, is_standard, leaps, times, types, characters;
};

static bool tz_header_read(struct tz_file *f, struct tz_header *h) {
    const unsigned char *p = f->bytes + f->at;
    if (f->n - f->at < 44 || memcmp(p, "TZif", 4) != 0) return false;
    *h = (struct tz_header){tz_number(p + 20, 4), tz_number(p + 24, 4), tz_number(p + 28, 4),
                            tz_number(p + 32, 4), tz_number(p + 36, 4), tz_number(p + 40, 4)};
    f->at += 44;
    return h->times >= 0 && h->times < FILE_MAX && h->types > 0 && h->types < 256 && h->characters >= 0 &&
           h->characters < FILE_MAX && h->leaps >= 0 && h->leaps < FILE_MAX && h->is_utc >= 0 &&
           h->is_utc < FILE_MAX && h->is_standard >= 0 && h->is_standard < FILE_MAX;
}

static int64_t tz_body_size(const struct tz_header *h, int size) {
    return h->times * (size + 1) + h->types * 6 + h->characters + h->leaps * (size + 4) + h->is_standard +
           h->is_utc;
}

/* A growing list of spans. */
struct spans {
    struct arena *arena;
    struct zone_span *list;
    int count, room;
};

static void span_add(struct spans *s, int64_t start, int offset) {
    if (s->count && start <= s->list[s->count - 1].start) {
        s->list[s->count - 1].offset = offset;
        return;
    }
    if (s->count && s->list[s->count - 1].offset == offset) return;
    s->list = arena_more(s->arena, s->list, s->count, &s->room, sizeof *s->list);
    s->list[s->count++] = (struct zone_span){start, offset};
}

/* Before the first transition the first type applies. */
static bool tz_table_read(struct tz_file *f, const struct tz_header *h, int size, struct spans *s,
                          int64_t *last) {
    const unsigned char *times = f->bytes + f->at, *indexes = times + h->times * size,
                        *types = indexes + h->times;
    if ((int64_t)(f->n - f->at) < tz_body_size(h, size)) return false;
    span_add(s, ZONE_FIRST, (int)tz_number(types, 4));
    *last = ZONE_FIRST;
    for (int64_t i = 0; i < h->times; i++) {
        int64_t at = tz_number(times + i * size, size);
        if (indexes[i] >= h->types || (i && at <= *last)) return false;
        span_add(s, at, (int)tz_number(types + indexes[i] * 6, 4));
        *last = at > ZONE_FIRST ? at : ZONE_FIRST;
    }
    f->at += (size_t)tz_body_size(h, size);
    return true;
}

/* Reads the table with 64-bit times, and the rule behind it. */
static bool tz_read(struct tz_file *f, struct spans *s, int64_t *last, struct zone_rule *rule) {
    struct tz_header h;
    if (!tz_header_read(f, &h)) return false;
    bool old = f->bytes[4] < '2';
    if (!old) {
        f->at += (size_t)tz_body_size(&h, 4);
        if (f->at > f->n || !tz_header_read(f, &h)) return false;
    }
    if (!tz_table_read(f, &h, old ? 4 : 8, s, last)) return false;
    *rule = (struct zone_rule){.standard = s->list[s->count - 1].offset};
    if (old || f->at >= f->n || f->bytes[f->at] != '\n') return old;
    char *line = (char *)f->bytes + f->at + 1, *end = memchr(line, '\n', f->n - f->at - 1);
    if (end == NULL) return false;
    *end = 0;
    return *line == 0 || rule_read(line, rule);
}

static bool tz_load(struct str name, struct tz_file *f) {
    char path[128];
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%.*s", (int)name.n, name.p);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    f->n = fread(f->bytes, 1, FILE_MAX, file);
    fclose(file);
    return true;
}

/* ---- the zone -------------------------------------------------------------------------------- */

static void rule_spans(struct spans *s, const struct zone_rule *r, int64_t last, int from, int to) {
    if (!r->changes) {
        span_add(s, last + 1, r->standard);
        return;
    }
    for (int year = from; year < to; year++) {
        int64_t begins = rule_moment(&r->begins, year) - r->standard,
                ends = rule_moment(&r->ends, year) - r->summer;
        bool south = ends < begins;
        if ((south ? ends : begins) > last)
            span_add(s, south ? ends : begins, south ? r->standard : r->summer);
        if ((south ? begins : ends) > last)
            span_add(s, south ? begins : ends, south ? r->summer : r->standard);
    }
}

bool zone_read(struct arena *a, struct str name, int year, struct zone *out) {
    struct spans s = {.arena = a};
    struct zone_rule rule = {0};
    int64_t last = ZONE_FIRST;
    if (!time_zone_known(name)) return false;
    if (str_eq(name, S("UTC"))) {
        span_add(&s, ZONE_FIRST, 0);
    } else {
        struct arena_mark mark = arena_mark(a);
        struct tz_file *f = malloc(sizeof *f);
        if (f == NULL) return false;
        f->at = 0;
        bool read = tz_load(name, f) && tz_read(f, &s, &last, &rule);
        free(f);
        if (!read) return arena_return(a, mark), false;
    }
    int begins = year_at(last) + 2 > year ? year_at(last) + 2 : year;
    rule_spans(&s, &rule, last, year_at(last), begins + ZONE_CYCLE_YEARS);
    *out = (struct zone){s.list, s.count, zone_year_start(begins)};
    return true;
}
