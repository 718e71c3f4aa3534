#include "core/desk/setting.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/mail/mailbox.h"
#include "core/letters/letter.h"

extern const struct resource setting_resource;

/* One more than an enum setting_type. */
static const struct word setting_types[] = {{1 + SETTING_BOOL, "BOOLEAN"},   {1 + SETTING_INT, "INTEGER"},
                                            {1 + SETTING_TEXT, "TEXT"},      {1 + SETTING_LINES, "LINES"},
                                            {1 + SETTING_ZONE, "TIME_ZONE"}, {1 + SETTING_EMAIL, "EMAIL"},
                                            {1 + SETTING_WORD, "WORD"},      {1 + SETTING_LOCALE, "LANGUAGE"},
                                            {1 + SETTING_SECRET, "SECRET"},  {0}};

static const struct setting *setting_of_row(const struct row *row) {
    const struct setting *s = setting_table;
    while (s->name && s->id != row->id) s++;
    return s->name ? s : NULL;
}

static void render_options(struct view *v, const struct row *row, const struct value *own) {
    const struct setting *s = setting_of_row(row);
    (void)own;
    if (s == NULL || s->type != SETTING_WORD) {
        jw_null(&v->w);
        return;
    }
    jw_array(&v->w);
    for (const struct word *word = s->words; word->word; word++) jw_str(&v->w, str_of(word->word));
    jw_end(&v->w);
}

static const struct field setting_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Name of the setting within its category.",
     .example = "\"session_hours_staff\""},
    {"category", F_TEXT, READONLY,
     .doc = "Category of the setting. An update uses category.name, as "
            "security.session_hours_staff.",
     .example = "\"security\""},
    {"value", F_TEXT, READONLY,
     .doc = "Value as text. Booleans are 0 and 1. A secret is shown as the empty "
            "text.",
     .example = "\"8\""},
    {"is_protected", F_BOOL, READONLY, .doc = "True if only owners may change the setting."},
    {"description", F_TEXT, READONLY, .doc = "Meaning of the setting."},
    {"type", F_WORD, READONLY | ON_DEMAND, .words = setting_types,
     .doc = "Form of the value. LINES has several lines, LANGUAGE is the code of a locale.",
     .example = "\"INTEGER\""},
    {"initial", F_TEXT, READONLY | ON_DEMAND, .doc = "Value of a new desk.", .example = "\"8\""},
    {"minimum", F_INT, READONLY | ON_DEMAND | NULLABLE, .doc = "Smallest INTEGER. Null: other types.",
     .example = "1"},
    {"maximum", F_INT, READONLY | ON_DEMAND | NULLABLE, .doc = "Largest INTEGER. Null: other types.",
     .example = "720"},
    {"options", F_COMPUTED, READONLY | ON_DEMAND, .column = "", .render = render_options,
     .doc = "Values of a WORD. Null: other types.", .example = "[\"24hour\", \"12hour\"]"},
    {0},
};
static const struct field setting_list_args[] = {
    {"category", F_TEXT, .doc = "Only settings of this category.", .example = "\"account\""},
    {0},
};
static const struct field put_input[] = {
    {"values", F_OBJECT, PRESENT, .doc = "Pairs of category.name and value.",
     .example = "{\"security.session_hours_staff\": 12}"},
    {0},
};

/* An alias has the initial value of the setting that stores its value. */
static struct str setting_initial(const struct setting *s) {
    const struct setting *stored = setting_table;
    if (s->same_as == NULL) return str_of(s->initial);
    while (stored->name && strcmp(stored->name, s->same_as) != 0) stored++;
    return str_of(stored->name ? stored->initial : s->initial);
}

static struct row *make_row(struct call *c, struct view *v, const struct setting *s) {
    struct row *row = row_new(v, layout_of(&setting_resource), s->id);
    struct str name = str_of(s->name), category = str_cut(&name, '.'),
               value = setting_text(c->work.desk, s->name, c->work.arena);
    *row_cell(row, "name") = value_text(name);
    *row_cell(row, "category") = value_text(category);
    *row_cell(row, "value") = value_text(value.p ? value : S(""));
    *row_cell(row, "is_protected") = (struct value){V_INT, .i = s->role == ROLE_OWNER};
    *row_cell(row, "description") = value_text(str_of(s->doc));
    *row_cell(row, "type") = (struct value){V_INT, .i = 1 + s->type};
    *row_cell(row, "initial") = value_text(setting_initial(s));
    if (s->type != SETTING_INT) return row;
    *row_cell(row, "minimum") = (struct value){V_INT, .i = s->min};
    *row_cell(row, "maximum") = (struct value){V_INT, .i = s->max};
    return row;
}

static bool setting_listed(struct call *c, const struct setting *s) {
    if (c->home != &setting_resource) return true; /* has references to it, but no list */
    struct str wanted = arg(c, "category")->value.s, name = str_of(s->name);
    return wanted.p == NULL || str_eq(str_cut(&name, '.'), wanted);
}

static int setting_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    (void)name; /* can't be read alone */
    for (const struct setting *s = setting_table; s->name; s++) {
        if (!setting_listed(c, s)) continue;
        *out = make_row(c, v, s);
        out = &(*out)->next;
    }
    return 0;
}

/* Two mailboxes with one address would share their mails by chance. */
static int check_from_address(struct call *c, struct str address) {
    TRY(db_lock(c->work.conn, S(MAILBOX_ADDRESSES)));
    int other = address.n ? mailbox_has(&c->work, address) : 0;
    if (other <= 0) return other;
    return fail_at(&c->work, ERR_FIELD_INVALID, S("values"), S("values/mail.from_address"),
                   "A mailbox has this address. Delete the mailbox first, or make it the default mailbox.");
}

static int put_settings(struct call *c) {
    int n = 0;
    bool relay = false;
    TRY(api_input(c));
    const struct json *map = in(c, "values")->json;
    struct setting_value *values = arena_array(c->work.arena, map->count + 1, sizeof *values);
    for (const struct json *j = map->first; j; j = j->next) {
        values[n++] = (struct setting_value){j->name, json_scalar(j)};
        relay = relay || str_starts(j->name, S("mail."));
    }
    TRY(settings_put(&c->work, values, n));
    for (int i = 0; i < n; i++)
        if (str_eq(values[i].name, S("mail.from_address"))) TRY(check_from_address(c, values[i].value));
    if (relay) TRY(letters_release(&c->work));
    return api_reply_count(c, n);
}

static const struct route setting_routes[] = {
    {GET, "/settings", AD, "configuration", LIST_COUNT, api_list, .args = setting_list_args,
     .summary = "List settings"},
    {PUT, "/settings", AD, "configuration", COUNT, put_settings, .permission = "settings.manage",
     .input = put_input, .summary = "Update settings"},
    {0},
};

const struct resource setting_resource = {.type = "setting",
                                          .scope = "configuration",
                                          .title = "Settings",
                                          .doc = "Settings of the desk.",
                                          .fields = setting_fields,
                                          .routes = setting_routes,
                                          .rows = setting_rows,
                                          .made_ids = true};
