#include "core/setting.h"

#include "api/generic.h"
#include "api/view.h"
#include "core/letter.h"

static const struct field setting_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "category.name.", .example = "\"security.session_hours_staff\""},
    {"value", F_TEXT, READONLY, .doc = "Its value as text; booleans are 0 and 1; null of what is never shown.", .example = "\"8\""},
    {"description", F_TEXT, READONLY, .doc = "What it decides."},
    {0},
};
static const struct field put_input[] = {
    {"values", F_OBJECT, PRESENT, .doc = "Pairs of name and value.", .example = "{\"security.session_hours_staff\": 12}"},
    {0},
};

static int setting_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    (void)name; /* none is read by itself */
    for (const struct setting *s = setting_table; s->name; s++) {
        struct row *row = *out = row_new(v, layout_of(c->resource), 0);
        struct str value = setting_text(c->work.desk, s->name, c->work.arena);
        *row_cell(row, "name") = value_text(str_of(s->name));
        *row_cell(row, "value") = value_text(value);
        *row_cell(row, "description") = value_text(str_of(s->doc));
        out = &row->next;
    }
    return 0;
}

static int put_settings(struct call *c) {
    struct arena *a = c->work.arena;
    int n = 0;
    bool relay = false;
    TRY(api_input(c));
    for (const struct json *j = in(c, "values")->json->first; j; j = j->next, n++) {
        struct str value = j->type == JSON_TRUE ? S("1") : j->type == JSON_FALSE ? S("0") : j->text, name = str_dup(a, j->name);
        if (value.p == NULL || j->first || setting_set(&c->work, name, value) < 0)
            fail_at(&c->work, ERR_FIELD_INVALID, S("values"), str_fmt(a, "values/%s", name.p), "No such setting, or not a value of it.");
        relay = relay || str_starts(name, S("mail."));
    }
    if (relay && !failed(&c->work)) TRY(letters_release(&c->work));
    return failed(&c->work) ? -(int)failure(&c->work) : api_reply_count(c, n);
}

static const struct route setting_routes[] = {
    {GET, "/settings", AD, "configuration", LIST_COUNT, api_list, .summary = "List the settings"},
    {PUT, "/settings", AD, "configuration", COUNT, put_settings, .permission = "settings.manage", .input = put_input, .summary = "Change settings"},
    {0},
};

const struct resource setting_resource = {.type = "setting", .title = "Settings", .doc = "What the desk decides.", .fields = setting_fields,
                                          .routes = setting_routes, .rows = setting_rows};
