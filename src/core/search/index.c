#include "core/search/index.h"

#include "base/buf.h"
#include "core/desk/locale.h"
#include "core/query/token.h"
#include "core/search/vocabulary.h"
#include "json/json.h"

#include <inttypes.h>

/* ---- writing --------------------------------------------------------------------------------- */

QUERY(search_lock, SEARCH_LOCK);
/* A row is [id, kind, owner, terms]. */
QUERY(search_texts_put, "INSERT INTO search_texts (id, kind, owner_id, terms) "
                        "SELECT CAST(r.value ->> 0 AS BIGINT), CAST(r.value ->> 1 AS INTEGER), "
                        "CAST(r.value ->> 2 AS BIGINT), r.value ->> 3 "
                        "FROM @ROWS(:rows) r WHERE 1 = 1 ON CONFLICT (id) DO UPDATE "
                        "SET owner_id = excluded.owner_id, terms = excluded.terms");
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

/* The language is read in the transaction, behind SEARCH_LOCK: the settings that a process keeps may be
 * older, also those of the process that runs the job for a new language. */
static int put_texts(struct conn *c, struct arena *a, struct search_text *list) {
    const struct search_text *all = list;
    struct buf rows = {0};
    struct str language;
    int rc = db_text(c, &search_language_now, NULL, a, &language);
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

int search_rows_put(struct conn *c, struct arena *a, const struct search_rows *rows) {
    struct search_text *list = NULL, **end = &list;
    for (int table = 0; table < SEARCH_TABLES; table++) {
        const struct search_rows *r = &rows[table];
        TRY(search_texts_read(c, a, (enum search_table)table, r->ids, (size_t)r->count, end));
        if (table == TEXTS_OF_ARTICLES && r->count)
            TRY(drop_lost_texts(c, a, r->ids, (size_t)r->count, *end));
        while (*end) end = &(*end)->next;
    }
    return list ? put_texts(c, a, list) : 0;
}

/* ---- building -------------------------------------------------------------------------------- */

QUERY(search_built,
      "UPDATE jobs SET status = 3, updated_at = :now WHERE kind = 'index_search' AND status IN (1, 2)");

int search_is_built(struct conn *c, int64_t now) {
    return db_exec(c, &search_built, BINDS(B_INT("now", now)));
}

QUERY(search_next_cases, "SELECT id FROM cases WHERE id > :after ORDER BY id LIMIT :most");
QUERY(search_next_messages, "SELECT id FROM posts WHERE id > :after ORDER BY id LIMIT :most");
QUERY(search_next_notes, "SELECT id FROM notes WHERE id > :after ORDER BY id LIMIT :most");
QUERY(search_next_users, "SELECT id FROM users WHERE id > :after ORDER BY id LIMIT :most");
QUERY(search_next_organizations, "SELECT id FROM organizations WHERE id > :after ORDER BY id LIMIT :most");
QUERY(search_next_articles, "SELECT id FROM articles WHERE id > :after ORDER BY id LIMIT :most");

#define ROWS_AS_ARTICLE 10 /* other rows, whose texts are about as much work */

int search_index_part(struct conn *c, struct arena *a, struct search_progress *p, int64_t most) {
    static const struct query *const next[] = {&search_next_cases,         &search_next_messages,
                                               &search_next_notes,         &search_next_users,
                                               &search_next_organizations, &search_next_articles};
    TRY(db_exec(c, &search_lock, NULL));
    while (p->table <= p->last) {
        int64_t *ids;
        int64_t rows = p->table == TEXTS_OF_ARTICLES ? (most + ROWS_AS_ARTICLE - 1) / ROWS_AS_ARTICLE : most;
        int n = db_ids(c, next[p->table], BINDS(B_INT("after", p->after), B_INT("most", rows)), a, &ids);
        TRY(n);
        struct search_rows part[SEARCH_TABLES] = {{0}};
        part[p->table] = (struct search_rows){.ids = ids, .count = n};
        TRY(search_rows_put(c, a, part));
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
    int rc = db_exec(c, &search_lock, NULL);
    if (rc >= 0) rc = db_exec(c, &search_clear, NULL);
    if (rc >= 0) rc = vocabulary_clear(c);
    if (rc >= 0) rc = 1;
    while (rc == 1) {
        struct arena_mark m = arena_mark(a);
        rc = search_index_part(c, a, &p, REBUILT);
        arena_return(a, m);
    }
    arena_free(a);
    return rc;
}

QUERY(search_building, "SELECT 1 FROM jobs WHERE status IN (1, 2) AND kind = 'index_search' LIMIT 1");

int search_is_building(struct work *w) {
    int64_t one;
    return db_int(w->conn, &search_building, NULL, &one);
}
