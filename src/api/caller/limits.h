/* Rate limits: a token bucket for each caller and class of routes (docs/OPERATIONS.md, "Rate limits").
 *
 * A caller is (1) a person, whatever their sessions and tokens, (2) an OAuth client that acts for itself,
 * (3) an event token, or (4) an address without login (base/address.h address_counted). The buckets are in
 * the memory of the process, so a GET costs no access to the store. Processes of one desk divide the quota
 * by their number (core/desk/processes.h).
 *
 * The table has a fixed size. A set of it has WAYS slots, each with one bucket. A full bucket needs no
 * slot. If all buckets of a set are in use, the fullest one is dropped: its caller gets a full bucket. So
 * a lack of slots never refuses a caller wrongly, and a caller who floods keeps their bucket, because it
 * is the emptiest. */
#ifndef API_CALLER_LIMITS_H
#define API_CALLER_LIMITS_H

#include "api/call/call.h"

#include <pthread.h>

#define LIMIT_WAYS 8
#define LIMIT_SETS 8192 /* a power of two; 1 MiB of slots */
#define LIMIT_LOCKS 64

struct limit_slot {
    uint64_t caller; /* hash of caller and class */
    int64_t full_at; /* bucket.h; a bucket that is full is a free slot */
};
struct limits {
    uint64_t seed; /* seed of the hashes, so that a caller can't choose the set of another caller */
    pthread_mutex_t locks[LIMIT_LOCKS];
    struct limit_slot slots[LIMIT_SETS][LIMIT_WAYS];
};

/* Returns 0, or fails with RATE_LIMIT_REACHED. Sets c->limited. Call it when caller and route are known. */
int limits_count(struct call *c);
bool limits_over(struct call *c); /* true if limits_count would refuse the call; counts nothing */

/* Requests outside of the API: of an OAuth client in its own name, and of a visitor of a page (`a`: a
 * person, or nobody at an address). Return 0, or the seconds until the caller may send one. */
int64_t limits_client(struct limited *x, struct api *api, int64_t client_id, bool writes);
int64_t limits_page(struct limited *x, struct api *api, const struct actor *a); /* a page is opened */
/* a form of a page is sent: a write */
int64_t limits_form(struct limited *x, struct api *api, const struct actor *a);

void limits_unchanged(struct limited *x, struct api *api); /* the reply is a 304: gives nine tenths back */
void limits_headers(const struct limited *x,
                    /* RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers) */
                    struct http_request *r);

/* The bucket of a caller: its slot, or one that is free or dropped for it. For limits_count and its test;
 * the lock of the set is held. */
struct limit_slot *limit_slot_of(struct limit_slot set[LIMIT_WAYS], uint64_t caller);

#endif
