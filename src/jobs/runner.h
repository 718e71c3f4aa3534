/* The job runner: a thread that claims due jobs and writes gathered session touches, threads for jobs that
 * wait for other systems, and a thread that takes mail from the inbox. */
#ifndef JOBS_RUNNER_H
#define JOBS_RUNNER_H

#include "core/desk/job.h"
#include "work/work.h"

#include <stdatomic.h>

struct runner;
struct runner *jobs_start(struct desk *d); /* NULL: no thread can be started; sets d->wake_jobs */
void jobs_stop(struct runner *r);          /* ends the running jobs and writes gathered touches */

struct job_kind {
    enum job_name name;
    /* runs in one write; it must finish the job's row itself */
    int (*run)(struct work *w, const struct job *j);
    /* NULL, or called before run, with no transaction open (w->conn is NULL): the part that takes seconds.
     * Its result, in w's arena, becomes j->outcome. It ends soon after *stopping is true. run decides when
     * to stop retrying. */
    void *(*outside)(struct work *w, const struct job *j, const atomic_bool *stopping);
    bool never_failed; /* retried until it succeeds, because nothing else completes its work */
    int at_once;       /* number of threads for this kind: its jobs run in parallel and block no other kind */
};
extern const struct job_kind job_kinds[]; /* jobs/kinds.c; name 0 ends it */

#endif
