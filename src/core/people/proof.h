/* Following a link from an e-mail, and requesting a reset link without login. */
#ifndef CORE_PROOF_H
#define CORE_PROOF_H

#include "core/letters/link.h"

/* Verifies the address that the link was sent to. Returns 1, or 0 if there is no such link. */
int email_verify(struct work *w, struct str hash);

/* Requests a password reset. The write does not depend on whether the address exists, so neither do the
 * reply and its time. The job that it adds looks the address up. */
int password_reset_ask(struct work *w, struct str email);

/* Finds the link of a reset or an invitation, without using it. Returns 1, or 0 if there is none. rank: of
 * its person, for the password rules. */
int password_link_find(struct work *w, struct str hash, struct link *out, int *rank);
/* Uses the link, sets the password, and validates the address that it was sent to. Returns 1, or 0 if
 * there is no such link. */
int password_reset_complete(struct work *w, struct str hash, struct str password_hash);

#endif
