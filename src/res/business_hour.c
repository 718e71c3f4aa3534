#include "core/time/hours.h"
#include "res/person.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "core/change/change.h"
#include "res/groups.h"

#include <stdlib.h>

/* ---- zones: seven days, each a sorted list of the hours it is open --------------------------- */

static bool hours_of(struct call *c, const struct in *in, const struct json *list, struct str pointer,
                     uint32_t *bits) {
    struct str joined;
    *bits = 0;
    if (list->type == JSON_STRING && input_joined(c->work.arena, list, &joined))
        list = input_split(c->work.arena, joined);
    if (list->type != JSON_ARRAY) {
        fail_at(&c->work, ERR_FIELD_INVALID, str_of(in->field->name), pointer,
                "A list of hours is expected.");
        return false;
    }
    int i = 0;
    for (const struct json *j = list->first; j; j = j->next, i++) {
        int64_t h = -1;
        bool number = (j->type == JSON_NUMBER || j->type == JSON_STRING) && str_to_int(j->text, &h);
        if (!number || h < 0 || h > 23) {
            fail_at(&c->work, ERR_FIELD_INVALID, str_of(in->field->name),
                    str_fmt(c->work.arena, "%s/%d", pointer.p, i), "An hour from 0 to 23 is expected.");
            return false;
        }
        *bits |= HOURS_OF_DAY(h);
    }
    return true;
}

static void write_hours(struct json_writer *w, uint32_t bits) {
    jw_array(w);
    for (int h = 0; h < 24; h++)
        if (bits & HOURS_OF_DAY(h)) jw_int(w, h);
    jw_end(w);
}

static struct str done(struct call *c, struct buf *b) { return buf_take(b, c->work.arena); }

static int weekday_of(struct str name) {
    for (int i = 0; i < 7; i++)
        if (name_eq(name, str_of(weekday_names[i]))) return i;
    return -1;
}

static int check_zones(struct call *c, struct in *in) {
    uint32_t week[7] = {0}, any = 0;
    struct buf b = {0};
    struct json_writer w;
    if (in->json->type != JSON_OBJECT)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("zones"),
                          "An object with weekdays as keys is expected.");
    for (const struct json *j = in->json->first; j; j = j->next) {
        int day = weekday_of(j->name);
        struct str pointer = str_fmt(c->work.arena, "zones/%.*s", (int)j->name.n, j->name.p);
        if (day < 0) fail_at(&c->work, ERR_FIELD_INVALID, S("zones"), pointer, "This is not a weekday.");
        else if (hours_of(c, in, j, pointer, &week[day])) any |= week[day];
    }
    if (failed(&c->work)) return -(int)failure(&c->work);
    if (any == 0)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("zones"), "At least one open hour is required.");
    jw_init(&w, &b);
    jw_object(&w);
    for (int i = 0; i < 7; i++) {
        jw_key(&w, str_of(weekday_names[i]));
        write_hours(&w, week[i]);
    }
    jw_end(&w);
    in->value = (struct value){V_TEXT, .s = done(c, &b)};
    return 0;
}

/* ---- holidays -------------------------------------------------------------------------------- */

static void check_holiday(struct call *c, struct in *in, const struct json *j, int at,
                          struct json_writer *w) {
    struct arena *a = c->work.arena;
    const struct json *title = json_named(j, S("title")), *date = json_named(j, S("date")),
                      *open = json_named(j, S("open_hours"));
    int day, month, year;
    uint32_t bits = 0;
    if (title == NULL || title->type != JSON_STRING || str_trim(title->text).n == 0 ||
        utf8_count(title->text) > 255 || memchr(title->text.p, 0, title->text.n))
        fail_at(&c->work, ERR_FIELD_INVALID, S("holidays"), str_fmt(a, "holidays/%d/title", at),
                "A title of at most 255 characters is expected.");
    if (date == NULL || date->type != JSON_STRING || !holiday_date(date->text, &day, &month, &year))
        fail_at(&c->work, ERR_FIELD_INVALID, S("holidays"), str_fmt(a, "holidays/%d/date", at),
                "A date like 25/12/2026 is expected.");
    if (open && open->type != JSON_NULL)
        hours_of(c, in, open, str_fmt(a, "holidays/%d/open_hours", at), &bits);
    if (failed(&c->work)) return;
    jw_object(w);
    jw_key(w, S("title"));
    jw_str(w, title->text);
    jw_key(w, S("date"));
    jw_str(w, date->text);
    if (open && open->type != JSON_NULL) {
        jw_key(w, S("open_hours"));
        write_hours(w, bits);
    }
    jw_end(w);
}

static int check_holidays(struct call *c, struct in *in) {
    struct buf b = {0};
    struct json_writer w;
    int at = 0;
    if (in->json->type != JSON_ARRAY)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("holidays"), "A list is expected.");
    if (in->json->count > 1000)
        return fail_field(&c->work, ERR_FIELD_INVALID, S("holidays"), "At most 1000 holidays are allowed.");
    jw_init(&w, &b);
    jw_array(&w);
    for (const struct json *j = in->json->first; j; j = j->next) check_holiday(c, in, j, at++, &w);
    jw_end(&w);
    in->value = (struct value){V_TEXT, .s = done(c, &b)};
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

static const struct field business_hour_fields[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Name of the business hours.", .example = "\"Office\""},
    {"zones", F_JSON, REQUIRED, .check = check_zones,
     .doc = "Open hours of each weekday: 9 means 09:00 to 10:00. An update replaces all days.",
     .example = "{\"monday\": [9, 10, 11], \"tuesday\": [9, 10, 11], \"wednesday\": [], \"thursday\": [], "
                "\"friday\": [], \"saturday\": [], \"sunday\": []}"},
    {"holidays", F_JSON, 0, .initial = "[]", .check = check_holidays,
     .doc = "Holidays: days that are closed, or open only in open_hours.",
     .example = "[{\"title\": \"Christmas\", \"date\": \"25/12/2026\"}]"},
    {"time_zone", F_TEXT, 0, .initial = "UTC", .check = check_time_zone,
     .doc = "Time zone: a name of the tz database.", .example = "\"UTC\""},
    {"is_default", F_BOOL, UPDATE_ONLY,
     .doc = "True for the business hours of teams that have none of their own."},
    {"*", .group = row_times},
    {0},
};

QUERY(teams_of_hours,
      "SELECT id, businesshour_id FROM teams WHERE businesshour_id IN @LIST(:ids) ORDER BY id @LOCK@");
QUERY(hours_leave_teams,
      "UPDATE teams SET businesshour_id = NULL, updated_at = :now WHERE businesshour_id IN @LIST(:ids)");

/* Teams whose business hours are deleted get the default. */
static int delete_business_hours(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    int rc;
    DB_ROWS(rc, c->work.conn, &teams_of_hours, BINDS(B_TEXT("ids", api_ids(c))), row)
    change_property(&c->work, (struct changed){"team", col_int(row, 0), 0}, "businesshour",
                    changed_id(col_int(row, 1)), changed_nothing());
    TRY(rc);
    TRY(db_exec(c->work.conn, &hours_leave_teams,
                BINDS(B_TEXT("ids", api_ids(c)), B_INT("now", c->work.now))));
    TRY(api_remove(c));
    return api_reply(c);
}

static const struct route business_hour_routes[] = {
    {GET, "/businesshours", AD, "configuration", LIST, api_list, .summary = "List business hours"},
    {GET, "/businesshours/:id", AD, "configuration", ONE, api_get, .summary = "Get business hours"},
    {POST, "/businesshours", AD, "configuration", ONE, api_create, .permission = "business_hours.manage",
     .summary = "Create business hours"},
    {PUT, "/businesshours/:id", AD, "configuration", ONE, api_update, .permission = "business_hours.manage",
     .summary = "Update business hours", .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/businesshours/:id", AD, "configuration", NONE, delete_business_hours,
     .permission = "business_hours.manage", .summary = "Delete business hours",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/businesshours", AD, "configuration", COUNT, delete_business_hours,
     .permission = "business_hours.manage", .summary = "Delete several business hours",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource business_hour_resource = {
    .type = "business_hour",
    .scope = "configuration",
    .title = "Business hours",
    .doc = "Working hours of teams. SLA clocks run only in business hours.",
    .url = "businesshours/:id",
    .table = "business_hours",
    .texts_kept = CONFIGURATION_TEXTS,
    .fields = business_hour_fields,
    .routes = business_hour_routes,
    .visible = access_everyone,
    .expanded_for = AD,
    .has_default = true};
