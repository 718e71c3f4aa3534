/* Durable jobs: a row, committed with the change that causes it, and run afterwards at least once. */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include "core/words.h"
#include "work/work.h"

#include <stdatomic.h>

#define JOB_MAIL_STORED "mail" /* for SQL */
#define JOB_CASCADE_STORED "cascade"

/* The kinds of jobs, one row for each: JOB(enumerator, name). The column jobs.kind stores the name. It never
 * changes, because stored jobs have it. */
#define JOBS(JOB)                         \
    JOB(IMPORT, "import")                 \
    JOB(MAIL, JOB_MAIL_STORED)            \
    JOB(INDEX_NAMES, "index_names")       \
    JOB(PASSWORD_RESET, "password_reset") \
    JOB(CASCADE, JOB_CASCADE_STORED)      \
    JOB(INDEX_SEARCH, "index_search")     \
    JOB(CLOCKS, "clocks")                 \
    JOB(BREACH, "breach")                 \
    JOB(MAIL_RELEASE, "mail_release")     \
    JOB(EMPTY_TRASH, "empty_trash")       \
    JOB(MAILBOX_TEST, "mailbox_test")     \
    JOB(NOTIFICATIONS, "notifications")   \
    JOB(CSV_IMPORT, "csv_import")

#define ENUMERATOR(NAME, name) JOB_##NAME,
enum job_name { JOB_NONE, JOBS(ENUMERATOR) JOB_NAMES /* not a job: the number of names */ };
#undef ENUMERATOR
extern const char *const job_names[]; /* the index is the enum */
bool is_job_name(struct str name);

/* input: JSON. The runner is woken after the COMMIT. */
int job_add(struct work *w, enum job_name kind, struct str input, int64_t *id);
/* The same for a continuation of this write. It is due a millisecond later, so that other due jobs run
 * first. A stopped clock holds it. */
int job_add_next(struct work *w, enum job_name kind, struct str input, int64_t *id);
/* due at that time */
int job_add_at(struct work *w, enum job_name kind, struct str input, int64_t run_at, int64_t *id);
/* Adds a job of this kind, due now with the input {}, unless one is pending. */
int job_ensure(struct work *w, enum job_name kind);
/* call after writing rows of this kind without job_add */
int jobs_announce(struct work *w, enum job_name kind);

struct job {
    int64_t id, creator_id;
    struct str kind, input;
    int attempts;  /* including this one; identifies the claim */
    void *outcome; /* result of its outside step */
};

/* The functions of a kind. */
struct job_code {
    /* Runs in one write. It finishes the row of the job itself. */
    int (*run)(struct work *w, const struct job *j);
    /* Runs before `run`, with no transaction open (w->conn is NULL): the part that takes seconds. Its result,
     * in w's arena, becomes j->outcome. It ends soon after *stopping is true. `run` decides when to stop
     * retrying. NULL: none. */
    void *(*outside)(struct work *w, const struct job *j, const atomic_bool *stopping);
    int threads;       /* for `outside`: threads of this kind alone, so that it blocks no other kind */
    bool never_failed; /* retried until it succeeds, because nothing else completes its work */
    int64_t every;     /* period, milliseconds; 0: none. The desk has one job of the kind, and `run` does not
                        * finish it. */
};
/* Defines the functions of a kind, in the file whose work it is, also above this layer. The runner finds them
 * by the row of the kind. */
#define JOB_CODE(NAME) const struct job_code job_code_##NAME

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
/* The job is due at `until` as at first, with the input {}. No-op if it was continued or claimed again. */
int job_repeat(struct work *w, const struct job *j, int64_t until);
/* The job is due again after a growing delay, or FAILED after the last attempt. No-op if it was claimed
 * again. */
int job_retry(struct work *w, const struct job *j);
/* The job is due at `until`, and this attempt does not count, because what the job needs is not there.
 * No-op if it was claimed again. */
int job_wait(struct work *w, const struct job *j, int64_t until);
int job_postpone(struct work *w, const struct job *j,
                 int64_t until); /* due at `until`, without regard to the attempts; no-op if claimed again */

#endif
