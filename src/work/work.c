#include "work/work.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void work_init(struct work *w, struct desk *d, struct arena *a) {
    *w = (struct work){.desk = d, .arena = a, .now = clock_now(&d->clock)};
}

void work_forget(struct work *w) {
    w->afters = w->last_after = NULL;
    w->changes = NULL;
    w->diffs = NULL;
    w->totals = NULL;
    w->clocks = NULL;
    w->sla_warnings = NULL;
    w->sla_decided = NULL;
    w->finished = false;
    w->fields_changed = 0;
    w->rules_generation = 0;
    w->phone_region = (struct str){0};
}

void work_rewind(struct work *w) {
    w->problems = w->last_problem = NULL;
    w->problem_count = 0;
    w->notices = w->last_notice = NULL;
    work_forget(w);
}

static struct str problem_text(struct arena *a, const char *fmt, va_list args) {
    char text[1024];
    int n = vsnprintf(text, sizeof text, fmt, args);
    if (n < 0) return (struct str){0};
    struct str s = {text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1};
    while (!utf8_valid(s)) s.n--; /* remove a character that was cut in the middle */
    return str_dup(a, s);
}

#define PROBLEMS_MAX \
    100 /* more would not help, and a small body must not cause a reply many times its size */

static int problem_add(struct work *w, struct problem p) {
    if (++w->problem_count > PROBLEMS_MAX) return -(int)p.code;
    struct problem *kept = ARENA_NEW(w->arena, struct problem);
    *kept = p;
    if (w->last_problem) w->last_problem->next = kept;
    else w->problems = kept;
    w->last_problem = kept;
    return -(int)p.code;
}

int fail(struct work *w, enum error code) { return problem_add(w, (struct problem){.code = code}); }

int fail_field(struct work *w, enum error code, struct str parameter, const char *fmt, ...) {
    va_list args;
    struct problem p = {.code = code, .parameter = parameter};
    va_start(args, fmt);
    if (fmt) p.message = problem_text(w->arena, fmt, args);
    va_end(args);
    return problem_add(w, p);
}

int fail_any(struct work *w, struct str pointer, const char *const *names) {
    return problem_add(
        w, (struct problem){.code = ERR_ANY_FIELD_REQUIRED, .pointer = pointer, .parameters = names});
}

int fail_state(struct work *w, const char *fmt, ...) {
    va_list args;
    struct problem p = {.code = ERR_RESOURCE_ACTION_NOT_AVAILABLE};
    va_start(args, fmt);
    p.message = problem_text(w->arena, fmt, args);
    va_end(args);
    return problem_add(w, p);
}

int fail_at(struct work *w, enum error code, struct str parameter, struct str pointer, const char *fmt, ...) {
    va_list args;
    struct problem p = {.code = code, .parameter = parameter, .pointer = pointer};
    va_start(args, fmt);
    if (fmt) p.message = problem_text(w->arena, fmt, args);
    va_end(args);
    return problem_add(w, p);
}

static void notice_add(struct work *w, struct notice n) {
    struct notice *kept = ARENA_NEW(w->arena, struct notice);
    *kept = n;
    if (w->last_notice) w->last_notice->next = kept;
    else w->notices = kept;
    w->last_notice = kept;
}

void notice(struct work *w, const char *level, const char *fmt, ...) {
    va_list args;
    struct notice n = {.level = level};
    va_start(args, fmt);
    n.message = problem_text(w->arena, fmt, args);
    va_end(args);
    notice_add(w, n);
}

struct findings work_set_aside(struct work *w) {
    struct findings found = {w->problems, w->notices};
    w->problems = w->last_problem = NULL;
    w->problem_count = 0;
    w->notices = w->last_notice = NULL;
    return found;
}

int work_put_back(struct work *w, const struct findings *found) {
    for (const struct problem *p = found->problems; p; p = p->next) {
        struct problem copy = *p;
        copy.next = NULL;
        problem_add(w, copy);
    }
    for (const struct notice *n = found->notices; n; n = n->next)
        notice_add(w, (struct notice){n->level, n->message, NULL});
    return found->problems ? -(int)found->problems->code : 0;
}

void after_commit(struct work *w, void (*run)(struct desk *d, void *arg), void *arg) {
    struct after *a = ARENA_NEW(w->arena, struct after);
    *a = (struct after){.run = run, .arg = arg};
    if (w->last_after) w->last_after->next = a;
    else w->afters = a;
    w->last_after = a;
}

bool work_collected(const struct work *w) {
    return w->changes || w->diffs || w->totals || w->clocks || w->sla_warnings;
}

void work_committed(struct work *w) {
    assert(w->finished || !work_collected(w)); /* otherwise the change log would miss changes */
    for (struct after *a = w->afters; a; a = a->next) a->run(w->desk, a->arg);
    void (*wake)(void *arg) = w->changes ? atomic_load(&w->desk->wake_live) : NULL;
    if (wake) wake(w->desk->wake_live_arg);
}
