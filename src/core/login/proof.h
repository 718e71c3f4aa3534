/* What following a link from a mail proves, and does; and asking for one without a login. */
#ifndef CORE_PROOF_H
#define CORE_PROOF_H

#include "core/desk/job.h"
#include "core/login/link.h"

/* The address it was mailed to is its holder's. 1 done, 0 no such link. */
int email_verify(struct work *w, struct str hash);

/* Somebody asks for a reset. What is written does not depend on whether anybody has the address, so neither do answer and time:
 * it is looked up by the job that this makes. */
int password_reset_ask(struct work *w, struct str email);
int password_reset_run(struct work *w, const struct job *j);

/* Of a reset or an invitation. 1, or 0: no such link. rank: of its person, for the rule of passwords. Takes nothing. */
int password_link_find(struct work *w, struct str hash, struct link *out, int *rank);
/* Takes it, sets the password, and validates the address it was mailed to. 1 done, 0 no such link. */
int password_reset_complete(struct work *w, struct str hash, struct str password_hash);

#endif
