/* Claims and leases of jobs. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "core/desk/job.h"

struct scene {
    struct desk *desk;
    struct arena *arena;
    int64_t now;
    struct job *job;
    int rc;
};

static void begin(struct scene *s, struct work *w, struct conn *c) {
    work_init(w, s->desk, s->arena);
    w->conn = c;
    w->now = s->now;
}

static int run_add(struct conn *c, void *arg) {
    struct work w;
    int64_t id;
    begin(arg, &w, c);
    return job_add(&w, JOB_IMPORT, S("{}"), &id);
}

static int run_claim(struct conn *c, void *arg) {
    struct scene *s = arg;
    struct work w;
    begin(s, &w, c);
    return s->rc = job_claim(&w, S("[\"import\"]"), s->job);
}

static int run_hold(struct conn *c, void *arg) {
    struct scene *s = arg;
    struct work w;
    begin(s, &w, c);
    return s->rc = job_hold(&w, s->job);
}

static int run_retry(struct conn *c, void *arg) {
    struct scene *s = arg;
    struct work w;
    begin(s, &w, c);
    return s->rc = job_retry(&w, s->job);
}

static void an_outlived_lease_is_claimed_again_and_the_first_claim_counts_no_more(void **state) {
    struct place *p = *state;
    struct desk desk = {.db = p->db};
    struct job first, second;
    struct scene s = {.desk = &desk, .arena = arena_new(), .now = 1000};
    assert_int_equal(db_write(p->db, run_add, &s), 0);
    s.job = &first;
    assert_int_equal(db_write(p->db, run_claim, &s), 1);
    assert_int_equal(first.attempts, 1);
    s.job = &second;
    assert_int_equal(db_write(p->db, run_claim, &s), 0); /* leased */
    s.now += 5 * TIME_MINUTE;
    assert_int_equal(db_write(p->db, run_claim, &s), 1);
    assert_int_equal(second.id, first.id);
    assert_int_equal(second.attempts, 2);
    s.job = &first;
    assert_int_equal(db_write(p->db, run_hold, &s), 0);
    assert_int_equal(db_write(p->db, run_retry, &s), 0); /* changes no row */
    s.job = &second;
    assert_int_equal(db_write(p->db, run_hold, &s), 1);
    assert_int_equal(db_write(p->db, run_retry, &s), 1);
    assert_int_equal(db_write(p->db, run_hold, &s), 0); /* postponed, so no claim holds it */
    arena_free(s.arena);
}

static int run_ensure(struct conn *c, void *arg) {
    struct scene *s = arg;
    struct work w;
    begin(s, &w, c);
    return s->rc = job_ensure(&w, JOB_IMPORT);
}

static int run_repeat(struct conn *c, void *arg) {
    struct scene *s = arg;
    struct work w;
    begin(s, &w, c);
    return s->rc = job_repeat(&w, s->job, s->now + TIME_HOUR);
}

static int run_go_on(struct conn *c, void *arg) {
    struct scene *s = arg;
    struct work w;
    begin(s, &w, c);
    return s->rc = job_continue(&w, s->job, S("{\"after\":7}"));
}

static void a_periodic_job_exists_once_and_starts_again_after_its_period(void **state) {
    struct place *p = *state;
    struct desk desk = {.db = p->db};
    struct job job;
    struct scene s = {.desk = &desk, .arena = arena_new(), .now = 1000, .job = &job};
    for (int i = 0; i < 2; i++) assert_true(db_write(p->db, run_ensure, &s) >= 0);
    assert_int_equal(db_write(p->db, run_claim, &s), 1);
    assert_true(db_write(p->db, run_ensure, &s) >= 0); /* a claimed job is pending, too */
    assert_int_equal(db_write(p->db, run_go_on, &s), 1);
    assert_int_equal(db_write(p->db, run_repeat, &s), 0); /* it was continued */
    s.now++;
    assert_int_equal(db_write(p->db, run_claim, &s), 1);
    assert_true(str_eq(job.input, S("{\"after\":7}")));
    assert_int_equal(db_write(p->db, run_repeat, &s), 1);
    s.now += TIME_HOUR - 1;
    assert_true(db_write(p->db, run_ensure, &s) >= 0);
    assert_int_equal(db_write(p->db, run_claim, &s), 0);
    s.now++;
    assert_int_equal(db_write(p->db, run_claim, &s), 1);
    assert_true(str_eq(job.input, S("{}")));
    assert_int_equal(job.attempts, 1);
    assert_int_equal(db_write(p->db, run_claim, &s), 0);
    arena_free(s.arena);
}

static int make(void **state) {
    struct place *p = calloc(1, sizeof *p);
    if (!p) return -1;
    snprintf(p->dir, sizeof p->dir, "/tmp/deskd-test-XXXXXX");
    if (!mkdtemp(p->dir)) return -1;
    *state = p;
    return place_open(p, schema_files);
}

/* The store has these names: a changed one would leave stored jobs behind. */
static void names_of_jobs_differ_and_never_change(void **state) {
    (void)state;
    static const char *const given[] = {"import", "mail", "index_names", "password_reset", "cascade"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) assert_string_equal(job_names[i + 1], given[i]);
    for (int i = 1; i < JOB_NAMES; i++)
        for (int k = 1; k < i; k++) assert_string_not_equal(job_names[i], job_names[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_outlived_lease_is_claimed_again_and_the_first_claim_counts_no_more,
                                        make, place_remove),
        cmocka_unit_test_setup_teardown(a_periodic_job_exists_once_and_starts_again_after_its_period, make,
                                        place_remove),
        cmocka_unit_test(names_of_jobs_differ_and_never_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
