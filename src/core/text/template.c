#include "core/text/template.h"

#include "core/change/change.h"

#include "base/limits.h"
#include "core/change/last_change.h"

#include <assert.h>

const struct template *template_named(struct str name) {
    for (const struct template *t = templates; t->name; t++)
        if (str_eq(str_of(t->name), name)) return t;
    return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

QUERY(template_of_default,
      "SELECT t.contents, l.locale FROM brands b "
      "JOIN locales l ON l.id = b.locale_id JOIN templates t ON t.brand_id = b.id AND t.name = :name "
      "WHERE b.is_default = 1 OR b.id = :brand "
      "ORDER BY CASE WHEN b.id = :brand THEN 0 ELSE 1 END "
      "LIMIT 1");
QUERY(templates_own, "SELECT name, contents FROM templates "
                     "WHERE brand_id = :brand AND (CAST(:name AS TEXT) IS NULL OR name = :name)");
QUERY(template_version_of,
      "SELECT contents FROM template_versions WHERE id = :id AND brand_id = :brand AND name = :name");

void template_original(struct arena *a, const struct template *t, struct wording *out) {
    const char *why;
    *out = (struct wording){.language = S("en")};
    bool right = template_parse(a, t, str_of(t->original), &out->blocks, &why);
    assert(right);
}

int template_load(struct work *w, const struct template *t, struct wording *out) {
    return template_load_for(w, t, 0, out);
}

int template_load_for(struct work *w, const struct template *t, int64_t brand_id, struct wording *out) {
    struct arena *a = w->arena;
    struct stmt *row;
    struct template_blocks blocks;
    template_original(a, t, out);
    int rc = db_row(w->conn, &template_of_default,
                    BINDS(B_TEXT("name", str_of(t->name)), B_INT("brand", brand_id)), &row);
    if (rc <= 0) return rc;
    struct str own = str_dup(a, col_text(row, 0)), language = str_dup(a, col_text(row, 1));
    stmt_end(row);
    if (template_parse(a, t, own, &blocks, &out->outdated))
        *out = (struct wording){.blocks = blocks, .language = language};
    return 0;
}

int templates_of_brand(struct work *w, int64_t brand_id, struct str name, struct str own[TEMPLATES_MAX]) {
    int rc;
    memset(own, 0, TEMPLATES_MAX * sizeof *own);
    DB_ROWS(rc, w->conn, &templates_own, BINDS(B_INT("brand", brand_id), B_TEXT("name", name)), row) {
        const struct template *t = template_named(col_text(row, 0));
        assert(t == NULL || t - templates < TEMPLATES_MAX);
        /* NULL: a template that only a newer server has */
        if (t) own[t - templates] = str_dup(w->arena, col_text(row, 1));
    }
    return rc;
}

int template_version(struct work *w, int64_t brand_id, const struct template *t, int64_t id,
                     struct str *contents) {
    const struct bind *binds =
        BINDS(B_INT("id", id), B_INT("brand", brand_id), B_TEXT("name", str_of(t->name)));
    return db_text(w->conn, &template_version_of, binds, w->arena, contents);
}

/* ---- writing --------------------------------------------------------------------------------- */

QUERY(template_keep, "INSERT INTO template_versions (brand_id, name, contents, creator_id, created_at) "
                     "SELECT brand_id, name, contents, creator_id, created_at "
                     "FROM templates WHERE brand_id = :brand AND name = :name");
QUERY(template_keep_original,
      "INSERT INTO template_versions (brand_id, name, contents) VALUES (:brand, :name, :contents)");
QUERY(template_forget,
      "DELETE FROM template_versions "
      "WHERE brand_id = :brand AND name = :name AND id <= (SELECT MAX(s.id) FROM (SELECT v.id, "
      "ROW_NUMBER() OVER (ORDER BY v.id DESC) AS nth, "
      "SUM(LENGTH(v.contents)) OVER (ORDER BY v.id DESC) AS size FROM template_versions v "
      "WHERE v.brand_id = :brand AND v.name = :name) s WHERE s.nth > :kept OR s.size > :size)");
QUERY(template_drop, "DELETE FROM templates WHERE brand_id = :brand AND name = :name");
QUERY(template_say,
      "INSERT INTO templates (brand_id, name, contents, creator_id, created_at) "
      "VALUES (:brand, :name, :contents, CAST(:creator AS BIGINT), :now) "
      "ON CONFLICT (brand_id, name) DO UPDATE "
      "SET contents = excluded.contents, creator_id = excluded.creator_id, created_at = excluded.created_at");

/* Makes a version of the current contents. Deletes the oldest versions above the limits, with a notice. */
static int template_keep_version(struct work *w, const struct bind *binds) {
    int kept = db_exec(w->conn, &template_keep, binds);
    if (kept == 0) kept = db_exec(w->conn, &template_keep_original, binds);
    TRY(kept);
    int gone = db_exec(w->conn, &template_forget, binds);
    if (gone > 0)
        notice(w, "NOTICE",
               "The oldest version was deleted: at most %d versions of %d characters in total "
               "are kept.",
               LIMIT_VERSIONS, LIMIT_VERSIONS_SIZE);
    return gone;
}

int template_put(struct work *w, int64_t brand_id, const struct template *t, struct str contents) {
    struct str own[TEMPLATES_MAX], original = str_of(t->original), name = str_of(t->name);
    TRY(templates_of_brand(w, brand_id, name, own));
    struct str now = own[t - templates].p ? own[t - templates] : original,
               next = contents.p ? contents : original;
    if (str_eq(now, next)) return 0;
    TRY(template_keep_version(w,
                              BINDS(B_INT("brand", brand_id), B_TEXT("name", name), B_TEXT("contents", now),
                                    B_INT("kept", LIMIT_VERSIONS), B_INT("size", LIMIT_VERSIONS_SIZE))));
    TRY(last_change_note(w, last_change_of_template(w->arena, brand_id, t->name)));
    change_named(w, (struct changed){"brand", brand_id, 0}, STR_CAT(w->arena, S("templates."), name).p);
    return db_exec(w->conn, str_eq(next, original) ? &template_drop : &template_say,
                   BINDS(B_INT("brand", brand_id), B_TEXT("name", name), B_TEXT("contents", next),
                         B_ID("creator", w->actor.user_id), B_INT("now", w->now)));
}
