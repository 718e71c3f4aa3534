#include "core/helpcenter/section.h"

#include "base/ids.h"
#include "core/desk/cascade.h"
#include "core/change/change.h"
#include "core/people/tag.h"
#include "json/json.h"

QUERY(section_placed,
      "UPDATE sections SET sort_order = (SELECT COALESCE(MAX(s.sort_order), 0) + 1 FROM sections s "
      "WHERE s.category_id = sections.category_id AND s.id <> sections.id) "
      "WHERE id = :id");
QUERY(section_created_by, "UPDATE sections SET agent_id = :user WHERE id = :id");
QUERY(section_seen_by, "SELECT visibility FROM sections WHERE id = :id");
QUERY(sections_seen_by, "SELECT COALESCE(MAX(visibility), 1) FROM sections WHERE id IN @LIST(:ids)");

int section_place(struct work *w, int64_t id) {
    return db_exec(w->conn, &section_placed, BINDS(B_INT("id", id)));
}

int section_set_creator(struct work *w, int64_t id, int64_t user_id) {
    return db_exec(w->conn, &section_created_by, BINDS(B_INT("id", id), B_INT("user", user_id)));
}

int section_visibility(struct work *w, int64_t id, int64_t *visibility) {
    return db_int(w->conn, &section_seen_by, BINDS(B_INT("id", id)), visibility);
}

int sections_widest(struct work *w, struct str ids, int64_t *visibility) {
    return db_int(w->conn, &sections_seen_by, BINDS(B_TEXT("ids", ids)), visibility);
}

/* ---- tags and teams -------------------------------------------------------------------------- */

QUERY(section_tags_drop, "DELETE FROM section_tags WHERE section_id = :id");
QUERY(section_tags_add, "INSERT INTO section_tags (section_id, tag_id) "
                        "SELECT CAST(:id AS BIGINT), g.id FROM tags g "
                        "WHERE g.gone = 0 AND g.name_key IN @TEXTS(:keys)");
QUERY(section_teams_drop, "DELETE FROM section_teams WHERE section_id = :id");
QUERY(section_teams_add, "INSERT INTO section_teams (section_id, team_id) "
                         "SELECT CAST(:id AS BIGINT), g.id FROM teams g "
                         "WHERE g.id IN @LIST(:teams) AND g.deleted_at IS NULL");
QUERY(section_teams_alive,
      "SELECT id FROM teams WHERE id IN @LIST(:teams) AND deleted_at IS NULL ORDER BY id @HOLD@");
QUERY(sections_untag,
      "DELETE FROM section_tags "
      "WHERE section_id IN (SELECT s.id FROM sections s WHERE s.id IN @LIST(:ids) AND s.visibility = 1)");
QUERY(section_limit,
      "UPDATE sections SET is_limited_to_teams = CASE WHEN EXISTS (SELECT 1 FROM section_teams k "
      "WHERE k.section_id = sections.id) THEN 1 ELSE 0 END "
      "WHERE id = :id");
QUERY(sections_unlimit,
      "UPDATE sections SET is_limited_to_teams = 0 WHERE id IN @LIST(:ids) AND visibility <> 3");
QUERY(sections_unteam,
      "DELETE FROM section_teams "
      "WHERE section_id IN (SELECT s.id FROM sections s WHERE s.id IN @LIST(:ids) AND s.visibility <> 3)");

int section_tags_put(struct work *w, int64_t id, const struct str *names, int count) {
    struct str keys;
    TRY(tags_made(w, names, count, &keys));
    TRY(db_exec(w->conn, &section_tags_drop, BINDS(B_INT("id", id))));
    return db_exec(w->conn, &section_tags_add, BINDS(B_INT("id", id), B_TEXT("keys", keys)));
}

int section_teams_put(struct work *w, int64_t id, struct str team_ids) {
    TRY(db_exec(w->conn, &section_teams_drop, BINDS(B_INT("id", id))));
    TRY(db_exec(w->conn, &section_teams_add, BINDS(B_INT("id", id), B_TEXT("teams", team_ids))));
    return db_exec(w->conn, &section_limit, BINDS(B_INT("id", id)));
}

int section_teams_known(struct work *w, struct str team_ids, int64_t **known) {
    return db_ids(w->conn, &section_teams_alive, BINDS(B_TEXT("teams", team_ids)), w->arena, known);
}

int sections_drop_unused(struct work *w, struct str ids) {
    TRY(db_exec(w->conn, &sections_untag, BINDS(B_TEXT("ids", ids))));
    TRY(db_exec(w->conn, &sections_unteam, BINDS(B_TEXT("ids", ids))));
    return db_exec(w->conn, &sections_unlimit, BINDS(B_TEXT("ids", ids)));
}

/* ---- order ----------------------------------------------------------------------------------- */

/* A brand shows the sections of its own categories and of the categories without a brand. */
#define OF_BRAND                                                                              \
    "s.deleted_at IS NULL AND EXISTS (SELECT 1 FROM categories g WHERE g.id = s.category_id " \
    "AND g.deleted_at IS NULL AND (g.brand_id IS NULL OR g.brand_id = :brand))"
#define DEFAULT_BRAND "(SELECT b.id FROM brands b WHERE b.is_default = 1)"
QUERY(section_of_brand,
      "SELECT COALESCE((SELECT g.brand_id FROM sections s JOIN categories g ON g.id = s.category_id "
      "WHERE s.id = :id), " DEFAULT_BRAND ")");
QUERY(sections_listed, "SELECT s.id, s.sort_order FROM sections s WHERE s.id IN @LIST(:ids) AND " OF_BRAND
                       " ORDER BY s.id @LOCK@");
/* The list is materialized, so that a section finds its place by an index: otherwise each section would
 * read the whole list. */
QUERY(sections_numbered,
      "UPDATE sections SET sort_order = p.place, updated_at = :now "
      "FROM (WITH l AS MATERIALIZED (SELECT CAST(r.value ->> 0 AS BIGINT) AS id, "
      "CAST(r.value ->> 1 AS BIGINT) AS place FROM @ROWS(:rows) r) SELECT s.id, "
      "ROW_NUMBER() OVER (ORDER BY COALESCE(l.place, CAST(:behind AS BIGINT)), s.sort_order, "
      "s.id) AS place FROM sections s LEFT JOIN l ON l.id = s.id WHERE " OF_BRAND
      ") p WHERE p.id = sections.id AND sections.sort_order <> p.place");

int section_brand(struct work *w, int64_t id, int64_t *brand_id) {
    return db_int(w->conn, &section_of_brand, BINDS(B_INT("id", id)), brand_id);
}

/* Places as rows [id, place]. */
static struct str places_json(struct arena *a, const int64_t *ids, int count) {
    struct buf b = {0};
    buf_char(&b, '[');
    for (int i = 0; i < count; i++) buf_fmt(&b, "%s[%lld,%d]", i ? "," : "", (long long)ids[i], i + 1);
    buf_char(&b, ']');
    return buf_take(&b, a);
}

/* Records the listed sections only: the others move by the same number of places at most. */
int sections_reorder(struct work *w, int64_t brand_id, const int64_t *ids, int count) {
    bool *found = arena_array(w->arena, (size_t)count + 1, sizeof *found);
    struct str list = json_ids(w->arena, ids, (size_t)count);
    int rc, at = 0;
    TRY(db_lock(w->conn, S("sections")));
    DB_ROWS(rc, w->conn, &sections_listed, BINDS(B_TEXT("ids", list), B_INT("brand", brand_id)), row) {
        at = ids_place(ids, count, col_int(row, 0));
        found[at] = true;
        change_property(w, (struct changed){"section", ids[at], 0}, "sort_order",
                        changed_number(col_int(row, 1)), changed_number(at + 1));
    }
    TRY(rc);
    for (at = 0; at < count && found[at];) at++;
    if (at < count) return at + 1;
    rc = db_exec(w->conn, &sections_numbered,
                 BINDS(B_TEXT("rows", places_json(w->arena, ids, count)), B_INT("brand", brand_id),
                       B_INT("behind", count + 1), B_INT("now", w->now)));
    return rc < 0 ? rc : 0;
}

/* ---- deletion -------------------------------------------------------------------------------- */

QUERY(sections_mark, "UPDATE sections SET deleted_at = :now, updated_at = :now WHERE id IN @LIST(:ids)");

int sections_delete(struct work *w, struct str ids) {
    TRY(changes_deleted(w, "section", ids));
    TRY(db_exec(w->conn, &sections_mark, BINDS(B_TEXT("ids", ids), B_INT("now", w->now))));
    return cascade(w, CASCADE_SECTION, ids);
}
