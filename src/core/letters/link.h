/* Links in e-mails that prove control of an address: single use, expiring, stored as a keyed hash. */
#ifndef CORE_LINK_H
#define CORE_LINK_H

#include "work/work.h"

enum link_purpose { LINK_VERIFY_EMAIL = 1, LINK_RESET_PASSWORD, LINK_INVITATION };
#define CAUSE_LINK S("Mailed link") /* cause of an actor that a link authenticated */
struct link {
    int64_t id, user_id, email_id; /* email_id: the address that the link was sent to */
};

/* Creates a link and deletes earlier ones of the same purpose and address. hash: the secret text, returned
 * only here. */
int link_make(struct work *w, enum link_purpose purpose, int64_t user_id, int64_t email_id, struct str *hash);

/* Both return 1, or 0 if the link is unknown, used, expired or replaced, or if its person is disabled or
 * deleted. link_take marks the link as used; of two concurrent calls one returns 1. link_find changes
 * nothing. */
int link_take(struct work *w, enum link_purpose purpose, struct str hash, struct link *out);
int link_find(struct work *w, enum link_purpose purpose, struct str hash, struct link *out);

/* Returns 1 if the link is still valid, for any purpose, so that its letter is worth sending. */
int link_live(struct work *w, struct str hash);
/* validity of a new link, in milliseconds */
int64_t link_life(const struct work *w, enum link_purpose purpose);
/* Deletes links that set a password, because the password has changed. */
int links_of_passwords_end(struct work *w, int64_t user_id);

#endif
