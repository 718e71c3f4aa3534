#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int64_t read_clock(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool read_counter(const char *path, int64_t *out) {
    char text[32];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    return n > 0 && str_to_int(str_trim((struct str){text, (size_t)n}), out);
}

/* If the file can't be read (a test may be replacing it), it is read again, up to 100 times. Then the
 * system's clock is used. */
int64_t clock_now(const struct clock *c) {
    int64_t now;
    for (int i = 0; c->file && i < 100; i++)
        if (read_counter(c->file, &now)) return now;
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_monotonic(void) { return read_clock(CLOCK_MONOTONIC); }

int64_t clock_micros(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_steady(const struct clock *c) { return c->file ? clock_now(c) : clock_monotonic(); }

struct timespec clock_deadline(int64_t ms) {
    int64_t until = read_clock(CLOCK_REALTIME) + ms;
    return (struct timespec){.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
}

/* Converts a date of the proleptic Gregorian calendar to days since 1970, and back. The year is shifted to
 * begin in March, so that the leap day is its last day. 400 years have 146097 days. */
static int64_t days_of(int64_t y, int m, int d) {
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static void date_of(int64_t days, int *y, int *m, int *d) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    uint32_t doe = (uint32_t)(days - era * 146097); /* 32 bits: a division is half as long */
    uint32_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    uint32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    *d = (int)(doy - (153 * mp + 2) / 5 + 1);
    *m = (int)(mp < 10 ? mp + 3 : mp - 9);
    *y = (int)(yoe + era * 400) + (*m <= 2);
}

struct moment {
    int year, month, day, hour, minute, second;
    int64_t days; /* since 1970, which began on a Thursday */
};

static inline struct moment moment_of(int64_t ms) {
    int64_t s = ms / 1000 - (ms % 1000 < 0), days = s / 86400 - (s % 86400 < 0);
    uint32_t rest = (uint32_t)(s - days * 86400);
    struct moment t = {.hour = (int)(rest / 3600),
                       .minute = (int)(rest / 60 % 60),
                       .second = (int)(rest % 60),
                       .days = days};
    date_of(days, &t.year, &t.month, &t.day);
    return t;
}

static char *put_bytes(char *at, const char *text, size_t n) { return (char *)memcpy(at, text, n) + n; }

/* Writes the last two digits of a year, and the two of another number. */
static char *put_year_part(char *at, int v) { return put_two_digits(at, (unsigned)v % 100); }
static char *put_two(char *at, int v) { return put_two_digits(at, (unsigned)v); }

size_t time_iso(char out[TIME_ISO_SIZE], int64_t ms) {
    struct moment t = moment_of(ms);
    char *at = put_year_part(put_year_part(out, t.year / 100), t.year);
    *at++ = '-', at = put_two(at, t.month);
    *at++ = '-', at = put_two(at, t.day);
    *at++ = 'T', at = put_two(at, t.hour);
    *at++ = ':', at = put_two(at, t.minute);
    *at++ = ':', at = put_two(at, t.second);
    memcpy(at, "+00:00", 7);
    return TIME_ISO_SIZE - 1;
}

static const char weekdays[] = "SunMonTueWedThuFriSat";
static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

size_t time_http(char out[TIME_HTTP_SIZE], int64_t ms) {
    struct moment t = moment_of(ms);
    char *at = put_bytes(put_bytes(out, weekdays + 3 * (((t.days + 4) % 7 + 7) % 7), 3), ", ", 2);
    at = put_bytes(put_bytes(put_bytes(put_two(at, t.day), " ", 1), months + 3 * (t.month - 1), 3), " ", 1);
    at = put_bytes(put_year_part(put_year_part(at, t.year / 100), t.year), " ", 1);
    at = put_bytes(put_two(at, t.hour), ":", 1);
    at = put_bytes(put_two(at, t.minute), ":", 1);
    put_bytes(put_two(at, t.second), " GMT", 5);
    return TIME_HTTP_SIZE - 1;
}

static bool take_digits(struct str *s, size_t n, int *out) {
    int v = 0;
    if (s->n < n) return false;
    for (size_t i = 0; i < n; i++) {
        if (s->p[i] < '0' || s->p[i] > '9') return false;
        v = v * 10 + (s->p[i] - '0');
    }
    s->p += n, s->n -= n;
    *out = v;
    return true;
}

static bool take_char(struct str *s, char c) {
    if (s->n == 0 || s->p[0] != c) return false;
    s->p++, s->n--;
    return true;
}

static bool moment_ms(const struct moment *t, int64_t *ms) {
    static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (t->month < 1 || t->month > 12 || t->day < 1 || t->day > lengths[t->month - 1]) return false;
    bool leap = (t->year % 4 == 0 && t->year % 100 != 0) || t->year % 400 == 0;
    if (t->month == 2 && t->day == 29 && !leap) return false;
    if (t->hour > 23 || t->minute > 59 || t->second > 60) return false;
    *ms = ((days_of(t->year, t->month, t->day) * 24 + t->hour) * 60 + t->minute) * 60000 +
          (int64_t)t->second * 1000;
    return true;
}

static bool parse_zone(struct str s, int64_t *offset_ms) {
    int hours, minutes;
    *offset_ms = 0;
    if (s.n == 1 && (s.p[0] == 'Z' || s.p[0] == 'z')) return true;
    bool minus = s.n && s.p[0] == '-';
    if (!take_char(&s, '+') && !take_char(&s, '-')) return false;
    if (!take_digits(&s, 2, &hours)) return false;
    take_char(&s, ':');
    if (!take_digits(&s, 2, &minutes) || s.n || hours > 23 || minutes > 59) return false;
    *offset_ms = (hours * TIME_HOUR + minutes * TIME_MINUTE) * (minus ? -1 : 1);
    return true;
}

bool time_parse_iso(struct str s, int64_t *ms) {
    struct moment t = {0};
    int64_t offset;
    if (!take_digits(&s, 4, &t.year) || !take_char(&s, '-') || !take_digits(&s, 2, &t.month) ||
        !take_char(&s, '-'))
        return false;
    if (!take_digits(&s, 2, &t.day) || !(take_char(&s, 'T') || take_char(&s, 't') || take_char(&s, ' ')))
        return false;
    if (!take_digits(&s, 2, &t.hour) || !take_char(&s, ':') || !take_digits(&s, 2, &t.minute)) return false;
    if (take_char(&s, ':') && !take_digits(&s, 2, &t.second)) return false;
    if (take_char(&s, '.'))
        for (int ignored; take_digits(&s, 1, &ignored);) {}
    if (!parse_zone(s, &offset) || !moment_ms(&t, ms)) return false;
    *ms -= offset;
    return true;
}

bool time_parse_http(struct str s, int64_t *ms) {
    struct moment t = {0};
    s = str_trim(s);
    if (s.n < 25) return false;
    s.p += 3, s.n -= 3; /* skips the name of the day */
    if (!take_char(&s, ',') || !take_char(&s, ' ') || !take_digits(&s, 2, &t.day) || !take_char(&s, ' '))
        return false;
    for (int m = 1; m <= 12; m++)
        if (memcmp(s.p, months + 3 * (m - 1), 3) == 0) t.month = m;
    s.p += 3, s.n -= 3;
    if (!take_char(&s, ' ') || !take_digits(&s, 4, &t.year) || !take_char(&s, ' ') ||
        !take_digits(&s, 2, &t.hour))
        return false;
    if (!take_char(&s, ':') || !take_digits(&s, 2, &t.minute) || !take_char(&s, ':') ||
        !take_digits(&s, 2, &t.second))
        return false;
    return (str_eq(s, S(" GMT")) || str_eq(s, S(" +0000")) || str_eq(s, S(" UTC"))) && moment_ms(&t, ms);
}
