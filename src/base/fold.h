/* Keys by which names are compared and ordered alike on both engines and in any locale: NFKD, marks stripped,
 * casefolded. */
#ifndef BASE_FOLD_H
#define BASE_FOLD_H

#include "base/str.h"

#define FOLD_VERSION 1 /* kept in the store: keys of another version must be computed again */

struct str fold_key(struct arena *a,
                    struct str s); /* "Müller" -> "muller"; s is valid UTF-8; keys are compared as bytes */
/* the key of an e-mail address: casefolded, with domain_key of its domain */
struct str email_key(struct arena *a, struct str s);
struct str domain_key(struct arena *a,
                      /* lower case, IDN as A-labels: müller.example -> xn--mller-kva.example; p NULL: not a
                       * domain */
                      struct str s);
/* domain_key of user input, without a final dot; p NULL: not a valid domain */
struct str domain_read(struct arena *a, struct str s);
/* the domain of a key for display: A-labels as Unicode */
struct str domain_text(struct arena *a, struct str key);

/* A key of a decimal number ("-12.50"), exact for up to 400 digits. Keys compare as bytes like the numbers
 * compare. p NULL: not a number. */
struct str decimal_key(struct arena *a, struct str s);
/* true: one address with local part, @ and domain, at most 254 bytes, without blanks */
bool email_valid(struct str s);

#endif
