/* The lanes of the pool: callers take turns, one task of each runs, and no caller can fill a queue alone. */
#include "api/call/machine.h"
#include "base/limits.h"

#undef fail
/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <semaphore.h>

struct job {
    struct pool_task task;
    char name;
};

static sem_t started, go;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[LIMIT_POOL_QUEUE + 64];
static size_t ended;

static void run(struct pool_task *t) {
    struct job *j = (struct job *)(void *)t;
    pthread_mutex_lock(&lock);
    order[ended++] = j->name;
    pthread_mutex_unlock(&lock);
    sem_post(&started);
    sem_wait(&go);
}

static int begin(void **state) {
    (void)state;
    sem_init(&started, 0, 0);
    sem_init(&go, 0, 0);
    ended = 0;
    memset(order, 0, sizeof order);
    return 0;
}

/* Submits jobs named by letters. The letter is also the caller. */
static void submit(struct pool *p, enum lane lane, struct job *jobs, const char *names) {
    for (int i = 0; names[i]; i++) {
        jobs[i] = (struct job){{.run = run, .whose = (uint64_t)names[i]}, names[i]};
        assert_true(pool_submit(p, lane, &jobs[i].task));
    }
}

static void let_go(int n) {
    while (n--) sem_post(&go);
}

static void callers_take_turns(void **state) {
    (void)state;
    struct pool *p = pool_new(1, false); /* one thread reads */
    struct job jobs[9];
    submit(p, LANE_READ, jobs, "a");
    sem_wait(&started);
    submit(p, LANE_READ, jobs + 1, "aaaabcbd");
    assert_int_equal(pool_queued(p, LANE_READ), 8);
    let_go(9);
    pool_free(p);
    assert_string_equal(order, "aabcdabaa");
}

static void one_task_of_a_caller_runs_at_once(void **state) {
    (void)state;
    struct pool *p = pool_new(4, false); /* two threads read */
    struct job jobs[4];
    submit(p, LANE_READ, jobs, "aaab");
    sem_wait(&started);
    sem_wait(&started);
    assert_int_equal(pool_queued(p, LANE_READ), 2); /* two of a, although a thread would be free without b */
    assert_true((order[0] == 'a' && order[1] == 'b') || (order[0] == 'b' && order[1] == 'a'));
    let_go(4);
    pool_free(p);
    assert_int_equal(ended, 4);
}

static void a_lane_does_not_wait_for_another(void **state) {
    (void)state;
    struct pool *p = pool_new(1, false);
    struct job jobs[5];
    const char *names[] = {"a", "b", "c", "d", "e"};
    const enum lane lanes[] = {LANE_WORK, LANE_READ, LANE_HASH, LANE_PICTURE, LANE_SYNC, LANE_STORE};
    for (int i = 0; i < 5; i++) submit(p, lanes[i], jobs + i, names[i]);
    for (int i = 0; i < 5; i++) sem_wait(&started); /* all are running, and none has ended */
    let_go(5);
    pool_free(p);
    assert_int_equal(ended, 5);
}

static void a_burst_of_a_hundred_reads_of_one_caller_waits(void **state) {
    static struct job jobs[101];
    (void)state;
    struct pool *p = pool_new(1, false);
    submit(p, LANE_READ, jobs, "a");
    sem_wait(&started);
    for (int i = 1; i <= 100; i++) {
        jobs[i] = (struct job){{.run = run, .whose = 'a'}, 'a'};
        assert_true(pool_submit(p, LANE_READ, &jobs[i].task));
    }
    let_go(101);
    pool_free(p);
}

static void nobody_fills_a_queue_alone(void **state) {
    static struct job jobs[LIMIT_POOL_QUEUE + 1];
    (void)state;
    struct pool *p = pool_new(1, false);
    int taken = 0;
    submit(p, LANE_PICTURE, jobs, "a");
    sem_wait(&started);
    for (int i = 1; i <= LIMIT_LANE_EACH + 10; i++) {
        jobs[i] = (struct job){{.run = run, .whose = 'a'}, 'a'};
        taken += pool_submit(p, LANE_PICTURE, &jobs[i].task);
    }
    assert_int_equal(taken, LIMIT_LANE_EACH);
    jobs[LIMIT_POOL_QUEUE] = (struct job){{.run = run, .whose = 'b'}, 'b'};
    assert_true(pool_submit(p, LANE_PICTURE, &jobs[LIMIT_POOL_QUEUE].task));
    sem_wait(&started);
    assert_int_equal(order[1], 'b'); /* while the first of a runs */
    let_go(LIMIT_POOL_QUEUE);
    pool_free(p);
}

static void a_queue_is_bounded_in_total(void **state) {
    static struct job jobs[LIMIT_POOL_QUEUE + 8];
    (void)state;
    struct pool *p = pool_new(1, false);
    int taken = 0;
    submit(p, LANE_SYNC, jobs, "ab");
    sem_wait(&started);
    sem_wait(&started);
    for (int i = 2; i < LIMIT_POOL_QUEUE + 8; i++) {
        jobs[i] = (struct job){{.run = run, .whose = (uint64_t)(1000 + i)}, 'x'};
        taken += pool_submit(p, LANE_SYNC, &jobs[i].task);
    }
    assert_int_equal(taken, LIMIT_POOL_QUEUE);
    let_go(LIMIT_POOL_QUEUE + 8);
    pool_free(p);
    assert_int_equal(ended, LIMIT_POOL_QUEUE + 2);
}

struct claim {
    struct pool_task task;
    bool granted;
};

static void claim(struct pool_task *t) {
    struct claim *c = (struct claim *)(void *)t;
    c->granted = pool_run_as(7);
    sem_post(&started);
    sem_wait(&go);
}

static void a_caller_that_is_known_late_gets_a_third_of_the_threads(void **state) {
    (void)state;
    struct pool *p = pool_new(6, false);
    struct claim claims[6];
    int granted = 0;
    for (int i = 0; i < 6; i++) {
        claims[i] = (struct claim){.task = {.run = claim}};
        assert_true(pool_submit(p, LANE_WORK, &claims[i].task));
    }
    for (int i = 0; i < 6; i++) sem_wait(&started);
    let_go(6);
    pool_free(p);
    for (int i = 0; i < 6; i++) granted += claims[i].granted;
    assert_int_equal(granted, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(callers_take_turns, begin),
        cmocka_unit_test_setup(one_task_of_a_caller_runs_at_once, begin),
        cmocka_unit_test_setup(a_lane_does_not_wait_for_another, begin),
        cmocka_unit_test_setup(a_burst_of_a_hundred_reads_of_one_caller_waits, begin),
        cmocka_unit_test_setup(nobody_fills_a_queue_alone, begin),
        cmocka_unit_test_setup(a_queue_is_bounded_in_total, begin),
        cmocka_unit_test_setup(a_caller_that_is_known_late_gets_a_third_of_the_threads, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
