/* The job runner: a thread that claims due jobs from the store, takes mail that came in and writes gathered activity, and threads for jobs
 * that wait for others. */
#ifndef JOBS_RUNNER_H
#define JOBS_RUNNER_H

#include "work/work.h"

#include <stdatomic.h>

struct runner;
struct runner *jobs_start(struct desk *d); /* NULL: no thread; sets d->wake_jobs */
void jobs_stop(struct runner *r);          /* ends the jobs at work, writes gathered activity */

struct job;
struct job_kind {
    const char *name;
    int (*run)(struct work *w, const struct job *j); /* in one write; it finishes the job's row itself */
    /* Before run, when not NULL: what takes seconds, with no transaction open (w->conn is NULL). Its result, in w's arena, is
     * j->outcome. It ends soon once *stopping is true. It says itself, in run, when to try no more. */
    void *(*outside)(struct work *w, const struct job *j, const atomic_bool *stopping);
    bool never_failed; /* tried again until it succeeds: what it leaves undone nobody else does */
    int at_once;       /* threads for them: so many of a kind go on side by side, and hold up no other kind */
};
extern const struct job_kind job_kinds[]; /* jobs/kinds.c; ends with name NULL */

#endif
