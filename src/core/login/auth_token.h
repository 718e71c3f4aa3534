/* Auth tokens: the next step of a login. A correct password of an account that needs another step gives
 * the caller a token, which says the step. The token is valid for 10 minutes, for the same user agent. It
 * is stored as a keyed hash. */
#ifndef CORE_AUTH_TOKEN_H
#define CORE_AUTH_TOKEN_H

#include "work/work.h"

enum auth_step { STEP_OTP = 1, STEP_PASSWORD };

struct auth_token {
    int64_t id, user_id;
    enum auth_step step;
};
int auth_token_make(struct work *w, enum auth_step step, int64_t user_id, struct str *token);
/* 1; 0: unknown, used, expired, or of another user agent */
int auth_token_find(struct work *w, struct str token, struct auth_token *out);
int auth_token_use(struct work *w, int64_t id); /* 1; 0: already used */
/* counts a wrong code; the fifth invalidates the token */
int auth_token_miss(struct work *w, int64_t id);
int auth_tokens_end(struct work *w, int64_t user_id);

#endif
