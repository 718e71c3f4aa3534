/* API tokens: a person makes one for a script of their own (docs/PROGRAMS.md). */
#ifndef CORE_API_TOKEN_H
#define CORE_API_TOKEN_H

#include "work/work.h"

#define API_TOKENS_MAX 100 /* maximum number of tokens of one person */

/* Makes the text of a token and its hash. The text is shown once. */
struct str api_token_make(struct work *w, struct str *hash);

/* Returns 0 if the actor may make another token. Fails with RESOURCE_ACTION_NOT_AVAILABLE if there are too
 * many, and with SESSION_LOADING_FAILED if the session has ended meanwhile: a changed password ends it,
 * and the new token would outlive it. Locks the row of the person. */
int api_token_room(struct work *w);

int api_token_set_scopes(struct work *w, int64_t id, uint32_t mask);

#endif
