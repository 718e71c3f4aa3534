#include "core/people/tag.h"

#include "base/fold.h"
#include "base/limits.h"
#include "core/change/change.h"
#include "core/people/name_index.h"
#include "json/json.h"

#include <stdlib.h>

QUERY(tag_by_key, "SELECT id FROM tags WHERE name_key = :key AND gone = 0 @HOLD@");
QUERY(tag_make, "INSERT INTO tags (name, name_key, created_at) "
                "VALUES (:name, :key, :now) ON CONFLICT (name_key, gone) DO NOTHING "
                "RETURNING id");

QUERY(user_tags_add, "INSERT INTO user_tags (user_id, tag_id) "
                     "SELECT CAST(:owner AS BIGINT), id FROM tags "
                     "WHERE gone = 0 AND name_key IN @TEXTS(:keys) ON CONFLICT (user_id, tag_id) DO NOTHING");
QUERY(user_tags_keep,
      "DELETE FROM user_tags "
      "WHERE user_id = :owner AND tag_id NOT IN (SELECT id FROM tags WHERE name_key IN @TEXTS(:keys))");
QUERY(user_tags_drop,
      "DELETE FROM user_tags "
      "WHERE user_id = :owner AND tag_id IN (SELECT id FROM tags WHERE name_key IN @TEXTS(:keys))");
QUERY(user_tags_count, "SELECT COUNT(*) FROM user_tags WHERE user_id = :owner");
QUERY(user_tags_listed, "SELECT tag_id FROM user_tags WHERE user_id = :owner ORDER BY tag_id LIMIT :most");
QUERY(user_tags_changed, "UPDATE users SET updated_at = :now WHERE id = :owner");

QUERY(organization_tags_add,
      "INSERT INTO organization_tags (organization_id, tag_id) "
      "SELECT CAST(:owner AS BIGINT), id FROM tags "
      "WHERE gone = 0 AND name_key IN @TEXTS(:keys) ON CONFLICT (organization_id, tag_id) DO NOTHING");
QUERY(organization_tags_keep,
      "DELETE FROM organization_tags WHERE organization_id = :owner AND tag_id NOT IN (SELECT id FROM tags "
      "WHERE name_key IN @TEXTS(:keys))");
QUERY(organization_tags_drop,
      "DELETE FROM organization_tags "
      "WHERE organization_id = :owner AND tag_id IN (SELECT id FROM tags WHERE name_key IN @TEXTS(:keys))");
QUERY(organization_tags_count, "SELECT COUNT(*) FROM organization_tags WHERE organization_id = :owner");
QUERY(organization_tags_listed,
      "SELECT tag_id FROM organization_tags WHERE organization_id = :owner ORDER BY tag_id LIMIT :most");
QUERY(organization_tags_changed, "UPDATE organizations SET updated_at = :now WHERE id = :owner");

const struct tagging user_tagging = {.add = &user_tags_add,
                                     .keep = &user_tags_keep,
                                     .drop = &user_tags_drop,
                                     .count = &user_tags_count,
                                     .listed = &user_tags_listed,
                                     .changed = &user_tags_changed,
                                     .diffed = DIFFED_USER};
const struct tagging organization_tagging = {.add = &organization_tags_add,
                                             .keep = &organization_tags_keep,
                                             .drop = &organization_tags_drop,
                                             .count = &organization_tags_count,
                                             .listed = &organization_tags_listed,
                                             .changed = &organization_tags_changed,
                                             .diffed = DIFFED_ORGANIZATION};

struct str tag_key(struct arena *a, struct str name) {
    name = str_trim(name);
    if (name.n == 0 || utf8_count(name) > LIMIT_TAG) return (struct str){0};
    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7F || name.p[i] == ',') return (struct str){0};
    struct str key = fold_key(a, name);
    return key.n ? key : (struct str){0};
}

struct named {
    struct str name, key;
};

static int compare_tags(const void *x, const void *y) {
    struct str a = ((const struct named *)x)->key, b = ((const struct named *)y)->key;
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Sorted by key, so that two writers that make the same tags lock them in the same order and can't
 * deadlock. */
static struct named *sorted(struct arena *a, const struct str *names, int count) {
    struct named *list = arena_array(a, (size_t)count + 1, sizeof *list);
    for (int i = 0; i < count; i++) list[i] = (struct named){str_trim(names[i]), tag_key(a, names[i])};
    qsort(list, (size_t)count, sizeof *list, compare_tags);
    return list;
}

static struct str tag_keys(struct arena *a, const struct named *list, int count) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = 0; i < count; i++) jw_str(&w, list[i].key);
    jw_end(&w);
    return buf_take(&b, a);
}

/* A tag that another write makes at the same time is held, too. */
static int make(struct work *w, const struct named *list, int count) {
    int64_t id;
    for (int i = 0; i < count; i++) {
        int rc = db_int(w->conn, &tag_by_key, BINDS(B_TEXT("key", list[i].key)), &id);
        if (rc < 0) return rc;
        if (rc) continue;
        rc = db_int(w->conn, &tag_make,
                    BINDS(B_TEXT("name", list[i].name), B_TEXT("key", list[i].key), B_INT("now", w->now)),
                    &id);
        if (rc == 0) rc = db_int(w->conn, &tag_by_key, BINDS(B_TEXT("key", list[i].key)), &id);
        else if (rc == 1) rc = name_indexed(w->conn, NAME_TAG, id, (struct str){0}, list[i].key);
        if (rc < 0) return rc;
    }
    return 0;
}

/* The names of an object's tags, with commas; p NULL: it has none. */
static int tag_names(struct work *w, const struct query *named, const struct bind *binds, struct str *out) {
    struct buf b = {0};
    int rc;
    DB_ROWS(rc, w->conn, named, binds, row) {
        if (b.n) buf_text(&b, ", ");
        buf_str(&b, col_text(row, 0));
    }
    *out = b.n ? buf_take(&b, w->arena) : (struct str){0};
    return rc;
}

static int tags_change(struct work *w, const struct tagging *t, int64_t owner_id, const struct query *first,
                       const struct query *second, const struct named *list, int count) {
    const struct bind *binds = BINDS(
        B_INT("owner", owner_id), B_TEXT("keys", tag_keys(w->arena, list, count)),
        B_ID("actor", w->actor.user_id), B_INT("by_rule", w->actor.kind == ACTOR_RULE), B_INT("now", w->now));
    struct str before, after;
    if (t->diffed) TRY(object_diff_begin(w, t->diffed, owner_id));
    TRY(db_exec(w->conn, t->changed, binds));
    if (t->named) TRY(tag_names(w, t->named, binds, &before));
    if (t->counted) TRY(t->counted(w, owner_id, -1));
    TRY(db_exec(w->conn, first, binds));
    if (second) TRY(db_exec(w->conn, second, binds));
    if (t->counted) TRY(t->counted(w, owner_id, 1));
    if (t->named == NULL) return 0;
    TRY(tag_names(w, t->named, binds, &after));
    struct changed object = {t->kind, owner_id, t->counted ? owner_id : 0};
    change_property(w, object, "tags", changed_text(before), changed_text(after));
    return 0;
}

int tags_add(struct work *w, const struct tagging *t, int64_t owner_id, const struct str *names, int count) {
    const struct named *list = sorted(w->arena, names, count);
    TRY(make(w, list, count));
    return tags_change(w, t, owner_id, t->add, NULL, list, count);
}

int tags_replace(struct work *w, const struct tagging *t, int64_t owner_id, const struct str *names,
                 int count) {
    const struct named *list = sorted(w->arena, names, count);
    TRY(make(w, list, count));
    return tags_change(w, t, owner_id, t->keep, t->add, list, count);
}

int tags_remove(struct work *w, const struct tagging *t, int64_t owner_id, const struct str *names,
                int count) {
    return tags_change(w, t, owner_id, t->drop, NULL, sorted(w->arena, names, count), count);
}

int tags_of(struct work *w, const struct tagging *t, int64_t owner_id, int64_t **ids) {
    return db_ids(w->conn, t->listed, BINDS(B_INT("owner", owner_id), B_INT("most", LIMIT_TAGS)), w->arena,
                  ids);
}

int tags_count(struct work *w, const struct tagging *t, int64_t owner_id, int64_t *count) {
    return db_int(w->conn, t->count, BINDS(B_INT("owner", owner_id)), count);
}

int tags_made(struct work *w, const struct str *names, int count, struct str *keys) {
    const struct named *list = sorted(w->arena, names, count);
    *keys = tag_keys(w->arena, list, count);
    return make(w, list, count);
}
