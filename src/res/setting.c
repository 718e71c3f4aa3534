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

/* A scalar as text; null clears what may be empty. p NULL: none. */
static struct str text_of(const struct json *j) {
    switch (j->type) {
    case JSON_TRUE: return S("1");
    case JSON_FALSE: return S("0");
    case JSON_NULL: return S("");
    case JSON_STRING:
    case JSON_NUMBER: return j->text;
    default: return (struct str){0};
    }
}

static int put_settings(struct call *c) {
    int n = 0;
    bool relay = false;
    TRY(api_input(c));
    const struct json *map = in(c, "values")->json;
    struct setting_value *values = arena_array(c->work.arena, map->count + 1, sizeof *values);
    for (const struct json *j = map->first; j; j = j->next) {
        values[n++] = (struct setting_value){j->name, text_of(j)};
        relay = relay || str_starts(j->name, S("mail."));
    }
    TRY(settings_put(&c->work, values, n));
    if (relay) TRY(letters_release(&c->work));
    return api_reply_count(c, n);
}

static const struct route setting_routes[] = {
    {GET, "/settings", AD, "configuration", LIST_COUNT, api_list, .summary = "List the settings"},
    {PUT, "/settings", AD, "configuration", COUNT, put_settings, .permission = "settings.manage", .input = put_input, .summary = "Change settings"},
    {0},
};

const struct resource setting_resource = {.type = "setting", .title = "Settings", .doc = "What the desk decides.", .fields = setting_fields,
                                          .routes = setting_routes, .rows = setting_rows};
