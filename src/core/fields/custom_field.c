#include "core/fields/custom_field.h"

#include "base/fold.h"
#include "base/ids.h"
#include "base/limits.h"
#include "core/desk/cascade.h"
#include "json/json.h"

bool field_has_options(enum field_kind type) {
    return type == FIELD_CHECKBOX || type == FIELD_RADIO || type == FIELD_SELECT ||
           type == FIELD_CASCADINGSELECT;
}

struct str field_value_key(struct arena *a, enum field_kind type, struct str value) {
    if (type == FIELD_NUMERIC || type == FIELD_DECIMAL) return decimal_key(a, value);
    struct str key = fold_key(a, value);
    if (key.n <= LIMIT_VALUE_KEY) return key;
    key.n = LIMIT_VALUE_KEY;
    while (key.n && ((unsigned char)key.p[key.n] & 0xC0) == 0x80) key.n--;
    return key;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool digit(char c) { return c >= '0' && c <= '9'; }

bool field_key_valid(struct str key) {
    if (key.n == 0 || key.n > LIMIT_FIELD_KEY || !is_letter(key.p[0])) return false;
    for (size_t i = 1; i < key.n; i++)
        if (!is_letter(key.p[i]) && !digit(key.p[i]) && key.p[i] != '_' && key.p[i] != '-') return false;
    return true;
}

/* Letters and digits of the folded title; other characters become single underscores. "field" if nothing
 * is left. */
static struct str key_stem(struct arena *a, struct str title) {
    struct str folded = fold_key(a, title);
    char *out = arena_alloc(a, LIMIT_FIELD_KEY + 1);
    size_t n = 0;
    for (size_t i = 0; i < folded.n && n < LIMIT_FIELD_KEY - 8; i++) {
        bool good = is_letter(folded.p[i]) || digit(folded.p[i]);
        if (good && n == 0 && digit(folded.p[i])) memcpy(out, "field_", n = 6);
        if (good) out[n++] = folded.p[i];
        else if (n && out[n - 1] != '_') out[n++] = '_';
    }
    while (n && out[n - 1] == '_') n--;
    return n ? (struct str){out, n} : S("field");
}

#define KEYS (LIMIT_FIELDS + 16) /* custom and built-in fields */
QUERY(custom_field_keys, "SELECT key FROM custom_fields WHERE area = :area AND deleted_at IS NULL");

int custom_field_key(struct work *w, enum field_area area, struct str title, struct str *key) {
    struct str stem = key_stem(w->arena, title), *taken = arena_array(w->arena, KEYS, sizeof *taken);
    int n = 0, rc;
    DB_ROWS(rc, w->conn, &custom_field_keys, BINDS(B_INT("area", area)), row)
    if (n < KEYS) taken[n++] = str_dup(w->arena, col_text(row, 0));
    if (rc < 0) return rc;
    for (int nth = 1; nth <= KEYS; nth++) {
        bool is_taken = false;
        *key = nth == 1 ? stem : str_fmt(w->arena, "%.*s_%d", (int)stem.n, stem.p, nth);
        for (int i = 0; i < n; i++) is_taken = is_taken || str_eq(taken[i], *key);
        if (!is_taken) return 0;
    }
    *key = (struct str){0};
    return 0;
}

/* ---- definitions ----------------------------------------------------------------------------- */

QUERY(custom_field_insert,
      "INSERT INTO custom_fields (area, type, key, is_required_for_agents, "
      "is_required_on_resolution, is_visible_to_customers, is_customer_editable, "
      "is_required_for_customers, regular_expression, sort_order, is_enabled, created_at, updated_at) "
      "SELECT CAST(:area AS INTEGER), CAST(:type AS INTEGER), CAST(:key AS TEXT), "
      "CAST(:for_agents AS INTEGER), CAST(:on_resolution AS INTEGER), "
      "CAST(:visible AS INTEGER), CAST(:editable AS INTEGER), "
      "CAST(:for_customers AS INTEGER), CAST(:pattern AS TEXT), "
      "COALESCE(CAST(:sort_order AS INTEGER), MAX(sort_order) + 1, 1), CAST(:enabled AS INTEGER), "
      "CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
      "FROM custom_fields WHERE area = :area AND is_system = 0 "
      "RETURNING id");
QUERY(custom_fields_counted,
      "SELECT COUNT(*) FROM custom_fields WHERE area = :area AND deleted_at IS NULL AND is_system = 0");
/* The key becomes the id, so that the old key is free: no valid key begins with a digit. */
QUERY(custom_fields_mark,
      "UPDATE custom_fields SET deleted_at = :now, is_enabled = 0, key = CAST(id AS TEXT) "
      "WHERE id IN @LIST(:ids)");
QUERY(option_insert, "INSERT INTO custom_field_options (field_id, tag, sort_order, created_at, updated_at) "
                     "VALUES (:field, :tag, :sort_order, :now, :now) "
                     "RETURNING id");
QUERY(option_update, "UPDATE custom_field_options "
                     "SET sort_order = :sort_order, tag = CASE WHEN :tagged = 1 THEN CAST(:tag AS TEXT) "
                     "ELSE tag END, updated_at = :now "
                     "WHERE id = :id AND (sort_order <> :sort_order OR (:tagged = 1 AND COALESCE(tag, "
                     "'') <> COALESCE(CAST(:tag AS TEXT), '')))");
QUERY(option_drop, "DELETE FROM custom_field_options WHERE id = :id");
QUERY(option_of_field, "SELECT 1 FROM custom_field_options WHERE id = :id AND field_id = :field");

QUERY(field_used, "SELECT 1 FROM field_values WHERE field_id = :field LIMIT 1");
/* For a single choice, the value is the option's id. */
QUERY(option_used, "SELECT o.id FROM custom_field_options o "
                   "WHERE o.field_id = :field AND o.id NOT IN @LIST(:kept) AND EXISTS (SELECT 1 "
                   "FROM field_values v WHERE v.field_id = :field AND v.value_key = CAST(o.id AS TEXT)) "
                   "ORDER BY o.id LIMIT 1");
/* The distinct values, read by jumps in the index: a million people share some dozens. Keys of maximum
 * length may be cut, so their values are read in full. */
QUERY(field_choices,
      "WITH RECURSIVE k (value) AS (SELECT MIN(value_key) FROM field_values "
      "WHERE field_id = :field UNION ALL SELECT (SELECT MIN(v.value_key) FROM field_values v "
      "WHERE v.field_id = :field AND v.value_key > k.value) FROM k WHERE k.value IS NOT NULL) "
      "SELECT value FROM k WHERE LENGTH(value) < :most "
      "UNION ALL SELECT v.value FROM k JOIN field_values v ON v.field_id = :field AND v.value_key = k.value "
      "WHERE LENGTH(k.value) >= :most");

int custom_field_create(struct work *w, const struct custom_field_new *n, int64_t *id) {
    const struct custom_field *f = &n->field;
    TRY(custom_fields_changed(w));
    return db_insert(
        w->conn, &custom_field_insert,
        BINDS(B_INT("area", f->area), B_INT("type", f->type), B_TEXT("key", f->key),
              B_INT("for_agents", f->is_required_for_agents),
              B_INT("on_resolution", n->is_required_on_resolution),
              B_INT("visible", f->is_visible_to_customers), B_INT("editable", f->is_customer_editable),
              B_INT("for_customers", f->is_required_for_customers), B_TEXT("pattern", f->regular_expression),
              B_ID("sort_order", n->sort_order), B_INT("enabled", f->is_enabled), B_INT("now", w->now)),
        id);
}

int custom_fields_count(struct work *w, enum field_area area, int64_t *count) {
    return db_int(w->conn, &custom_fields_counted, BINDS(B_INT("area", area)), count);
}

int custom_field_used(struct work *w, const struct custom_field *f) {
    int64_t one;
    return db_int(w->conn, &field_used, BINDS(B_INT("field", f->id)), &one);
}

int field_option_of(struct work *w, int64_t field_id, int64_t option_id) {
    int64_t one;
    return db_int(w->conn, &option_of_field, BINDS(B_INT("field", field_id), B_INT("id", option_id)), &one);
}

/* Searches the distinct values of a field with several choices. */
static int several_in_use(struct work *w, const struct custom_field *f, const int64_t *going, int n,
                          int64_t *id) {
    int found = 0, rc;
    DB_ROWS(rc, w->conn, &field_choices, BINDS(B_INT("field", f->id), B_INT("most", LIMIT_VALUE_KEY)), row)
    for (struct str rest = col_text(row, 0); rest.p && !found;)
        found = str_to_int(str_cut(&rest, ','), id) && ids_have(going, n, *id);
    return rc < 0 ? rc : found;
}

QUERY(options_not_kept,
      "SELECT id FROM custom_field_options WHERE field_id = :field AND id NOT IN @LIST(:kept) ORDER BY id");

int field_option_in_use(struct work *w, const struct custom_field *f, struct str kept, int64_t *id) {
    const struct bind *binds = BINDS(B_INT("field", f->id), B_TEXT("kept", kept));
    int64_t *going;
    if (f->type != FIELD_CHECKBOX) return db_int(w->conn, &option_used, binds, id);
    int n = db_ids(w->conn, &options_not_kept, binds, w->arena, &going);
    return n <= 0 ? n : several_in_use(w, f, going, n, id);
}

int field_options_replace(struct work *w, int64_t field_id, const struct option_wanted *list, int count) {
    int64_t *kept = arena_array(w->arena, (size_t)count + 1, sizeof *kept), *going;
    size_t n = 0;
    for (int i = 0; i < count; i++)
        if (list[i].id) kept[n++] = list[i].id;
    int gone = db_ids(w->conn, &options_not_kept,
                      BINDS(B_INT("field", field_id), B_TEXT("kept", json_ids(w->arena, kept, n))), w->arena,
                      &going);
    TRY(gone);
    TRY(translations_remove(w, TITLE_OF_OPTION, json_ids(w->arena, going, (size_t)gone)));
    for (int i = 0; i < gone; i++) TRY(db_exec(w->conn, &option_drop, BINDS(B_INT("id", going[i]))));
    for (int i = 0; i < count; i++) {
        int64_t id = list[i].id;
        const struct bind *binds =
            BINDS(B_INT("field", field_id), B_INT("id", id), B_INT("sort_order", list[i].sort_order),
                  B_TEXT("tag", list[i].tag), B_INT("tagged", list[i].is_tagged), B_INT("now", w->now));
        if (id) TRY(db_exec(w->conn, &option_update, binds));
        else TRY(db_insert(w->conn, &option_insert, binds, &id));
        if (list[i].titles)
            TRY(translations_replace(w, TITLE_OF_OPTION, id, list[i].titles, list[i].title_count));
    }
    return 0;
}

int custom_fields_remove(struct work *w, struct str ids) {
    TRY(db_exec(w->conn, &custom_fields_mark, BINDS(B_TEXT("ids", ids), B_INT("now", w->now))));
    TRY(custom_fields_changed(w));
    TRY(translations_remove(w, TITLE_OF_FIELD, ids));
    TRY(translations_remove(w, CUSTOMER_TITLE_OF_FIELD, ids));
    TRY(translations_remove(w, DESCRIPTION_OF_FIELD, ids));
    return cascade(w, CASCADE_FIELD, ids);
}
