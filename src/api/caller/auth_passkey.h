/* Logins by passkey: a way of the stage that identifies the caller. */
#ifndef API_CALLER_AUTH_PASSKEY_H
#define API_CALLER_AUTH_PASSKEY_H

#include "api/caller/credentials.h"
#include "core/login/session.h"

/* In the pool: a login by X-Passkey, alone, or with X-Token after the password. */
int auth_passkey(struct call *c, const struct credentials_given *g, struct session *s);

#endif
