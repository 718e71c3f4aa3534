/* The next step of a login (completions.md section 4): whoever proved the password of an account that wants more is given a token, which
 * says what is still expected. Kept hashed, for ten minutes, for the program it was given to. */
#ifndef CORE_AUTH_TOKEN_H
#define CORE_AUTH_TOKEN_H

#include "work/work.h"

enum auth_step { STEP_OTP = 1, STEP_PASSWORD };

struct auth_token {
    int64_t id, user_id;
    enum auth_step step;
};
int auth_token_make(struct work *w, enum auth_step step, int64_t user_id, struct str *token);
int auth_token_find(struct work *w, struct str token, struct auth_token *out); /* 1; 0: unknown, used, expired, another program's */
int auth_token_use(struct work *w, int64_t id);                                /* 1; 0: somebody was faster */
int auth_token_miss(struct work *w, int64_t id);                               /* a wrong code: the fifth ends it */
int auth_tokens_end(struct work *w, int64_t user_id);

#endif
