/* Access and refresh tokens of clients (RFC 6749; docs/PROGRAMS.md).
 *
 * The tokens that began with one code or one login are a family. A refresh token is used once and
 * replaced. If it comes again, somebody copied it, so the family ends (RFC 9700 section 4.14). One
 * repetition is no theft: a client that lost the reply sends the token again. So within 60 s, and while
 * the successor is unused, the token gives the same successor. The successor is not stored: it is a keyed
 * hash of the token.
 *
 * A family has one row for its refresh token. A rotation changes this row. It holds the hashes of the
 * present token and of the one before. A token names its family, so an older one is noticed without a row.
 *
 * Functions that write lock the row of the person first. A change of the password locks it, too, and ends
 * the tokens. So nothing that was issued at the same time remains. */
#ifndef CORE_PROGRAM_TOKEN_H
#define CORE_PROGRAM_TOKEN_H

#include "core/programs/grant.h"

#define ACCESS_LIFE TIME_HOUR
#define REFRESH_LIFE (30 * TIME_DAY)
/* Maximum number of families of one grant. The next login ends the family that was unused for longest
 * (RFC 6819 section 4.4.1.11). */
#define FAMILIES_MAX 100

/* The terms on which tokens are issued. */
struct token_terms {
    int64_t client_id, user_id;
    int64_t grant_id;  /* 0: client_credentials, which get no refresh token */
    uint32_t scopes;   /* never 0 */
    struct str family; /* p NULL: a new one */
};

struct tokens {
    struct str access, refresh; /* refresh.p NULL: none */
    uint32_t scopes;            /* scopes of the access token */
};

/* The work's person must be locked: token_lock. Returns 0, or -ERR_FIELD_INVALID if the grant or the
 * client is gone. */
int tokens_issue(struct work *w, const struct token_terms *t, struct tokens *out);
int token_lock(struct work *w, int64_t user_id);
/* the same, for a code or token that came a second time */
int family_stolen(struct work *w, const struct token_terms *t);

/* Returns 1 if the text is an access token of this client, or a refresh token of one of its families, live
 * or not, 0 if it is unknown, or a negative error. */
int token_is_known(struct work *w, const struct client *c, struct str text);

enum taken {
    TAKEN_NOT = 0, /* unknown, expired, of another client, or of a person who may not log in */
    TAKEN,         /* *out is set */
    TAKEN_AGAIN,   /* it came a second time, so its family has ended. The caller must commit that */
    TAKEN_SCOPES,  /* more scopes were asked for than the token has; nothing has changed */
};
/* Rotates a refresh token. wanted: scopes of the access token; 0: all that the token, its grant and its
 * client have. The new refresh token has the scopes of the old one. Returns an enum taken, or a negative
 * error. */
int refresh_take(struct work *w, const struct client *c, struct str text, uint32_t wanted,
                 struct tokens *out);

/* Deletes an access token, or the family that a refresh token names. Other texts, and tokens of other
 * clients, change nothing. */
int token_revoke(struct work *w, const struct client *c, struct str text);

struct token_facts {
    int64_t user_id, created_at, expires_at;
    uint32_t scopes; /* scopes that the token, its grant and its client all have */
    bool is_refresh;
};
/* Returns 1 if the text is a live token of this client, 0 if not, or a negative error. A refresh token
 * that was replaced is not live. */
int token_introspect(struct work *w, const struct client *c, struct str text, struct token_facts *out);

#endif
