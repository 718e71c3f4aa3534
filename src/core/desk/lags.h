/* Gauges of the work that waits in the desk, and of how long it has waited. /metrics has no time to ask the
 * store (pages/metrics.c), so the runner measures them (jobs/lags.c). */
#ifndef CORE_LAGS_H
#define CORE_LAGS_H

#include "core/desk/job.h"

#include <stdatomic.h>

#define LAGS_EVERY (15 * TIME_SECOND)

/* Of all processes of the desk, up to LAGS_EVERY old; those of the inbox are of this process. */
struct lags {
    /* Index: enum job_name. Jobs that are due or under way, and how long the first one has been due, in
     * milliseconds. */
    _Atomic int64_t jobs[JOB_NAMES], job_late[JOB_NAMES];
    /* Letters that are not sent yet, also those that are due later because a relay refused them, and the age
     * of the oldest. */
    _Atomic int64_t letters, letter_age;
    /* Mails in the inbox that are not stored yet, the age of the oldest, and mails that can't be processed.
     */
    _Atomic int64_t arrivals, arrival_age, arrivals_failed;
    _Atomic int64_t mailboxes_failing; /* IMAP accounts whose last attempt failed */
    _Atomic int64_t breach_late;       /* how long the first breach of an SLA has not been raised */
};

#endif
