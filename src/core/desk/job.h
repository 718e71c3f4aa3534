/* Durable jobs: a row committed with the change that wants it, run afterwards, at least once. */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include "core/words.h"
#include "work/work.h"

/* input: JSON. The runner is woken after the commit. */
int job_add(struct work *w, const char *kind, struct str input, int64_t *id);
/* The same of what goes on from this write: due a millisecond later, when others had their turn. So a clock that stands still holds it. */
int job_add_next(struct work *w, const char *kind, struct str input, int64_t *id);
int jobs_announce(struct work *w, const char *kind); /* rows of it were written otherwise */

void jobs_heard(struct desk *d, struct str payload); /* another process has added some */

struct job {
    int64_t id, creator_id;
    struct str kind, input;
    int attempts;  /* this one included: it names the claim */
    void *outcome; /* of its outside step: jobs/runner.h */
};
/* Claims the job of these kinds (JSON array) that is due longest, for a lease; 1, 0 none, or error. A lease that ran out is claimed again. */
int job_claim(struct work *w, struct str kinds, struct job *out);
#define JOB_LEASE (5 * TIME_MINUTE)
/* The first thing of the write that runs it: 1, or 0 when the lease ran out and somebody else has claimed it since. Until the
 * write ends nobody else can, however long it takes. */
int job_hold(struct work *w, const struct job *j);
int job_renew(struct work *w, int64_t id, int attempts); /* a lease from now on, unless it was claimed since */
int job_finish(struct work *w, int64_t id, enum job_status status, int total, int inserted, int rejected, struct str errors);
int job_continue(struct work *w, const struct job *j,
                 struct str input); /* a part is done and more is left: due a millisecond later, with this input */
int job_retry(struct work *w,
              const struct job *j); /* later, or FAILED after the last attempt; this and the next do nothing when it was claimed since */
int job_postpone(struct work *w, const struct job *j, int64_t until); /* until then, however often it was tried */

#endif
