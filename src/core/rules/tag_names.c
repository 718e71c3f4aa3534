#include "core/rules/tag_names.h"

#include "base/fold.h"
#include "core/change/change.h"
#include "core/fields/field_catalogue.h"
#include "core/predicates/definition.h"
#include "core/rules/rule_cache.h"
#include "json/json.h"

/* ---- a value: a list of names, or names with commas ------------------------------------------ */

struct naming {
    struct work *w;
    struct str key, name; /* name.p NULL: nothing is written, only found */
    struct str fields;    /* fields of conditions whose values are tags: a JSON array */
    bool found;
};

static bool text_is_tag(struct naming *n, struct str text) {
    bool same = str_eq(fold_key(n->w->arena, str_trim(text)), n->key);
    if (same) n->found = true;
    return same;
}

static struct str names_in_text(struct naming *n, struct str text) {
    struct buf b = {0};
    while (text.p) {
        struct str one = str_cut(&text, ',');
        bool same = text_is_tag(n, one);
        buf_str(&b, same && n->name.p ? n->name : one);
        if (text.p) buf_char(&b, ',');
    }
    return buf_take(&b, n->w->arena);
}

/* Changes the value in place. */
static void names_in_value(struct naming *n, struct json *value) {
    if (value->type == JSON_STRING) value->text = names_in_text(n, value->text);
    if (value->type != JSON_ARRAY) return;
    for (struct json *item = value->first; item; item = item->next)
        if (item->type == JSON_STRING && text_is_tag(n, item->text) && n->name.p) item->text = n->name;
}

/* Returns true if the stored value names the tag. *out: the value to store. */
static bool value_names(struct naming *n, struct str stored, struct str *out) {
    struct json *value;
    struct json_error err;
    n->found = false;
    if (json_parse(n->w->arena, stored, &value, &err) < 0) return false;
    names_in_value(n, value);
    *out = json_text(n->w->arena, value);
    return n->found;
}

static struct naming naming_of(struct work *w, struct str key, struct str name) {
    struct str fields[16];
    size_t n = 0;
    for (const struct definition *d = case_subject.definitions; d->field; d++)
        if (d->input == INPUT_TAGS && n < sizeof fields / sizeof *fields) fields[n++] = str_of(d->field);
    return (struct naming){.w = w, .key = key, .name = name, .fields = json_texts(w->arena, fields, n)};
}

/* ---- the texts ------------------------------------------------------------------------------- */

/* Rows (id, kind, id of the object, title, value), where `kind` is the kind of typed changes. */
#define RULE_OF(owner, owner_id)                                                                         \
    "CASE " owner " WHEN 1 THEN 'sla' WHEN 2 THEN 'trigger' ELSE 'monitor' END, " owner_id ", COALESCE(" \
    "CASE " owner " WHEN 1 THEN (SELECT s.title FROM slas s WHERE s.id = " owner_id ") "                 \
    "WHEN 2 THEN (SELECT r.title FROM triggers r WHERE r.id = " owner_id ") "                            \
    "ELSE (SELECT m.title FROM monitors m WHERE m.id = " owner_id ") END, '')"
QUERY(named_in_conditions,
      "SELECT p.id, " RULE_OF("c.owner", "c.owner_id") ", p.value FROM rule_propositions p "
                                                       "JOIN rule_collections c ON c.id = p.collection_id "
                                                       "WHERE p.field IN @TEXTS(:fields) ORDER BY p.id");
QUERY(named_in_conditions_put, "UPDATE rule_propositions SET value = :value WHERE id = :id");
QUERY(named_in_actions,
      "SELECT a.id, " RULE_OF("a.owner",
                              "a.owner_id") ", a.value FROM rule_actions a "
                                            "WHERE a.name = 'tags' AND a.value IS NOT NULL ORDER BY a.id");
QUERY(named_in_actions_put, "UPDATE rule_actions SET value = :value WHERE id = :id");

static const struct named_text {
    const struct query *rows, *put;
    const char *property;
} rule_texts[] = {{&named_in_conditions, &named_in_conditions_put, "predicate_collections"},
                  {&named_in_actions, &named_in_actions_put, "actions"}};
#define RULE_TEXTS (sizeof rule_texts / sizeof *rule_texts)

struct named_row {
    int64_t id, object_id;
    const char *kind;
    struct str title, value;
};

/* The rows that name the tag, with the values to store. Returns their number or a negative error. */
static int named_rows(struct naming *n, const struct query *q, struct named_row **out) {
    struct arena *a = n->w->arena;
    struct named_row *list = NULL;
    int rc, count = 0, room = 0;
    DB_ROWS(rc, n->w->conn, q, BINDS(B_TEXT("fields", n->fields)), row) {
        struct str value;
        if (!value_names(n, str_dup(a, col_text(row, 4)), &value)) continue;
        list = arena_more(a, list, count, &room, sizeof *list);
        list[count++] = (struct named_row){.id = col_int(row, 0),
                                           .kind = str_dup(a, col_text(row, 1)).p,
                                           .object_id = col_int(row, 2),
                                           .title = str_dup(a, col_text(row, 3)),
                                           .value = value};
    }
    *out = list;
    return rc < 0 ? rc : count;
}

static int rules_follow(struct naming *n, const struct named_text *t) {
    struct named_row *rows;
    int count = named_rows(n, t->rows, &rows);
    for (int i = 0; i < count; i++) {
        TRY(db_exec(n->w->conn, t->put, BINDS(B_INT("id", rows[i].id), B_TEXT("value", rows[i].value))));
        change_named(n->w, (struct changed){rows[i].kind, rows[i].object_id, 0}, t->property);
    }
    return count;
}

/* ---- views ----------------------------------------------------------------------------------- */

QUERY(named_in_views, "SELECT v.id, 'view', v.id, v.title, v.predicate_collections FROM views v "
                      "WHERE v.predicate_collections IS NOT NULL ORDER BY v.id");
QUERY(named_in_views_put, "UPDATE views SET predicate_collections = :value WHERE id = :id");

static void names_in_proposition(struct naming *n, const struct json *p) {
    const struct json *field = json_named(p, S("field"));
    struct json *value = (struct json *)json_named(p, S("value"));
    for (const struct definition *d = case_subject.definitions; field && value && d->field; d++)
        if (d->input == INPUT_TAGS && str_eq(field->text, str_of(d->field))) names_in_value(n, value);
}

static bool view_names(struct naming *n, struct str stored, struct str *out) {
    struct json *list;
    struct json_error err;
    n->found = false;
    if (json_parse(n->w->arena, stored, &list, &err) < 0) return false;
    for (const struct json *c = list->first; c; c = c->next) {
        const struct json *propositions = json_named(c, S("propositions"));
        for (const struct json *p = propositions ? propositions->first : NULL; p; p = p->next)
            names_in_proposition(n, p);
    }
    *out = json_text(n->w->arena, list);
    return n->found;
}

static int views_follow(struct naming *n) {
    struct arena *a = n->w->arena;
    struct named_row *list = NULL;
    int rc, count = 0, room = 0;
    DB_ROWS(rc, n->w->conn, &named_in_views, NULL, row) {
        struct str value;
        if (!view_names(n, str_dup(a, col_text(row, 4)), &value)) continue;
        list = arena_more(a, list, count, &room, sizeof *list);
        list[count++] = (struct named_row){.id = col_int(row, 0), .value = value};
    }
    TRY(rc);
    for (int i = 0; i < count; i++) {
        TRY(db_exec(n->w->conn, &named_in_views_put,
                    BINDS(B_INT("id", list[i].id), B_TEXT("value", list[i].value))));
        change_named(n->w, (struct changed){"view", list[i].id, 0}, "predicate_collections");
    }
    return 0;
}

/* ---- options of custom fields ---------------------------------------------------------------- */

QUERY(named_in_options,
      "SELECT o.id, CASE f.area WHEN 1 THEN 'case_field' WHEN 2 THEN 'user_field' ELSE 'organization_field' "
      "END, f.id, f.key, o.tag FROM custom_field_options o JOIN custom_fields f ON f.id = o.field_id "
      "WHERE o.tag IS NOT NULL AND f.deleted_at IS NULL ORDER BY o.id");
QUERY(named_in_options_put, "UPDATE custom_field_options SET tag = :value, updated_at = :now WHERE id = :id");

/* The options with this tag. Returns their number or a negative error. */
static int options_named(struct naming *n, struct named_row **out) {
    struct arena *a = n->w->arena;
    struct named_row *list = NULL;
    int rc, count = 0, room = 0;
    DB_ROWS(rc, n->w->conn, &named_in_options, NULL, row) {
        if (!text_is_tag(n, str_dup(a, col_text(row, 4)))) continue;
        list = arena_more(a, list, count, &room, sizeof *list);
        list[count++] = (struct named_row){.id = col_int(row, 0),
                                           .kind = str_dup(a, col_text(row, 1)).p,
                                           .object_id = col_int(row, 2),
                                           .title = str_dup(a, col_text(row, 3))};
    }
    *out = list;
    return rc < 0 ? rc : count;
}

static int options_follow(struct naming *n) {
    struct named_row *rows;
    int count = options_named(n, &rows);
    for (int i = 0; i < count; i++) {
        TRY(db_exec(n->w->conn, &named_in_options_put,
                    BINDS(B_INT("id", rows[i].id), B_TEXT("value", n->name), B_INT("now", n->w->now))));
        change_named(n->w, (struct changed){rows[i].kind, rows[i].object_id, 0}, "options");
    }
    return count > 0 ? custom_fields_changed(n->w) : count;
}

/* ---- all ------------------------------------------------------------------------------------- */

int tag_names_follow(struct work *w, struct str key, struct str name) {
    struct naming n = naming_of(w, key, name);
    int changed = 0;
    for (size_t i = 0; i < RULE_TEXTS; i++) {
        int rc = rules_follow(&n, &rule_texts[i]);
        TRY(rc);
        changed += rc;
    }
    TRY(views_follow(&n));
    TRY(options_follow(&n));
    return changed ? rules_changed(w) : 0;
}

int tag_is_named(struct work *w, struct str key, struct str *out) {
    struct naming n = naming_of(w, key, (struct str){0});
    struct named_row *rows;
    int count = 0;
    for (size_t i = 0; i < RULE_TEXTS && count == 0; i++) count = named_rows(&n, rule_texts[i].rows, &rows);
    if (count == 0) count = options_named(&n, &rows);
    TRY(count);
    if (count == 0) return 0;
    *out = str_fmt(w->arena, "The %s \"%.*s\"",
                   strcmp(rows->kind, "sla") == 0 ? "SLA"
                   : strstr(rows->kind, "field")  ? "custom field"
                                                  : rows->kind,
                   (int)rows->title.n, rows->title.p);
    return 1;
}
