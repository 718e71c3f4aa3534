/* Addresses and URLs of the command line. Addresses are numeric, because the address of a name can change
 * while the server runs. */
#ifndef LISTEN_H
#define LISTEN_H

#include "base/arena.h"
#include "commands/options.h"

struct listen {
    struct str host; /* 127.0.0.1 or [::1]; with a NUL */
    int port;
};

bool listen_valid(struct str text); /* true: a numeric address and a port */
struct listen listen_of(struct str text, struct arena *a);
/* true: an address whose port is not 25 (RFC 2033 section 5), or the path of a socket */
bool lmtp_valid(struct str text);
bool proxies_valid(struct str list); /* true: numeric addresses or networks, separated by commas */
struct str *proxies_of(struct str list, struct arena *a); /* p NULL ends it; NULL: no list */

#define STORE_FOLDER "sqlite:"     /* prefix of a folder, where a database is possible, too */
bool store_valid(struct str text); /* true: such a folder, or the URL of a database */

bool listen_is_loopback(const struct listen *l);
struct str listen_url(struct arena *a, const struct listen *l, int port);
bool files_valid(struct str text);   /* true: a folder, or the URL of a bucket */
bool url_valid(struct str url);      /* true: http or https, with a host */
struct str url_host(struct str url); /* without the port; n 0: not an http or https URL */

/* Raises the limit of open files of this process to hold these connections and other files. Logs a warning
 * if it can't. */
void raise_file_limit(int64_t connections, int64_t others);
#define LMTP_FILES 3 /* descriptors of one LMTP connection: its socket, and two for the file of a mail */

#endif
