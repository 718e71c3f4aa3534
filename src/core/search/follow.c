#include "core/search/follow.h"

#include "base/ids.h"
#include "core/change/change.h"
#include "core/change/log.h"
#include "core/desk/job.h"
#include "core/search/index.h"
#include "json/json.h"

/* ---- what a change concerns ------------------------------------------------------------------ */

/* The rows and texts that changes concern. An object that several changes name stands in a list once, if
 * they follow each other (list_id). */
struct reindex {
    struct search_rows rows[SEARCH_TABLES]; /* their texts are to be written again */
    struct search_rows texts;               /* texts to be removed */
    struct search_rows cases;               /* deleted conversations, whose texts are to be removed */
    int area;                               /* a field of this area was switched: enum field_area; 0: none */
    int entries;                            /* entries of the change log that were read */
};

static void list_id(struct arena *a, struct search_rows *l, int64_t id) {
    if (l->count && l->ids[l->count - 1] == id) return;
    l->ids = arena_more(a, l->ids, l->count, &l->room, sizeof *l->ids);
    l->ids[l->count++] = id;
}

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

/* The kinds of objects with texts. A deletion removes the texts `gone`, which end with SEARCH_KINDS. */
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
    if (i->table == TEXTS_OF_CASES) list_id(a, &r->cases, id);
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

/* Returns true if the change concerns a text. */
static bool note_change(struct arena *a, struct reindex *r, const struct change *c) {
    const struct indexed *i = indexed;
    while (i->kind && strcmp(c->kind, i->kind) != 0) i++;
    if (i->kind == NULL) return note_field(r, c), false;
    if (c->verb == CHANGE_DELETED && i->table != TEXTS_OF_ARTICLES)
        return note_deletion(a, r, i, c->id), true;
    if (!i->changes(c)) return false;
    list_id(a, &r->rows[i->table], c->id);
    return true;
}

/* ---- the cursor ------------------------------------------------------------------------------ */

QUERY(search_place, "SELECT place FROM search_cursor");
QUERY(search_place_lock, SEARCH_LOCK);
QUERY(search_place_move, "UPDATE search_cursor SET place = :place");
/* As in schema/0079_search_cursor.sql: the index is complete, and no other write is under way. */
QUERY(search_place_end,
      "UPDATE search_cursor SET place = "
      "(SELECT '1|' || @STORE@ || '|' || e.place || '|' || e.place || '|' || e.last FROM "
      "(SELECT CAST(@AFTER(change_log) AS TEXT) AS place, CAST(COALESCE(MAX(id), 0) AS TEXT) AS last "
      "FROM change_log) e)");

int search_cursor_set(struct conn *c) { return db_exec(c, &search_place_end, NULL); }

static int cursor_get(struct work *w, const struct query *q, struct change_cursor *cursor) {
    struct str place;
    int rc = db_text(w->conn, q, NULL, w->arena, &place);
    TRY(rc);
    if (rc == 0 || !change_cursor_read(w->arena, place, cursor)) return -ERR_INTERNAL_ERROR;
    cursor->kept = true;
    return 0;
}

static int cursor_put(struct work *w, const struct change_cursor *cursor) {
    return db_exec(w->conn, &search_place_move, BINDS(B_TEXT("place", change_cursor_text(w->arena, cursor))));
}

int search_is_behind(struct work *w) {
    struct change_cursor cursor = {0};
    enum change_log_state state;
    int64_t id;
    bool more;
    TRY(cursor_get(w, &search_place, &cursor));
    int n = change_log_read(w, &cursor, 1, &id, &more, &state);
    return n < 0 ? n : n > 0 || state != CURSOR_GOOD;
}

/* ---- the finisher ---------------------------------------------------------------------------- */

static int add_index_job(struct work *w, int area) {
    static const enum search_table heads[] = {[AREA_CASES] = TEXTS_OF_CASES,
                                              [AREA_USERS] = TEXTS_OF_USERS,
                                              [AREA_ORGANIZATIONS] = TEXTS_OF_ORGANIZATIONS};
    int64_t job;
    return job_add(w, JOB_INDEX_SEARCH,
                   str_fmt(w->arena, "{\"table\": %d, \"after\": 0, \"last\": %d}", heads[area], heads[area]),
                   &job);
}

#define MANY 500 /* changes; about 200 messages, whose texts are written in 20 ms */

bool search_waits(const struct desk *d, bool late) {
    int64_t n = atomic_load(&d->unindexed);
    return n >= MANY || (late && n > 0);
}

static void count_unindexed(struct desk *d, void *arg) {
    int64_t more = *(const int64_t *)arg, n = atomic_fetch_add(&d->unindexed, more);
    if (n < MANY && n + more >= MANY && d->wake_jobs) d->wake_jobs(d->wake_arg);
}

void search_logged(struct work *w) {
    int64_t *one = arena_alloc(w->arena, sizeof *one);
    *one = 1;
    after_commit(w, count_unindexed, one);
}

int search_articles_anew(struct work *w) {
    int64_t job;
    return job_add(w, JOB_INDEX_SEARCH,
                   str_fmt(w->arena, "{\"table\": %d, \"after\": 0, \"last\": %d}", TEXTS_OF_ARTICLES,
                           TEXTS_OF_ARTICLES),
                   &job);
}

static int put_articles(struct work *w, const struct search_rows *articles) {
    struct search_rows rows[SEARCH_TABLES] = {[TEXTS_OF_ARTICLES] = *articles};
    TRY(db_exec(w->conn, &search_place_lock, NULL));
    return search_rows_put(w->conn, w->arena, rows);
}

int search_finish(struct work *w) {
    struct reindex r = {0};
    int64_t *count = arena_alloc(w->arena, sizeof *count);
    *count = 0;
    for (const struct change *c = changes_of(w); c; c = c->next)
        if (note_change(w->arena, &r, c)) ++*count;
    if (*count) after_commit(w, count_unindexed, count);
    if (r.rows[TEXTS_OF_ARTICLES].count) TRY(put_articles(w, &r.rows[TEXTS_OF_ARTICLES]));
    return r.area ? add_index_job(w, r.area) : 0;
}

/* ---- following ------------------------------------------------------------------------------- */

QUERY(search_entries,
      "SELECT kind, object_id, verb, property FROM change_log WHERE id IN @LIST(:ids) ORDER BY id");
QUERY(search_texts_drop, "DELETE FROM search_texts WHERE id IN @LIST(:ids)");
QUERY(search_cases_drop, "DELETE FROM search_texts WHERE kind = 1 AND owner_id IN @LIST(:ids)");

#define AT_ONCE 1000 /* entries */

/* Reads entries after the cursor, at most AT_ONCE of each window, and moves the cursor. Returns 1 if there
 * are more, 0 or a negative error. */
static int read_entries(struct work *w, struct change_cursor *cursor, struct reindex *r,
                        enum change_log_state *state) {
    int64_t *ids = arena_array(w->arena, AT_ONCE, sizeof *ids);
    bool more = false;
    int n, rc;
    do {
        n = change_log_read(w, cursor, AT_ONCE, ids, &more, state);
        if (n <= 0) return n;
        cursor->last = ids[n - 1];
        r->entries += n;
        DB_ROWS(rc, w->conn, &search_entries, BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)n))), row) {
            struct change c = {.kind = str_dup(w->arena, col_text(row, 0)).p,
                               .id = col_int(row, 1),
                               .verb = (enum change_verb)col_int(row, 2),
                               .property = str_dup(w->arena, col_text(row, 3)).p};
            note_change(w->arena, r, &c);
        }
        TRY(rc);
    } while (!more);
    return 1;
}

static struct str ids_text(struct work *w, const struct search_rows *l) {
    return json_ids(w->arena, l->ids, (size_t)l->count);
}

static int drop(struct work *w, const struct query *q, struct search_rows *l) {
    if (l->count == 0) return 0;
    return db_exec(w->conn, q, BINDS(B_TEXT("ids", ids_text(w, l))));
}

static int begin_anew(struct work *w) {
    int64_t job;
    struct change_cursor end;
    TRY(change_log_end(w, &end));
    TRY(cursor_put(w, &end));
    return job_add(w, JOB_INDEX_SEARCH, S("{}"), &job);
}

int search_follow(struct work *w, void *arg) {
    struct change_cursor cursor = {0};
    enum change_log_state state;
    struct reindex r = {0};
    (void)arg;
    TRY(cursor_get(w, &search_place_lock, &cursor));
    int more = read_entries(w, &cursor, &r, &state);
    TRY(more);
    if (state != CURSOR_GOOD) return begin_anew(w);
    if (r.entries == 0) return 0;
    r.rows[TEXTS_OF_ARTICLES].count = 0;
    for (int t = 0; t < SEARCH_TABLES; t++) r.rows[t].count = ids_sort_once(r.rows[t].ids, r.rows[t].count);
    TRY(search_rows_put(w->conn, w->arena, r.rows));
    TRY(drop(w, &search_texts_drop, &r.texts));
    TRY(drop(w, &search_cases_drop, &r.cases));
    TRY(cursor_put(w, &cursor));
    return more;
}

int search_pending_read(struct work *w, struct search_pending *out) {
    struct change_cursor cursor = {0};
    enum change_log_state state;
    struct reindex r = {0};
    struct search_rows posts = {0};
    int more;
    TRY(cursor_get(w, &search_place, &cursor));
    do TRY(more = read_entries(w, &cursor, &r, &state));
    while (more);
    for (int t = TEXTS_OF_MESSAGES; t <= TEXTS_OF_NOTES; t++)
        for (int i = 0; i < r.rows[t].count; i++) list_id(w->arena, &posts, r.rows[t].ids[i]);
    *out = (struct search_pending){ids_text(w, &posts), ids_text(w, &r.texts), ids_text(w, &r.cases)};
    return 0;
}
