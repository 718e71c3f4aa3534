/* Remember-me: a chain of single-use tokens, each valid for 30 days.
 *
 * A token opens a session and is replaced by its successor. A token that comes a second time was copied:
 * the chain and all sessions that it opened end. Within 60 s a second use counts as a retry of a client
 * that lost the reply, and returns the same successor. Tokens are stored as keyed hashes. The successor is
 * stored sealed, because a retry must return it again. */
#ifndef CORE_REMEMBER_H
#define CORE_REMEMBER_H

#include "work/work.h"

#define REMEMBERED_FOR (30 * TIME_DAY) /* validity of an unused token */

/* Starts a chain for a login. Returns 1, or 0 if its session has ended. */
int remember_begin(struct work *w, int64_t user_id, int64_t session_id, struct str *token);

struct remembered {
    int64_t user_id, chain_id;
    struct str successor;
};
/* Returns 1 if the token was used; 0 if it is unknown, expired, ended or stolen. For a stolen token, this
 * write ends the chain and its sessions, so the caller must commit it. */
int remember_take(struct work *w, struct str token, struct remembered *out);

/* Returns 1 and the person of a token that remember_take would take, without using it, or 0. */
int remember_look(struct work *w, struct str token, int64_t *user_id, int64_t *chain_id);

/* at logout: ends the chain that opened the session, and chains that it started */
int remember_forget(struct work *w, int64_t session_id);
int remember_end(struct work *w, int64_t user_id); /* ends all chains of a user */

#endif
