#include "core/rules/rule_predicate.h"

#include "base/buf.h"
#include "core/change/change.h"

/* ---- reading --------------------------------------------------------------------------------- */

QUERY(rule_predicate_lines, "SELECT c.owner_id, c.id, p.id, p.field, p.operator, p.value "
                            "FROM rule_collections c JOIN rule_propositions p ON p.collection_id = c.id "
                            "WHERE c.owner = :owner AND c.owner_id IN @LIST(:ids) "
                            "ORDER BY c.owner_id, c.position, c.id, p.position, p.id");

/* Appends an item to a list that grows in an arena. The list is full at every power of two. */
static void *grown(struct arena *a, void *list, int count, size_t size) {
    if (count & (count - 1)) return list;
    void *made = arena_array(a, count ? (size_t)count * 2 : 1, size);
    if (count) memcpy(made, list, (size_t)count * size);
    return made;
}

static struct rule_collection *rule_collection_of(struct arena *a, struct rule_predicate *p, int64_t id) {
    if (p->count && p->collections[p->count - 1].id == id) return &p->collections[p->count - 1];
    p->collections = grown(a, p->collections, p->count, sizeof *p->collections);
    p->collections[p->count] = (struct rule_collection){.id = id};
    return &p->collections[p->count++];
}

int rule_predicates_read(struct work *w, enum rule_owner owner, struct str ids, struct rule_predicate **out) {
    struct arena *a = w->arena;
    int rc, count = 0;
    *out = NULL;
    DB_ROWS(rc, w->conn, &rule_predicate_lines, BINDS(B_INT("owner", owner), B_TEXT("ids", ids)), row) {
        int64_t owner_id = col_int(row, 0);
        if (count == 0 || (*out)[count - 1].owner_id != owner_id) {
            *out = grown(a, *out, count, sizeof **out);
            (*out)[count++] = (struct rule_predicate){.owner_id = owner_id};
        }
        struct rule_collection *c = rule_collection_of(a, &(*out)[count - 1], col_int(row, 1));
        c->propositions = grown(a, c->propositions, c->count, sizeof *c->propositions);
        c->propositions[c->count++] =
            (struct rule_proposition){col_int(row, 2), str_dup(a, col_text(row, 3)),
                                      str_dup(a, col_text(row, 4)), str_dup(a, col_text(row, 5))};
    }
    return rc < 0 ? rc : count;
}

/* The stored predicate of an owner. Without collections, *out is empty. */
static int rule_predicate_present(struct work *w, enum rule_owner owner, int64_t owner_id,
                                  struct rule_predicate *out) {
    struct rule_predicate *found;
    int n = rule_predicates_read(w, owner, json_ids(w->arena, &owner_id, 1), &found);
    *out = n > 0 ? *found : (struct rule_predicate){.owner_id = owner_id};
    return n < 0 ? n : 0;
}

static void rule_value_add(struct arena *a, struct used_values *used, int *room,
                           const struct rule_proposition *p) {
    struct json *value;
    struct json_error err;
    if (json_parse(a, p->value, &value, &err) < 0) return;
    for (const struct json *j = value->type == JSON_ARRAY ? value->first : value; j;
         j = value->type == JSON_ARRAY ? j->next : NULL) {
        if (j->text.p == NULL) continue;
        used->list = arena_more(a, used->list, used->count, room, sizeof *used->list);
        used->list[used->count++] = (struct used_value){p->field, j->text};
    }
}

static const struct used_values *rule_values(struct arena *a, const struct rule_predicate *p) {
    struct used_values *used = ARENA_NEW(a, struct used_values);
    int room = 0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->collections[i].count; k++)
            rule_value_add(a, used, &room, &p->collections[i].propositions[k]);
    return used;
}

int rule_values_used(struct work *w, enum rule_owner owner, int64_t owner_id,
                     const struct used_values **out) {
    struct rule_predicate p;
    TRY(rule_predicate_present(w, owner, owner_id, &p));
    *out = rule_values(w->arena, &p);
    return 0;
}

/* ---- checking -------------------------------------------------------------------------------- */

struct rule_check {
    struct work *w;
    struct str name;
    struct rule_predicate present;
};

static const struct rule_collection *rule_collection_with(const struct rule_predicate *p, int64_t id) {
    for (int i = 0; i < p->count; i++)
        if (id && p->collections[i].id == id) return &p->collections[i];
    return NULL;
}

static const struct rule_proposition *rule_proposition_with(const struct rule_predicate *p, int64_t id) {
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->collections[i].count; k++)
            if (id && p->collections[i].propositions[k].id == id) return &p->collections[i].propositions[k];
    return NULL;
}

/* Reads the optional id of an item. Returns true and sets *id to 0 if there is none. */
static bool rule_id_read(const struct json *item, int64_t *id) {
    const struct json *j = json_named(item, S("id"));
    *id = 0;
    if (j == NULL || j->type == JSON_NULL || (j->type == JSON_STRING && j->text.n == 0)) return true;
    return (j->type == JSON_NUMBER || j->type == JSON_STRING) && str_to_int(j->text, id) && *id > 0;
}

/* Reports an id that is not `known`, or that another item of the request has, too. */
static void rule_id_check(const struct rule_check *c, bool known, bool twice, struct str pointer,
                          struct str parameter) {
    if (known && !twice) return;
    fail_at(c->w, twice ? ERR_FIELD_DUPLICATE : ERR_FIELD_INVALID, parameter, pointer, "%s",
            twice ? "The id is given twice." : "The rule has no item with this id. Send null for a new one.");
}

static void rule_proposition_take(const struct rule_check *c, const struct json *j,
                                  const struct rule_predicate *made, int at, int k,
                                  struct rule_proposition *out) {
    struct arena *a = c->w->arena;
    int64_t id;
    bool whole = rule_id_read(j, &id);
    const struct json *value = json_named(j, S("value"));
    *out = (struct rule_proposition){0, json_named(j, S("field"))->text, json_named(j, S("operator"))->text,
                                     value ? json_text(a, value) : S("null")};
    rule_id_check(c, whole && (id == 0 || rule_proposition_with(&c->present, id)),
                  rule_proposition_with(made, id) != NULL,
                  str_fmt(a, "%s/%d/propositions/%d/id", c->name.p, at, k),
                  str_fmt(a, "%s[%d].propositions[%d].id", c->name.p, at, k));
    out->id = id;
}

static void rule_collection_take(const struct rule_check *c, const struct json *j,
                                 struct rule_predicate *made, int at) {
    struct arena *a = c->w->arena;
    struct rule_collection *out = &made->collections[at];
    const struct json *list = json_named(j, S("propositions"));
    int64_t id;
    bool whole = rule_id_read(j, &id);
    *out = (struct rule_collection){.propositions = arena_array(a, list->count, sizeof *out->propositions)};
    rule_id_check(c, whole && (id == 0 || rule_collection_with(&c->present, id)),
                  rule_collection_with(made, id) != NULL, str_fmt(a, "%s/%d/id", c->name.p, at),
                  str_fmt(a, "%s[%d].id", c->name.p, at));
    out->id = id;
    made->count++;
    for (const struct json *p = list->first; p; p = p->next, out->count++)
        rule_proposition_take(c, p, made, at, out->count, &out->propositions[out->count]);
}

int rule_predicate_check(struct work *w, enum rule_user user, enum rule_owner owner, int64_t owner_id,
                         const struct json *list, struct str name, struct rule_predicate **out) {
    struct definitions d;
    struct predicate *compiled;
    struct rule_check c = {.w = w, .name = name};
    struct rule_predicate *made = *out = ARENA_NEW(w->arena, struct rule_predicate);
    int before = w->problem_count;
    *made = (struct rule_predicate){.owner_id = owner_id};
    if (owner_id) TRY(rule_predicate_present(w, owner, owner_id, &c.present));
    TRY(definitions_load_used(w, &case_subject, user, rule_values(w->arena, &c.present), &d));
    TRY(predicate_read_collections(w, &d, list, name, PREDICATE_NEW, &compiled));
    made->collections = arena_array(w->arena, list->count + 1, sizeof *made->collections);
    for (const struct json *j = list->first; j; j = j->next) rule_collection_take(&c, j, made, made->count);
    return w->problem_count > before ? -(int)failure(w) : 0;
}

/* ---- storing --------------------------------------------------------------------------------- */

QUERY(rule_collection_add, "INSERT INTO rule_collections (owner, owner_id, position) "
                           "VALUES (:owner, :owner_id, :position) RETURNING id");
QUERY(rule_collection_place, "UPDATE rule_collections SET position = :position WHERE id = :id");
QUERY(rule_collections_drop, "DELETE FROM rule_collections "
                             "WHERE owner = :owner AND owner_id = :owner_id AND id NOT IN @LIST(:kept)");
QUERY(rule_proposition_add, "INSERT INTO rule_propositions (collection_id, position, field, operator, value) "
                            "VALUES (:collection, :position, :field, :operator, :value) "
                            "RETURNING id");
QUERY(rule_proposition_set,
      "UPDATE rule_propositions "
      "SET collection_id = :collection, position = :position, field = :field, operator = :operator, "
      "value = :value WHERE id = :id");
QUERY(rule_propositions_drop,
      "DELETE FROM rule_propositions "
      "WHERE collection_id IN (SELECT c.id FROM rule_collections c WHERE c.owner = :owner "
      "AND c.owner_id = :owner_id) AND id NOT IN @LIST(:kept)");
QUERY(rule_predicates_drop, "DELETE FROM rule_collections WHERE owner = :owner AND owner_id IN @LIST(:ids)");

static const char *const rule_kinds[] = {
    [RULE_OF_SLA] = "sla", [RULE_OF_TRIGGER] = "trigger", [RULE_OF_MONITOR] = "monitor"};

static bool rule_propositions_eq(const struct rule_proposition *a, const struct rule_proposition *b) {
    return str_eq(a->field, b->field) && str_eq(a->operator, b->operator) && str_eq(a->value, b->value);
}

static bool rule_predicates_eq(const struct rule_predicate *a, const struct rule_predicate *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        if (a->collections[i].count != b->collections[i].count) return false;
        for (int k = 0; k < a->collections[i].count; k++)
            if (!rule_propositions_eq(&a->collections[i].propositions[k], &b->collections[i].propositions[k]))
                return false;
    }
    return true;
}

static int rule_proposition_put(struct work *w, struct rule_proposition *p, int64_t collection,
                                int position) {
    const struct bind *binds =
        BINDS(B_INT("id", p->id), B_INT("collection", collection), B_INT("position", position),
              B_TEXT("field", p->field), B_TEXT("operator", p->operator), B_TEXT("value", p->value));
    return p->id ? db_exec(w->conn, &rule_proposition_set, binds)
                 : db_insert(w->conn, &rule_proposition_add, binds, &p->id);
}

static int rule_collection_put(struct work *w, enum rule_owner owner, int64_t owner_id,
                               struct rule_collection *c, int position) {
    const struct bind *binds = BINDS(B_INT("id", c->id), B_INT("owner", owner), B_INT("owner_id", owner_id),
                                     B_INT("position", position));
    TRY(c->id ? db_exec(w->conn, &rule_collection_place, binds)
              : db_insert(w->conn, &rule_collection_add, binds, &c->id));
    for (int k = 0; k < c->count; k++) TRY(rule_proposition_put(w, &c->propositions[k], c->id, k));
    return 0;
}

/* The ids that stay: of collections, or of propositions. */
static struct str rule_ids_kept(struct arena *a, const struct rule_predicate *p, bool propositions) {
    int most = p->count, n = 0;
    for (int i = 0; i < p->count; i++) most += p->collections[i].count;
    int64_t *ids = arena_array(a, (size_t)most + 1, sizeof *ids);
    for (int i = 0; i < p->count; i++) {
        const struct rule_collection *c = &p->collections[i];
        if (!propositions) ids[n++] = c->id;
        for (int k = 0; propositions && k < c->count; k++) ids[n++] = c->propositions[k].id;
    }
    return json_ids(a, ids, (size_t)n);
}

int rule_predicate_store(struct work *w, enum rule_owner owner, int64_t owner_id, struct rule_predicate *p,
                         bool *changed) {
    struct rule_predicate present;
    struct bind of[] = {B_INT("owner", owner),
                        B_INT("owner_id", owner_id),
                        B_TEXT("kept", rule_ids_kept(w->arena, p, true)),
                        {0}};
    TRY(rule_predicate_present(w, owner, owner_id, &present));
    bool differs = !rule_predicates_eq(&present, p);
    if (changed) *changed = differs;
    TRY(db_exec(w->conn, &rule_propositions_drop, of));
    for (int i = 0; i < p->count; i++) TRY(rule_collection_put(w, owner, owner_id, &p->collections[i], i));
    /* after the propositions have moved to collections that stay */
    of[2].s = rule_ids_kept(w->arena, p, false);
    TRY(db_exec(w->conn, &rule_collections_drop, of));
    if (differs) change_named(w, (struct changed){rule_kinds[owner], owner_id, 0}, "predicate_collections");
    return 0;
}

int rule_predicates_delete(struct work *w, enum rule_owner owner, struct str ids) {
    int rc = db_exec(w->conn, &rule_predicates_drop, BINDS(B_INT("owner", owner), B_TEXT("ids", ids)));
    return rc < 0 ? rc : 0;
}

/* ---- compiling ------------------------------------------------------------------------------- */

static void rule_proposition_write(struct json_writer *w, const struct rule_proposition *p) {
    jw_object(w);
    jw_key(w, S("field"));
    jw_str(w, p->field);
    jw_key(w, S("operator"));
    jw_str(w, p->operator);
    jw_key(w, S("value"));
    jw_raw(w, p->value);
    jw_end(w);
}

/* The predicate as a request would send it. */
static struct str rule_predicate_json(struct arena *a, const struct rule_predicate *p) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = 0; i < p->count; i++) {
        jw_object(&w);
        jw_key(&w, S("propositions"));
        jw_array(&w);
        for (int k = 0; k < p->collections[i].count; k++)
            rule_proposition_write(&w, &p->collections[i].propositions[k]);
        jw_end(&w);
        jw_end(&w);
    }
    jw_end(&w);
    return buf_take(&b, a);
}

int rule_definitions_load(struct work *w, enum rule_user user, struct definitions *out) {
    static const struct used_values all = {.all = true};
    return definitions_load_used(w, &case_subject, user, &all, out);
}

int rule_predicate_compile(struct work *w, const struct definitions *d, const struct rule_predicate *p,
                           struct predicate **out) {
    struct json *list;
    struct json_error err;
    if (json_parse(w->arena, rule_predicate_json(w->arena, p), &list, &err) < 0) return -ERR_INTERNAL_ERROR;
    return predicate_read_collections(w, d, list, S("predicate_collections"), PREDICATE_STORED, out);
}
