/* One HTTP request to an endpoint, by libcurl.
 *
 * Its connection follows the rules of outgoing/reach.h. The reply is limited in time, in the size of its
 * head and of its body. Its text is not stored, because an attempt's message is shown to admins, and only
 * owners decide whether private addresses may be reached. */
#ifndef OUTGOING_EXCHANGE_H
#define OUTGOING_EXCHANGE_H

#include "core/endpoints/delivery_queue.h"

#include <curl/curl.h>

#define EXCHANGE_HEAD_MAX (32 * 1024)
#define EXCHANGE_BODY_MAX (64 * 1024) /* the connection is closed behind it; the status decides the result */

struct exchange_rules {
    bool private_allowed;
    int64_t timeout_ms, now; /* now: the time that is signed */
};

struct exchange;
/* Prepares a request. t and d stay in use until exchange_free. Returns NULL if memory is short. */
struct exchange *exchange_new(struct arena *a, const struct target *t, const struct delivery *d,
                              const struct exchange_rules *rules);
CURL *exchange_handle(const struct exchange *x); /* the caller sets its CURLOPT_PRIVATE */
/* The result, after libcurl has ended it with rc. */
struct attempt exchange_result(struct exchange *x, CURLcode rc);
void exchange_free(struct exchange *x); /* after curl_multi_remove_handle */

#endif
