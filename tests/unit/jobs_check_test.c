/* The checks of the tables of jobs and topics at the start: each kind of defect is named by kind or topic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#undef fail /* cmocka's fail: work.h has one, too */

#include "jobs/check.h"

#include <string.h>

static const char *const two_names[] = {NULL, "mail", "cascade"};

static int run_nothing(struct work *w, const struct job *j) { return (void)w, (void)j, 0; }
static void *wait_for_nothing(struct work *w, const struct job *j, const atomic_bool *stopping) {
    return (void)w, (void)j, (void)stopping, NULL;
}
static void hear_nothing(struct desk *d, struct str payload) { (void)d, (void)payload; }

static bool kinds_refused(const struct job_kind *kinds, const char *const *names, const char *why) {
    char err[256] = "";
    bool ok = job_kinds_check(kinds, names, 3, err, sizeof err);
    if (ok || strcmp(err, why) != 0) print_error("'%s' in place of '%s'\n", err, why);
    return !ok && strcmp(err, why) == 0;
}

static void each_job_kind_has_a_row_with_its_functions(void **state) {
    (void)state;
    char err[256] = "";
    struct job_kind kinds[] = {{.name = 1, .run = run_nothing}, {.name = 2, .run = run_nothing}, {0}, {0}};
    assert_true(job_kinds_check(kinds, two_names, 3, err, sizeof err));
    assert_true(kinds_refused(kinds, (const char *const[]){NULL, "mail", NULL},
                              "table of job kinds, 2: it has no name"));
    assert_true(kinds_refused(kinds, (const char *const[]){NULL, "mail", "mail"},
                              "table of job kinds, mail: another one has its name"));
    kinds[2] = kinds[1];
    assert_true(kinds_refused(kinds, two_names, "table of job kinds, cascade: it has two rows"));
    kinds[1] = kinds[2] = (struct job_kind){0};
    assert_true(kinds_refused(kinds, two_names, "table of job kinds, cascade: it has no row"));
    kinds[1] = (struct job_kind){.name = 2};
    assert_true(kinds_refused(kinds, two_names, "table of job kinds, cascade: it has no .run"));
    kinds[1] = (struct job_kind){.name = 2, .run = run_nothing, .outside = wait_for_nothing};
    assert_true(kinds_refused(kinds, two_names,
                              "table of job kinds, cascade: .outside and .at_once belong together"));
    kinds[1] = (struct job_kind){.name = 2, .run = run_nothing, .at_once = 1};
    assert_true(kinds_refused(kinds, two_names,
                              "table of job kinds, cascade: .outside and .at_once belong together"));
}

static void each_topic_has_a_row_with_its_function(void **state) {
    (void)state;
    char err[256] = "";
    assert_true(topics_check((const struct topic[]){{2, hear_nothing}, {1, hear_nothing}, {0}}, two_names, 3,
                             err, sizeof err));
    assert_false(topics_check((const struct topic[]){{1, hear_nothing}, {0}}, two_names, 3, err, sizeof err));
    assert_string_equal(err, "table of topics, cascade: it has no row");
    assert_false(topics_check((const struct topic[]){{1, hear_nothing}, {2, NULL}, {0}}, two_names, 3, err,
                              sizeof err));
    assert_string_equal(err, "table of topics, cascade: it has no .notify");
    assert_true(jobs_check(err, sizeof err));
}

/* The store has these names: a changed one would leave stored jobs and entries behind. */
static void names_of_job_kinds_and_topics_never_change(void **state) {
    (void)state;
    static const char *const jobs[] = {"import", "mail", "index_names", "password_reset", "cascade"},
                             *const topics_given[] = {"settings", "jobs"};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) assert_string_equal(job_names[i + 1], jobs[i]);
    for (size_t i = 0; i < sizeof topics_given / sizeof *topics_given; i++)
        assert_string_equal(topic_names[i + 1], topics_given[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_kind_has_a_row_with_its_functions),
        cmocka_unit_test(each_topic_has_a_row_with_its_function),
        cmocka_unit_test(names_of_job_kinds_and_topics_never_change),
    };
    return cmocka_run_group_tests_name("jobs_check", tests, NULL, NULL);
}
