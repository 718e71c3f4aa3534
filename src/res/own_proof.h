/* The proof that the caller's own login was not stolen: a code or the password, sent again. */
#ifndef RES_OWN_PROOF_H
#define RES_OWN_PROOF_H

#include "api/call/call.h"

extern const struct field own_proof_fields[]; /* code and password */

/* In the pool, before api_input: takes the code of the second factor (`code`, X-OTP, or the one of this
 * login), or the password. Guesses are counted and locked, like those of logins. Returns 0, or fails with
 * ANY_FIELD_REQUIRED, AUTHENTICATION_FAILED or AUTHENTICATION_LOCKED. */
int own_proof(struct call *c);

/* Returns 1 if the caller has a password, 0 if not, or a negative error. */
int own_password_exists(struct call *c);

#endif
