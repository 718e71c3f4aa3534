/* Compares visibility with its rules in words. For desks of random assignments and every kind of
 * caller, the union of the branches is the set that the sentence describes, and the counters match. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "core/access/access.h"
#include "core/all/cascades.h"
#include "core/cases/case.h"
#include "core/cases/case_total.h"
#include "core/cases/total_sql.h"
#include "core/all/check.h"
#include "core/people/team.h"
#include "core/people/user.h"
#include "core/words.h"

#define CASES 300
#define TEAMS 20
#define AGENTS 5
#define CUSTOMERS 6

#define FINGERPRINTS 4

struct fact {
    int64_t team, agent, requester, organization;
    int state, type, fingerprint; /* fingerprint: 0 means made without one */
};

struct world {
    struct place place;
    struct fact facts[CASES + 1]; /* index: id */
    bool member[TEAMS + 1][AGENTS + 1];
    int gone; /* an agent who has been deleted */
    unsigned seed;
};

static unsigned roll(struct world *w, unsigned sides) {
    w->seed = w->seed * 1103515245u + 12345u;
    return (w->seed >> 16) % sides;
}

QUERY(world_organization,
      "INSERT INTO organizations (id, name, name_key, is_shared, is_validated, created_at, updated_at) "
      "VALUES (:id, 'x', 'x', 1, 1, 0, 0)");
QUERY(world_user, "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, "
                  "role_type, organization_id, created_at, updated_at) "
                  "VALUES (:id, :uuid, 'x', 'x', 1, 0, 2, 3, CAST(:organization AS BIGINT), 0, 0)");
QUERY(world_team, "INSERT INTO teams (id, title, created_at, updated_at) VALUES (:id, 'x', 0, 0)");
QUERY(world_member, "INSERT INTO team_members (team_id, user_id, created_at) VALUES (:team, :user, 0)");
QUERY(world_case, "INSERT INTO cases (id, uuid, subject, channel, state, requester_id, creator_id, "
                  "organization_id, assigned_team_id, assigned_agent_id, status_id, status_type, "
                  "fingerprint, message_seq, reopen_count, created_at, updated_at) "
                  "VALUES (:id, 'x', 'x', 2, :state, :requester, :requester, CAST(:organization AS BIGINT), "
                  "CAST(:team AS BIGINT), CAST(:agent AS BIGINT), CAST(:type AS BIGINT), "
                  "CAST(CAST(:type AS BIGINT) AS INTEGER), :fingerprint, 0, 0, :id, 0)");
/* Returns the hash of fingerprint i; p NULL for 0. */
static struct str fingerprint(int i) {
    static const char *const hashes[FINGERPRINTS + 1] = {NULL, "f1", "f2", "f3", "f4"};
    return hashes[i] ? str_of(hashes[i]) : (struct str){0};
}

/* Two customers are in organization 1, two in organization 2, two in none. */
static int64_t organization_of(int user_id) { return user_id > AGENTS ? user_id % 3 : 0; }

QUERY(world_counts,
      "INSERT INTO case_totals (" TOTAL_COLUMNS ") SELECT " TOTAL_COLUMNS " FROM (" CASE_TOTALS ") a");

static int fill(struct conn *c, void *arg) {
    struct world *w = arg;
    char uuid[16];
    for (int id = 1; id <= 2; id++)
        if (db_exec(c, &world_organization, BINDS(B_INT("id", id))) < 0) return -1;
    for (int id = 1; id <= AGENTS + CUSTOMERS; id++) {
        snprintf(uuid, sizeof uuid, "u%d", id);
        if (db_exec(c, &world_user,
                    BINDS(B_INT("id", id), B_TEXT("uuid", str_of(uuid)),
                          B_ID("organization", organization_of(id)))) < 0)
            return -1;
    }
    for (int t = 1; t <= TEAMS; t++) {
        if (db_exec(c, &world_team, BINDS(B_INT("id", t))) < 0) return -1;
        for (int a = 1; a <= AGENTS; a++) {
            /* the first agent is in more teams than there are branches */
            w->member[t][a] = a == 1 || roll(w, 4) == 0;
            if (w->member[t][a] && db_exec(c, &world_member, BINDS(B_INT("team", t), B_INT("user", a))) < 0)
                return -1;
        }
    }
    for (int id = 1; id <= CASES; id++) {
        struct fact *f = &w->facts[id];
        *f = (struct fact){.team = roll(w, 3) ? roll(w, TEAMS) + 1 : 0,
                           .agent = roll(w, 2) ? roll(w, AGENTS) + 1 : 0,
                           .requester = AGENTS + 1 + roll(w, CUSTOMERS),
                           .state = roll(w, 5) ? 1 : 3,
                           .type = (int)roll(w, 5) + 1,
                           .fingerprint = (int)roll(w, FINGERPRINTS + 1)};
        f->organization = organization_of((int)f->requester);
        if (db_exec(c, &world_case,
                    BINDS(B_INT("id", id), B_INT("state", f->state), B_INT("requester", f->requester),
                          B_ID("organization", f->organization), B_ID("team", f->team),
                          B_ID("agent", f->agent), B_INT("type", f->type),
                          B_TEXT("fingerprint", fingerprint(f->fingerprint)))) < 0)
            return -1;
    }
    return db_exec(c, &world_counts, NULL);
}

static int make(void **state) {
    struct world *w = calloc(1, sizeof *w);
    if (w == NULL) return -1;
    *state = w;
    w->seed = 7;
    snprintf(w->place.dir, sizeof w->place.dir, "/tmp/deskd-test-XXXXXX");
    if (!mkdtemp(w->place.dir) || place_open(&w->place, schema_files) < 0) return -1;
    return db_write(w->place.db, fill, w) < 0 ? -1 : 0;
}

static int unmake(void **state) {
    struct world *w = *state;
    char command[64];
    place_close(&w->place);
    snprintf(command, sizeof command, "rm -rf %s", w->place.dir);
    free(w);
    return system(command);
}

/* ---- the sentences --------------------------------------------------------------------------- */

static bool sees(const struct world *w, const struct actor *a, const struct fact *f) {
    if (f->state != CASE_ACTIVE) return false;
    if (a->rank == ROLE_PUBLIC)
        return a->fingerprint.p && f->fingerprint && str_eq(a->fingerprint, fingerprint(f->fingerprint));
    if (a->rank == ROLE_CUSTOMER)
        return f->requester == a->user_id || (a->sees_organization && f->organization == a->organization_id);
    if (a->case_access == CASES_ALL) return true;
    if (f->agent == a->user_id) return true;
    if (a->case_access == CASES_SELF) return false;
    return (f->team && w->member[f->team][a->user_id]) || (f->team == 0 && f->agent == 0);
}

static void check_actor(struct world *w, struct actor actor) {
    struct desk desk = {.db = w->place.db};
    struct work work;
    struct branches b = {0};
    int seen[CASES + 1] = {0}, expected = 0, of_type[STATUS_CUSTOM + 1] = {0};
    int64_t total;
    work_init(&work, &desk, arena_new());
    work.actor = actor;
    work.conn = db_reader(w->place.db);
    assert_int_equal(db_read_begin(work.conn, 0), 0);
    access_cases(&work, &b);
    for (int i = 0; i < b.count; i++) {
        struct str sql = str_fmt(work.arena, "SELECT t.id FROM cases t WHERE %s", b.where[i]);
        struct stmt *s;
        assert_int_equal(db_start(work.conn, sql.p, b.binds, &s), 0);
        while (stmt_step(s) == 1) seen[col_int(s, 0)]++;
        stmt_end(s);
    }
    for (int id = 1; id <= CASES; id++) {
        bool should = sees(w, &actor, &w->facts[id]);
        assert_int_equal(b.overlap ? seen[id] > 0 : seen[id], should); /* disjoint branches: exactly once */
        expected += should;
        if (should) of_type[w->facts[id].type]++;
    }
    if (actor.rank >= ROLE_COLLABORATOR) {
        assert_int_equal(case_total(&work, &(struct case_filter){0}, &total), 1);
        assert_int_equal(total, expected);
        assert_int_equal(
            case_total(&work, &(struct case_filter){.by = BY_STATUS, .types = 1U << 2 | 1U << 4}, &total), 1);
        assert_int_equal(total, of_type[2] + of_type[4]);
    }
    db_read_end(work.conn);
    arena_free(work.arena);
}

static void everybody_sees_what_the_sentence_says_and_counts_it(void **state) {
    struct world *w = *state;
    for (int access = CASES_SELF; access <= CASES_ALL; access++)
        for (int agent = 1; agent <= AGENTS; agent++)
            if (agent != w->gone)
                check_actor(w, (struct actor){.rank = ROLE_AGENT, .user_id = agent, .case_access = access});
    for (int customer = AGENTS + 1; customer <= AGENTS + CUSTOMERS; customer++)
        for (int shared = 0; shared < 2; shared++) {
            int64_t organization = organization_of(customer);
            check_actor(w, (struct actor){.rank = ROLE_CUSTOMER,
                                          .user_id = customer,
                                          .organization_id = organization,
                                          .sees_organization = shared && organization});
        }
    check_actor(w, (struct actor){.rank = ROLE_PUBLIC});
    /* a fingerprint without conversations */
    check_actor(w, (struct actor){.rank = ROLE_PUBLIC, .fingerprint = S("f")});
    for (int i = 1; i <= FINGERPRINTS; i++) {
        check_actor(w, (struct actor){.rank = ROLE_PUBLIC, .fingerprint = fingerprint(i)});
        /* For a caller with a login a fingerprint makes no difference. */
        check_actor(
            w, (struct actor){.rank = ROLE_CUSTOMER, .user_id = AGENTS + 1, .fingerprint = fingerprint(i)});
        check_actor(w, (struct actor){.rank = ROLE_AGENT,
                                      .user_id = 1,
                                      .case_access = CASES_SELF,
                                      .fingerprint = fingerprint(i)});
    }
}

/* The list of a fingerprint reads only its own conversations, in order, whatever other rows the table has. */
static void conversations_of_a_fingerprint_are_one_index_range(void **state) {
    struct world *w = *state;
    struct desk desk = {.db = w->place.db};
    struct work work;
    struct branches b = {0};
    struct stmt *s;
    int lines = 0;
    work_init(&work, &desk, arena_new());
    work.actor = (struct actor){.rank = ROLE_PUBLIC, .fingerprint = fingerprint(1)};
    work.conn = db_reader(w->place.db);
    assert_int_equal(db_read_begin(work.conn, 0), 0);
    access_cases(&work, &b);
    assert_int_equal(b.count, 1);
    struct str sql = str_fmt(work.arena,
                             "EXPLAIN QUERY PLAN SELECT t.id FROM cases t "
                             "WHERE %s ORDER BY t.created_at DESC, t.id DESC "
                             "LIMIT 10",
                             b.where[0]);
    assert_int_equal(db_start(work.conn, sql.p, b.binds, &s), 0);
    for (; stmt_step(s) == 1; lines++)
        assert_non_null(strstr(col_text(s, 3).p, "USING INDEX cases_by_fingerprint (fingerprint=?)"));
    stmt_end(s);
    assert_int_equal(lines, 1); /* a second line would be a sort */
    db_read_end(work.conn);
    arena_free(work.arena);
}

/* ---- during a cascade ------------------------------------------------------------------------ */

#define PART 7 /* conversations that one write changes */

extern JOB_CODE(CASCADE);

struct going {
    struct world *world;
    int (*begin)(struct work *w); /* NULL: the next part */
    bool more;
};

static int go(struct conn *c, void *arg) {
    struct going *g = arg;
    struct desk desk = {.db = g->world->place.db, .cascades = cascades, .cascade_rows = PART};
    struct work work;
    struct job job;
    work_init(&work, &desk, arena_new());
    work.conn = c;
    work.now += TIME_MINUTE * g->more; /* the next part is due */
    int rc = g->begin ? g->begin(&work) : job_claim(&work, S("[\"cascade\"]"), &job);
    g->more = g->begin || rc == 1;
    if (rc >= 0 && !g->begin && g->more) rc = job_code_CASCADE.run(&work, &job);
    g->begin = NULL;
    arena_free(work.arena);
    return rc;
}

/* Readers see the final state from the first part on. Returns the number of parts. */
static int parts(void **state, int (*begin)(struct work *w)) {
    struct going g = {.world = *state, .begin = begin};
    int count = 0;
    do {
        assert_true(db_write(g.world->place.db, go, &g) >= 0);
        everybody_sees_what_the_sentence_says_and_counts_it(state);
        count += g.more;
    } while (g.more);
    return count;
}

static int teams_go(struct work *w) { return teams_delete(w, S("[2,3,5]")); }
static int agent_goes(struct work *w) { return users_delete(w, (int64_t[]){4}, 1); }

static void conversations_of_deleted_teams_are_unassigned_and_counted_so_at_once(void **state) {
    struct world *w = *state;
    int named = 0;
    for (int id = 1; id <= CASES; id++) {
        int64_t *team = &w->facts[id].team;
        if (*team != 2 && *team != 3 && *team != 5) continue;
        *team = 0;
        named++;
    }
    assert_true(parts(state, teams_go) >= named / PART);
}

static void conversations_of_a_deleted_agent_are_unassigned_and_counted_so_at_once(void **state) {
    struct world *w = *state;
    int named = 0;
    w->gone = 4;
    for (int id = 1; id <= CASES; id++) {
        if (w->facts[id].agent != 4) continue;
        w->facts[id].agent = 0;
        named++;
    }
    assert_true(parts(state, agent_goes) >= named / PART);
}

static int one_after_the_other(struct work *w) { return teams_go(w) < 0 ? -1 : agent_goes(w); }

static void counters_agree_if_a_team_and_an_agent_go_at_once(void **state) {
    struct world *w = *state;
    w->gone = 4;
    for (int id = 1; id <= CASES; id++) {
        struct fact *f = &w->facts[id];
        if (f->team == 2 || f->team == 3 || f->team == 5) f->team = 0;
        if (f->agent == 4) f->agent = 0;
    }
    parts(state, one_after_the_other);
}

/* A caller who got the branches that were read would see too few conversations, in a reply with the status
 * 200. */
static int without_a_table(struct conn *c, void *table) {
    struct desk desk = {0};
    struct work work;
    struct branches b = {0};
    char sql[80];
    work_init(&work, &desk, arena_new());
    work.conn = c;
    work.actor = (struct actor){.rank = ROLE_AGENT, .user_id = 1, .case_access = CASES_TEAMS};
    snprintf(sql, sizeof sql, "ALTER TABLE %s RENAME TO away", (const char *)table);
    /* the writer rolls back a task that has changed a row */
    assert_true(db_exec_text(c, "UPDATE users SET updated_at = updated_at", NULL) > 0);
    assert_true(db_exec_text(c, sql, NULL) >= 0);
    access_cases(&work, &b);
    int failure_was = (int)failure(&work);
    arena_free(work.arena);
    assert_int_equal(failure_was, ERR_INTERNAL_ERROR);
    return -ERR_INTERNAL_ERROR; /* rolls back */
}

static void visibility_that_cant_be_read_fails_the_work(void **state) {
    struct world *w = *state;
    static char members[] = "team_members", jobs[] = "jobs";
    assert_int_equal(db_write(w->place.db, without_a_table, members), -ERR_INTERNAL_ERROR);
    assert_int_equal(db_write(w->place.db, without_a_table, jobs), -ERR_INTERNAL_ERROR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everybody_sees_what_the_sentence_says_and_counts_it, make, unmake),
        cmocka_unit_test_setup_teardown(conversations_of_a_fingerprint_are_one_index_range, make, unmake),
        cmocka_unit_test_setup_teardown(conversations_of_deleted_teams_are_unassigned_and_counted_so_at_once,
                                        make, unmake),
        cmocka_unit_test_setup_teardown(
            conversations_of_a_deleted_agent_are_unassigned_and_counted_so_at_once, make, unmake),
        cmocka_unit_test_setup_teardown(visibility_that_cant_be_read_fails_the_work, make, unmake),
        cmocka_unit_test_setup_teardown(counters_agree_if_a_team_and_an_agent_go_at_once, make, unmake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
