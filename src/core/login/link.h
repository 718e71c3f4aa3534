/* Links that prove something to whom they were mailed: single use, expiring, kept as a keyed hash. */
#ifndef CORE_LINK_H
#define CORE_LINK_H

#include "work/work.h"

enum link_purpose { LINK_VERIFY_EMAIL = 1, LINK_RESET_PASSWORD, LINK_INVITATION };
#define CAUSE_LINK S("Mailed link") /* of an actor that a link admitted */
struct link {
    int64_t id, user_id, email_id; /* email_id: the address it was mailed to */
};

/* Makes one, and ends the former of the same purpose and address. hash: the secret text, given this once. */
int link_make(struct work *w, enum link_purpose purpose, int64_t user_id, int64_t email_id, struct str *hash);

/* 1, or 0 when it is unknown, used, expired, replaced, or its person is disabled or gone. Of two that take it at the same time
 * one does. link_find takes nothing. */
int link_take(struct work *w, enum link_purpose purpose, struct str hash, struct link *out);
int link_find(struct work *w, enum link_purpose purpose, struct str hash, struct link *out);

/* Whether a letter with it is still worth sending, whatever its purpose. */
int link_live(struct work *w, struct str hash);
int64_t link_life(const struct work *w, enum link_purpose purpose); /* of a new one, in milliseconds */
/* The password has changed: no link made before may change it back. */
int links_of_passwords_end(struct work *w, int64_t user_id);

#endif
