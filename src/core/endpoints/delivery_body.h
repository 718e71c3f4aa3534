/* The bodies of deliveries: core/endpoints/delivery.h. */
#ifndef CORE_ENDPOINTS_DELIVERY_BODY_H
#define CORE_ENDPOINTS_DELIVERY_BODY_H

#include "work/work.h"

struct delivery_event {
    int64_t endpoint_id, case_id; /* case_id 0: a test */
    int type, method, content;    /* values of the endpoint: enums of core/words.h */
    struct str id, cause, text;   /* text: of the action; may be empty */
    struct str channel;           /* SLACK */
};

/* Writes the body.
 *   HTTP   A GET has none. If the content type is JSON and the text is no JSON object or array, an envelope: id, created_at, endpoint_id,
 *          cause, message (the text) and case (null in a test). Otherwise the text as it is.
 *   SLACK  {"text", "channel"}. The characters &, < and > of the text are escaped, so that a subject can't notify a whole channel.
 *   EMAIL  the text.
 * Without a text, SLACK and EMAIL get the subject and the address of the conversation. Returns 1, 0 if
 * there is no such conversation, or a negative error. */
int delivery_body(struct work *w, const struct delivery_event *e, struct str *body);

#endif
