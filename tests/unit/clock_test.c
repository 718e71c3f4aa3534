/* SLA clocks: fixed examples, and properties on random histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "core/sla/clock.h"

#define HOURS(from, to) ((uint32_t)((1u << (to)) - (1u << (from))))

static uint64_t seed = 7;

static int64_t draw(int64_t below) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (int64_t)(seed % (uint64_t)below);
}

#define START INT64_C(1795423800000)

static struct clock_run run_of(enum sla_target_type type, int64_t to, int64_t goal) {
    return (struct clock_run){.type = type, .from = START, .to = to, .goal = goal};
}

static void a_pause_moves_the_due_time(void **state) {
    (void)state;
    struct clock_period periods[] = {
        {START, 1, CLOCK_RUNS}, {START + 10, 3, CLOCK_STATUS}, {START + 30, 2, CLOCK_RUNS}};
    struct clock_run run = run_of(SLA_FIRST_REPLY, CLOCK_OPEN, 100);
    struct clock_state s = clock_compute(&run, periods, 2);
    assert_int_equal(s.stage, CLOCK_PAUSED);
    assert_int_equal(s.due_at, 0);
    assert_int_equal(s.last_paused_at, START + 10);
    s = clock_compute(&run, periods, 3);
    assert_int_equal(s.stage, CLOCK_ACTIVE);
    assert_int_equal(s.due_at, START + 120);
    run.goal = 5; /* used up before the pause */
    assert_int_equal(clock_compute(&run, periods, 2).due_at, START + 5);
}

static void a_status_like_the_one_before_it_changes_nothing(void **state) {
    (void)state;
    struct clock_period running[] = {{START, 1, CLOCK_RUNS},
                                     {START + 10, 3, CLOCK_STATUS},
                                     {START + 20, 1, CLOCK_RUNS},
                                     {START + 30, 2, CLOCK_RUNS}};
    struct clock_period paused[] = {
        {START, 3, CLOCK_STATUS}, {START + 10, 6, CLOCK_STATUS}, {START + 20, 1, CLOCK_RUNS}};
    struct clock_run run = run_of(SLA_FIRST_REPLY, CLOCK_OPEN, 100);
    struct clock_state s = clock_compute(&run, running, 4);
    assert_int_equal(s.since, START + 20);
    assert_int_equal(s.counted, 10);
    assert_int_equal(s.due_at, START + 110);
    assert_int_equal(clock_compute(&run, paused, 1).last_paused_at, START);
    s = clock_compute(&run, paused, 2);
    assert_int_equal(s.last_paused_at, START);
    assert_int_equal(s.since, START);
    assert_int_equal(clock_compute(&run, paused, 3).due_at, START + 120);
}

static void an_answered_clock_shows_when_it_would_have_been_due(void **state) {
    (void)state;
    struct clock_period periods[] = {{START, 1, CLOCK_RUNS}, {START + 10, 3, CLOCK_STATUS}};
    struct clock_run run = run_of(SLA_FIRST_REPLY, START + 5, 100);
    struct clock_state s = clock_compute(&run, periods, 2);
    assert_int_equal(s.stage, CLOCK_COMPLETED);
    assert_int_equal(s.completed_at, START + 5);
    assert_int_equal(s.due_at, START + 100);
    assert_int_equal(s.last_paused_at, 0); /* the pause came after the answer */
    run.to = START;                        /* answered at once */
    assert_int_equal(clock_compute(&run, periods, 2).due_at, START + 100);
}

static void a_resolution_ends_with_the_last_completion(void **state) {
    (void)state;
    struct clock_period periods[] = {{START, 1, CLOCK_RUNS},
                                     {START + 10, 4, CLOCK_OVER},
                                     {START + 50, 2, CLOCK_RUNS},
                                     {START + 60, 4, CLOCK_OVER},
                                     {START + 70, 5, CLOCK_OVER}};
    struct clock_run run = run_of(SLA_RESOLUTION, CLOCK_OPEN, 100);
    assert_int_equal(clock_compute(&run, periods, 2).completed_at, START + 10);
    assert_int_equal(clock_compute(&run, periods, 3).due_at, START + 140);
    assert_int_equal(clock_compute(&run, periods, 3).completed_at, 0);
    struct clock_state s = clock_compute(&run, periods, 5);
    assert_int_equal(s.completed_at, START + 60); /* CLOSED after COMPLETED does not move it */
    assert_int_equal(s.due_at, START + 140);
}

static void a_reply_clock_stands_still_in_a_completed_conversation(void **state) {
    (void)state;
    struct clock_period periods[] = {{START, 1, CLOCK_RUNS}, {START + 10, 4, CLOCK_OVER}};
    struct clock_run run = run_of(SLA_NEXT_REPLY, CLOCK_OPEN, 100);
    struct clock_state s = clock_compute(&run, periods, 2);
    assert_int_equal(s.stage, CLOCK_PAUSED);
    assert_int_equal(s.due_at, 0);
}

static void business_hours_that_never_open_are_never_due(void **state) {
    struct arena *a = arena_new();
    struct hours h = {.time_zone = "UTC"};
    (void)state;
    struct clock_period periods[] = {{START, 1, CLOCK_RUNS}};
    struct clock_run run = run_of(SLA_FIRST_REPLY, CLOCK_OPEN, 100);
    run.in_business_hours = true;
    assert_int_equal(clock_compute(&run, periods, 1).due_at, 0); /* unreadable ones */
    run.hours = business_time_prepare(a, &h);
    assert_int_equal(clock_compute(&run, periods, 1).due_at, 0);
    arena_free(a);
}

/* ---- properties ------------------------------------------------------------------------------ */

struct sum {
    int64_t counted, at;
    bool sound;
};

static void add_up(void *arg, const struct clock_interval *i) {
    struct sum *s = arg;
    s->sound = s->sound && i->from == s->at && i->to > i->from && i->counted >= 0 &&
               i->counted <= i->to - i->from && (i->reason == CLOCK_RUNS || i->counted == 0);
    s->counted += i->counted;
    s->at = i->to;
}

static int random_history(struct clock_period *periods) {
    int n = 1 + (int)draw(8);
    int64_t at = START - draw(TIME_DAY);
    for (int i = 0; i < n; i++, at += draw(3 * TIME_DAY))
        periods[i] = (struct clock_period){at, i, (enum clock_reason)(1 + draw(4))};
    return n;
}

/* The explanation at the due time has the goal as its elapsed time, and a millisecond before one less. */
static void the_explanation_agrees_with_the_due_time(void **state) {
    struct arena *a = arena_new();
    struct hours h = {.time_zone = "Europe/Berlin"};
    (void)state;
    for (int i = 0; i < 5; i++) h.week[i] = HOURS(9, 12) | HOURS(13, 17);
    const struct business_time *b = business_time_prepare(a, &h);
    int due = 0;
    for (int i = 0; i < 20000; i++) {
        struct clock_period periods[8];
        int n = random_history(periods);
        struct clock_run run =
            run_of((enum sla_target_type)(1 + draw(3)), draw(2) ? CLOCK_OPEN : START + draw(9 * TIME_DAY),
                   1 + draw(2 * TIME_DAY));
        if (run.type == SLA_RESOLUTION) run.to = CLOCK_OPEN;
        run.in_business_hours = draw(2);
        run.hours = b;
        struct clock_state s = clock_compute(&run, periods, n);
        int64_t now = START + draw(30 * TIME_DAY),
                end = s.completed_at && s.completed_at < now ? s.completed_at : now;
        struct sum sum = {0, START, true};
        int64_t elapsed = clock_explain(&run, periods, n, now, add_up, &sum);
        assert_true(sum.sound);
        assert_int_equal(sum.counted, elapsed);
        if (end > START && periods[0].from <= START) assert_int_equal(sum.at, end);
        assert_int_equal(s.stage == CLOCK_COMPLETED, s.completed_at != 0);
        if (s.due_at == 0 || (s.completed_at && s.due_at > s.completed_at)) continue;
        due++;
        sum = (struct sum){0, START, true};
        assert_int_equal(clock_explain(&run, periods, n, s.due_at, add_up, &sum), run.goal);
        sum = (struct sum){0, START, true};
        assert_int_equal(clock_explain(&run, periods, n, s.due_at - 1, add_up, &sum), run.goal - 1);
    }
    assert_true(due > 1000);
    arena_free(a);
}

static void assert_same_state(const struct clock_state *s, const struct clock_state *t) {
    assert_int_equal(s->stage, t->stage);
    assert_int_equal(s->started_at, t->started_at);
    assert_int_equal(s->due_at, t->due_at);
    assert_int_equal(s->last_paused_at, t->last_paused_at);
    assert_int_equal(s->completed_at, t->completed_at);
    assert_int_equal(s->counts, t->counts);
    assert_int_equal(s->since, t->since);
    assert_int_equal(s->counted, t->counted);
}

/* Adds a last event to a random history and makes the step for it. */
static void random_step(struct clock_run *run, struct clock_period *periods, int *n, struct clock_state *s) {
    int64_t last = periods[*n - 1].from > START ? periods[*n - 1].from : START,
            at = last + 1 + draw(3 * TIME_DAY);
    bool ended = s->stage == CLOCK_COMPLETED;
    if (!ended && run->type != SLA_RESOLUTION && draw(2)) {
        run->to = at;
        clock_end(run, s, at);
        return;
    }
    enum clock_reason reason =
        ended ? (draw(2) ? CLOCK_RUNS : CLOCK_HIDDEN) : (enum clock_reason)(1 + draw(4));
    periods[(*n)++] = (struct clock_period){at, 9, reason};
    if (ended) clock_resume(run, s);
    if (run->type == SLA_RESOLUTION && reason == CLOCK_OVER) clock_end(run, s, at);
    else clock_turn(run, s, at, reason == CLOCK_RUNS);
}

/* A step gives the same state as the history with its event. So do another goal and other hours, unless
 * the state does not decide. */
static void a_state_is_continued_as_its_history(void **state) {
    struct arena *a = arena_new();
    struct hours h = {.time_zone = "Europe/Berlin"};
    (void)state;
    for (int i = 0; i < 5; i++) h.week[i] = HOURS(9, 12) | HOURS(13, 17);
    const struct business_time *b = business_time_prepare(a, &h);
    int decided = 0;
    for (int i = 0; i < 40000; i++) {
        struct clock_period periods[9];
        int n = random_history(periods);
        struct clock_run run =
            run_of((enum sla_target_type)(1 + draw(3)), CLOCK_OPEN, 1 + draw(2 * TIME_DAY));
        run.in_business_hours = draw(2);
        run.hours = b;
        struct clock_state s = clock_compute(&run, periods, n), whole;
        if (s.completed_at && s.completed_at < START) continue; /* over before it began */
        random_step(&run, periods, &n, &s);
        whole = clock_compute(&run, periods, n);
        assert_same_state(&s, &whole);
        bool same_hours = draw(2);
        run.goal = 1 + draw(2 * TIME_DAY);
        run.in_business_hours = same_hours ? run.in_business_hours : !run.in_business_hours;
        whole = clock_compute(&run, periods, n);
        if (!clock_retarget(&run, &s, same_hours)) continue;
        assert_same_state(&s, &whole);
        decided++;
    }
    assert_true(decided > 10000);
    arena_free(a);
}

static int told;
static void count_told(void *arg, const struct clock_interval *i) {
    (void)arg, (void)i;
    told++;
}

static void long_explanations_sum_up_business_hours(void **state) {
    struct arena *a = arena_new();
    struct hours h = {.time_zone = "UTC"};
    (void)state;
    for (int i = 0; i < 7; i++) h.week[i] = 0x555555; /* every second hour */
    struct clock_period periods[] = {{START, 1, CLOCK_RUNS}};
    struct clock_run run = run_of(SLA_FIRST_REPLY, CLOCK_OPEN, 100);
    run.in_business_hours = true;
    run.hours = business_time_prepare(a, &h);
    assert_int_equal(clock_explain(&run, periods, 1, START + 3650 * TIME_DAY, count_told, NULL),
                     3650 * TIME_DAY / 2);
    assert_int_equal(told, CLOCK_INTERVALS + 1);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pause_moves_the_due_time),
        cmocka_unit_test(a_status_like_the_one_before_it_changes_nothing),
        cmocka_unit_test(an_answered_clock_shows_when_it_would_have_been_due),
        cmocka_unit_test(a_resolution_ends_with_the_last_completion),
        cmocka_unit_test(a_reply_clock_stands_still_in_a_completed_conversation),
        cmocka_unit_test(business_hours_that_never_open_are_never_due),
        cmocka_unit_test(the_explanation_agrees_with_the_due_time),
        cmocka_unit_test(a_state_is_continued_as_its_history),
        cmocka_unit_test(long_explanations_sum_up_business_hours),
    };
    return cmocka_run_group_tests_name("clocks", tests, NULL, NULL);
}
