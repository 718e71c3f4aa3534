/* Addresses and URLs as operators write them. Numeric: what a name resolves to can change under a running server. */
#ifndef LISTEN_H
#define LISTEN_H

#include "base/arena.h"
#include "commands/options.h"

struct listen {
    struct str host; /* 127.0.0.1 or [::1]; a C string */
    int port;
};

bool listen_valid(struct str text); /* a numeric address and a port */
struct listen listen_of(struct str text, struct arena *a);
bool proxies_valid(struct str list);                      /* numeric addresses, separated by commas */
struct str *proxies_of(struct str list, struct arena *a); /* ends with p NULL; NULL of none */

#define STORE_FOLDER "sqlite:"     /* before the name of a folder, where a database could stand, too */
bool store_valid(struct str text); /* a folder so named, or the URL of a database */

bool listen_is_loopback(const struct listen *l);
struct str listen_url(struct arena *a, const struct listen *l, int port);
bool url_valid(struct str url);      /* http or https, with a host */
struct str url_host(struct str url); /* without port; n 0 when it is no http or https URL */

#endif
