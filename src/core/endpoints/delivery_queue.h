/* The queue of deliveries, for the sender (src/outgoing/sender.h) and the API: core/endpoints/delivery.h has
 * the states and the order. */
#ifndef CORE_ENDPOINTS_DELIVERY_QUEUE_H
#define CORE_ENDPOINTS_DELIVERY_QUEUE_H

#include "work/work.h"

/* An endpoint with what is needed to send. Secrets are decrypted. */
struct target {
    int64_t id;
    int type, method, content; /* enums of core/words.h */
    struct str title, url;     /* url: of HTTP or SLACK */
    struct str address, subject;
    bool use_auth;
    struct str user, password;
    struct str secret, former_secret; /* p NULL: none */
    bool locked;                      /* a secret was encrypted with another server key */
};

struct delivery {
    int64_t id, endpoint_id, case_id, created_at, retry_until;
    int attempts;
    struct str event_id, body; /* body.p NULL: it was erased */
    struct delivery *next;
};

/* The result of one attempt. */
struct attempt {
    const struct delivery *delivery;
    bool success, mail; /* mail: success as soon as the mail is queued, in the write of delivery_settle */
    const struct target *target;
    int status_code; /* 0: no reply */
    struct str message;
    /* milliseconds; retry_after: the least delay that the server asked for; 0: none */
    int64_t duration, retry_after;
};

/* Ids of enabled endpoints with due deliveries, but not those that another process holds. Returns their
 * number, or a negative error. */
int deliveries_waiting(struct work *w, int64_t **endpoints);
struct str delivery_lease(struct arena *a, int64_t endpoint_id); /* the name of its lease */
/* 1, 0 if it is gone or disabled, or a negative error */
int target_load(struct work *w, int64_t endpoint_id, struct target *out);
/* Reads the due deliveries of an endpoint, at most one of each conversation, without those in `busy` (ids,
 * JSON array). In the arena. Returns their number, or a negative error. */
int deliveries_due(struct work *w, int64_t endpoint_id, struct str busy, int most, struct delivery **first);

/* Stores the result of an attempt, and the new state. After a failure the later deliveries of the
 * conversation wait, too. */
int delivery_settle(struct work *w, const struct attempt *a);

/* Makes a SENT or FAILED delivery due again, with the same event id and body. Fails with
 * RESOURCE_ACTION_NOT_AVAILABLE in other states. */
int delivery_replay(struct work *w, int64_t id);

#endif
