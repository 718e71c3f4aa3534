/* GLib's dates are not used, because they may open files of time zones, which a confined process must not. */
#include "mail/date.h"

#include <ctype.h>
#include <strings.h>

#define DAY (INT64_C(24) * 3600)
#define YEAR_1990 (INT64_C(631152000))

/* Skips blanks, separators, and comments, which may be nested (RFC 5322 section 3.2.2). A sign begins a
 * word only where a zone may be: some programs write 6-Jan-2026. */
static void skip_to_word(struct str *rest, bool signs) {
    int depth = 0;
    for (; rest->n; rest->p++, rest->n--) {
        char c = *rest->p;
        depth += (c == '(') - (c == ')' && depth > 0);
        if (depth == 0 && (isalnum((unsigned char)c) || (signs && (c == '+' || c == '-')))) return;
    }
}

/* Cuts the next word off: letters, or digits with the signs of times and zones. */
static struct str date_word(struct str *rest, bool signs) {
    skip_to_word(rest, signs);
    size_t n = rest->n > 0;
    bool letters = n && isalpha((unsigned char)rest->p[0]);
    while (n < rest->n && (letters ? isalpha((unsigned char)rest->p[n])
                                   : isdigit((unsigned char)rest->p[n]) || rest->p[n] == ':'))
        n++;
    struct str word = {rest->p, n};
    *rest = (struct str){rest->p + n, rest->n - n};
    return word;
}

static int month_of(struct str word) {
    static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (int i = 0; i < 12 && word.n >= 3; i++)
        if (strncasecmp(word.p, months + 3 * i, 3) == 0) return i + 1;
    return 0;
}

/* Returns the offset of a zone in seconds: "+0200", "-05:00", or a name of RFC 5322. Unknown names are
 * UTC. */
static int64_t zone_of(struct str word) {
    static const struct {
        const char *name;
        int hours;
    } zones[] = {{"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5}, {"MST", -7}, {"MDT", -6},
                 {"PST", -8}, {"PDT", -7}, {"CET", 1},  {"CEST", 2}, {"BST", 1},  {"JST", 9}};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (str_eqi(word, str_of(zones[i].name))) return zones[i].hours * 3600;
    if (word.n < 5 || (word.p[0] != '+' && word.p[0] != '-')) return 0;
    int digits[4], n = 0;
    for (size_t i = 1; i < word.n && n < 4; i++)
        if (isdigit((unsigned char)word.p[i])) digits[n++] = word.p[i] - '0';
    if (n < 4 || digits[0] * 10 + digits[1] > 23 || digits[2] > 5) return 0;
    int64_t seconds = (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60;
    return word.p[0] == '-' ? -seconds : seconds;
}

/* Days from 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_to_date(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct date_parts {
    int64_t year, month, day, seconds, zone;
    bool has_time, has_zone;
};

static bool date_time(struct str word, int64_t *seconds) {
    int64_t part[3] = {0};
    int n = 0;
    for (struct str rest = word; rest.p && n < 3; n++)
        if (!str_to_int(str_cut(&rest, ':'), &part[n])) return false;
    if (n < 2 || part[0] > 23 || part[1] > 59 || part[2] > 60) return false;
    *seconds = part[0] * 3600 + part[1] * 60 + part[2];
    return true;
}

static int64_t days_of_month(int64_t year, int64_t month) {
    return days_to_date(month == 12 ? year + 1 : year, month % 12 + 1, 1) - days_to_date(year, month, 1);
}

/* "GMT+0200" is a zone with an offset, so the names of UTC do not end the search. */
static void take_zone(struct date_parts *d, struct str word) {
    d->zone = zone_of(word);
    d->has_zone = d->zone != 0 || word.p[0] == '+' || word.p[0] == '-';
}

static void take_date_word(struct date_parts *d, struct str word) {
    int64_t n;
    bool number = str_to_int(word, &n) && isdigit((unsigned char)word.p[0]);
    if (memchr(word.p, ':', word.n) && isdigit((unsigned char)word.p[0]))
        d->has_time = date_time(word, &d->seconds);
    else if (number && d->day == 0 && word.n <= 2) d->day = n;
    else if (number && d->year == 0)
        d->year = word.n <= 2 ? n + (n < 50 ? 2000 : 1900) : word.n == 3 ? n + 1900 : n;
    else if (d->month == 0 && month_of(word)) d->month = month_of(word);
    else if (d->has_time && !d->has_zone) take_zone(d, word);
}

int64_t mail_date(struct str text) {
    struct date_parts d = {0};
    struct str rest = {text.p, text.n < 200 ? text.n : 200};
    for (int words = 0; rest.n && words < 12; words++) {
        struct str word = date_word(&rest, d.has_time);
        if (word.n) take_date_word(&d, word);
    }
    if (d.month == 0 || d.year < 1990 || d.year > 9999 || d.day < 1 || d.day > days_of_month(d.year, d.month))
        return 0;
    int64_t seconds = days_to_date(d.year, d.month, d.day) * DAY + d.seconds - d.zone;
    return seconds < YEAR_1990 ? 0 : seconds * 1000;
}
