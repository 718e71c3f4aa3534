/* Durable jobs: a row, committed with the change that causes it, and run afterwards at least once. */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include "core/words.h"
#include "work/work.h"

/* Kinds of jobs. Each has a name in job_names and a row in jobs/kinds.c, which has the function that runs
 * it. */
enum job_name {
    JOB_IMPORT = 1,
    JOB_MAIL,
    JOB_INDEX_NAMES,
    JOB_PASSWORD_RESET,
    JOB_CASCADE,
    JOB_INDEX_SEARCH,
    JOB_CLOCKS,
    JOB_BREACH,
    JOB_MAIL_RELEASE,
    JOB_EMPTY_TRASH,
    JOB_NAMES /* not a job: the number of names */
};
/* Names as the column jobs.kind stores them. They never change, because stored jobs have them. The index
 * is the enum. */
extern const char *const job_names[];
#define JOB_MAIL_STORED "mail" /* for SQL */
#define JOB_CASCADE_STORED "cascade"

/* input: JSON. The runner is woken after the COMMIT. */
int job_add(struct work *w, enum job_name kind, struct str input, int64_t *id);
/* The same for a continuation of this write. It is due a millisecond later, so that other due jobs run
 * first. A stopped clock holds it. */
int job_add_next(struct work *w, enum job_name kind, struct str input, int64_t *id);
/* due at that time */
int job_add_at(struct work *w, enum job_name kind, struct str input, int64_t run_at, int64_t *id);
/* call after writing rows of this kind without job_add */
int jobs_announce(struct work *w, enum job_name kind);

void jobs_notified(struct desk *d, struct str payload); /* another process has added jobs */

struct job {
    int64_t id, creator_id;
    struct str kind, input;
    int attempts;  /* including this one; identifies the claim */
    void *outcome; /* result of its outside step: jobs/runner.h */
};
/* Claims the longest due job of these kinds (JSON array) under a lease. Returns 1, 0 none, or a negative
 * error. A job with an expired lease is claimed again. */
int job_claim(struct work *w, struct str kinds, struct job *out);
#define JOB_LEASE (5 * TIME_MINUTE)
/* Called first in the write that runs the job. Returns 1, or 0 if the lease expired and another claim
 * began. Until the write ends, nobody else can claim the job. */
int job_hold(struct work *w, const struct job *j);
/* renews the lease from now, unless the job was claimed again */
int job_renew(struct work *w, int64_t id, int attempts);
int job_finish(struct work *w, int64_t id, enum job_status status, int total, int inserted, int rejected,
               struct str errors);
/* A part is done and more is left: the job is due a millisecond later with this input. No-op if it was
 * claimed again. */
int job_continue(struct work *w, const struct job *j, struct str input);
/* The job is due again after a growing delay, or FAILED after the last attempt. No-op if it was claimed
 * again. */
int job_retry(struct work *w, const struct job *j);
/* The job is due at `until`, and this attempt does not count, because what the job needs is not there.
 * No-op if it was claimed again. */
int job_wait(struct work *w, const struct job *j, int64_t until);
int job_postpone(struct work *w, const struct job *j,
                 int64_t until); /* due at `until`, without regard to the attempts; no-op if claimed again */

#endif
