#include "core/helpcenter/article.h"

#include "core/desk/cascade.h"
#include "core/change/change.h"
#include "core/helpcenter/article_attachment.h"
#include "core/helpcenter/version.h"
#include "core/people/tag.h"
#include "core/words.h"
#include "json/json.h"

#include <assert.h>

/* ---- locks and counters ---------------------------------------------------------------------- */

QUERY(article_sections,
      "SELECT DISTINCT a.section_id FROM articles a WHERE a.id IN @LIST(:ids) ORDER BY a.section_id");
QUERY(section_counted,
      "UPDATE sections "
      "SET total_articles = total_articles + :total, published_articles = published_articles + :published "
      "WHERE id = :id");

/* Locks the sections of the list and this one, ascending. */
static int sections_lock(struct work *w, const int64_t *sections, int n, int64_t section_id) {
    int i = 0;
    for (; i < n && (section_id == 0 || sections[i] < section_id); i++)
        TRY(db_lock_row(w->conn, "sections", sections[i]));
    if (section_id) TRY(db_lock_row(w->conn, "sections", section_id));
    for (; i < n; i++) TRY(db_lock_row(w->conn, "sections", sections[i]));
    return 0;
}

static int sections_of(struct work *w, struct str ids, int64_t **sections) {
    return db_ids(w->conn, &article_sections, BINDS(B_TEXT("ids", ids)), w->arena, sections);
}

#define LOCK_ATTEMPTS 10

/* Articles leave a section under its lock only. So if their sections are the same after the locks, they
 * stay the same. If an article was moved while this write waited, the locks are released with the
 * savepoint and taken again in the right order. */
int article_sections_lock(struct work *w, struct str ids, int64_t section_id) {
    int64_t *sections, *now;
    bool alone = !db_shared(w->desk->db);
    int n = sections_of(w, ids, &sections);
    for (int i = 0; !alone && n >= 0 && i < LOCK_ATTEMPTS; i++) {
        TRY(db_savepoint(w->conn, "sections"));
        TRY(sections_lock(w, sections, n, section_id));
        int again = sections_of(w, ids, &now);
        TRY(again);
        if (again == n && (n == 0 || memcmp(now, sections, (size_t)n * sizeof *now) == 0))
            return db_release(w->conn, "sections");
        TRY(db_undo(w->conn, "sections"));
        sections = now, n = again;
    }
    return n < 0 ? n : 0;
}

static int article_counted(struct work *w, int64_t section_id, int status, int more) {
    int published = status == ARTICLE_PUBLISHED ? more : 0;
    return db_exec(w->conn, &section_counted,
                   BINDS(B_INT("id", section_id), B_INT("total", more), B_INT("published", published)));
}

/* An article of section `from` with status `was` now is in section `to` with status `is`. */
static int article_recounted(struct work *w, int64_t from, int was, int64_t to, int is) {
    if (from == to && (was == ARTICLE_PUBLISHED) == (is == ARTICLE_PUBLISHED)) return 0;
    TRY(from <= to ? article_counted(w, from, was, -1) : article_counted(w, to, is, 1));
    return from <= to ? article_counted(w, to, is, 1) : article_counted(w, from, was, -1);
}

/* ---- creation -------------------------------------------------------------------------------- */

QUERY(article_add,
      "INSERT INTO articles (uuid, legacy_id, section_id, status, author_id, creator_id, "
      "keywords, is_featured, allow_comments, sort_order, published_at, texts_user_id, "
      "texts_at, created_at, updated_at) "
      "SELECT CAST(:uuid AS TEXT), CAST(:legacy AS TEXT), s.id, CAST(:status AS INTEGER), "
      "CAST(:author AS BIGINT), CAST(:creator AS BIGINT), CAST(:keywords AS TEXT), "
      "CAST(:featured AS INTEGER), CAST(:comments AS INTEGER), (SELECT COALESCE(MAX(a.sort_order), "
      "0) + 1 FROM articles a WHERE a.section_id = s.id AND a.deleted_at IS NULL), "
      "CAST(:published AS BIGINT), CAST(:writer AS BIGINT), CAST(:now AS BIGINT), "
      "CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
      "FROM sections s WHERE s.id = :section AND s.deleted_at IS NULL "
      "RETURNING id");

int article_insert(struct work *w, const struct article_new *n, int64_t *id) {
    bool published = n->status == ARTICLE_PUBLISHED;
    TRY(db_lock_row(w->conn, "sections", n->section_id));
    int rc = db_int(w->conn, &article_add,
                    BINDS(B_TEXT("uuid", random_uuid(w->arena)), B_TEXT("legacy", n->legacy_id),
                          B_INT("section", n->section_id), B_INT("status", n->status),
                          B_ID("author", n->author_id), B_ID("creator", n->creator_id),
                          B_TEXT("keywords", n->keywords), B_INT("featured", n->is_featured),
                          B_INT("comments", n->allow_comments), B_ID("published", published ? w->now : 0),
                          B_ID("writer", w->actor.user_id), B_INT("now", w->now)),
                    id);
    if (rc == 0)
        return fail_field(w, ERR_FIELD_INVALID, S("section_id"),
                          "There is no section with this id. GET /sections lists them.");
    TRY(rc);
    change_created(w, (struct changed){"article", *id, 0});
    struct article_texts texts = article_texts_copy(w->arena, &n->texts);
    TRY(article_attachments_add(w, *id, n->files, n->file_count));
    TRY(article_pictures_stored(w, *id, &texts));
    TRY(article_texts_store(w, *id, &texts));
    TRY(article_pictures_marked(w, *id, &texts));
    return article_counted(w, n->section_id, n->status, 1);
}

/* ---- changes --------------------------------------------------------------------------------- */

QUERY(article_state, "SELECT a.section_id, a.status, COALESCE(a.published_at, 0) "
                     "FROM articles a WHERE a.id = :id AND a.deleted_at IS NULL");
QUERY(article_last_place, "SELECT COALESCE(MAX(a.sort_order), 0) + 1 "
                          "FROM articles a WHERE a.section_id = :section AND a.deleted_at IS NULL");
QUERY(article_written,
      "UPDATE articles SET texts_user_id = CAST(:writer AS BIGINT), texts_at = :now, updated_at = :now "
      "WHERE id = :id");

static bool texts_differ(const struct article_texts *a, const struct article_texts *b, bool titles) {
    for (int i = 0; i < a->count; i++) {
        const struct article_text *x = &a->list[i], *y = article_text_in(b, x->locale);
        if (y == NULL || !str_eq(titles ? x->title : x->contents, titles ? y->title : y->contents))
            return true;
    }
    return a->count != b->count;
}

static int article_rewrite(struct work *w, int64_t id, const struct article_texts *wanted) {
    struct changed object = {"article", id, 0};
    struct article_texts present, texts = article_texts_copy(w->arena, wanted);
    TRY(article_pictures_stored(w, id, &texts));
    TRY(article_texts_load(w, id, &present));
    bool titles = texts_differ(&present, &texts, true), contents = texts_differ(&present, &texts, false);
    if (!titles && !contents) return 0;
    TRY(article_version_keep(w, id, &present));
    TRY(article_texts_store(w, id, &texts));
    TRY(article_pictures_marked(w, id, &texts));
    if (titles) change_named(w, object, "titles");
    if (contents) change_named(w, object, "contents");
    return db_exec(w->conn, &article_written,
                   BINDS(B_INT("id", id), B_ID("writer", w->actor.user_id), B_INT("now", w->now)));
}

static struct column article_column(const char *name, const char *property, enum column_form form,
                                    struct bind value) {
    return (struct column){
        .name = name, .value = value, .property = property, .form = form, .words = article_statuses};
}

int article_change(struct work *w, int64_t id, const struct article_change *c) {
    struct column list[RECORD_COLUMNS];
    struct stmt *row;
    int n = c->column_count;
    TRY(db_lock_row(w->conn, "articles", id));
    TRY_FOUND(w, db_row(w->conn, &article_state, BINDS(B_INT("id", id)), &row));
    int64_t section = col_int(row, 0), to = c->section_id ? c->section_id : section, place = 0;
    int was = (int)col_int(row, 1), is = c->status ? c->status : was;
    bool first = col_int(row, 2) == 0 && is == ARTICLE_PUBLISHED;
    stmt_end(row);
    assert(n < RECORD_COLUMNS - 4);
    if (n) memcpy(list, c->columns, (size_t)n * sizeof *list);
    if (is != was)
        list[n++] = article_column("status", "status", COLUMN_WORD, (struct bind)B_INT("status", is));
    if (first)
        list[n++] = article_column("published_at", "published_at", COLUMN_TIME,
                                   (struct bind)B_INT("published_at", w->now));
    if (to != section) {
        TRY(db_int(w->conn, &article_last_place, BINDS(B_INT("section", to)), &place));
        list[n++] =
            article_column("section_id", "section", COLUMN_REFERENCE, (struct bind)B_INT("section_id", to));
        list[n++] =
            article_column("sort_order", NULL, COLUMN_NUMBER, (struct bind)B_INT("sort_order", place));
    }
    if (n) TRY(record_update(w, (struct record){"article", "articles", NULL}, &id, 1, list, n));
    TRY(article_attachments_add(w, id, c->files, c->file_count));
    if (c->texts) TRY(article_rewrite(w, id, c->texts));
    return article_recounted(w, section, was, to, is);
}

/* ---- deletion -------------------------------------------------------------------------------- */

#define THESE "a.section_id = sections.id AND a.id IN @LIST(:ids) AND a.deleted_at IS NULL"
/* The caller has locked these sections and articles: one statement may lock rows in any order. */
QUERY(articles_uncounted,
      "UPDATE sections SET total_articles = total_articles - (SELECT COUNT(*) FROM articles a WHERE " THESE
      "), published_articles = published_articles - (SELECT COUNT(*) "
      "FROM articles a WHERE " THESE " AND a.status = 3) WHERE id IN (SELECT a.section_id "
      "FROM articles a WHERE a.id IN @LIST(:ids))");
QUERY(articles_mark, "UPDATE articles SET deleted_at = :now, updated_at = :now "
                     "WHERE id IN @LIST(:ids) AND deleted_at IS NULL");

int articles_delete(struct work *w, struct str ids) {
    const struct bind *binds = BINDS(B_TEXT("ids", ids), B_INT("now", w->now));
    TRY(db_exec(w->conn, &articles_uncounted, binds));
    TRY(db_exec(w->conn, &articles_mark, binds));
    TRY(changes_deleted(w, "article", ids));
    return cascade(w, CASCADE_ARTICLE, ids);
}

/* ---- the MANUAL order ------------------------------------------------------------------------ */

/* The given articles get places before the lowest of the others, so the cost does not grow with the
 * section. */
QUERY(articles_first_place, "SELECT COALESCE(MIN(a.sort_order), 1) FROM articles a "
                            "WHERE a.section_id = :section AND a.deleted_at IS NULL");
QUERY(article_placed,
      "UPDATE articles SET sort_order = :place, updated_at = :now WHERE id = :id AND sort_order <> :place");

int articles_reorder(struct work *w, int64_t section_id, const int64_t *ids, int count) {
    int64_t first = 0;
    TRY(db_int(w->conn, &articles_first_place, BINDS(B_INT("section", section_id)), &first));
    for (int i = 0; i < count; i++) {
        int64_t place = first - count + i;
        TRY(db_exec(w->conn, &article_placed,
                    BINDS(B_INT("id", ids[i]), B_INT("place", place), B_INT("now", w->now))));
        change_named(w, (struct changed){"article", ids[i], 0}, "sort_order");
    }
    return 0;
}

/* ---- pages ----------------------------------------------------------------------------------- */

struct str article_page(struct arena *a, const struct desk *d, struct str locale, struct str slug) {
    return STR_CAT(a, d->base_url, S("/helpcenter/"), locale, S("/articles/"), slug);
}

QUERY(article_tags_add,
      "INSERT INTO article_tags (article_id, tag_id) "
      "SELECT CAST(:owner AS BIGINT), id FROM tags "
      "WHERE gone = 0 AND name_key IN @TEXTS(:keys) ON CONFLICT (article_id, tag_id) DO NOTHING");
QUERY(article_tags_keep,
      "DELETE FROM article_tags "
      "WHERE article_id = :owner AND tag_id NOT IN (SELECT id FROM tags WHERE name_key IN @TEXTS(:keys))");
QUERY(article_tags_drop,
      "DELETE FROM article_tags "
      "WHERE article_id = :owner AND tag_id IN (SELECT id FROM tags WHERE name_key IN @TEXTS(:keys))");
QUERY(article_tags_changed, "UPDATE articles SET updated_at = :now WHERE id = :owner");
QUERY(article_tags_named, "SELECT t.name FROM article_tags k JOIN tags t ON t.id = k.tag_id "
                          "WHERE k.article_id = :owner AND t.name <> '' ORDER BY t.name_key");

const struct tagging article_tagging = {.add = &article_tags_add,
                                        .keep = &article_tags_keep,
                                        .drop = &article_tags_drop,
                                        .changed = &article_tags_changed,
                                        .named = &article_tags_named,
                                        .kind = "article"};

QUERY(article_open_count, "UPDATE articles SET conversations = conversations + 1 WHERE id = :id");

int article_opened(struct work *w, int64_t article_id) {
    int rc = db_exec(w->conn, &article_open_count, BINDS(B_INT("id", article_id)));
    return rc < 0 ? rc : 0;
}
