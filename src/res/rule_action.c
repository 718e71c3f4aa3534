#include "res/rule.h"

#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "core/change/change.h"

/* ---- showing --------------------------------------------------------------------------------- */

static void render_attribute(struct view *v, const struct json *attributes, const char *name) {
    const struct json *value = json_member(attributes, str_of(name));
    if (value == NULL) return;
    jw_object(&v->w);
    jw_key(&v->w, S("name"));
    jw_str(&v->w, str_of(name));
    jw_key(&v->w, S("value"));
    jw_json(&v->w, value);
    jw_end(&v->w);
}

/* line: [id, name, option, value, attributes] */
static void render_rule_action(struct view *v, const struct json *line) {
    const struct json *id = line->first, *name = id->next, *option = name->next, *value = option->next,
                      *attributes = value->next;
    int64_t number = 0;
    (void)str_to_int(option->text, &number);
    jw_object(&v->w);
    jw_key(&v->w, S("id"));
    jw_json(&v->w, id);
    jw_key(&v->w, S("name"));
    jw_json(&v->w, name);
    jw_key(&v->w, S("option"));
    jw_str(&v->w, str_of(word_of(action_options, (int)number)));
    jw_key(&v->w, S("value"));
    jw_json(&v->w, value);
    jw_key(&v->w, S("attributes"));
    jw_array(&v->w);
    render_attribute(v, attributes, "subject");
    render_attribute(v, attributes, "message");
    jw_end(&v->w);
    jw_key(&v->w, S("resource_type"));
    view_type(v, "automation_action");
    jw_end(&v->w);
}

void render_rule_actions(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    struct json *list, *line;
    struct json_error err;
    bool whole = own->type == V_TEXT && json_parse(a, own->s, &list, &err) == 0;
    (void)row;
    jw_array(&v->w);
    for (const struct json *j = whole ? list->first : NULL; j; j = j->next)
        if (j->type == JSON_STRING && json_parse(a, j->text, &line, &err) == 0 && line->count == 5)
            render_rule_action(v, line);
    jw_end(&v->w);
}

/* ---- the parameter --------------------------------------------------------------------------- */

const struct field rule_action_items[] = {
    {"id", F_INT, NULLABLE, .doc = "An action that stays. Absent or null: a new one."},
    {"name", F_TEXT, REQUIRED, .doc = "Name of a definition.", .example = "\"tags\""},
    {"option", F_WORD, 0, .words = action_options, .doc = "Mandatory if the action has several.",
     .example = "\"ADD\""},
    {"value", F_JSON, 0, .doc = "Value of the type that the definition says."},
    {"attributes", F_OBJECT, NULLABLE, .doc = "Of a mail: subject and message."},
    {0},
};

/* ---- input ----------------------------------------------------------------------------------- */

struct taken_actions {
    struct rule_action *list;
    int count;
};

int rule_actions_take(struct call *c, struct in *in, enum rule_owner owner) {
    struct taken_actions *taken = ARENA_NEW(c->work.arena, struct taken_actions);
    TRY(input_spelled_once(c, in));
    if (in->json->count == 0) return fail_at(&c->work, ERR_FIELD_EMPTY, in->name, in->pointer, NULL);
    taken->count = rule_actions_check(&c->work, owner, c->id, in->json, in->name, &taken->list);
    TRY(taken->count);
    in->made = taken;
    return 0;
}

/* The checked actions. Returns their number. */
static int rule_actions_given(const struct in *in, struct rule_action **list) {
    const struct taken_actions *taken = in->made;
    *list = taken ? taken->list : NULL;
    return taken ? taken->count : 0;
}

int rule_actions_keep(struct call *c, const struct in *in, enum rule_owner owner) {
    struct rule_action *list;
    bool changed;
    int count = rule_actions_given(in, &list);
    if (!in->given) return 0;
    TRY(rule_actions_store(&c->work, owner, c->id, list, count, &changed));
    if (changed) change_named(&c->work, (struct changed){c->home->type, c->id, 0}, in->field->name);
    return 0;
}

/* ---- definitions ----------------------------------------------------------------------------- */

static const struct field action_definition_fields[] = {
    {"label", F_TEXT, READONLY, .doc = "Title of the action for people.", .example = "\"Status\""},
    {"name", F_TEXT, READONLY, .doc = "Name of the action in `actions`.", .example = "\"status\""},
    {"options", F_JSON, READONLY, .doc = "Possible options.", .example = "[\"CHANGE\"]"},
    {"input_type", F_TEXT, READONLY, .doc = "Kind of input for a value.", .example = "\"OPTIONS\""},
    {"value_type", F_TEXT, READONLY,
     .doc = "Type of the value. ATTRIBUTES: a number for the recipients, and "
            "`attributes`.",
     .example = "\"NUMERIC\""},
    {"values", F_JSON, READONLY,
     .doc = "Possible values and their titles, or an empty text if any value is "
            "possible.",
     .example = "null"},
    {"attributes", F_JSON, READONLY, .doc = "Names of the attributes of the action.", .example = "[]"},
    {"group", F_TEXT, READONLY, .doc = "CASE, CUSTOM_FIELD, NOTIFICATION, ENDPOINT or FLOW_CONTROL.",
     .example = "\"CASE\""},
    {0},
};

static struct str action_options_json(struct arena *a, unsigned options) {
    struct str names[8];
    size_t n = 0;
    for (const struct word *o = action_options; o->word; o++)
        if (options & 1u << o->id) names[n++] = str_of(o->word);
    return json_texts(a, names, n);
}

static int action_definition_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct arena *a = c->work.arena;
    struct action_definition *list;
    (void)name;
    TRY(action_definitions(&c->work, &list));
    for (const struct action_definition *d = list; d; d = d->next, out = &(*out)->next) {
        struct row *row = *out = row_new(v, layout_of(c->resource), 0);
        *row_cell(row, "label") = value_text(d->label);
        *row_cell(row, "name") = value_text(d->name);
        *row_cell(row, "options") = value_text(action_options_json(a, d->options));
        *row_cell(row, "input_type") = value_text(str_of(d->input));
        *row_cell(row, "value_type") = value_text(str_of(d->value));
        *row_cell(row, "values") = value_text(d->values.n ? d->values : S("\"\""));
        *row_cell(row, "attributes") = value_text(d->mails ? S("[\"subject\",\"message\"]") : S("[]"));
        *row_cell(row, "group") = value_text(str_of(d->group));
    }
    return 0;
}

const struct resource action_definition_resource = {.type = "automation_action_definition",
                                                    .scope = "configuration",
                                                    .title = "Definitions of actions",
                                                    .doc = "Actions that triggers and monitors may have.",
                                                    .fields = action_definition_fields,
                                                    .rows = action_definition_rows};
