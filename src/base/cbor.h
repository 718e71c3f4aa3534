/* CBOR (RFC 8949) as authenticators write it (CTAP2 canonical form): definite lengths, few levels.
 *
 * A library that is given foreign CBOR may reserve memory for a length that a head of nine bytes claims. So
 * this reader walks over an item first, and refuses (1) a length or count that exceeds the bytes that follow,
 * (2) an indefinite length, (3) more than CBOR_DEPTH levels. It allocates nothing, and its results are slices
 * of the input. */
#ifndef BASE_CBOR_H
#define BASE_CBOR_H

#include "base/str.h"

#define CBOR_DEPTH 8 /* attestations have four levels */

/* Moves *rest behind one whole item. Returns false if it is not well-formed. */
bool cbor_skip(struct str *rest);

/* These read one head, or one text or byte string whole, and move *rest behind it. They return false if
 * another type comes. */
bool cbor_map(struct str *rest, uint64_t *pairs);
bool cbor_text(struct str *rest, struct str *out);
bool cbor_bytes(struct str *rest, struct str *out);
bool cbor_int(struct str *rest, int64_t *out); /* also a negative one; at most 63 bits */

#endif
