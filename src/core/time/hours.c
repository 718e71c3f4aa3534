#include "core/time/hours.h"

#include "base/clock.h"
#include "base/error.h"
#include "json/json.h"

#include <glib.h>
#include <pthread.h>
#include <stdio.h>

#define ZONE_NAME_MAX 64

const char *const weekday_names[7] = {"monday", "tuesday",  "wednesday", "thursday",
                                      "friday", "saturday", "sunday"};

/* ---- time zones ------------------------------------------------------------------------------ */

/* Zone names come from users. Only names of the database are opened (an unchecked name reached
 * ../../etc/passwd). */
static bool zone_name_valid(struct str name) {
    if (name.n == 0 || name.n > ZONE_NAME_MAX || name.p[0] == '/' || name.p[0] == '.') return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool plain = g_ascii_isalnum(c) || in_set(c, "_+-/");
        if (!plain || c == 0) return false;
    }
    return !str_starts(name, S("posix/")) && !str_starts(name, S("right/")); /* copies of the other zones */
}

static bool zone_file_exists(const char *name) {
    char path[128], magic[4];
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    FILE *f = fopen(path, "rb");
    bool known = f && fread(magic, 1, 4, f) == 4 && memcmp(magic, "TZif", 4) == 0;
    if (f) fclose(f);
    return known;
}

/* The zones of the database that were asked for, by name, until the process ends. They never change, so
 * that a list of people and the clocks of a conversation read no file. A name without a zone gets no
 * entry, because anybody may ask for any number of names. */
static pthread_mutex_t zones_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *zones_read;

/* NULL: no zone of the database. Valid until the process ends. */
static GTimeZone *time_zone_of(struct str name) {
    char text[ZONE_NAME_MAX + 1];
    if (!zone_name_valid(name)) return NULL;
    snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
    pthread_mutex_lock(&zones_lock);
    if (zones_read == NULL) zones_read = g_hash_table_new(g_str_hash, g_str_equal);
    GTimeZone *zone = g_hash_table_lookup(zones_read, text);
    if (zone == NULL && (strcmp(text, "UTC") == 0 || zone_file_exists(text)) &&
        (zone = g_time_zone_new_identifier(text)) != NULL)
        g_hash_table_insert(zones_read, g_strdup(text), zone);
    pthread_mutex_unlock(&zones_lock);
    return zone;
}

bool time_zone_known(struct str name) { return time_zone_of(name) != NULL; }

int time_zone_offset(struct str name, int64_t ms) {
    GTimeZone *zone = name.p ? time_zone_of(name) : NULL;
    int interval = zone ? g_time_zone_find_interval(zone, G_TIME_TYPE_UNIVERSAL, ms / 1000) : -1;
    return interval < 0 ? 0 : g_time_zone_get_offset(zone, interval);
}

/* ---- hours ----------------------------------------------------------------------------------- */

bool holiday_date(struct str s, int *day, int *month, int *year) {
    int64_t d, m, y;
    struct str dd = str_cut(&s, '/'), mm = s.p ? str_cut(&s, '/') : s;
    if (s.p == NULL || dd.n < 1 || dd.n > 2 || mm.n < 1 || mm.n > 2 || s.n != 4) return false;
    if (!str_to_int(dd, &d) || !str_to_int(mm, &m) || !str_to_int(s, &y) || y < 1) return false;
    if (m < 1 || m > 12 || d < 1 || !g_date_valid_dmy((GDateDay)d, (GDateMonth)m, (GDateYear)y)) return false;
    *day = (int)d, *month = (int)m, *year = (int)y;
    return true;
}

static uint32_t hour_bits(const struct json *list) {
    uint32_t bits = 0;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        int64_t h;
        if (str_to_int(j->text, &h) && h >= 0 && h < 24) bits |= HOURS_OF_DAY(h);
    }
    return bits;
}

int hours_read(struct arena *a, struct str zones, struct str holidays, struct str time_zone,
               struct hours *out) {
    struct json *week, *days;
    struct json_error err;
    if (json_parse(a, zones, &week, &err) < 0 || json_parse(a, holidays, &days, &err) < 0)
        return -ERR_INTERNAL_ERROR;
    *out = (struct hours){.time_zone = str_dup(a, time_zone).p};
    for (int i = 0; i < 7; i++) out->week[i] = hour_bits(json_member(week, str_of(weekday_names[i])));
    out->holidays = arena_array(a, days->count + 1, sizeof *out->holidays);
    for (const struct json *j = days->first; j; j = j->next) {
        struct holiday *h = &out->holidays[out->holiday_count];
        const struct json *date = json_member(j, S("date"));
        h->open = hour_bits(json_member(j, S("open_hours")));
        if (date && holiday_date(date->text, &h->day, &h->month, &h->year)) out->holiday_count++;
    }
    return 0;
}

bool hours_open_at(const struct hours *h, int64_t ms) {
    int64_t local = ms / 1000 + time_zone_offset(str_of(h->time_zone), ms);
    GDateTime *t = g_date_time_new_from_unix_utc(local);
    if (t == NULL) return false;
    uint32_t open = h->week[g_date_time_get_day_of_week(t) - 1];
    for (int i = 0; i < h->holiday_count; i++) {
        const struct holiday *d = &h->holidays[i];
        if (d->year == g_date_time_get_year(t) && d->month == g_date_time_get_month(t) &&
            d->day == g_date_time_get_day_of_month(t))
            open = d->open;
    }
    bool is_open = (open & HOURS_OF_DAY(g_date_time_get_hour(t))) != 0;
    g_date_time_unref(t);
    return is_open;
}
