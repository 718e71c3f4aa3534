/* Bearer tokens: the actor of a request with `Authorization: Bearer`, and the end of tokens
 * (docs/PROGRAMS.md). */
#ifndef CORE_BEARER_H
#define CORE_BEARER_H

#include "core/login/token_text.h"
#include "work/work.h"

/* Loads the actor of an access token or an API token by one query. Returns 1, 0 if the text is no such
 * token, or if it is unknown, expired, or of a person who is disabled or deleted, or a negative error.
 * Writes nothing: the last use is gathered in memory.
 *
 * The actor has the kind TOKEN. Its scopes are those of the token, of its grant and of its client,
 * whichever are fewest. So a change of the grant or the client narrows tokens at once. */
int bearer_load(struct work *w, struct str text);
/* The same by the hash of an access token or an API token (token_text_hash). */
int bearer_load_hash(struct work *w, enum token_kind kind, struct str hash);

/* Ends codes, access, refresh and API tokens of a person. Grants stay: they are consents. */
int tokens_end(struct work *w, int64_t user_id);
int tokens_end_all(struct work *w, struct str users); /* users: JSON array of ids */

#endif
