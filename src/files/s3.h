/* A bucket of an object store that speaks the S3 protocol. All functions wait for the network, so none may
 * run on an event loop or in a write. They may run on any number of threads.
 *
 * A request that fails for a reason that may pass is sent again, S3_TRIES times in all: no connection, a
 * connection that breaks, less than 4 KB a second for 10 s, a status 5xx or 429, a body that is shorter
 * than it should be or that does not match its SHA-256. A refusal (403, 400) is final. */
#ifndef FILES_S3_H
#define FILES_S3_H

#include "db/why.h"
#include "files/s3_reply.h"
#include "files/s3_sign.h"

#define S3_TRIES 3

struct s3_place {
    struct str endpoint;       /* https://s3.example.com, without a slash at its end */
    struct str bucket, prefix; /* prefix n 0: none; no slash at its ends */
    struct s3_key key;
};

struct s3;
/* Copies the place. Opens no connection. */
struct s3 *s3_new(const struct s3_place *p);
void s3_stop(struct s3 *s); /* ends requests under way and refuses others; from any thread */
void s3_free(struct s3 *s);
struct str s3_name(struct arena *a, const struct s3 *s); /* s3://bucket/prefix, for messages */

/* bucket and prefix of s3://BUCKET or s3://BUCKET/PREFIX. Returns false if the text is not one. */
bool s3_url_read(struct str text, struct str *bucket, struct str *prefix);

/* Returns 0 if the bucket can be listed with the key. Otherwise an error, and the reason with what to do. */
int s3_look(struct s3 *s, struct why why);

enum s3_outcome { S3_DONE, S3_ABSENT, S3_FAILED };

/* A file of more than S3_PART bytes goes up in parts of that size. Stores take parts of 5 MiB and more. */
#define S3_PART (8 * 1024 * 1024)
/* The names of objects are below the prefix. Those that fail write the reason, a clause. */
enum s3_outcome s3_put(struct s3 *s, struct str name, struct str sha256, const char *path, int64_t size,
                       struct why why);
enum s3_outcome s3_put_text(struct s3 *s, struct str name, struct str text, struct why why);
/* Writes the object to this file (from offset 0), and verifies size and SHA-256 on the way. to -1: verifies
 * only. */
enum s3_outcome s3_get(struct s3 *s, struct str name, struct str sha256, int64_t size, int to,
                       struct why why);
/* A small text that ends with a new line, by which half of it is found out. */
enum s3_outcome s3_get_text(struct s3 *s, struct str name, struct arena *a, struct str *text, struct why why);
enum s3_outcome s3_head(struct s3 *s, struct str name, int64_t *size, struct why why);
/* An object that is not there is deleted, too. */
enum s3_outcome s3_delete(struct s3 *s, struct str name, struct why why);

/* Up to 1,000 objects whose names begin with this, in their order, behind `after` (n 0: from the first).
 * Returns their number, or -1. *more: others follow. */
int s3_page(struct s3 *s, struct arena *a, struct str beginning, struct str after, struct s3_object **objects,
            bool *more, struct why why);

/* Counts the uploads in parts that were begun this long ago (in milliseconds) and neither completed nor
 * aborted, of the first 1,000. Returns -1 if the store can't say it. */
int s3_uploads_left(struct s3 *s, int64_t age);

/* Counts since the start. */
enum s3_operation { S3_READS, S3_WRITES, S3_DELETES, S3_LISTS, S3_OPERATIONS };
/* BROKEN: no connection, or a reply that is cut, too slow or wrong. FAILED: 5xx, 429 or 408. */
enum s3_result { S3_RESULT_OK, S3_RESULT_ABSENT, S3_RESULT_REFUSED, S3_RESULT_FAILED, S3_RESULT_BROKEN, S3_RESULTS };
#define S3_BOUNDS 11
extern const int s3_bounds[S3_BOUNDS]; /* upper bounds of the buckets, in milliseconds */
struct s3_counts {
    _Atomic int64_t requests[S3_OPERATIONS][S3_RESULTS];
    _Atomic int64_t buckets[S3_OPERATIONS][S3_BOUNDS + 1]; /* of requests; the last one has no bound */
    _Atomic int64_t ms[S3_OPERATIONS];                     /* sums */
    _Atomic int64_t retries, given_up;                     /* given_up: failed at the last attempt */
};
const struct s3_counts *s3_counts(const struct s3 *s);

#endif
