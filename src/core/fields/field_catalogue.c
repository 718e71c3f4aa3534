/* Each reply with a conversation, a person or an organization shows the enabled custom fields. A process
 * keeps them in memory as a set that nothing changes. Readers hold it by a reference count.
 *
 * A set is of a generation: the row of `changes` on custom fields counts their changes. Each change locks
 * this row until its COMMIT, so no number has two meanings. The statement that reads values also reads the
 * number in the same snapshot. If it is another one, the reader reads the fields, too. So a reply never
 * combines the values of one snapshot with the fields of another, whichever process has changed them.
 *
 * If the caller sees no field of the area, or needs only the fields, nothing is read. If it sees one, the
 * values are read without the number. Only SQLite has these cases, because there one process does all
 * writes: `noted` is the highest generation that a write has begun, `committed` the highest that a COMMIT
 * has shown, or a reader before the first change. While `committed` is not behind, the set of this
 * generation is fresh, also for a write, because no change before it waits for a COMMIT. After a rollback it
 * is behind until the next change, so the number is read until then. Snapshots up to the number `since` may
 * be older than the last change, so their readers read the generation.
 *
 * A write may see changes that are not committed. It keeps a set only if the number is committed, because
 * another write may use the number of a write that was rolled back. Two statements of a write on
 * PostgreSQL may see different snapshots, so the statement that reads the fields also reads their number. */
#include "core/fields/field_catalogue.h"

#include "base/ids.h"
#include "base/kept_set.h"
#include "core/change/last_change.h"
#include "json/json.h"

#include <assert.h>
#include <stdlib.h>

#define AREAS (AREA_ORGANIZATIONS + 1)

struct field_set {
    struct kept_set kept;
    int64_t changed_at;
    struct custom_field *of[AREAS];
    int count[AREAS];
};

struct field_catalogue {
    struct set_keeper keeper; /* its lock also guards: */
    int64_t noted, committed, since;
};

struct field_catalogue *field_catalogue_new(void) {
    struct field_catalogue *c = calloc(1, sizeof *c);
    if (c) keeper_open(&c->keeper);
    return c;
}

void field_catalogue_free(struct field_catalogue *c) {
    if (c) keeper_close(&c->keeper);
    free(c);
}

#define OF_FIELDS "g.what = '" CHANGE_OF_FIELDS "'"
/* A row for each field, or one row without a field. */
QUERY(custom_fields_all,
      "SELECT f.id, f.area, f.type, f.key, f.regular_expression, f.is_enabled, f.is_required_for_agents, "
      "f.is_visible_to_customers, f.is_customer_editable, f.is_required_for_customers, g.generation, g.at "
      "FROM changes g LEFT JOIN custom_fields f ON f.is_enabled = 1 AND f.is_system = 0 WHERE " OF_FIELDS
      " ORDER BY f.area, f.sort_order, f.id");

static struct custom_field field_read(struct arena *a, struct stmt *row) {
    return (struct custom_field){.id = col_int(row, 0),
                                 .area = (enum field_area)col_int(row, 1),
                                 .type = (enum field_kind)col_int(row, 2),
                                 .key = str_dup(a, col_text(row, 3)),
                                 .regular_expression =
                                     col_null(row, 4) ? (struct str){0} : str_dup(a, col_text(row, 4)),
                                 .is_enabled = col_int(row, 5) != 0,
                                 .is_required_for_agents = col_int(row, 6) != 0,
                                 .is_visible_to_customers = col_int(row, 7) != 0,
                                 .is_customer_editable = col_int(row, 8) != 0,
                                 .is_required_for_customers = col_int(row, 9) != 0};
}

/* Reads the fields with their generation. */
static int fields_read(struct conn *c, struct field_set *set, struct custom_field **out) {
    struct custom_field *list = NULL;
    int n = 0, room = 0, rc;
    DB_ROWS(rc, c, &custom_fields_all, NULL, row) {
        set->kept.generation = col_int(row, 10);
        set->changed_at = col_int(row, 11);
        if (col_null(row, 0)) continue;
        list = arena_more(set->kept.arena, list, n, &room, sizeof *list);
        list[n++] = field_read(set->kept.arena, row);
    }
    *out = list;
    return rc < 0 ? rc : n;
}

/* ---- generations ----------------------------------------------------------------------------- */

QUERY(fields_generation, "SELECT g.generation, g.at FROM changes g WHERE " OF_FIELDS);

struct field_state {
    int64_t generation, changed_at;
};

static int field_state_read(struct work *w, struct field_state *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &fields_generation, NULL, &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    *out = (struct field_state){col_int(row, 0), col_int(row, 1)};
    stmt_end(row);
    return 0;
}

static void fields_committed(struct desk *d, void *arg) {
    const struct field_state *s = arg;
    struct field_catalogue *c = d->fields;
    pthread_mutex_lock(&c->keeper.lock);
    if (c->committed < s->generation) c->committed = s->generation;
    c->since = db_newest_snapshot(d->db);
    pthread_mutex_unlock(&c->keeper.lock);
}

int custom_fields_changed(struct work *w) {
    struct field_catalogue *c = w->desk->fields;
    struct field_state *s = ARENA_NEW(w->arena, struct field_state);
    TRY(last_change_note(w, S(CHANGE_OF_FIELDS)));
    w->fields_changed = 0;
    if (c == NULL) return 0;
    TRY(field_state_read(w, s));
    pthread_mutex_lock(&c->keeper.lock);
    if (c->noted < s->generation) c->noted = s->generation;
    pthread_mutex_unlock(&c->keeper.lock);
    after_commit(w, fields_committed, s);
    return 0;
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* Reads the set as the work sees it. Its caller is its only holder. */
static int field_set_read(struct work *w, const struct field_state *state, struct field_set **out) {
    struct field_set *s = kept_set_new(sizeof *s, state->generation);
    struct custom_field *all;
    int n = fields_read(w->conn, s, &all);
    for (int i = n - 1; i >= 0; i--) {
        s->of[all[i].area] = &all[i];
        s->count[all[i].area]++;
    }
    if (n < 0) kept_set_drop(s);
    else *out = s;
    return n < 0 ? n : 0;
}

/* The kept set, held, if it has this generation, or if it is fresh without a look at the store (generation
 * 0). NULL: it has not. */
static struct field_set *field_set_kept(struct work *w, int64_t generation) {
    struct field_catalogue *c = w->desk->fields;
    if (c == NULL) return NULL;
    if (generation) return keeper_find(&c->keeper, generation);
    if (db_shared(w->desk->db)) return NULL;
    int64_t snapshot = db_writes(w->conn) ? 0 : db_snapshot(w->conn); /* 0: not numbered */
    pthread_mutex_lock(&c->keeper.lock);
    const struct kept_set *now = c->keeper.now;
    bool fresh = now && c->committed >= c->noted && now->generation == c->committed &&
                 (snapshot == 0 || snapshot > c->since);
    struct field_set *found = fresh ? keeper_hold(&c->keeper) : NULL;
    pthread_mutex_unlock(&c->keeper.lock);
    return found;
}

static void field_set_keep(struct work *w, struct field_set *s) {
    struct field_catalogue *c = w->desk->fields;
    struct kept_set *outdated = NULL;
    int64_t generation = s->kept.generation;
    if (c == NULL) return;
    pthread_mutex_lock(&c->keeper.lock);
    bool committed = !db_writes(w->conn) || generation <= c->committed || generation > c->noted;
    /* that of a change of this process counts from fields_committed on, which sets `since` */
    if (generation > c->noted && c->committed < generation) c->committed = generation;
    if (committed && (c->keeper.now == NULL || c->keeper.now->generation < generation))
        outdated = keeper_replace(&c->keeper, s);
    pthread_mutex_unlock(&c->keeper.lock);
    kept_set_drop(outdated);
}

/* Gets the set of the work's snapshot, held until fields_drop. */
static int field_set_hold(struct work *w, const struct field_state *state, struct field_set **out) {
    *out = field_set_kept(w, state->generation);
    if (*out) return 0;
    TRY(field_set_read(w, state, out));
    field_set_keep(w, *out);
    return 0;
}

int custom_fields_of(struct work *w, enum field_area area, struct custom_field **out) {
    struct field_state state;
    struct field_set *s = field_set_kept(w, 0);
    if (s == NULL) {
        TRY(field_state_read(w, &state));
        TRY(field_set_hold(w, &state, &s));
    }
    int n = s->count[area];
    *out = arena_array(w->arena, (size_t)n + 1, sizeof **out);
    for (int i = 0; i < n; i++) {
        struct custom_field *f = &(*out)[i];
        *f = s->of[area][i];
        f->key = str_dup(w->arena, f->key);
        if (f->regular_expression.p) f->regular_expression = str_dup(w->arena, f->regular_expression);
    }
    kept_set_drop(s);
    return n;
}

int custom_fields_changed_at(struct work *w, int64_t *at) {
    struct field_state state = {.changed_at = w->fields_changed};
    struct field_set *s = state.changed_at ? NULL : field_set_kept(w, 0);
    if (s) state.changed_at = s->changed_at;
    else if (state.changed_at == 0) TRY(field_state_read(w, &state));
    kept_set_drop(s);
    *at = w->fields_changed = state.changed_at;
    return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A row for each value, or one row without a value. */
#define VALUES_OF(each, owner)                                                        \
    "SELECT g.generation, g.at, v.owner_id, v.field_id, v.value FROM changes g " each \
    "LEFT JOIN field_values v ON v.owner_id = " owner " AND v.area = :area WHERE " OF_FIELDS
QUERY(values_of_one, VALUES_OF("", ":owner"));
QUERY(values_of_each, VALUES_OF("CROSS JOIN @EACH_ID(:owners) o ", "o.value"));

/* Without the generation, which is known. */
#define KNOWN_VALUES "SELECT 0, 0, v.owner_id, v.field_id, v.value FROM "
QUERY(known_values_of_one, KNOWN_VALUES "field_values v WHERE v.owner_id = :owner AND v.area = :area");
QUERY(known_values_of_range, KNOWN_VALUES "field_values v WHERE v.owner_id BETWEEN :first AND :last "
                                          "AND v.area = :area");
QUERY(known_values_of_each, KNOWN_VALUES "@EACH_ID(:owners) o CROSS JOIN field_values v "
                                         "WHERE v.owner_id = o.value AND v.area = :area");

struct stored_value {
    int64_t owner_id, field_id;
    struct str value;
};

struct stored_values {
    struct field_state state;
    struct stored_value *list;
    int count, room;
};

/* The query of the values of these owners, and its binds. A range costs less than half of a list of ids,
 * which SQLite parses as JSON: 19,500 and 48,900 instructions for the newest ten conversations of a demo
 * desk. It is taken if at most half of its ids are of others. */
static const struct query *known_values(struct work *w, enum field_area area, const int64_t *owners,
                                        int count, const struct bind **binds) {
    struct arena *a = w->arena;
    int64_t first = *owners, last = *owners;
    for (int i = 1; i < count; i++) {
        if (owners[i] < first) first = owners[i];
        if (owners[i] > last) last = owners[i];
    }
    bool is_range = count > 1 && last - first < 2 * (int64_t)count;
    struct bind *list = arena_array(a, 5, sizeof *list);
    list[0] = (struct bind)B_INT("area", area);
    list[1] = (struct bind)B_INT("owner", *owners);
    list[2] = (struct bind)B_INT("first", first);
    list[3] = (struct bind)B_INT("last", last);
    *binds = list;
    if (count == 1) return &known_values_of_one;
    if (is_range) return &known_values_of_range;
    list[1] = (struct bind)B_TEXT("owners", json_ids(a, owners, (size_t)count));
    return &known_values_of_each;
}

static const struct query *values_with_state(struct work *w, enum field_area area, const int64_t *owners,
                                             int count, const struct bind **binds) {
    struct bind *list = arena_array(w->arena, 3, sizeof *list);
    list[0] = (struct bind)B_INT("area", area);
    if (count == 1) list[1] = (struct bind)B_INT("owner", *owners);
    else list[1] = (struct bind)B_TEXT("owners", json_ids(w->arena, owners, (size_t)count));
    *binds = list;
    return count == 1 ? &values_of_one : &values_of_each;
}

/* known: the caller has the fields of the snapshot. */
static int values_read(struct work *w, enum field_area area, const int64_t *owners, int count, bool known,
                       struct stored_values *out) {
    struct arena *a = w->arena;
    const struct bind *binds;
    const struct query *q = known ? known_values(w, area, owners, count, &binds)
                                  : values_with_state(w, area, owners, count, &binds);
    int rc;
    DB_ROWS(rc, w->conn, q, binds, row) {
        if (!known) out->state = (struct field_state){col_int(row, 0), col_int(row, 1)};
        if (col_null(row, 2)) continue;
        out->list = arena_more(a, out->list, out->count, &out->room, sizeof *out->list);
        out->list[out->count++] =
            (struct stored_value){col_int(row, 2), col_int(row, 3), str_dup(a, col_text(row, 4))};
    }
    if (rc < 0) return rc;
    assert(known || out->state.generation); /* the schema has the row */
    if (!known) w->fields_changed = out->state.changed_at;
    return 0;
}

/* Copies the fields that are shown, because the set is dropped. */
static void fields_shown(struct work *w, const struct field_set *s, enum field_area area, bool to_customers,
                         struct field_values *out) {
    out->fields = arena_array(w->arena, (size_t)s->count[area] + 1, sizeof *out->fields);
    out->field_count = 0;
    for (int i = 0; i < s->count[area]; i++) {
        const struct custom_field *f = &s->of[area][i];
        if (to_customers && !f->is_visible_to_customers) continue;
        struct custom_field *copy = ARENA_NEW(w->arena, struct custom_field);
        *copy = (struct custom_field){.id = f->id, .area = f->area, .type = f->type};
        out->fields[out->field_count++] = copy;
    }
}

static int field_place(const struct field_values *v, int64_t id) {
    for (int i = 0; i < v->field_count; i++)
        if (v->fields[i]->id == id) return i;
    return -1;
}

static void place_values(struct work *w, const struct stored_values *stored, const int64_t *owners, int count,
                         struct field_values *out) {
    out->values = arena_array(w->arena, (size_t)(count * out->field_count), sizeof *out->values);
    for (int i = 0; i < stored->count; i++) {
        int field = field_place(out, stored->list[i].field_id),
            owner = ids_place(owners, count, stored->list[i].owner_id);
        if (field >= 0 && owner >= 0) out->values[owner * out->field_count + field] = stored->list[i].value;
    }
}

int field_values_of(struct work *w, enum field_area area, bool to_customers, const int64_t *owners, int count,
                    struct field_values *out) {
    struct stored_values stored = {0};
    struct field_set *s = field_set_kept(w, 0);
    bool known = s && (db_writes(w->conn) || db_snapshot(w->conn));
    if (s) fields_shown(w, s, area, to_customers, out);
    if (known) w->fields_changed = s->changed_at;
    kept_set_drop(s);
    if (s && out->field_count == 0) return 0;
    TRY(values_read(w, area, owners, count, known, &stored));
    if (!known) {
        TRY(field_set_hold(w, &stored.state, &s));
        fields_shown(w, s, area, to_customers, out);
        kept_set_drop(s);
    }
    place_values(w, &stored, owners, count, out);
    return 0;
}
