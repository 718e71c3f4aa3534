/* The job runner: one thread that claims due jobs from the store and writes gathered activity. */
#ifndef JOBS_RUNNER_H
#define JOBS_RUNNER_H

#include "work/work.h"

struct runner;
struct runner *jobs_start(struct desk *d); /* NULL: no thread; sets d->wake_jobs */
void jobs_stop(struct runner *r);          /* ends the job at work, writes gathered activity */

struct job;
struct job_kind {
    const char *name;
    int (*run)(struct work *w, const struct job *j); /* in one write; it finishes the job's row itself */
};
extern const struct job_kind job_kinds[]; /* jobs/kinds.c; ends with name NULL */

#endif
