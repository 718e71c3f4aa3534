/* Passwords that were verified lately, so that they need no hash: in memory, for a few minutes, under a keyed
 * hash of what was sent. */
#ifndef API_CALLER_REMEMBERED_LOGIN_H
#define API_CALLER_REMEMBERED_LOGIN_H

#include "api/caller/credentials.h"
#include "base/random.h"
#include "core/login/session.h"

struct remembered_login {
    /* MAC of login, password, user agent, address and mode, by a key of this process */
    unsigned char key[MAC_SIZE];
    int64_t session_id; /* 0: none */
    int64_t password_updated_at, logins_version;
    int64_t until; /* clock_monotonic */
};

struct slots *remembered_logins_new(void); /* base/slots.h; NULL: no memory */

void remembered_login_key(struct call *c, const struct credentials_given *g, unsigned char key[MAC_SIZE]);
struct remembered_login remembered_login_find(struct api *api, const unsigned char key[MAC_SIZE]);
void remembered_login_keep(struct api *api, const unsigned char key[MAC_SIZE], const struct session *s);

#endif
