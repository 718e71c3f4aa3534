#include "core/reports/follow.h"

#include "base/ids.h"
#include "core/change/log.h"
#include "core/reports/rollup.h"
#include "json/json.h"

#include <stdlib.h>

#define AT_ONCE 1000      /* entries of the change log in one write */
#define BUILT_AT_ONCE 200 /* conversations: about 20 ms */
#define EVERYTHING INT64_MAX

/* ---- the cursor ------------------------------------------------------------------------------ */

struct place {
    struct change_cursor cursor;     /* store.p NULL: nothing was read */
    int64_t built, epoch, epoch_now; /* epoch_now: that of the facts while clocks_wait */
    bool clocks_wait, pending;       /* pending: report_pending has rows */
};

/* clocks_wait: a job computes clocks again, and business hours may have another epoch already. */
QUERY(report_place, "SELECT c.place, c.built, c.epoch, g.epoch, CASE WHEN EXISTS (SELECT 1 FROM jobs j "
                    "WHERE j.kind = 'clocks' AND j.status IN (1, 2)) THEN 1 ELSE 0 END, "
                    "CASE WHEN EXISTS (SELECT 1 FROM report_pending) THEN 1 ELSE 0 END "
                    "FROM report_cursor c LEFT JOIN clock_generations g ON g.id = 1");
QUERY(report_place_lock, "SELECT id FROM report_cursor @LOCK@");
QUERY(report_place_move, "UPDATE report_cursor SET place = :place, built = :built, epoch = :epoch");
QUERY(report_place_forget, "UPDATE report_cursor SET place = '', built = 0");

int report_begin_anew(struct conn *c) { return db_exec(c, &report_place_forget, NULL); }

static int report_place_read(struct work *w, struct place *out) {
    struct stmt *row;
    *out = (struct place){0};
    int rc = db_row(w->conn, &report_place, NULL, &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    struct str text = str_dup(w->arena, col_text(row, 0));
    out->built = col_int(row, 1), out->epoch = col_int(row, 2);
    out->clocks_wait = col_int(row, 4), out->pending = col_int(row, 5);
    out->epoch_now = out->clocks_wait ? out->epoch : col_int(row, 3);
    stmt_end(row);
    if (text.n && !change_cursor_read(w->arena, text, &out->cursor)) out->cursor = (struct change_cursor){0};
    out->cursor.kept = true;
    return 0;
}

static int place_put(struct work *w, const struct place *p) {
    return db_exec(w->conn, &report_place_move,
                   BINDS(B_TEXT("place", change_cursor_text(w->arena, &p->cursor)), B_INT("built", p->built),
                         B_INT("epoch", p->epoch)));
}

int report_is_behind(struct work *w) {
    struct place p;
    enum change_log_state state;
    int64_t id;
    bool more;
    TRY(report_place_read(w, &p));
    if (p.cursor.store.p == NULL || p.built != EVERYTHING || p.epoch != p.epoch_now || p.pending) return 1;
    int n = change_log_read(w, &p.cursor, 1, &id, &more, &state);
    return n < 0 ? n : n > 0 || state != CURSOR_GOOD;
}

/* ---- conversations --------------------------------------------------------------------------- */

static bool same_fact(const struct fact *a, const struct fact *b) {
    return fact_compare(a, b) == 0 && a->part == b->part && a->took == b->took &&
           a->took_open == b->took_open && a->assigned_agent_id == b->assigned_agent_id &&
           memcmp(a->keys, b->keys, sizeof a->keys) == 0 && str_eq(a->tags, b->tags);
}

/* The number of facts of the conversation from `at` on. */
static int facts_of_one(const struct facts *f, int at, int64_t id) {
    int n = 0;
    while (at + n < f->count && f->list[at + n].case_id == id) n++;
    return n;
}

/* Calls `differs` for each conversation whose facts are not the same in both lists. */
struct two_facts {
    const struct fact *was, *is;
    int was_count, is_count;
};
static void facts_compare(const struct facts *was, const struct facts *is,
                          void (*differs)(void *arg, int64_t id, const struct two_facts *two), void *arg) {
    for (int i = 0, k = 0; i < was->count || k < is->count;) {
        int64_t a = i < was->count ? was->list[i].case_id : INT64_MAX;
        int64_t b = k < is->count ? is->list[k].case_id : INT64_MAX, id = a < b ? a : b;
        int n = facts_of_one(was, i, id), m = facts_of_one(is, k, id), same = 0;
        while (n == m && same < n && same_fact(&was->list[i + same], &is->list[k + same])) same++;
        if (n != m || same < n)
            differs(arg, id, &(struct two_facts){n ? &was->list[i] : NULL, m ? &is->list[k] : NULL, n, m});
        i += n, k += m;
    }
}

struct moving {
    struct work *work;
    struct rollup_changes changes;
    struct facts made; /* facts of the conversations that differ */
    int64_t *ids;      /* these conversations */
    int count, room;
};

static void move_case(void *arg, int64_t id, const struct two_facts *two) {
    struct moving *m = arg;
    struct arena *a = m->work->arena;
    m->ids = arena_more(a, m->ids, m->count, &m->room, sizeof *m->ids);
    m->ids[m->count++] = id;
    for (int i = 0; i < two->was_count; i++) rollup_note(m->work, &m->changes, &two->was[i], false);
    for (int i = 0; i < two->is_count; i++) {
        rollup_note(m->work, &m->changes, &two->is[i], true);
        m->made.list = arena_more(a, m->made.list, m->made.count, &m->made.room, sizeof *m->made.list);
        m->made.list[m->made.count++] = two->is[i];
    }
}

static int facts_move(struct work *w, const struct facts *was, const struct facts *is) {
    struct moving m = {.work = w};
    facts_compare(was, is, move_case, &m);
    if (m.count == 0) return 0;
    TRY(facts_drop(w, json_ids(w->arena, m.ids, (size_t)m.count)));
    TRY(facts_put(w, &m.made));
    return rollup_put(w, &m.changes);
}

/* ---- following ------------------------------------------------------------------------------- */

QUERY(report_entries,
      "SELECT DISTINCT CASE WHEN l.kind = 'case' THEN l.object_id ELSE COALESCE(l.case_id, 0) END "
      "FROM change_log l WHERE l.id IN @LIST(:ids)");
QUERY(report_next_cases, "SELECT t.id FROM cases t WHERE t.id > :after ORDER BY t.id LIMIT :most");

static int follow_cases(struct work *w, struct str ids) {
    struct facts was, is;
    TRY(facts_stored(w, ids, &was));
    TRY(facts_compute(w, ids, &is));
    return facts_move(w, &was, &is);
}

/* Follows the next entries. Returns 1 if there are more, 0 or a negative error. */
static int follow_entries(struct work *w, struct place *p, enum change_log_state *state) {
    int64_t *ids = arena_array(w->arena, AT_ONCE, sizeof *ids), *cases;
    bool more = false;
    int n = change_log_read(w, &p->cursor, AT_ONCE, ids, &more, state);
    if (n <= 0) return n;
    p->cursor.last = ids[n - 1];
    int count = db_ids(w->conn, &report_entries, BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)n))),
                       w->arena, &cases);
    TRY(count);
    TRY(follow_cases(w, json_ids(w->arena, cases, (size_t)count)));
    return more;
}

QUERY(report_pending_read, "SELECT q.id, q.case_id FROM report_pending q ORDER BY q.id LIMIT :most");
QUERY(report_pending_done, "DELETE FROM report_pending WHERE id IN @LIST(:ids)");

/* Follows the next conversations that cascades have moved. Returns 1 if there are more, 0 or a negative
 * error. */
static int follow_pending(struct work *w) {
    int64_t *ids = arena_array(w->arena, AT_ONCE, sizeof *ids), *cases;
    size_t n = 0;
    int rc;
    cases = arena_array(w->arena, AT_ONCE, sizeof *cases);
    DB_ROWS(rc, w->conn, &report_pending_read, BINDS(B_INT("most", AT_ONCE)), row)
    ids[n] = col_int(row, 0), cases[n++] = col_int(row, 1);
    TRY(rc);
    TRY(follow_cases(w, json_ids(w->arena, cases, n)));
    TRY(db_exec(w->conn, &report_pending_done, BINDS(B_TEXT("ids", json_ids(w->arena, ids, n)))));
    return n == AT_ONCE;
}

/* Builds the facts of the next conversations. Those of conversations that are not there any more go. Returns
 * 1 if there are more, 0 or a negative error. */
static int build_next(struct work *w, struct place *p) {
    int64_t *ids, last;
    struct facts was, is;
    int n = db_ids(w->conn, &report_next_cases, BINDS(B_INT("after", p->built), B_INT("most", BUILT_AT_ONCE)),
                   w->arena, &ids);
    TRY(n);
    last = n == BUILT_AT_ONCE ? ids[n - 1] : EVERYTHING;
    TRY(facts_stored_between(w, p->built + 1, last, &was));
    TRY(facts_compute(w, json_ids(w->arena, ids, (size_t)n), &is));
    p->built = last;
    TRY(facts_move(w, &was, &is));
    return last != EVERYTHING;
}

/* The place of a store without facts, or whose change log the cursor does not fit. */
static int begin(struct work *w, struct place *p) {
    p->built = 0;
    p->epoch = p->epoch_now;
    return change_log_end(w, &p->cursor);
}

int report_follow(struct work *w, void *arg) {
    struct place p;
    enum change_log_state state = CURSOR_GOOD;
    int64_t locked;
    int more = 0;
    (void)arg;
    TRY(db_int(w->conn, &report_place_lock, NULL, &locked));
    TRY(report_place_read(w, &p));
    int64_t last = p.cursor.last;
    if (p.cursor.store.p) TRY(more = follow_entries(w, &p, &state));
    if (p.cursor.store.p == NULL || state != CURSOR_GOOD) TRY(begin(w, &p));
    if (p.epoch != p.epoch_now) p.epoch = p.epoch_now, p.built = 0;
    if (p.pending && !more) TRY(more = follow_pending(w));
    bool builds = !more && p.built != EVERYTHING;
    if (builds) TRY(more = build_next(w, &p));
    if (builds || p.cursor.last != last) TRY(place_put(w, &p)); /* a desk at rest writes nothing */
    return more || p.built != EVERYTHING;
}

/* ---- checking -------------------------------------------------------------------------------- */

struct checking {
    const struct report_findings *findings;
    const int64_t *pending; /* sorted */
    int pending_count, found;
};

static void check_case(void *arg, int64_t id, const struct two_facts *two) {
    struct checking *c = arg;
    (void)two;
    if (c->pending_count && bsearch(&id, c->pending, (size_t)c->pending_count, sizeof id, id_compare)) return;
    c->findings->case_differs(c->findings->arg, id);
    c->found++;
}

QUERY(report_pending_cases, "SELECT q.case_id FROM report_pending q");

/* The conversations that entries after the cursor or cascades name. */
static int pending_cases_read(struct work *w, struct place *p, int64_t **out, enum change_log_state *state) {
    int64_t *ids = arena_array(w->arena, AT_ONCE, sizeof *ids), *cases;
    int n, count = 0, room = 0;
    bool more = false;
    TRY(count = room = db_ids(w->conn, &report_pending_cases, NULL, w->arena, out));
    do {
        TRY(n = change_log_read(w, &p->cursor, AT_ONCE, ids, &more, state));
        if (n == 0) break;
        p->cursor.last = ids[n - 1];
        int found = db_ids(w->conn, &report_entries, BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)n))),
                           w->arena, &cases);
        TRY(found);
        for (int i = 0; i < found; i++) {
            *out = arena_more(w->arena, *out, count, &room, sizeof **out);
            (*out)[count++] = cases[i];
        }
    } while (more);
    if (count) ids_sort(*out, count);
    return count;
}

static int check_cases(struct work *w, struct place *p, struct checking *c) {
    int64_t built = p->built;
    struct place at = {0};
    int more = 1;
    while (more && at.built < built) {
        struct arena_mark m = arena_mark(w->arena);
        int64_t *ids;
        struct facts was, is;
        int n = db_ids(w->conn, &report_next_cases,
                       BINDS(B_INT("after", at.built), B_INT("most", BUILT_AT_ONCE)), w->arena, &ids);
        TRY(n);
        while (n > 0 && ids[n - 1] > built) n--;
        int64_t last = n == BUILT_AT_ONCE ? ids[n - 1] : built;
        TRY(facts_stored_between(w, at.built + 1, last, &was));
        TRY(facts_compute(w, json_ids(w->arena, ids, (size_t)n), &is));
        facts_compare(&was, &is, check_case, c);
        at.built = last;
        more = n == BUILT_AT_ONCE;
        arena_return(w->arena, m);
    }
    return 0;
}

int report_check(struct work *w, const struct report_findings *f) {
    struct place p;
    struct checking c = {.findings = f};
    enum change_log_state state = CURSOR_GOOD;
    int64_t *pending;
    TRY(report_place_read(w, &p));
    int days = rollup_check(w, f->day_differs, f->arg);
    if (days < 0 || p.cursor.store.p == NULL || p.clocks_wait || p.epoch != p.epoch_now) return days;
    TRY(c.pending_count = pending_cases_read(w, &p, &pending, &state));
    c.pending = pending;
    if (state == CURSOR_GOOD) TRY(check_cases(w, &p, &c));
    return days + c.found;
}
