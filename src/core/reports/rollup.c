#include "core/reports/rollup.h"

#include "json/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- steps ----------------------------------------------------------------------------------- */

#define YEAR (365.0 * 86400.0)

/* bounds[i]: the least whole seconds of step i; step 0 has none, and the last step has no end. middles: the
 * geometric means of their bounds. */
static int64_t bounds[STEPS], middles[STEPS];
static pthread_once_t bounds_once = PTHREAD_ONCE_INIT;

static void bounds_make(void) {
    for (int i = 1; i < STEPS; i++) bounds[i] = (int64_t)ceil(exp(log(YEAR) * (i - 1) / (STEPS - 1)));
    for (int i = 1; i < STEPS; i++) {
        int64_t low = bounds[i], high = i + 1 < STEPS ? bounds[i + 1] - 1 : low;
        middles[i] = high <= low ? low : (int64_t)llround(sqrt((double)low * (double)high));
    }
}

int step_of(int64_t seconds) {
    int low = 0, high = STEPS - 1;
    pthread_once(&bounds_once, bounds_make);
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (bounds[middle] <= seconds) low = middle;
        else high = middle - 1;
    }
    return low;
}

int64_t step_seconds(int step) {
    pthread_once(&bounds_once, bounds_make);
    return middles[step];
}

/* ---- records --------------------------------------------------------------------------------- */

/* 64 characters in their order. */
static const char block_marks[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/* The number of a character; a character of a damaged store has any. */
static int block_mark(char c) {
    if (c >= 'a') return (c - 'a' + 38) & 63;
    if (c >= 'A') return c == '_' ? 37 : (c - 'A' + 11) & 63;
    return c == '-' ? 0 : (c - '0' + 1) & 63;
}

int block_place(const char *at) { return 64 * block_mark(at[0]) + block_mark(at[1]); }

static char *digits_write(char *out, int64_t key, int digits) {
    int64_t most = ((int64_t)1 << 6 * digits) - 1;
    if (key < 0 || key > most) key = most;
    for (int i = digits - 1; i >= 0; i--, key /= 64) out[i] = block_marks[key % 64];
    return out + digits;
}

static const char *digits_read(const char *at, int digits, int64_t *key) {
    int64_t n = 0;
    for (int i = 0; i < digits; i++) n = 64 * n + block_mark(at[i]);
    *key = n == ((int64_t)1 << 6 * digits) - 1 ? KEY_UNKNOWN : n;
    return at + digits;
}

void record_keys_read(enum fact_kind k, const char *at, int64_t keys[KEYED_DIMENSIONS], int64_t *assigned) {
    at = digits_read(at, 4, assigned);
    keys[BY_AGENT_NOW] = *assigned;
    if (fact_has_author(k)) at = digits_read(at, 4, &keys[BY_AGENT_NOW]);
    at = digits_read(at, 1, &keys[BY_CHANNEL]);
    at = digits_read(at, 2, &keys[BY_PRIORITY]);
    if (k == FACT_SLA) at = digits_read(at, 2, &keys[BY_SLA]);
    digits_read(at, 4, &keys[BY_ORGANIZATION_NOW]);
}

static void record_keys_write(const struct fact *f, char *out) {
    out = digits_write(out, f->assigned_agent_id, 4);
    if (fact_has_author(f->kind)) out = digits_write(out, f->keys[BY_AGENT_NOW], 4);
    out = digits_write(out, f->keys[BY_CHANNEL], 1);
    out = digits_write(out, f->keys[BY_PRIORITY], 2);
    if (f->kind == FACT_SLA) out = digits_write(out, f->keys[BY_SLA], 2);
    digits_write(out, f->keys[BY_ORGANIZATION_NOW], 4);
}

static void fact_record_write(const struct fact *f, enum report_dimension d, int64_t key, char *out) {
    static const char hex[] = "0123456789abcdef";
    if (is_in_blocks(d)) {
        out[0] = block_marks[key % BLOCK_KEYS / 64], out[1] = block_marks[key % 64];
        out += 2;
    }
    int quarter = (int)((f->at - fact_day(f->at) * TIME_DAY) / TIME_QUARTER);
    int step = step_of(f->took), open = step_of(f->took_open);
    out[0] = (char)('A' + quarter / 4);
    out[1] = record_mark(4 * f->part + quarter % 4);
    out += 2;
    if (fact_has_duration(f->kind) && d != BY_CONVERSATION) {
        out[0] = hex[step / 16], out[1] = hex[step % 16];
        out[2] = hex[open / 16], out[3] = hex[open % 16];
        out += 4;
    }
    if (d == BY_TEAM_WHOLE) record_keys_write(f, out);
}

/* ---- changes --------------------------------------------------------------------------------- */

struct rollup_place {
    int64_t kind, dimension, day, key;
};

struct rollup_change {
    struct rollup_place place;
    char record[RECORD_MAX];
    bool added;
};

static int place_compare(const struct rollup_place *a, const struct rollup_place *b) {
    const int64_t of_a[] = {a->kind, a->dimension, a->day, a->key};
    const int64_t of_b[] = {b->kind, b->dimension, b->day, b->key};
    for (int i = 0; i < 4; i++)
        if (of_a[i] != of_b[i]) return of_a[i] < of_b[i] ? -1 : 1;
    return 0;
}

static int change_compare(const void *x, const void *y) {
    const struct rollup_change *a = x, *b = y;
    int rc = place_compare(&a->place, &b->place);
    return rc ? rc : memcmp(a->record, b->record, RECORD_MAX);
}

struct noting {
    struct work *work;
    struct rollup_changes *changes;
    const struct fact *fact;
    bool added;
};

static void note_key(struct noting *n, enum report_dimension dimension, int64_t key) {
    struct rollup_changes *c = n->changes;
    c->list = arena_more(n->work->arena, c->list, c->count, &c->room, sizeof *c->list);
    struct rollup_change *made = &c->list[c->count++];
    int64_t row = is_in_blocks(dimension) ? key / BLOCK_KEYS : key;
    *made = (struct rollup_change){{n->fact->kind, dimension, fact_day(n->fact->at), row}, "", n->added};
    fact_record_write(n->fact, dimension, key, made->record);
}

static void note_tag(void *arg, int64_t tag_id) { note_key(arg, BY_EACH_TAG, tag_id); }

void rollup_note(struct work *w, struct rollup_changes *changes, const struct fact *f, bool added) {
    struct noting n = {w, changes, f, added};
    for (int d = BY_ALL; d < KEYED_DIMENSIONS; d++)
        if (d != BY_SLA || f->kind == FACT_SLA) note_key(&n, (enum report_dimension)d, f->keys[d]);
    fact_tags(f->tags, note_tag, &n);
    if (f->tags.n == 0) note_key(&n, BY_EACH_TAG, 0);
    if (has_conversations(f->kind)) note_key(&n, BY_CONVERSATION, f->case_id);
    note_key(&n, BY_TEAM_WHOLE, f->keys[BY_TEAM_NOW]);
}

/* ---- writing --------------------------------------------------------------------------------- */

#define CELL(n) "CAST(r.value ->> " n " AS BIGINT)"
#define WORD(n) "CAST(r.value ->> " n " AS INTEGER)"
QUERY(rollup_find, "SELECT d.kind, d.dimension, d.day, d.key, d.records FROM @ROWS(:rows) r "
                   "JOIN report_days d ON d.kind = " WORD("0") " AND d.dimension = " WORD(
                       "1") " AND d.day = " CELL("2") " AND d.key = " CELL("3"));
#define ROLLUP_CELLS WORD("0") ", " WORD("1") ", " CELL("2") ", " CELL("3") ", r.value ->> 4"
QUERY(rollup_set, "INSERT INTO report_days (kind, dimension, day, key, records) SELECT " ROLLUP_CELLS
                  " FROM @ROWS(:rows) r WHERE 1 = 1 ON CONFLICT (kind, dimension, day, key) "
                  "DO UPDATE SET records = excluded.records");

/* A row of report_days that changes: the changes from `first` on. */
struct rollup_row {
    struct rollup_place place;
    const struct rollup_change *first;
    int count;
    struct str records;
};

static int row_compare(const void *x, const void *y) {
    const struct rollup_row *a = x, *b = y;
    return place_compare(&a->place, &b->place);
}

static int rows_of(struct work *w, const struct rollup_changes *changes, struct rollup_row **out) {
    struct rollup_row *rows = arena_array(w->arena, (size_t)changes->count, sizeof *rows);
    int n = 0;
    for (int i = 0; i < changes->count; i++) {
        const struct rollup_change *c = &changes->list[i];
        if (n == 0 || place_compare(&rows[n - 1].place, &c->place) != 0)
            rows[n++] = (struct rollup_row){.place = c->place, .first = c};
        rows[n - 1].count++;
    }
    *out = rows;
    return n;
}

static void place_write(struct buf *b, const struct rollup_place *p, bool first) {
    buf_fmt(b, "%c[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, first ? '[' : ',', p->kind, p->dimension,
            p->day, p->key);
}

static int rows_read(struct work *w, struct rollup_row *rows, int n) {
    struct buf places = {0};
    int rc;
    for (int i = 0; i < n; i++) place_write(&places, &rows[i].place, i == 0), buf_char(&places, ']');
    buf_char(&places, ']');
    DB_ROWS(rc, w->conn, &rollup_find, BINDS(B_TEXT("rows", buf_take(&places, w->arena))), row) {
        struct rollup_row key = {
            {col_int(row, 0), col_int(row, 1), col_int(row, 2), col_int(row, 3)}, NULL, 0, {0}};
        struct rollup_row *found = bsearch(&key, rows, (size_t)n, sizeof *rows, row_compare);
        if (found) found->records = str_dup(w->arena, col_text(row, 4));
    }
    return rc;
}

/* Writes the records of the row with its changes: both are sorted. A record that is taken away and not there
 * is left to deskd check. */
static void records_merge(struct buf *out, const struct rollup_row *row) {
    size_t width = record_width((enum fact_kind)row->place.kind, (enum report_dimension)row->place.dimension);
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
        place_write(&made, &rows[i].place, i == 0);
        buf_text(&made, ",\"");
        records_merge(&made, &rows[i]);
        buf_text(&made, "\"]");
    }
    buf_char(&made, ']');
    return db_exec(w->conn, &rollup_set, BINDS(B_TEXT("rows", buf_take(&made, w->arena))));
}

/* ---- checking -------------------------------------------------------------------------------- */

QUERY(rollup_days, "SELECT DISTINCT kind, day FROM report_days ORDER BY kind, day");
QUERY(rollup_of_day, "SELECT dimension, key, records FROM report_days WHERE kind = :kind "
                     "AND dimension BETWEEN 0 AND 9 AND day = :day ORDER BY dimension, key");

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
    DB_ROWS(rc, w->conn, &rollup_of_day, BINDS(B_INT("kind", kind), B_INT("day", day)), row) {
        struct str records = col_text(row, 2);
        struct buf made = {0};
        if (records.n == 0) continue;
        if (at < n) records_merge(&made, &rows[at]);
        differs = differs || at == n || rows[at].place.dimension != col_int(row, 0) ||
                  rows[at].place.key != col_int(row, 1) || !str_eq(buf_view(&made), records);
        buf_free(&made);
        if (at < n) at++;
    }
    return rc < 0 ? rc : differs || at < n;
}

/* Days with facts and no rollup are found by their numbers. */
QUERY(rollup_counts,
      "SELECT CASE WHEN (SELECT COUNT(*) FROM report_facts) = (SELECT COALESCE(SUM(LENGTH(d.records) / CASE "
      "WHEN d.kind IN (4, 5, 6) THEN 6 ELSE 2 END), 0) FROM report_days d WHERE d.dimension = 0) "
      "THEN 1 ELSE 0 END");

int rollup_check(struct work *w, void (*report)(void *arg, int64_t kind, int64_t day), void *arg) {
    struct kind_day {
        int64_t kind, day;
    } *list = NULL;
    int n = 0, room = 0, rc, found = 0;
    int64_t equal = 0;
    DB_ROWS(rc, w->conn, &rollup_days, NULL, row) {
        list = arena_more(w->arena, list, n, &room, sizeof *list);
        list[n++] = (struct kind_day){col_int(row, 0), col_int(row, 1)};
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
