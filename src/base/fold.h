/* Keys for comparing and ordering names alike on every engine and in any locale: NFKD, marks stripped, casefolded. */
#ifndef BASE_FOLD_H
#define BASE_FOLD_H

#include "base/str.h"

#define FOLD_VERSION 1 /* kept in the store: keys of another version must be made anew */

struct str fold_key(struct arena *a, struct str s);  /* "Müller" -> "muller"; s is valid UTF-8; compared as bytes */
struct str email_key(struct arena *a, struct str s); /* an address as it is compared: casefolded, the domain as domain_key */
struct str domain_key(struct arena *a,
                      struct str s); /* lower case, IDN as A-labels: müller.example = xn--mller-kva.example; p NULL: no domain */
struct str domain_read(struct arena *a, struct str s); /* domain_key of what people typed, a final dot left out; p NULL: it is no domain */
struct str domain_text(struct arena *a, struct str key); /* as people read it: A-labels as Unicode */

/* A decimal number ("-12.50") as a text that bytes compare as the numbers do; p NULL: it is none. Of any length, exact. */
struct str decimal_key(struct arena *a, struct str s);
bool email_valid(struct str s); /* one address: local part, @, domain with a dot or a host; at most 254 bytes, no blanks */

#endif
