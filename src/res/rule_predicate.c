#include "res/rule.h"

#include "api/input/input.h"
#include "api/table/resource.h"
#include "api/rows/view.h"
#include "res/groups.h"

/* ---- the parameter --------------------------------------------------------------------------- */

static const struct field proposition_items[] = {
    {"id", F_INT, NULLABLE, .doc = "A proposition that stays. Absent or null: a new one."},
    {"field", F_TEXT, REQUIRED, .doc = "Field of a definition.", .example = "\"cases.casepriorityid\""},
    {"operator", F_TEXT, REQUIRED, .doc = "Operator of the definition.", .example = "\"comparison_equalto\""},
    {"value", F_JSON, 0, .doc = "Value, unless the operator needs none."},
    {0},
};
const struct field rule_collection_items[] = {
    {"id", F_INT, NULLABLE, .doc = "A collection that stays. Absent or null: a new one."},
    {"propositions", F_LIST, REQUIRED, .items = proposition_items,
     .doc = "The collection holds if one of them does."},
    {0},
};

/* ---- showing --------------------------------------------------------------------------------- */

/* A line of RULE_LINES_OF. Returns its first cell, or NULL. */
static const struct json *rule_line(struct arena *a, const struct json *text) {
    struct json *line;
    struct json_error err;
    return json_parse(a, text->text, &line, &err) == 0 && line->count == 5 ? line->first : NULL;
}

static void render_rule_proposition(struct view *v, const struct json *id) {
    static const char *const members[] = {"id", "field", "operator", "value"};
    jw_object(&v->w);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++, id = id->next) {
        jw_key(&v->w, str_of(members[i]));
        jw_json(&v->w, id);
    }
    jw_key(&v->w, S("resource_type"));
    view_type(v, "proposition");
    jw_end(&v->w);
}

static void render_rule_reference(struct view *v, const struct json *id) {
    int64_t number = 0;
    (void)str_to_int(id->text, &number);
    view_reference(v, layout_of(resource_of("sla_proposition")), number);
}

static void render_collection_end(struct view *v) {
    jw_end(&v->w);
    jw_key(&v->w, S("resource_type"));
    view_type(v, "predicate_collection");
    jw_end(&v->w);
}

static void render_collection_begin(struct view *v, const struct json *id) {
    jw_object(&v->w);
    jw_key(&v->w, S("id"));
    jw_json(&v->w, id);
    jw_key(&v->w, S("propositions"));
    jw_array(&v->w);
}

static void render_rule_lines(struct view *v, const struct value *own,
                              void (*render)(struct view *v, const struct json *id)) {
    struct arena *a = v->c->work.arena;
    struct json *list;
    struct json_error err;
    struct str collection = {0};
    bool whole = own->type == V_TEXT && json_parse(a, own->s, &list, &err) == 0;
    jw_array(&v->w);
    for (const struct json *j = whole ? list->first : NULL; j; j = j->next) {
        const struct json *line = j->type == JSON_STRING ? rule_line(a, j) : NULL;
        if (line == NULL) continue;
        if (!str_eq(line->text, collection)) {
            if (collection.p) render_collection_end(v);
            render_collection_begin(v, line);
            collection = line->text;
        }
        render(v, line->next);
    }
    if (collection.p) render_collection_end(v);
    jw_end(&v->w);
}

void render_rule_predicate(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    render_rule_lines(v, own, render_rule_proposition);
}

void render_rule_references(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    render_rule_lines(v, own, render_rule_reference);
}

/* ---- input ----------------------------------------------------------------------------------- */

int rule_predicate_take(struct call *c, struct in *in, enum rule_user user, enum rule_owner owner) {
    struct rule_predicate *p;
    TRY(input_spelled_once(c, in));
    TRY(rule_predicate_check(&c->work, user, owner, c->id, in->json, in->name, &p));
    in->made = p;
    return 0;
}

int rule_predicate_keep(struct call *c, const struct in *in, int64_t id, enum rule_owner owner) {
    struct rule_predicate nothing = {.owner_id = id}, *p = in->made;
    return rule_predicate_store(&c->work, owner, id, p ? p : &nothing, NULL);
}

/* ---- propositions of SLAs -------------------------------------------------------------------- */

static void render_proposition_value(struct view *v, const struct row *row, const struct value *own) {
    struct json *value;
    struct json_error err;
    (void)row;
    if (own->type == V_TEXT && json_parse(v->c->work.arena, own->s, &value, &err) == 0) jw_json(&v->w, value);
    else jw_null(&v->w);
}

static const struct field sla_proposition_fields[] = {
    {"field", F_TEXT, READONLY, .doc = "Field. GET /slas/definitions lists all.",
     .example = "\"cases.casepriorityid\""},
    {"operator", F_TEXT, READONLY, .doc = "Operator.", .example = "\"comparison_equalto\""},
    {"value", F_JSON, READONLY, .render = render_proposition_value, .doc = "Value.", .example = "\"4\""},
    {0},
};

const struct resource sla_proposition_resource = {.type = "sla_proposition",
                                                  .scope = "configuration",
                                                  .title = "Propositions of SLAs",
                                                  .doc = "A proposition of an SLA's predicate.",
                                                  .table = "rule_propositions",
                                                  .texts_kept = CONFIGURATION_TEXTS,
                                                  .fields = sla_proposition_fields,
                                                  .visible = access_staff};
