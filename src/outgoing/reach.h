/* The rules of a connection to an address that people of the desk have chosen.
 *
 * The desk must not be a way into the network that it runs in. So
 * (1) the address is checked where the socket for it is made (open_checked), after the only resolution of
 *     the name. libcurl connects this socket to this address. A name that resolves differently the next
 *     time is checked the next time. A connection that is used again is checked again (recheck);
 * (2) redirects are not followed, and proxies of the environment are not used. */
#ifndef OUTGOING_REACH_H
#define OUTGOING_REACH_H

#include "base/address.h"

#include <curl/curl.h>

struct reach {
    bool private_allowed;
    char refused[ADDRESS_TEXT]; /* the address that was refused; empty: none */
    bool refused_port;
};
/* Sets the rules. `r` stays in use until the handle is freed. */
void reach_set(CURL *c, struct reach *r);

#endif
