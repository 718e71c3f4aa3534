#include "core/change/log.h"

#include "core/change/change.h"
#include "json/json.h"

/* ---- writing --------------------------------------------------------------------------------- */

#define ENTRY(n)                                                                                       \
    "(:kind" #n ", :object" #n ", CAST(:case" #n " AS BIGINT), :verb" #n ", :property" #n ", :from" #n \
    ", :to" #n ", CAST(:actor AS BIGINT), :actor_kind, :cause, :now)"
#define ENTRIES                                                                                \
    "INSERT INTO change_log (kind, object_id, case_id, verb, property, old_value, new_value, " \
    "actor_id, actor_kind, cause, changed_at) "                                                \
    "VALUES "
/* Several entries are written at a time, because each statement waits for PostgreSQL. */
QUERY(change_log_add_1, ENTRIES ENTRY(0));
QUERY(change_log_add_2, ENTRIES ENTRY(0) ", " ENTRY(1));
QUERY(change_log_add_4, ENTRIES ENTRY(0) ", " ENTRY(1) ", " ENTRY(2) ", " ENTRY(3));

#define ENTRY_BINDS 7

static const char *const entry_names[][ENTRY_BINDS] = {
    {":kind0", ":object0", ":case0", ":verb0", ":property0", ":from0", ":to0"},
    {":kind1", ":object1", ":case1", ":verb1", ":property1", ":from1", ":to1"},
    {":kind2", ":object2", ":case2", ":verb2", ":property2", ":from2", ":to2"},
    {":kind3", ":object3", ":case3", ":verb3", ":property3", ":from3", ":to3"},
};

/* The number of the next changes that one statement can write: they have one author. */
static int changes_together(const struct change *c) {
    int n = 0;
    for (const struct change *x = c; x && n < 4 && x->by == c->by; x = x->next) n++;
    return n == 3 ? 2 : n;
}

static void bind_entry(struct work *w, const struct change *c, const char *const *names, struct bind *binds) {
    struct str from = c->named ? (struct str){0} : changed_value_text(w->arena, &c->from);
    struct str to = c->named ? (struct str){0} : changed_value_text(w->arena, &c->to);
    binds[0] = (struct bind){.name = names[0], .type = BIND_TEXT, .s = str_of(c->kind)};
    binds[1] = (struct bind){.name = names[1], .type = BIND_INT, .i = c->id};
    binds[2] = (struct bind){.name = names[2], .type = c->case_id ? BIND_INT : BIND_NULL, .i = c->case_id};
    binds[3] = (struct bind){.name = names[3], .type = BIND_INT, .i = c->verb};
    binds[4] = (struct bind){.name = names[4], .type = BIND_TEXT, .s = str_of(c->property)};
    binds[5] = (struct bind){.name = names[5], .type = BIND_TEXT, .s = from};
    binds[6] = (struct bind){.name = names[6], .type = BIND_TEXT, .s = to};
}

int change_log_finish(struct work *w) {
    const struct change *c = changes_of(w);
    struct bind binds[4 * ENTRY_BINDS + 5];
    while (c) {
        const struct change_author *by = c->by;
        int n = changes_together(c), at = 0;
        for (int i = 0; i < n; i++, c = c->next, at += ENTRY_BINDS)
            bind_entry(w, c, entry_names[i], &binds[at]);
        binds[at++] = (struct bind)B_ID("actor", by ? 0 : w->actor.user_id);
        binds[at++] = (struct bind)B_INT("actor_kind", by ? ACTOR_RULE : w->actor.kind);
        binds[at++] = (struct bind)B_TEXT("cause", by ? by->cause : w->actor.cause);
        binds[at++] = (struct bind)B_INT("now", w->now);
        binds[at] = (struct bind){0};
        const struct query *add = n == 4 ? &change_log_add_4 : n == 2 ? &change_log_add_2 : &change_log_add_1;
        TRY(db_later(w->conn, add, binds));
    }
    return 0;
}

/* ---- cursors --------------------------------------------------------------------------------- */

struct str change_cursor_text(struct arena *a, const struct change_cursor *c) {
    char number[INT_TEXT];
    return STR_CAT(a, S("1|"), c->store, S("|"), c->then, S("|"), c->now, S("|"), str_int(number, c->last));
}

bool change_cursor_read(struct arena *a, struct str text, struct change_cursor *out) {
    struct str rest = str_dup(a, text);
    if (!str_eq(str_cut(&rest, '|'), S("1")) || rest.p == NULL) return false;
    out->store = str_cut(&rest, '|');
    if (rest.p) out->then = str_cut(&rest, '|');
    if (rest.p) out->now = str_cut(&rest, '|');
    return rest.p && str_to_int(rest, &out->last) && out->last >= 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

QUERY(change_log_ends, "SELECT CAST(@STORE@ AS TEXT), CAST(@PLACE(change_log) AS TEXT), "
                       "COALESCE((SELECT pruned_id FROM change_log_pruned), 0), "
                       "COALESCE((SELECT MAX(id) FROM change_log), 0)");
QUERY(change_log_oldest,
      "SELECT id FROM change_log WHERE id > :last AND @SEEN(:now) ORDER BY id LIMIT :most");
QUERY(change_log_window, "SELECT id FROM change_log WHERE id > :last AND @UNSEEN(:then) AND @SEEN(:now) "
                         "ORDER BY id LIMIT :most");

/* The first entries of a window. On PostgreSQL they may have any ids, so they are found by their transactions:
 * OFFSET keeps the planner from reading all entries in the order of their ids. */
QUERY(change_log_window_begin,
      "SELECT e.id FROM (SELECT id FROM change_log WHERE id > :last AND @UNSEEN(:then) AND @SEEN(:now) "
      "@POSTGRES{ OFFSET 0 }@) e ORDER BY e.id LIMIT :most");

static int read_window(struct work *w, const struct change_cursor *c, int64_t last, int most, int64_t *ids) {
    int n = 0, rc;
    const struct query *q = c->then.n == 0 ? &change_log_oldest
                            : last         ? &change_log_window
                                           : &change_log_window_begin;
    const struct bind *binds =
        BINDS(B_INT("last", last), B_TEXT("then", c->then), B_TEXT("now", c->now), B_INT("most", most));
    DB_ROWS(rc, w->conn, q, binds, row) ids[n++] = col_int(row, 0);
    return rc < 0 ? rc : n;
}

/* The log as a snapshot sees it. */
struct ends {
    struct str store, now;
    int64_t pruned, last; /* the highest id that was pruned; of an entry */
};

static int ends_read(struct work *w, struct ends *e) {
    int rc;
    DB_ROWS(rc, w->conn, &change_log_ends, NULL, row) *e =
        (struct ends){str_dup(w->arena, col_text(row, 0)), str_dup(w->arena, col_text(row, 1)),
                      col_int(row, 2), col_int(row, 3)};
    return rc;
}

static struct str cluster_of(struct str store) { return str_cut(&store, '.'); }

static bool is_of_store(const struct change_cursor *c, struct str store) {
    return c->kept ? str_eq(cluster_of(c->store), cluster_of(store)) : str_eq(c->store, store);
}

/* A place of SQLite is an id, from which a window is read: otherwise SQLite reads all entries before it. 0 on
 * PostgreSQL, where entries with lower ids may have been committed later. */
static int64_t id_of_place(struct str place) {
    int64_t id;
    return str_to_int(place, &id) ? id : 0;
}

/* On SQLite: the cursor is ahead of the store, so an older backup was restored. */
static bool is_ahead(struct str place, struct str now) {
    int64_t p, n;
    return str_to_int(place, &p) && str_to_int(now, &n) && p > n;
}

int change_log_read(struct work *w, struct change_cursor *c, int most, int64_t *ids, bool *more,
                    enum change_log_state *state) {
    struct ends e = {0};
    bool begins = c->store.p == NULL, kept = c->kept;
    int64_t *found = arena_array(w->arena, (size_t)most + 1, sizeof *found);
    TRY(ends_read(w, &e));
    *state = begins || (is_of_store(c, e.store) && !is_ahead(c->now, e.now)) ? CURSOR_GOOD : CURSOR_FOREIGN;
    if (!begins && *state == CURSOR_GOOD && c->last < e.pruned) *state = CURSOR_PRUNED;
    if (*state != CURSOR_GOOD) return 0;
    if (begins) *c = (struct change_cursor){.store = e.store, .then = S(""), .now = e.now, .kept = kept};
    c->store = e.store;
    int n = read_window(w, c, c->last, most + 1, found);
    if (n == 0 && !begins) {
        int64_t last = c->last;
        *c = (struct change_cursor){
            .store = e.store, .then = c->now, .now = e.now, .last = last, .kept = kept};
        n = read_window(w, c, id_of_place(c->then), most + 1, found);
    }
    TRY(n);
    *more = n > most;
    if (n > most) n = most;
    memcpy(ids, found, (size_t)n * sizeof *ids);
    return n;
}

int change_log_end(struct work *w, struct change_cursor *out) {
    struct ends e = {0};
    TRY(ends_read(w, &e));
    *out = (struct change_cursor){.store = e.store, .then = e.now, .now = e.now, .last = e.last};
    return 0;
}

/* ---- places ---------------------------------------------------------------------------------- */

QUERY(log_place, "SELECT CAST(@PLACE(change_log) AS TEXT)");
/* A transaction that was under way is taken for one that is not seen. */
QUERY(log_sees,
      "SELECT CASE WHEN @SQLITE{CAST(:place AS INTEGER) <= (SELECT COALESCE(MAX(id), 0) FROM change_log)}@"
      "@POSTGRES{NOT pg_is_in_recovery() AND pg_snapshot_xmax(CAST(CAST(:place AS TEXT) AS pg_snapshot)) <= "
      "pg_snapshot_xmin(pg_current_snapshot())}@ THEN 1 ELSE 0 END");
QUERY(log_on_replica, "SELECT @SQLITE{0}@@POSTGRES{CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END}@");

int change_log_place(struct work *w, struct str *place) {
    return db_text(w->conn, &log_place, NULL, w->arena, place);
}

int change_log_sees(struct work *w, struct str place) {
    int64_t sees = 0;
    TRY(db_int(w->conn, &log_sees, BINDS(B_TEXT("place", place)), &sees));
    return sees != 0;
}

int change_log_on_replica(struct work *w) {
    int64_t replica = 0;
    TRY(db_int(w->conn, &log_on_replica, NULL, &replica));
    return replica != 0;
}

/* ---- pruning --------------------------------------------------------------------------------- */

/* The newest entry stays, however old, because SQLite derives the next id from it, and @PLACE. */
QUERY(change_log_prunable,
      "SELECT COALESCE(MAX(o.id), 0) FROM (SELECT id, changed_at FROM change_log ORDER BY id LIMIT :most) o "
      "WHERE o.changed_at <= :before AND o.id < (SELECT MAX(id) FROM change_log)");
QUERY(change_log_prune_to, "DELETE FROM change_log WHERE id <= :last");
QUERY(change_log_pruned_set, "UPDATE change_log_pruned SET pruned_id = :last WHERE pruned_id < :last");

int change_log_prune(struct conn *c, int64_t before, int64_t most) {
    int64_t last = 0;
    TRY(db_int(c, &change_log_prunable, BINDS(B_INT("before", before), B_INT("most", most)), &last));
    if (last == 0) return 0;
    TRY(db_exec(c, &change_log_pruned_set, BINDS(B_INT("last", last))));
    return db_exec(c, &change_log_prune_to, BINDS(B_INT("last", last)));
}
