/* The texts of tokens, codes and secrets that programs present. A text is a prefix that says its kind, and
 * 64 hexadecimal digits. The store holds its keyed hash. The first 32 digits of a refresh token are the
 * name of its family, which the store holds as text. The others are its secret. */
#ifndef CORE_TOKEN_TEXT_H
#define CORE_TOKEN_TEXT_H

#include "work/work.h"

/* Stored in oauth_tokens.kind, so append only. */
enum token_kind { TOKEN_ACCESS = 1, TOKEN_REFRESH, TOKEN_API, TOKEN_CODE, TOKEN_SECRET, TOKEN_EVENT };

struct str token_text_make(struct arena *a, enum token_kind kind); /* random: 256 bits */
struct str token_text_hash(struct work *w, struct str text);       /* the hash that the store holds */
/* true if the text has the form of this kind; it may be unknown */
bool token_text_is(enum token_kind kind, struct str text);

struct str family_make(struct arena *a);                          /* random: 128 bits */
struct str refresh_text_make(struct arena *a, struct str family); /* its secret is random: 128 bits */
/* Returns the family in a refresh token that passed token_text_is. */
struct str refresh_text_family(struct str text);
/* the token that replaces it: its secret is a keyed hash of the text */
struct str refresh_text_successor(struct work *w, struct str text);

#endif
