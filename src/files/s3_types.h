/* An object store: its place, the outcomes of requests, and their counts. */
#ifndef FILES_S3_TYPES_H
#define FILES_S3_TYPES_H

#include "db/why.h"
#include "files/s3_sign.h"

#include <stdatomic.h>

#define S3_TRIES 3

struct s3_place {
    struct str endpoint;       /* https://s3.example.com, without a slash at its end */
    struct str bucket, prefix; /* prefix n 0: none; no slash at its ends */
    struct s3_key key;
};

enum s3_outcome { S3_DONE, S3_ABSENT, S3_FAILED };

/* Counts since the start. */
enum s3_operation { S3_READS, S3_WRITES, S3_DELETES, S3_LISTS, S3_OPERATIONS };
/* BROKEN: no connection, or a reply that is cut, too slow or wrong. FAILED: 5xx, 429 or 408. */
enum s3_result {
    S3_RESULT_OK,
    S3_RESULT_ABSENT,
    S3_RESULT_REFUSED,
    S3_RESULT_FAILED,
    S3_RESULT_BROKEN,
    S3_RESULTS
};
#define S3_BOUNDS 11
extern const int s3_bounds[S3_BOUNDS]; /* upper bounds of the buckets, in milliseconds */
struct s3_counts {
    _Atomic int64_t requests[S3_OPERATIONS][S3_RESULTS];
    _Atomic int64_t buckets[S3_OPERATIONS][S3_BOUNDS + 1]; /* of requests; the last one has no bound */
    _Atomic int64_t ms[S3_OPERATIONS];                     /* sums */
    _Atomic int64_t retries, given_up;                     /* given_up: failed at the last attempt */
};

#endif
