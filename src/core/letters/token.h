/* Tokens of mails: the number of a conversation or a letter, with a keyed MAC. Only this desk can make
 * one, so the holder of a token got a mail of the desk, or got the token from a recipient. */
#ifndef CORE_LETTERS_TOKEN_H
#define CORE_LETTERS_TOKEN_H

#include "work/work.h"

/* The kind is a part of the MAC: no token is valid in another place. The numbers never change. */
enum token_kind {
    TOKEN_REPLY = 1,  /* plus part of the address for replies: a conversation */
    TOKEN_RETURN,     /* plus part of the return path: a letter */
    TOKEN_MESSAGE_ID, /* left part of a Message-ID: a conversation */
    TOKEN_SUBJECT,    /* text in brackets in a subject: a conversation */
    /* The same three places in mails of a forward: its note (core/cases/forward.h). */
    TOKEN_FORWARD_REPLY,
    TOKEN_FORWARD_ID,
    TOKEN_FORWARD_SUBJECT
};
enum token_verdict { TOKEN_ABSENT, TOKEN_FORGED, TOKEN_GOOD };

/* Returns "c12-k3j5n7p2q4r6s7t2": a letter for the kind, the decimal number, 16 characters of lower-case
 * Base32 (80 bits). */
struct str mail_token(const struct desk *d, struct arena *a, enum token_kind kind, int64_t id);
/* TOKEN_ABSENT: the text does not have the form of such a token. Case does not matter. Sets *id if the
 * token is good. */
enum token_verdict mail_token_read(const struct desk *d, enum token_kind kind, struct str text, int64_t *id);

/* True if the text has the form of a token of the kind, good or forged. */
bool mail_token_has_form(enum token_kind kind, struct str text);

/* Returns the text without the good tokens in it, of any kind, and without the plus sign or the brackets
 * around them. */
struct str mail_tokens_removed(const struct desk *d, struct arena *a, struct str text);

/* Returns the value of X-Desk-Loop, which every mail of the desk has. A mail that comes in with it was
 * sent by this desk. */
struct str loop_mark(const struct desk *d, struct arena *a);

/* Returns local+token@domain. The token replaces a plus part. An address without @ stays unchanged. */
struct str address_with_plus(struct arena *a, struct str full, struct str token);
/* Removes the plus part. *token: what follows the first plus sign; p NULL: nothing. */
struct str address_without_plus(struct arena *a, struct str address, struct str *token);

#endif
