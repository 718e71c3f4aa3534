/* Endpoints: the servers, addresses and channels that rules send to. core/endpoints/delivery.h has what is
 * sent. */
#ifndef CORE_ENDPOINTS_ENDPOINT_H
#define CORE_ENDPOINTS_ENDPOINT_H

#include "core/words.h"
#include "json/json.h"
#include "work/work.h"

/* An attribute of one type of endpoints. A row of endpoint_attributes. */
struct attribute {
    const char *name; /* in the API, and the column */
    int type;         /* enum endpoint_type */
    enum attribute_form {
        ATTRIBUTE_URL,
        ATTRIBUTE_EMAIL,
        ATTRIBUTE_LINE,
        ATTRIBUTE_WORD,
        ATTRIBUTE_BOOL,
        ATTRIBUTE_SECRET
    } form;
    const struct word *words; /* ATTRIBUTE_WORD */
    int64_t initial;          /* ATTRIBUTE_WORD: of a new endpoint */
    bool required;
    int max; /* characters of an ATTRIBUTE_LINE or ATTRIBUTE_SECRET */
};
extern const struct attribute endpoint_attributes[]; /* ends with name NULL */
#define ENDPOINT_ATTRIBUTES 16                       /* more than there are */

/* Checks and stores attributes of an endpoint, after its row was written. given: an object; NULL: nothing
 * was given. The names that it lacks keep their values. An empty secret keeps the secret; null deletes it.
 * A changed url deletes the password, unless it is given too. Problems point at attributes/<name>. */
int endpoint_set_attributes(struct work *w, int64_t id, const struct json *given);

#define FORMER_SECRET_HOURS 24 /* a former secret signs that long, unless the caller chooses */
/* Makes a new secret for signatures. The former one also signs until now + former_ms; 0: it ends at once.
 * Call it for endpoints of type HTTP. */
int endpoint_make_secret(struct work *w, int64_t id, int64_t former_ms, struct str *secret);

/* ids: JSON array. With their deliveries, also those that were not sent yet */
int endpoints_delete(struct work *w, struct str ids);

/* Returns NULL, or a sentence that says why the text is not a URL that deliveries may be sent to.
 * private_allowed: addresses of this host and of private networks, too. A name is not resolved here, but
 * when a delivery is sent. */
const char *endpoint_url_wrong(struct arena *a, struct str url, bool private_allowed);

#define PRIVATE_ALLOWED "endpoints.allow_private_addresses"

#endif
