/* Documents of providers (discovery and keys), kept in the memory of the process.
 *
 * Both are read again after an hour. A token with an unknown kid has the keys read again at once, but not
 * more than once a minute for each provider, so that made-up tokens cause no flood of requests. A request
 * that failed is repeated after 15 seconds at the earliest, so that visits of the login page wait for no
 * provider that is down. */
#ifndef SIGNIN_METADATA_H
#define SIGNIN_METADATA_H

#include "core/signin/provider.h"

#include <stdatomic.h>

struct metadata {
    struct str authorization, token, userinfo, end_session, jwks; /* addresses; p NULL: none */
    bool secret_in_body; /* client_secret_basic is not among the methods */
    bool names_itself;   /* replies have the parameter iss (RFC 9207) */
};

struct signin_memory;
struct signin_memory *signin_memory_new(void); /* NULL: no memory */
void signin_memory_free(struct signin_memory *m);

/* For the requests of one login. */
struct reading {
    struct work *work;
    struct signin_memory *memory;
    const struct provider *provider;
    bool private_allowed;
    int64_t until; /* clock_monotonic: end of all requests of this login */
    const atomic_bool *stopping;
    struct str why; /* why a function returned false: a sentence for an admin */
    bool asked;     /* private: the document was asked for */
};
bool metadata_read(struct reading *r, struct metadata *out);
/* again: the kid is unknown. Returns the same keys if they were read less than a minute ago for that. */
bool metadata_keys(struct reading *r, const struct metadata *m, bool again, const struct json **jwks);
/* A request of this login, whose reply is a JSON object. form.p NULL: GET. *status may be any. */
bool reading_fetch(struct reading *r, struct str url, struct str form, struct str authorization, int *status,
                   const struct json **out);

#endif
