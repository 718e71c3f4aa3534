/* Remember-me (completions.md section 4): a chain of single-use tokens, each good for 30 days.
 *
 * Presented, a token opens a session and is replaced by its successor. One presented again was copied: the chain and all sessions it
 * opened end, whoever holds them. Only within 60 s a repeat is taken for a client that lost the answer, and gets the same successor.
 * Tokens are kept as keyed hashes; the successor, which that repeat must be shown again, sealed. */
#ifndef CORE_REMEMBER_H
#define CORE_REMEMBER_H

#include "work/work.h"

#define REMEMBERED_FOR (30 * TIME_DAY) /* without being used */

/* A chain that begins with a login: 1, or 0 when its session has ended meanwhile. */
int remember_begin(struct work *w, int64_t user_id, int64_t session_id, struct str *token);

struct remembered {
    int64_t user_id, chain_id;
    struct str successor;
};
/* 1 taken; 0 unknown, expired or ended, or stolen: then what it began was ended in this write, which must be committed. */
int remember_take(struct work *w, struct str token, struct remembered *out);

int remember_forget(struct work *w, int64_t session_id); /* a logout: the chain that opened it, and those it began */
int remember_end(struct work *w, int64_t user_id);       /* all of a user */

#endif
