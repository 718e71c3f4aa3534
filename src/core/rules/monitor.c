/* A monitor acts on conversations that meet its predicate although nobody has changed them: hours have
 * passed.
 *
 *     due ---> claim (a write) ---> choose (a read, all conversations by SQL) ---> act (writes of 50 conversations) ---> ... until none is left
 *
 * One process runs a monitor, because the claim sets next_run_at in a conditional UPDATE. A process that
 * dies leaves the rest to the next run. The scan is a read, so no write waits for it. One statement
 * examines all conversations, by an index if the predicate allows it. If that takes too long, the run goes
 * on with statements that examine 1,000 conversations each (jobs/monitors.c), so no snapshot is held for
 * long.
 *
 * A monitor acts once on each state of a conversation. monitor_cases keeps the updated_at that the
 * conversation has after the actions, so the monitor's own changes do not count as a new state. Another
 * change does, and so does a change of the monitor. The write locks the conversation and tests everything
 * again, so two runs that overlap act once. Monitors run in the order of execution. Each sees what the
 * earlier ones did.
 *
 * Only active conversations that are not closed are chosen, unless the monitor tests the state. A closed
 * one can't change. */
#include "core/rules/monitor.h"

#include "core/rules/action.h"
#include "core/rules/rules_finish.h"

QUERY(monitors_that_are_due,
      "SELECT id FROM monitors WHERE is_enabled = 1 AND next_run_at <= :now ORDER BY execution_order, id");
QUERY(monitor_take, "UPDATE monitors SET next_run_at = :next, last_executed_at = :now "
                    "WHERE id = :id AND is_enabled = 1 AND next_run_at <= :now");
QUERY(monitor_enabled, "SELECT title, generation FROM monitors WHERE id = :id AND is_enabled = 1");
QUERY(monitor_done, "INSERT INTO monitor_cases (monitor_id, case_id, generation, updated_at) "
                    "SELECT CAST(:id AS BIGINT), t.id, CAST(:generation AS BIGINT), t.updated_at "
                    "FROM cases t WHERE t.id = :case ON CONFLICT (monitor_id, case_id) DO UPDATE "
                    "SET generation = excluded.generation, updated_at = excluded.updated_at");
QUERY(monitor_renew, "UPDATE monitors SET generation = generation + 1, next_run_at = 0 WHERE id = :id");

int monitors_due(struct work *w, int64_t **ids) {
    return db_ids(w->conn, &monitors_that_are_due, BINDS(B_INT("now", w->now)), w->arena, ids);
}

int monitor_claim(struct work *w, int64_t id) {
    return db_exec(w->conn, &monitor_take,
                   BINDS(B_INT("id", id), B_INT("now", w->now), B_INT("next", w->now + MONITOR_EVERY)));
}

int monitor_begin_again(struct work *w, int64_t id) {
    int rc = db_exec(w->conn, &monitor_renew, BINDS(B_INT("id", id)));
    return rc < 0 ? rc : 0;
}

int monitor_read(struct work *w, int64_t id, struct monitor *out) {
    const struct rule_predicate none = {.owner_id = id};
    struct rule_predicate *stored;
    struct predicate *compiled;
    struct rule_action *actions;
    struct str ids = json_ids(w->arena, &id, 1);
    struct stmt *row;
    int rc = db_row(w->conn, &monitor_enabled, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    *out = (struct monitor){.rule = {.id = id, .title = str_dup(w->arena, col_text(row, 0))},
                            .generation = col_int(row, 1)};
    stmt_end(row);
    TRY(rule_definitions_load(w, RULE_MONITOR, &out->definitions));
    int n = rule_predicates_read(w, RULE_OF_MONITOR, ids, &stored);
    TRY(n);
    TRY(rule_predicate_compile(w, &out->definitions, n ? stored : &none, &compiled));
    out->rule.predicate = compiled;
    out->rule.action_count = rule_actions_read(w, RULE_OF_MONITOR, ids, &actions);
    TRY(out->rule.action_count);
    out->rule.actions = actions;
    return 1;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* The ids that meet the predicate and `where`, in their order. limit: the text behind it. */
static int monitor_find(struct work *w, const struct monitor *m, const char *where, const char *limit,
                        const struct bind *more, int64_t **ids) {
    struct condition c;
    struct stmt *row;
    int n = 0, room = 0, rc, count = 0;
    TRY(predicate_condition_now(w, m->rule.predicate, &c));
    /* and the four of this statement */
    struct bind *binds = arena_array(w->arena, (size_t)c.count + 8, sizeof *binds);
    if (c.count) memcpy(binds, c.binds, (size_t)c.count * sizeof *binds);
    for (count = c.count; more->name; more++) binds[count++] = *more;
    binds[count++] = (struct bind)B_INT("monitor", m->rule.id);
    binds[count] = (struct bind)B_INT("generation", m->generation);
    struct str sql =
        str_fmt(w->arena,
                "SELECT t.id FROM cases t "
                "WHERE %s AND t.merged_into_id IS NULL AND %s AND %s AND NOT EXISTS (SELECT 1 "
                "FROM monitor_cases o WHERE o.monitor_id = :monitor AND o.case_id = t.id "
                "AND o.generation = :generation AND o.updated_at = t.updated_at) "
                "ORDER BY t.id%s",
                predicate_tests(m->rule.predicate, "cases.state") ? "t.state IN (1, 2, 3)"
                                                                  : "t.state = 1 AND t.status_type <> 5",
                where, c.sql, limit);
    *ids = NULL;
    TRY(db_start(w->conn, sql.p, binds, &row));
    while ((rc = stmt_step(row)) == 1) {
        *ids = arena_more(w->arena, *ids, n, &room, sizeof **ids);
        (*ids)[n++] = col_int(row, 0);
    }
    stmt_end(row);
    return rc < 0 ? rc : n;
}

int monitor_choose(struct work *w, const struct monitor *m, int64_t after, int most, int64_t **ids) {
    return monitor_find(w, m, "t.id > :after", " LIMIT :most",
                        BINDS(B_INT("after", after), B_INT("most", most)), ids);
}

QUERY(monitor_next_cases, "SELECT t.id FROM cases t WHERE t.id > :after ORDER BY t.id LIMIT :most");

int monitor_choose_among(struct work *w, const struct monitor *m, int64_t after, int most, int64_t *looked,
                         int64_t **ids) {
    int64_t *next;
    int n = db_ids(w->conn, &monitor_next_cases, BINDS(B_INT("after", after), B_INT("most", most)), w->arena,
                   &next);
    TRY(n);
    *looked = n ? next[n - 1] : 0;
    return n ? monitor_find(w, m, "t.id IN @LIST(:ids)", "",
                            BINDS(B_TEXT("ids", json_ids(w->arena, next, (size_t)n))), ids)
             : 0;
}

/* ---- acting ---------------------------------------------------------------------------------- */

/* Returns 1 if it acted, 0 if the conversation is gone, or a negative error. */
static int monitor_fire(struct work *w, const struct monitor *m, int64_t case_id) {
    struct rule_fire f = {.rule = &m->rule,
                          .owner = RULE_OF_MONITOR,
                          .raises = RULE_MONITORED,
                          .case_id = case_id,
                          .hidden = predicate_tests(m->rule.predicate, "cases.state")};
    int rc = rule_fire(w, &f);
    if (rc <= 0) return rc;
    TRY(db_exec(w->conn, &monitor_done,
                BINDS(B_INT("id", m->rule.id), B_INT("generation", m->generation), B_INT("case", case_id))));
    return 1;
}

QUERY(monitor_lock, "SELECT k.id FROM cases k WHERE k.id IN @LIST(:ids) ORDER BY k.id @LOCK@");

int monitor_act(struct work *w, const struct monitor *m, const int64_t *ids, int count) {
    int64_t *still;
    struct str list = json_ids(w->arena, ids, (size_t)count);
    int acted = 0, n = db_ids(w->conn, &monitor_lock, BINDS(B_TEXT("ids", list)), w->arena, &still);
    TRY(n);
    n = monitor_find(w, m, "t.id IN @LIST(:ids)", "", BINDS(B_TEXT("ids", list)), &still);
    TRY(n);
    for (int i = 0; i < n; i++) {
        int rc = monitor_fire(w, m, still[i]);
        TRY(rc);
        acted += rc;
    }
    return acted;
}
