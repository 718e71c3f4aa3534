/* A request to an object store: it is signed, sent, and sent again if it fails for a reason that may pass.
 * Only the files s3_*.c use this. */
#ifndef FILES_S3_REQUEST_H
#define FILES_S3_REQUEST_H

#include "base/buf.h"
#include "files/s3_reply.h"
#include "files/s3_types.h"

#include <curl/curl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

#define S3_IDLE_HANDLES 16 /* connections that wait for the next request */

struct s3 {
    struct arena *memory;
    struct s3_place place;
    struct str host, base; /* base: path of the bucket, with the prefix and a slash at its end */
    atomic_bool stopping;
    struct s3_counts counts;
    pthread_mutex_t lock; /* protects the handles */
    CURL *idle[S3_IDLE_HANDLES];
    int idle_count;
};

/* One request. */
struct s3_asking {
    const char *method;
    enum s3_operation operation;
    struct str path, query; /* percent-encoded; query: in the order of its names */
    struct str sha256;      /* of the body */
    struct str text;        /* the body, or: */
    int from;               /* the file that has it; -1: none */
    int64_t at, n;          /* its place there, and its bytes */
    int to;                 /* file for the body of the reply; -1: the memory */
    int64_t most;           /* bytes that are taken of the reply; less means that it is wrong */
    bool hashed;            /* the body of the reply is hashed, and kept only in `to` */
};

/* Its reply. */
struct s3_answered {
    struct arena *arena;
    long status;     /* 0: there was none */
    struct buf body; /* of a refusal, or of a reply that is kept in memory */
    int64_t length;  /* bytes of the body of a 2xx */
    struct str date, region, tag;
    crypto_hash_sha256_state sum;
    const char *broken; /* why there was no reply, or only a part of one; NULL: it is complete */
    char said[CURL_ERROR_SIZE];
};

/* A request without a body for the object of this name. */
struct s3_asking s3_asking_new(struct s3 *s, struct arena *a, const char *method, struct str name);
/* Sends the request until its reply is final and `right` (which may be NULL) returns no defect of it. The
 * caller frees r->body, or calls s3_outcome_of. */
void s3_ask(struct s3 *s, struct arena *a, const struct s3_asking *q, struct s3_answered *r,
            const char *(*right)(const struct s3_asking *q, struct s3_answered *r));
/* Writes the reason unless the outcome is S3_DONE. Frees r->body. */
enum s3_outcome s3_outcome_of(struct s3_answered *r, struct why why);
/* Returns a defect, or NULL: a body without its end is half of a body. */
const char *s3_reply_ends_with(const struct s3_answered *r, const char *end);

#endif
