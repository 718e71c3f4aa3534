/* A tag is one row, and its owners refer to the row. So a rename is one UPDATE, and a cascade only logs the
 * owners, because the search index has the name. A merge or a deletion marks the row (tags.gone), and a
 * cascade changes the rows that refer to it.
 *
 *     merge     the marked row gets the name and the key of the survivor. Filters, conditions and the facts
 *               of rules look by key and find both rows, so they see the final state from the first write
 *               on. tags.gone is part of the unique key.
 *     deletion  the marked row has no name. Readers leave it out (TAG_IS_SHOWN).
 *
 * No row escapes: a write that adds a tag holds the row of the tag (@HOLD@ in core/people/tag.c), so the mark
 * waits for it, and later writes do not find the marked row. A part of a merge holds the merged tag and the
 * survivor while it moves rows, because the survivor may be renamed, merged or deleted meanwhile: then the
 * merged tag follows in the same write.
 *
 * A section is open to those who carry one of its tags. Without its last tag it would be open to all who are
 * logged in, so the deletion of such a tag is refused. A merge gives people with one tag what those with the
 * other one see, which is its meaning; sections move before people. */
#include "core/rules/tag_change.h"

#include "core/cases/total_sql.h"
#include "core/change/change.h"
#include "core/change/last_change.h"
#include "core/desk/cascade.h"
#include "core/people/name_index.h"
#include "core/people/tag.h"
#include "core/rules/tag_names.h"
#include "core/search/follow.h"
#include "json/json.h"

/* ---- cascades -------------------------------------------------------------------------------- */

/* The next owners of the tag, locked: `after` is a condition on k, or "". */
#define OWNERS_OF_TAG(owners, table, owner, after)                                   \
    "SELECT t.id, 0 FROM " owners " t WHERE t.id IN (SELECT k." owner " FROM " table \
    " k WHERE k.tag_id = :id" after " ORDER BY k." owner " LIMIT :most) ORDER BY t.id @LOCK@"
#define AFTER(owner) " AND k." owner " > :after"
#define LOG_TAGS(kind, table, owner, case_id)                                                     \
    "INSERT INTO change_log (kind, object_id, case_id, verb, property, actor_id, actor_kind, "    \
    "cause, changed_at) SELECT '" kind "', k." owner ", " case_id ", 3, 'tags', "                 \
    "CAST(:actor AS BIGINT), CAST(:actor_kind AS INTEGER), CAST(:cause AS TEXT), "                \
    "CAST(:now AS BIGINT) FROM " table " k WHERE k.tag_id = :id AND k." owner " IN @LIST(:rows) " \
    "ORDER BY k." owner
#define NO_CASE "CAST(NULL AS BIGINT)"
QUERY(tag_cases_log, LOG_TAGS("case", "case_tags", "case_id", "k.case_id"));
QUERY(tag_users_log, LOG_TAGS("user", "user_tags", "user_id", NO_CASE));
QUERY(tag_organizations_log, LOG_TAGS("organization", "organization_tags", "organization_id", NO_CASE));
QUERY(tag_articles_log, LOG_TAGS("article", "article_tags", "article_id", NO_CASE));

QUERY(tag_named_cases, OWNERS_OF_TAG("cases", "case_tags", "case_id", AFTER("case_id")));
QUERY(tag_named_users, OWNERS_OF_TAG("users", "user_tags", "user_id", AFTER("user_id")));
QUERY(tag_named_organizations,
      OWNERS_OF_TAG("organizations", "organization_tags", "organization_id", AFTER("organization_id")));
QUERY(tag_named_articles, OWNERS_OF_TAG("articles", "article_tags", "article_id", AFTER("article_id")));

const struct step tag_named_steps[] = {
    {&tag_named_cases, {&tag_cases_log}, 1},
    {&tag_named_users, {&tag_users_log}, 1},
    {&tag_named_organizations, {&tag_organizations_log}, 1},
    {&tag_named_articles, {&tag_articles_log}, 1},
    {0},
};

#define SURVIVOR "(SELECT m.merged_into_id FROM tags m WHERE m.id = :id)"
QUERY(tag_hold, "SELECT g.id FROM tags g WHERE g.id = :id @HOLD@");
QUERY(tag_hold_survivor, "SELECT g.id FROM tags g WHERE g.id = " SURVIVOR " @HOLD@");
#define GOES_ON(table, owner)                                                                    \
    "INSERT INTO " table " (" owner ", tag_id) SELECT k." owner ", m.merged_into_id FROM " table \
    " k JOIN tags m ON m.id = k.tag_id WHERE k.tag_id = :id AND m.merged_into_id IS NOT NULL "   \
    "AND k." owner " IN @LIST(:rows) ON CONFLICT (" owner ", tag_id) DO NOTHING"
#define LEAVES(table, owner) "DELETE FROM " table " WHERE tag_id = :id AND " owner " IN @LIST(:rows)"
/* The counters of both tags, before and after the rows move. */
#define BOTH " AND (k.tag_id = :id OR k.tag_id = " SURVIVOR ") AND t.id IN @LIST(:rows)"
QUERY(tag_cases, OWNERS_OF_TAG("cases", "case_tags", "case_id", ""));
QUERY(tag_cases_uncounted, TOTALS_CHANGE("-", TAG_TOTALS(BOTH)));
QUERY(tag_cases_go_on, GOES_ON("case_tags", "case_id"));
QUERY(tag_cases_leave, LEAVES("case_tags", "case_id"));
QUERY(tag_cases_counted, TOTALS_CHANGE("", TAG_TOTALS(BOTH)));
QUERY(tag_users, OWNERS_OF_TAG("users", "user_tags", "user_id", ""));
QUERY(tag_users_go_on, GOES_ON("user_tags", "user_id"));
QUERY(tag_users_leave, LEAVES("user_tags", "user_id"));
QUERY(tag_organizations, OWNERS_OF_TAG("organizations", "organization_tags", "organization_id", ""));
QUERY(tag_organizations_go_on, GOES_ON("organization_tags", "organization_id"));
QUERY(tag_organizations_leave, LEAVES("organization_tags", "organization_id"));
QUERY(tag_articles, OWNERS_OF_TAG("articles", "article_tags", "article_id", ""));
QUERY(tag_articles_go_on, GOES_ON("article_tags", "article_id"));
QUERY(tag_articles_leave, LEAVES("article_tags", "article_id"));
QUERY(tag_sections, OWNERS_OF_TAG("sections", "section_tags", "section_id", ""));
QUERY(tag_sections_go_on, GOES_ON("section_tags", "section_id"));
QUERY(tag_sections_leave, LEAVES("section_tags", "section_id"));
QUERY(tag_macros, OWNERS_OF_TAG("macros", "macro_tags", "macro_id", ""));
QUERY(
    tag_macros_go_on,
    "INSERT INTO macro_tags (macro_id, tag_id, is_removed) SELECT k.macro_id, m.merged_into_id, k.is_removed "
    "FROM macro_tags k JOIN tags m ON m.id = k.tag_id WHERE k.tag_id = :id "
    "AND m.merged_into_id IS NOT NULL AND k.macro_id IN @LIST(:rows) "
    "ON CONFLICT (macro_id, is_removed, tag_id) DO NOTHING");
QUERY(tag_macros_leave, LEAVES("macro_tags", "macro_id"));
/* A macro that replaced one of the two tags by the other one adds the survivor. */
QUERY(tag_macros_agree,
      "DELETE FROM macro_tags WHERE is_removed = 1 AND tag_id = " SURVIVOR " AND macro_id IN @LIST(:rows) "
      "AND EXISTS (SELECT 1 FROM macro_tags o WHERE o.macro_id = macro_tags.macro_id "
      "AND o.tag_id = macro_tags.tag_id AND o.is_removed = 0)");
QUERY(tag_uncount, "DELETE FROM case_totals WHERE kind = 7 AND id = :id");
QUERY(tag_drop, "DELETE FROM tags WHERE id = :id");

const struct step tag_leave_steps[] = {
    {&tag_sections, {&tag_hold, &tag_hold_survivor, &tag_sections_go_on, &tag_sections_leave}, 1},
    {&tag_users, {&tag_hold, &tag_hold_survivor, &tag_users_log, &tag_users_go_on, &tag_users_leave}, 2},
    {&tag_cases,
     {&tag_hold, &tag_hold_survivor, &tag_cases_log, &tag_cases_uncounted, &tag_cases_go_on, &tag_cases_leave,
      &tag_cases_counted},
     3},
    {&tag_organizations,
     {&tag_hold, &tag_hold_survivor, &tag_organizations_log, &tag_organizations_go_on,
      &tag_organizations_leave},
     2},
    {&tag_articles,
     {&tag_hold, &tag_hold_survivor, &tag_articles_log, &tag_articles_go_on, &tag_articles_leave},
     2},
    {&tag_macros,
     {&tag_hold, &tag_hold_survivor, &tag_macros_go_on, &tag_macros_leave, &tag_macros_agree},
     1},
    {NULL, {&tag_uncount, &tag_drop}, 1},
    {0},
};

int tag_part(struct work *w, const int64_t *ids, size_t count) {
    (void)ids, (void)count;
    search_logged(w);
    return 0;
}

/* ---- the write ------------------------------------------------------------------------------- */

QUERY(tags_locked,
      "SELECT id, name, name_key FROM tags WHERE id IN @LIST(:ids) AND gone = 0 ORDER BY id @LOCK@");
QUERY(tag_with_key, "SELECT 1 FROM tags WHERE name_key = :key AND gone = 0 AND id <> :id");
QUERY(tag_rename_row, "UPDATE tags SET name = :name, name_key = :key WHERE id = :id OR merged_into_id = :id");
QUERY(tag_mark_merged, "UPDATE tags SET gone = id, merged_into_id = :survivor, name = :name, name_key = :key "
                       "WHERE id = :id OR merged_into_id = :id");
QUERY(tag_mark_deleted, "UPDATE tags SET gone = id, merged_into_id = NULL, name = '', name_key = '' "
                        "WHERE id = :id OR merged_into_id = :id");
QUERY(tag_is_of_articles, "SELECT 1 FROM article_tags WHERE tag_id IN @LIST(:ids) LIMIT 1");
QUERY(tag_is_of_section,
      "SELECT section_id FROM section_tags WHERE tag_id = :id ORDER BY section_id LIMIT 1");

int tags_lock(struct work *w, const int64_t *ids, int count, struct tag_row **out) {
    struct tag_row *list = *out = arena_array(w->arena, (size_t)count + 1, sizeof *list);
    int rc, n = 0;
    DB_ROWS(rc, w->conn, &tags_locked, BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)count))), row)
    list[n++] = (struct tag_row){col_int(row, 0), str_dup(w->arena, col_text(row, 1)),
                                 str_dup(w->arena, col_text(row, 2))};
    return rc < 0 ? rc : n;
}

int tag_key_taken(struct work *w, int64_t id, struct str key) {
    int64_t one;
    return db_int(w->conn, &tag_with_key, BINDS(B_TEXT("key", key), B_INT("id", id)), &one);
}

static struct changed tag_object(const struct tag_row *t) { return (struct changed){"tag", t->id, 0}; }

/* Readers that show or find these tags by name read them anew. */
static int tags_changed(struct work *w, enum cascade what, const struct tag_row *tags, int count) {
    int64_t one, *ids = arena_array(w->arena, (size_t)count + 1, sizeof *ids);
    for (int i = 0; i < count; i++) ids[i] = tags[i].id;
    struct str list = json_ids(w->arena, ids, (size_t)count);
    TRY(last_change_note(w, S(CHANGE_OF_TAGS)));
    int articles = db_int(w->conn, &tag_is_of_articles, BINDS(B_TEXT("ids", list)), &one);
    TRY(articles);
    if (articles) TRY(search_articles_anew(w));
    return cascade(w, what, list);
}

int tag_rename(struct work *w, const struct tag_row *tag, struct str name) {
    struct str key = tag_key(w->arena, name);
    if (str_eq(name, tag->name)) return 0;
    TRY(db_exec(w->conn, &tag_rename_row,
                BINDS(B_INT("id", tag->id), B_TEXT("name", name), B_TEXT("key", key))));
    TRY(name_indexed(w->conn, NAME_TAG, tag->id, tag->key, key));
    TRY(tag_names_follow(w, tag->key, name));
    change_property(w, tag_object(tag), "name", changed_text(tag->name), changed_text(name));
    return tags_changed(w, CASCADE_TAG_NAMED, tag, 1);
}

int tags_merge(struct work *w, const struct tag_row *survivor, const struct tag_row *merged, int count) {
    for (int i = 0; i < count; i++) {
        TRY(name_indexed(w->conn, NAME_TAG, merged[i].id, merged[i].key, (struct str){0}));
        TRY(db_exec(w->conn, &tag_mark_merged,
                    BINDS(B_INT("id", merged[i].id), B_INT("survivor", survivor->id),
                          B_TEXT("name", survivor->name), B_TEXT("key", survivor->key))));
        TRY(tag_names_follow(w, merged[i].key, survivor->name));
        change_property(w, tag_object(&merged[i]), "merged_into", changed_text(merged[i].name),
                        changed_text(survivor->name));
        change_deleted(w, tag_object(&merged[i]));
    }
    return tags_changed(w, CASCADE_TAG, merged, count);
}

/* A refusal names what has the tag. */
static int tag_may_go(struct work *w, const struct tag_row *t) {
    struct str who = {0};
    int64_t section = 0;
    int narrowed = db_int(w->conn, &tag_is_of_section, BINDS(B_INT("id", t->id)), &section);
    TRY(narrowed);
    if (narrowed)
        return fail_state(w,
                          "Section %lld of the help center is open to people with the tag \"%.*s\". Change "
                          "the section, or merge the tag into another one.",
                          (long long)section, (int)t->name.n, t->name.p);
    int named = tag_is_named(w, t->key, &who);
    TRY(named);
    if (named)
        return fail_state(w, "%.*s names the tag \"%.*s\". Change it, or merge the tag into another one.",
                          (int)who.n, who.p, (int)t->name.n, t->name.p);
    return 0;
}

int tags_delete(struct work *w, const struct tag_row *tags, int count) {
    for (int i = 0; i < count; i++) TRY(tag_may_go(w, &tags[i]));
    for (int i = 0; i < count; i++) {
        TRY(name_indexed(w->conn, NAME_TAG, tags[i].id, tags[i].key, (struct str){0}));
        TRY(db_exec(w->conn, &tag_mark_deleted, BINDS(B_INT("id", tags[i].id))));
        change_property(w, tag_object(&tags[i]), "name", changed_text(tags[i].name), changed_nothing());
        change_deleted(w, tag_object(&tags[i]));
    }
    return tags_changed(w, CASCADE_TAG, tags, count);
}
