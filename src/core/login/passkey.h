/* Passkeys of staff (WebAuthn): the rows, and the challenges of the two ceremonies.
 *
 * A challenge holds its time and a MAC over its purpose and its subject, so the request for one writes
 * nothing, and any process checks it. Only a challenge that comes back is stored, as a hash, so that it
 * counts once. */
#ifndef CORE_PASSKEY_H
#define CORE_PASSKEY_H

#include "core/login/webauthn.h"
#include "work/work.h"

#define PASSKEYS_MAX 20                   /* of a person */
#define PASSKEY_TIME (5 * TIME_MINUTE)    /* life of a challenge */
#define PASSKEY_RECENT (10 * TIME_MINUTE) /* a login this old proves a person without a password */
#define PASSKEY_TRANSPORTS "internal hybrid usb nfc ble smart-card cable"

/* The party of this desk. Returns 0, or fails with RESOURCE_ACTION_NOT_AVAILABLE if browsers permit no
 * passkey at its base URL. */
int passkey_party(struct work *w, struct webauthn_party *out);
bool passkey_possible(struct work *w); /* the same, without a failure */

/* ---- challenges ------------------------------------------------------------------------------ */

enum passkey_ceremony {
    PASSKEY_MADE = 1, /* subject: the person and the session */
    PASSKEY_LOGIN,    /* subject: the user agent */
    PASSKEY_STEP,     /* subject: the auth token of the password's step */
};
struct str passkey_challenge(struct work *w, enum passkey_ceremony of, struct str subject); /* Base64url */
/* Returns 1 if the challenge is for this purpose and subject, is not too old and was not used; 0 if not, or a
 * negative error. */
int passkey_challenge_good(struct work *w, enum passkey_ceremony of, struct str subject,
                           struct str challenge);
int passkey_challenge_use(struct work *w, struct str challenge); /* 1; 0: it was used */
/* The subject PASSKEY_MADE of the actor. */
struct str passkey_maker(struct work *w);

/* ---- rows ------------------------------------------------------------------------------------ */

struct passkey {
    int64_t id, user_id, password_updated_at;
    int rank;
    struct webauthn_credential credential; /* its id is not read */
    struct str user_handle;
};
/* Finds the passkey of a person who may log in. credential_id: Base64url. Returns 1, 0 or a negative error.
 */
int passkey_find(struct work *w, struct str credential_id, struct passkey *out);
/* Notes a login. Returns 1, or 0 if the passkey is gone or a login in the meantime had this counter. */
int passkey_used(struct work *w, int64_t id, int64_t sign_count);

/* The handle of a person for authenticators: the one of the passkeys, or a new one. Base64url. */
int passkey_user_handle(struct work *w, int64_t user_id, struct str *out);
/* Adds a passkey of the actor. transports: separated by blanks. Returns 0; fails with
 * RESOURCE_ACTION_NOT_AVAILABLE if there are PASSKEYS_MAX, or with -ERR_FIELD_DUPLICATE if the credential is
 * known. */
int passkey_add(struct work *w, struct str name, const struct webauthn_credential *c, struct str transports,
                struct str rp_id, int64_t *id);
int passkey_remove(struct work *w, int64_t id); /* 1; 0: there is none */
/* Removes all passkeys of a person. Returns their number. */
int passkeys_remove(struct work *w, int64_t user_id);

/* Returns 1 if the actor's session was opened by a login, not by a remember-me token, and lately. */
int passkey_login_is_recent(struct work *w);

#endif
