#include "core/search/index.h"

#include "base/buf.h"
#include "core/change/change.h"
#include "core/desk/job.h"
#include "core/desk/locale.h"
#include "core/desk/setting.h"
#include "core/query/token.h"
#include "core/search/vocabulary.h"
#include "json/json.h"

#include <inttypes.h>

/* ---- writing --------------------------------------------------------------------------------- */

/* A row is [id, kind, owner, terms]. */
QUERY(search_texts_put, "INSERT INTO search_texts (id, kind, owner_id, terms) "
                        "SELECT CAST(r.value ->> 0 AS BIGINT), CAST(r.value ->> 1 AS INTEGER), "
                        "CAST(r.value ->> 2 AS BIGINT), r.value ->> 3 "
                        "FROM @ROWS(:rows) r WHERE 1 = 1 ON CONFLICT (id) DO UPDATE "
                        "SET owner_id = excluded.owner_id, terms = excluded.terms");
QUERY(search_texts_drop, "DELETE FROM search_texts WHERE id IN @LIST(:ids)");
/* Texts of locales that articles have lost. */
QUERY(search_articles_drop, SEARCH_ARTICLES_DROP " AND id NOT IN @LIST(:texts)");
QUERY(search_clear, "DELETE FROM search_texts");
QUERY(search_language_now, "SELECT " LOCALE_NOW);

#define PUT_AT_ONCE (1024 * 1024) /* bytes; the last text may exceed it */

/* Returns the first text that did not fit. */
static struct search_text *rows_of_texts(struct arena *a, struct str language, struct search_text *list,
                                         struct buf *out) {
    struct json_writer w;
    jw_init(&w, out);
    jw_array(&w);
    for (; list && out->n < PUT_AT_ONCE; list = list->next) {
        struct arena_mark m = arena_mark(a);
        jw_array(&w);
        jw_int(&w, list->id);
        jw_int(&w, list->kind);
        jw_int(&w, list->owner_id);
        list->terms = token_terms(a, list->locale.p ? list->locale : language, list->text);
        jw_str(&w, list->terms);
        jw_end(&w);
        if (list->kind != SEARCH_ARTICLES) arena_return(a, m);
    }
    jw_end(&w);
    return list;
}

/* One statement writes many texts, because FTS5 writes a segment of its index for each statement. */
static int put_texts(struct conn *c, struct arena *a, struct str language, struct search_text *list) {
    const struct search_text *all = list;
    struct buf rows = {0};
    int rc = 0;
    while (list && rc >= 0) {
        rows.n = 0;
        list = rows_of_texts(a, language, list, &rows);
        rc = db_exec(c, &search_texts_put, BINDS(B_TEXT("rows", buf_view(&rows))));
    }
    buf_free(&rows);
    return rc < 0 ? rc : vocabulary_put(c, a, all);
}

/* Removes the texts of these articles that are not in the list. */
static int drop_lost_texts(struct conn *c, struct arena *a, const int64_t *articles, size_t count,
                           const struct search_text *list) {
    size_t n = 0, room = 1;
    for (const struct search_text *t = list; t; t = t->next) room++;
    int64_t *texts = arena_array(a, room, sizeof *texts);
    for (; list; list = list->next) texts[n++] = list->id;
    return db_exec(
        c, &search_articles_drop,
        BINDS(B_TEXT("rows", json_ids(a, articles, count)), B_TEXT("texts", json_ids(a, texts, n))));
}

static int index_rows(struct conn *c, struct arena *a, struct str language, enum search_table table,
                      const int64_t *ids, size_t count) {
    struct search_text *list;
    TRY(search_texts_read(c, a, table, ids, count, &list));
    if (table == TEXTS_OF_ARTICLES && count) TRY(drop_lost_texts(c, a, ids, count, list));
    return put_texts(c, a, language, list);
}

/* ---- the finisher ---------------------------------------------------------------------------- */

struct id_list {
    int64_t *ids;
    int count, room;
};

static void list_id(struct arena *a, struct id_list *l, int64_t id) {
    /* the changes of an object usually follow each other */
    if (l->count && l->ids[l->count - 1] == id) return;
    l->ids = arena_more(a, l->ids, l->count, &l->room, sizeof *l->ids);
    l->ids[l->count++] = id;
}

struct reindex {
    struct id_list rows[SEARCH_TABLES], texts; /* rows: to be read again; texts: to be removed */
    /* a field of this area was switched: enum field_area; 0: none */
    int area;
};

static bool is_one_of(const char *name, const char *const *names) {
    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

static bool changes_case_text(const struct change *c) {
    static const char *const members[] = {"subject", "legacy_id", "tags", NULL};
    return c->verb == CHANGE_CREATED || is_one_of(c->property, members) ||
           strncmp(c->property, "custom_fields", 13) == 0;
}

static bool changes_contents(const struct change *c) {
    static const char *const members[] = {"contents", "case", "conversation", NULL};
    return c->verb == CHANGE_CREATED || is_one_of(c->property, members);
}

static bool changes_article_text(const struct change *c) {
    static const char *const members[] = {"titles", "contents", "keywords", "tags", NULL};
    return c->verb != CHANGE_UPDATED || is_one_of(c->property, members);
}

static bool changes_anything(const struct change *c) { return c->verb != CHANGE_DELETED; }

/* The kinds of objects with texts. A deletion removes the texts `gone`, which end with SEARCH_KINDS. Those
 * of a conversation are removed by the cascade that deletes it (core/cases/case_delete.c). */
static const struct indexed {
    const char *kind;
    enum search_table table;
    bool (*changes)(const struct change *c);
    enum search_source source;
    int gone[4];
} indexed[] = {
    {"case", TEXTS_OF_CASES, changes_case_text, SEARCH_HEAD, {SEARCH_KINDS}},
    {"case_message", TEXTS_OF_MESSAGES, changes_contents, SEARCH_MESSAGE, {SEARCH_CASES, SEARCH_KINDS}},
    {"note",
     TEXTS_OF_NOTES,
     changes_contents,
     SEARCH_NOTE,
     {SEARCH_CASES, SEARCH_USERS, SEARCH_ORGANIZATIONS, SEARCH_KINDS}},
    {"user", TEXTS_OF_USERS, changes_anything, SEARCH_HEAD, {SEARCH_USERS, SEARCH_KINDS}},
    {"organization",
     TEXTS_OF_ORGANIZATIONS,
     changes_anything,
     SEARCH_HEAD,
     {SEARCH_ORGANIZATIONS, SEARCH_KINDS}},
    {"article", TEXTS_OF_ARTICLES, changes_article_text, SEARCH_TITLE, {SEARCH_KINDS}},
    {0},
};

static void note_deletion(struct arena *a, struct reindex *r, const struct indexed *i, int64_t id) {
    for (const int *kind = i->gone; *kind != SEARCH_KINDS; kind++)
        list_id(a, &r->texts, SEARCH_TEXT_ID(*kind, i->source, id));
}

/* The values of a field that is disabled or deleted are not found any more. */
static void note_field(struct reindex *r, const struct change *c) {
    static const char *const kinds[] = {[AREA_CASES] = "case_field",
                                        [AREA_USERS] = "user_field",
                                        [AREA_ORGANIZATIONS] = "organization_field"};
    if (c->verb != CHANGE_DELETED && !(c->verb == CHANGE_UPDATED && strcmp(c->property, "is_enabled") == 0))
        return;
    for (int area = AREA_CASES; area <= AREA_ORGANIZATIONS; area++)
        if (strcmp(c->kind, kinds[area]) == 0) r->area = area;
}

static void note_change(struct arena *a, struct reindex *r, const struct change *c) {
    for (const struct indexed *i = indexed; i->kind; i++) {
        if (strcmp(c->kind, i->kind) != 0) continue;
        if (c->verb == CHANGE_DELETED && i->table != TEXTS_OF_ARTICLES) note_deletion(a, r, i, c->id);
        else if (i->changes(c)) list_id(a, &r->rows[i->table], c->id);
        return;
    }
    note_field(r, c);
}

static int add_index_job(struct work *w, int area) {
    static const enum search_table heads[] = {[AREA_CASES] = TEXTS_OF_CASES,
                                              [AREA_USERS] = TEXTS_OF_USERS,
                                              [AREA_ORGANIZATIONS] = TEXTS_OF_ORGANIZATIONS};
    int64_t job;
    return job_add(w, JOB_INDEX_SEARCH,
                   str_fmt(w->arena, "{\"table\": %d, \"after\": 0, \"last\": %d}", heads[area], heads[area]),
                   &job);
}

static struct str index_language(struct work *w) {
    return w->desk && w->desk->settings ? setting_text(w->desk, LOCALE_SETTING, w->arena) : S(DEFAULT_LOCALE);
}

/* Reads the texts of all tables first, so that one statement writes them. */
static int put_changed(struct work *w, const struct reindex *r) {
    struct search_text *list = NULL, **end = &list;
    for (int table = 0; table < SEARCH_TABLES; table++) {
        const struct id_list *rows = &r->rows[table];
        TRY(search_texts_read(w->conn, w->arena, (enum search_table)table, rows->ids, (size_t)rows->count,
                              end));
        if (table == TEXTS_OF_ARTICLES && rows->count)
            TRY(drop_lost_texts(w->conn, w->arena, rows->ids, (size_t)rows->count, *end));
        while (*end) end = &(*end)->next;
    }
    return list ? put_texts(w->conn, w->arena, index_language(w), list) : 0;
}

int search_finish(struct work *w) {
    struct reindex r = {0};
    for (const struct change *c = changes_of(w); c; c = c->next) note_change(w->arena, &r, c);
    TRY(put_changed(w, &r));
    if (r.texts.count)
        TRY(db_exec(w->conn, &search_texts_drop,
                    BINDS(B_TEXT("ids", json_ids(w->arena, r.texts.ids, (size_t)r.texts.count)))));
    return r.area ? add_index_job(w, r.area) : 0;
}

/* ---- building -------------------------------------------------------------------------------- */

QUERY(search_built,
      "UPDATE jobs SET status = 3, updated_at = :now WHERE kind = 'index_search' AND status IN (1, 2)");

int search_is_built(struct conn *c, int64_t now) {
    return db_exec(c, &search_built, BINDS(B_INT("now", now)));
}

/* The locks keep concurrent writes from changing a text between its reading and the end of the part. */
QUERY(search_next_cases, "SELECT id FROM cases WHERE id > :after ORDER BY id LIMIT :most @HOLD@");
QUERY(search_next_messages, "SELECT id FROM posts WHERE id > :after ORDER BY id LIMIT :most @HOLD@");
QUERY(search_next_notes, "SELECT id FROM notes WHERE id > :after ORDER BY id LIMIT :most @HOLD@");
QUERY(search_next_users, "SELECT id FROM users WHERE id > :after ORDER BY id LIMIT :most @HOLD@");
QUERY(search_next_organizations,
      "SELECT id FROM organizations WHERE id > :after ORDER BY id LIMIT :most @HOLD@");
QUERY(search_next_articles, "SELECT id FROM articles WHERE id > :after ORDER BY id LIMIT :most @HOLD@");

#define ROWS_AS_ARTICLE 10 /* other rows, whose texts are about as much work */

int search_index_part(struct conn *c, struct arena *a, struct str language, struct search_progress *p,
                      int64_t most) {
    static const struct query *const next[] = {&search_next_cases,         &search_next_messages,
                                               &search_next_notes,         &search_next_users,
                                               &search_next_organizations, &search_next_articles};
    while (p->table <= p->last) {
        int64_t *ids;
        int64_t rows = p->table == TEXTS_OF_ARTICLES ? (most + ROWS_AS_ARTICLE - 1) / ROWS_AS_ARTICLE : most;
        int n = db_ids(c, next[p->table], BINDS(B_INT("after", p->after), B_INT("most", rows)), a, &ids);
        TRY(n);
        TRY(index_rows(c, a, language, (enum search_table)p->table, ids, (size_t)n));
        if (n) p->after = ids[n - 1];
        if (n == rows) return 1;
        most -= n;
        p->table++;
        p->after = 0;
    }
    return 0;
}

#define REBUILT 500

int search_rebuild(struct conn *c) {
    struct search_progress p = {.last = SEARCH_TABLES - 1};
    struct arena *a = arena_new();
    struct str language;
    int rc = db_exec(c, &search_clear, NULL);
    if (rc >= 0) rc = vocabulary_clear(c);
    if (rc >= 0) rc = db_text(c, &search_language_now, NULL, a, &language);
    if (rc >= 0) rc = 1;
    while (rc == 1) {
        struct arena_mark m = arena_mark(a);
        rc = search_index_part(c, a, language, &p, REBUILT);
        arena_return(a, m);
    }
    arena_free(a);
    return rc;
}

/* Triggers or search_rebuild fill these tables. */
static int search_no_rebuild(struct conn *c) { return (void)c, 0; }

const struct db_derived derived_tables[] = {{"search_texts", search_rebuild},
                                            {"search_words", search_no_rebuild},
                                            {"search_titles", search_no_rebuild},
                                            {"search_pieces", search_no_rebuild},
                                            {0}};

QUERY(search_building, "SELECT 1 FROM jobs WHERE status IN (1, 2) AND kind = 'index_search' LIMIT 1");

int search_is_building(struct work *w) {
    int64_t one;
    return db_int(w->conn, &search_building, NULL, &one);
}
