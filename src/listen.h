/* Addresses and URLs as operators write them. Numeric: what a name resolves to can change under a running server. */
#ifndef LISTEN_H
#define LISTEN_H

#include "base/arena.h"
#include "options.h"

struct listen {
    struct str host; /* 127.0.0.1 or [::1]; a C string */
    int port;
};

/* Both: 0, or -1 and one line in err. */
int listen_parse(struct str text, struct arena *a, struct listen *out, char err[USAGE_MAX]);
int proxies_parse(struct str list, struct arena *a, struct str **out, char err[USAGE_MAX]); /* ends with p NULL */

bool listen_is_loopback(const struct listen *l);
struct str listen_url(struct arena *a, const struct listen *l, int port);
struct str url_host(struct str url); /* without port; n 0 when it is no http or https URL */

#endif
