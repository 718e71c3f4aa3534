#include "core/reports/rollup.h"

#include "json/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- changes --------------------------------------------------------------------------------- */

struct rollup_change {
    int64_t place; /* core/reports/place.h */
    char record[RECORD_MAX];
    bool added;
};

static int change_compare(const void *x, const void *y) {
    const struct rollup_change *a = x, *b = y;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return memcmp(a->record, b->record, RECORD_MAX);
}

struct noting {
    struct work *work;
    struct rollup_changes *changes;
    const struct fact *fact;
    bool added;
};

/* key: that of the record; row: of the row. */
static void note_row(struct noting *n, enum report_dimension dimension, int64_t row, int64_t key) {
    struct rollup_changes *c = n->changes;
    c->list = arena_more(n->work->arena, c->list, c->count, &c->room, sizeof *c->list);
    struct rollup_change *made = &c->list[c->count++];
    *made = (struct rollup_change){place_make(n->fact->kind, dimension, fact_day(n->fact->at), row), "",
                                   n->added};
    record_write(n->fact, dimension, key, made->record);
}

static void note_key(struct noting *n, enum report_dimension dimension, int64_t key) {
    note_row(n, dimension, is_in_blocks(dimension) ? key / BLOCK_KEYS : key, key);
}

static void note_tag(void *arg, int64_t tag_id) {
    struct noting *n = arg;
    note_key(n, BY_EACH_TAG, tag_id);
    note_key(n, BY_TAG_SHORT, tag_id);
    int64_t team = n->fact->keys[BY_TEAM_NOW], agent = n->fact->assigned_agent_id;
    if (team || !agent) note_row(n, BY_TEAM_TAG, team, tag_id);
    if (agent) note_row(n, BY_ASSIGNED_TAG, agent, tag_id);
}

void rollup_note(struct work *w, struct rollup_changes *changes, const struct fact *f, bool added) {
    struct noting n = {w, changes, f, added};
    for (int d = BY_ALL; d < KEYED_DIMENSIONS; d++)
        if (d != BY_SLA || f->kind == FACT_SLA) note_key(&n, (enum report_dimension)d, f->keys[d]);
    fact_tags(f->tags, note_tag, &n);
    if (f->tags.n == 0) note_tag(&n, 0);
    note_key(&n, BY_TEAM_WHOLE, f->keys[BY_TEAM_NOW]);
    if (f->assigned_agent_id) note_key(&n, BY_ASSIGNED_WHOLE, f->assigned_agent_id);
}

/* ---- writing --------------------------------------------------------------------------------- */

QUERY(rollup_find, "SELECT d.place, d.records FROM report_days d WHERE d.place IN @LIST(:places)");
QUERY(rollup_set,
      "INSERT INTO report_days (place, records) SELECT CAST(r.value ->> 0 AS BIGINT), r.value ->> 1 "
      "FROM @ROWS(:rows) r WHERE 1 = 1 ON CONFLICT (place) DO UPDATE SET records = excluded.records");

/* A row of report_days that changes: the changes from `first` on. */
struct rollup_row {
    int64_t place;
    const struct rollup_change *first;
    int count;
    struct str records;
};

static int row_compare(const void *x, const void *y) {
    const struct rollup_row *a = x, *b = y;
    return (a->place > b->place) - (a->place < b->place);
}

static int rows_of(struct work *w, const struct rollup_changes *changes, struct rollup_row **out) {
    struct rollup_row *rows = arena_array(w->arena, (size_t)changes->count, sizeof *rows);
    int n = 0;
    for (int i = 0; i < changes->count; i++) {
        const struct rollup_change *c = &changes->list[i];
        if (n == 0 || rows[n - 1].place != c->place)
            rows[n++] = (struct rollup_row){.place = c->place, .first = c};
        rows[n - 1].count++;
    }
    *out = rows;
    return n;
}

static int rows_read(struct work *w, struct rollup_row *rows, int n) {
    int64_t *places = arena_array(w->arena, (size_t)n, sizeof *places);
    int rc;
    for (int i = 0; i < n; i++) places[i] = rows[i].place;
    DB_ROWS(rc, w->conn, &rollup_find, BINDS(B_TEXT("places", json_ids(w->arena, places, (size_t)n))), row) {
        struct rollup_row key = {.place = col_int(row, 0)};
        struct rollup_row *found = bsearch(&key, rows, (size_t)n, sizeof *rows, row_compare);
        if (found) found->records = str_dup(w->arena, col_text(row, 1));
    }
    return rc;
}

/* Writes the records of the row with its changes: both are sorted. A record that is taken away and not there
 * is left to deskd check. */
static void records_merge(struct buf *out, const struct rollup_row *row) {
    size_t width = record_layout(place_kind(row->place), place_dimension(row->place)).width;
    const char *at = row->records.p, *end = row->records.p + row->records.n;
    for (int i = 0; i < row->count;) {
        const char *record = row->first[i].record;
        int net = 0;
        for (; i < row->count && memcmp(row->first[i].record, record, width) == 0; i++)
            net += row->first[i].added ? 1 : -1;
        const char *from = at;
        while (at < end && memcmp(at, record, width) < 0) at += width;
        buf_add(out, from, (size_t)(at - from));
        for (; net > 0; net--) buf_add(out, record, width);
        for (; net < 0 && at < end && memcmp(at, record, width) == 0; net++) at += width;
    }
    buf_add(out, at, (size_t)(end - at));
}

int rollup_put(struct work *w, struct rollup_changes *changes) {
    struct rollup_row *rows;
    struct buf made = {0};
    if (changes->count == 0) return 0;
    qsort(changes->list, (size_t)changes->count, sizeof *changes->list, change_compare);
    int n = rows_of(w, changes, &rows);
    TRY(rows_read(w, rows, n));
    for (int i = 0; i < n; i++) {
        buf_fmt(&made, "%c[%" PRId64 ",\"", i ? ',' : '[', rows[i].place);
        records_merge(&made, &rows[i]);
        buf_text(&made, "\"]");
    }
    buf_char(&made, ']');
    return db_exec(w->conn, &rollup_set, BINDS(B_TEXT("rows", buf_take(&made, w->arena))));
}

/* ---- checking -------------------------------------------------------------------------------- */

/* The bits of a place: core/reports/place.h. */
QUERY(rollup_days,
      "SELECT DISTINCT (d.place >> 59), ((d.place >> 33) & 4194303) FROM report_days d ORDER BY 1, 2");
QUERY(rollup_of_day, "SELECT d.place, d.records FROM @EACH_ID(:firsts) q CROSS JOIN report_days d "
                     "WHERE d.place >= q.value AND d.place < q.value + 8589934592 ORDER BY d.place");
_Static_assert(PLACE_KIND == 59 && PLACE_DAY == 33 && PLACE_DAYS == 4194304 && PLACE_KEYS == 8589934592,
               "SQL");

/* The rows of a kind and a day. */
static struct str firsts_of_day(struct work *w, int64_t kind, int64_t day) {
    int64_t firsts[ROLLUP_DIMENSIONS];
    for (int d = 0; d < ROLLUP_DIMENSIONS; d++) firsts[d] = place_make(kind, d, day, 0);
    return json_ids(w->arena, firsts, ROLLUP_DIMENSIONS);
}

static int day_differs(struct work *w, int64_t kind, int64_t day) {
    struct rollup_changes changes = {0};
    struct facts facts;
    struct rollup_row *rows;
    int rc, at = 0;
    bool differs = false;
    TRY(facts_stored_on(w, kind, day * TIME_DAY, (day + 1) * TIME_DAY, &facts));
    for (int i = 0; i < facts.count; i++) rollup_note(w, &changes, &facts.list[i], true);
    if (changes.count) qsort(changes.list, (size_t)changes.count, sizeof *changes.list, change_compare);
    int n = rows_of(w, &changes, &rows);
    DB_ROWS(rc, w->conn, &rollup_of_day, BINDS(B_TEXT("firsts", firsts_of_day(w, kind, day))), row) {
        struct str records = col_text(row, 1);
        struct buf made = {0};
        if (records.n == 0) continue;
        if (at < n) records_merge(&made, &rows[at]);
        differs =
            differs || at == n || rows[at].place != col_int(row, 0) || !str_eq(buf_view(&made), records);
        buf_free(&made);
        if (at < n) at++;
    }
    return rc < 0 ? rc : differs || at < n;
}

/* Days with facts and no rollup are found by their numbers. */
QUERY(rollup_counts,
      "SELECT CASE WHEN (SELECT COUNT(*) FROM report_facts) = (SELECT COALESCE(SUM(LENGTH(d.records) / CASE "
      "WHEN (d.place >> 59) IN (4, 5, 6) THEN 6 ELSE 2 END), 0) FROM report_days d "
      "WHERE ((d.place >> 55) & 15) = 0) "
      "THEN 1 ELSE 0 END");

int rollup_check(struct work *w, void (*report)(void *arg, int64_t kind, int64_t day), void *arg) {
    struct kind_day {
        int64_t kind, day;
    } *list = NULL;
    int n = 0, room = 0, rc, found = 0;
    int64_t equal = 0;
    DB_ROWS(rc, w->conn, &rollup_days, NULL, row) {
        list = arena_more(w->arena, list, n, &room, sizeof *list);
        list[n++] = (struct kind_day){col_int(row, 0), col_int(row, 1) + PLACE_DAY_FIRST};
    }
    TRY(rc);
    for (int i = 0; i < n; i++) {
        struct arena_mark m = arena_mark(w->arena);
        int differs = day_differs(w, list[i].kind, list[i].day);
        arena_return(w->arena, m);
        TRY(differs);
        if (differs) report(arg, list[i].kind, list[i].day), found++;
    }
    TRY(db_int(w->conn, &rollup_counts, NULL, &equal));
    if (!equal && found == 0) report(arg, 0, 0), found++;
    return found;
}
