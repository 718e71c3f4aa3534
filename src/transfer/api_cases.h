/* Fetches the conversations of another server on a thread of its own, while the caller imports the rows of
 * the other kinds and the conversations that have come. */
#ifndef TRANSFER_API_CASES_H
#define TRANSFER_API_CASES_H

#include "transfer/api_fetch.h"
#include "transfer/growing.h"

struct api_cases {
    struct api_fetch *x; /* belongs to the thread until the end */
    struct growing file; /* the lines, for the caller */
    pthread_t thread;
    bool started;
    int result;
    int64_t ended_at; /* monotonic */
};

/* Returns 0 or a refusal. */
int api_cases_begin(struct api_cases *c, struct api_fetch *x);
/* Waits for the thread. wanted: false ends it early; the rows that it has fetched stay for the next run.
 * Returns 0, or the refusal of a fetch that failed by itself. */
int api_cases_end(struct api_cases *c, bool wanted);

#endif
