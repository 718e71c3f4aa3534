/* Links that prove something to whom they were mailed: single use, expiring, kept as a keyed hash. */
#ifndef CORE_LINK_H
#define CORE_LINK_H

#include "work/work.h"

enum link_purpose { LINK_VERIFY_EMAIL = 1, LINK_RESET_PASSWORD, LINK_INVITATION };
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

/* ---- links that set a password: of a reset or an invitation --------------------------------------------------- */

int password_link_find(struct work *w, struct str hash, struct link *out); /* for the rule and the hash of the password, before the write */
/* Takes it, sets the password, validates the address it was mailed to. 1 done, 0 no such link. */
int password_reset_complete(struct work *w, struct str hash, struct str password_hash);
int password_links_end(struct work *w, int64_t user_id); /* the password has changed: no link may change it back */

#endif
