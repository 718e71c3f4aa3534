/* A dry run does what the import does and undoes each part, because a write of the whole file would hold back
 * the other writes for minutes. So a part would not meet the people of the parts before it: a person in two
 * parts would be new twice.
 *
 * Therefore the trial keeps a change for each person and organization that a later row may meet, and later
 * parts write it again before such a row. A change is the cells of all rows of the person as one row. That is
 * enough, because rows only add to lists and replace texts. A later row meets a person (1) by a key that both
 * rows have: csv_repeats_read has found these keys; or (2) by a key in the store. In the second case, the
 * change matters only if it has replaced that key, a legacy_id or the name of an organization. One difference
 * stays: rows that name one stored person by different keys do not share the limits of 100 values. */
#include "res/csv_trial.h"

#include "base/ids.h"
#include "res/csv_repeats.h"

struct csv_change {
    int64_t id;     /* 0: not stored yet */
    int64_t row_id; /* of the person or organization, in this part */
    bool is_changed;
    struct csv_cells cells;
    int64_t *keys; /* to store */
    int key_count, key_room;
    struct csv_change *next;
};

void csv_trial_begin(struct csv_trial *t, struct csv_rows *rows, int64_t import_id, struct str repeats,
                     bool has_stored) {
    *t = (struct csv_trial){
        .rows = rows, .import_id = import_id, .repeats = repeats, .has_stored = has_stored};
    t->last = &t->changes;
}

static struct arena *trial_arena(const struct csv_trial *t) { return t->rows->call.work.arena; }

/* ---- cells as text ----------------------------------------------------------------------------- */

static struct str cells_text(struct arena *a, const struct csv_cells *cells) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = 0; i < CSV_TARGETS; i++) {
        if (cells->lists[i]) jw_json(&w, cells->lists[i]);
        else jw_str(&w, cells->texts[i]);
    }
    jw_json(&w, cells->values);
    jw_end(&w);
    return buf_take(&b, a);
}

static int cells_of_text(struct arena *a, struct str text, struct csv_cells *out) {
    struct json *all;
    struct json_error err;
    *out = (struct csv_cells){.values = json_new(a, JSON_OBJECT)};
    if (json_parse(a, text, &all, &err) < 0 || all->count != CSV_TARGETS + 1) return -ERR_INTERNAL_ERROR;
    int i = 0;
    for (struct json *j = all->first, *next; j; j = next, i++) {
        next = j->next;
        if (i == CSV_TARGETS) out->values = j;
        else if (j->type == JSON_ARRAY) out->lists[i] = j;
        else if (j->type == JSON_STRING) out->texts[i] = j->text;
    }
    return 0;
}

/* ---- one row of many --------------------------------------------------------------------------- */

static bool has_item(const struct json *list, struct str text) {
    const struct json *j = list->first;
    while (j && !str_eq(j->text, text)) j = j->next;
    return j != NULL;
}

static struct json *cell_value_named(const struct json *object, struct str name) {
    struct json *j = object->first;
    while (j && !str_eq(j->name, name)) j = j->next;
    return j;
}

/* Adds a row to the rows before it. */
static void cells_merge(struct arena *a, struct csv_cells *to, const struct csv_cells *from) {
    for (int i = 0; i < CSV_TARGETS; i++) {
        if (from->texts[i].n) to->texts[i] = from->texts[i];
        if (from->lists[i] && to->lists[i] == NULL) to->lists[i] = json_new(a, JSON_ARRAY);
        for (const struct json *j = from->lists[i] ? from->lists[i]->first : NULL; j; j = j->next)
            if (!has_item(to->lists[i], j->text)) json_append(to->lists[i], json_string(a, j->text));
    }
    for (const struct json *j = from->values->first; j; j = j->next) {
        struct json *value = cell_value_named(to->values, j->name);
        if (value == NULL) {
            value = json_string(a, j->text);
            value->name = j->name;
            json_append(to->values, value);
        }
        value->text = j->text;
    }
}

/* ---- changes of the part ------------------------------------------------------------------------ */

static struct csv_change *change_add(struct csv_trial *t, int64_t id, int64_t row_id) {
    struct csv_change *change = ARENA_NEW(trial_arena(t), struct csv_change);
    *change = (struct csv_change){.id = id, .row_id = row_id};
    change->cells.values = json_new(trial_arena(t), JSON_OBJECT);
    *t->last = change;
    t->last = &change->next;
    return change;
}

static struct csv_change *change_of_row(const struct csv_trial *t, int64_t row_id) {
    struct csv_change *change = t->changes;
    while (change && change->row_id != row_id) change = change->next;
    return change;
}

static bool is_met(const struct csv_trial *t, int64_t id) {
    const struct csv_change *change = t->changes;
    while (change && change->id != id) change = change->next;
    return change != NULL;
}

static void change_key(struct csv_trial *t, struct csv_change *change, int64_t key) {
    change->keys =
        arena_more(trial_arena(t), change->keys, change->key_count, &change->key_room, sizeof *change->keys);
    change->keys[change->key_count++] = key;
}

static int64_t csv_key_of_id(int64_t id) {
    char room[INT_TEXT];
    return csv_key('#', str_int(room, id));
}

/* ---- a row meets the changes of the parts before it ---------------------------------------------- */

QUERY(csv_changes_of_keys, "SELECT DISTINCT k.change_id FROM csv_import_keys k WHERE k.import_id = :import "
                           "AND k.key_hash IN @LIST(:keys) ORDER BY k.change_id");
QUERY(csv_change_cells, "SELECT cells FROM csv_import_changes WHERE id = :id");

/* Writes a stored change again. A change that can't be written any more is left out. */
static int change_repeat(struct csv_trial *t, int64_t id) {
    struct work *w = &t->rows->call.work;
    struct str sealed = {0};
    struct csv_cells cells;
    TRY_FOUND(w, db_text(w->conn, &csv_change_cells, BINDS(B_INT("id", id)), w->arena, &sealed));
    struct str text = seal_open(w->arena, &w->desk->mail_key, sealed);
    if (text.p == NULL) return -ERR_INTERNAL_ERROR;
    TRY(cells_of_text(w->arena, text, &cells));
    int result = csv_rows_take(t->rows, &cells);
    TRY(result);
    bool done = result == CSV_CREATED || result == CSV_UPDATED;
    struct csv_change *change = change_add(t, id, done ? t->rows->id : 0);
    change->cells = cells;
    return 0;
}

/* Returns the number of changes that were written again, or a negative error. */
static int changes_meet(struct csv_trial *t, const int64_t *keys, int count) {
    struct work *w = &t->rows->call.work;
    int64_t *ids;
    int met = 0;
    if (count == 0 || !t->has_stored) return 0;
    int n =
        db_ids(w->conn, &csv_changes_of_keys,
               BINDS(B_INT("import", t->import_id), B_TEXT("keys", json_ids(w->arena, keys, (size_t)count))),
               w->arena, &ids);
    TRY(n);
    for (int i = 0; i < n; i++) {
        if (is_met(t, ids[i])) continue;
        TRY(change_repeat(t, ids[i]));
        met++;
    }
    return met;
}

static void key_take(void *to, int64_t key) {
    struct csv_trial *t = to;
    if (!csv_repeats_have(t->repeats, key)) return;
    t->keys = arena_more(trial_arena(t), t->keys, t->key_count, &t->key_room, sizeof *t->keys);
    t->keys[t->key_count++] = key;
}

QUERY(csv_person_has,
      "SELECT 1 FROM users WHERE id = :id AND legacy_id IS NOT NULL AND legacy_id <> :legacy_id");
QUERY(csv_organization_has,
      "SELECT 1 FROM organizations WHERE id = :id AND ((:legacy_id <> '' AND legacy_id <> :legacy_id) "
      "OR (:name <> '' AND name <> :name))");

/* Returns 1 if the row replaces a key of the stored person or organization, 0, or a negative error. */
static int replaces_key(struct csv_trial *t, const struct csv_cells *cells, int64_t id) {
    struct conn *conn = t->rows->call.work.conn;
    struct str legacy_id = cells->texts[CSV_LEGACY_ID], name = cells->texts[CSV_NAME];
    int64_t found;
    if (legacy_id.n == 0 && name.n == 0) return 0;
    if (t->rows->columns->kind == CSV_USERS)
        return db_int(conn, &csv_person_has, BINDS(B_INT("id", id), B_TEXT("legacy_id", legacy_id)), &found);
    return db_int(conn, &csv_organization_has,
                  BINDS(B_INT("id", id), B_TEXT("legacy_id", legacy_id.n ? legacy_id : S("")),
                        B_TEXT("name", name.n ? name : S(""))),
                  &found);
}

/* Writes the changes again that the row meets. Returns 1 if the row replaces a key of a stored row, 0, or a
 * negative error. */
static int trial_meet(struct csv_trial *t, const struct csv_cells *cells) {
    int64_t id = 0, key;
    TRY(changes_meet(t, t->keys, t->key_count));
    work_set_aside(&t->rows->call.work);
    TRY(csv_rows_find(t->rows, cells, &id));
    if (id == 0 || t->rows->skips || change_of_row(t, id)) return 0;
    key = csv_key_of_id(id);
    int met = changes_meet(t, &key, 1);
    TRY(met);
    return met ? 0 : replaces_key(t, cells, id);
}

int csv_trial_take(struct csv_trial *t, const struct csv_cells *cells) {
    t->key_count = 0;
    csv_rows_keys(t->rows, cells, key_take, t);
    int replaces = trial_meet(t, cells);
    if (replaces < 0 && error_info(-replaces)->status >= 500) return replaces;
    int result = csv_rows_take(t->rows, cells);
    if (result != CSV_CREATED && result != CSV_UPDATED) return result;
    struct csv_change *change = change_of_row(t, t->rows->id);
    if (change == NULL && t->key_count == 0 && replaces <= 0) return result;
    if (change == NULL) {
        change = change_add(t, 0, t->rows->id);
        if (result == CSV_UPDATED) change_key(t, change, csv_key_of_id(t->rows->id));
    }
    cells_merge(trial_arena(t), &change->cells, cells);
    change->is_changed = true;
    for (int i = 0; i < t->key_count; i++) change_key(t, change, t->keys[i]);
    return result;
}

/* ---- the end of a part -------------------------------------------------------------------------- */

QUERY(csv_change_insert,
      "INSERT INTO csv_import_changes (import_id, cells) VALUES (:import, :cells) @RETURN_ID@");
QUERY(csv_change_update, "UPDATE csv_import_changes SET cells = :cells WHERE id = :id");
QUERY(csv_key_insert, "INSERT INTO csv_import_keys (import_id, key_hash, change_id) "
                      "VALUES (:import, :key, :change) ON CONFLICT DO NOTHING");

int csv_trial_store(struct csv_trial *t, struct work *w) {
    for (struct csv_change *change = t->changes; change; change = change->next) {
        if (!change->is_changed) continue;
        struct str sealed = seal(w->arena, &w->desk->mail_key, cells_text(w->arena, &change->cells));
        if (change->id)
            TRY(db_exec(w->conn, &csv_change_update,
                        BINDS(B_INT("id", change->id), B_BLOB("cells", sealed))));
        else
            TRY(db_insert(w->conn, &csv_change_insert,
                          BINDS(B_INT("import", t->import_id), B_BLOB("cells", sealed)), &change->id));
        for (int i = 0; i < change->key_count; i++)
            TRY(db_later(w->conn, &csv_key_insert,
                         BINDS(B_INT("import", t->import_id), B_INT("key", change->keys[i]),
                               B_INT("change", change->id))));
    }
    return 0;
}
