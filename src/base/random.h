/* Random values and keyed hashes (libsodium). Secrets are compared in constant time. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/arena.h"
#include "base/str.h"

void random_bytes(void *out, size_t n);
struct str random_hex(struct arena *a, size_t bytes);
struct str random_uuid(struct arena *a); /* version 4, RFC 9562 */
bool is_uuid(struct str s);              /* a UUID of any version, in lower case */

/* One key for each purpose, derived from the server key: a leaked one reveals nothing about another. */
struct key {
    unsigned char bytes[32];
};
void key_derive(struct key *out, const struct key *server, const char *purpose);

#define MAC_SIZE 32
void mac(unsigned char out[MAC_SIZE], const struct key *k, struct str text); /* keyed BLAKE2b */
struct str mac_hex(struct arena *a, const struct key *k, struct str text);   /* 64 characters */
bool secret_eq(struct str a, struct str b);

/* Encrypts text under a key: nonce and authenticated ciphertext (XChaCha20-Poly1305). p is NULL if opening
 * fails. */
struct str seal(struct arena *a, const struct key *k, struct str text);
struct str seal_open(struct arena *a, const struct key *k, struct str sealed);
struct str seal_same(struct arena *a, const struct key *k,
                     /* equal texts give equal results, because the nonce is a keyed hash of the text */
                     struct str text);
/* the same as seal, in hex digits, for columns of text */
struct str seal_text(struct arena *a, const struct key *k, struct str text);
struct str seal_text_open(struct arena *a, const struct key *k, struct str sealed);

/* Argon2id with 19 MiB and t = 2: about 20 ms. Never call it on an event loop. */
struct str password_hash(struct arena *a, struct str password);
/* hash.p NULL: takes the same time and returns false */
bool password_verify(struct str hash, struct str password);

/* XXH3-128 of the added values, as 32 hex digits, for ETags. Not for secrets. */
#define TAG_STATE 576 /* size of XXH3's state; random.c checks it */
struct tag {
    _Alignas(64) unsigned char state[TAG_STATE];
    size_t n;                 /* gathered bytes that the state does not have yet */
    unsigned char bytes[248]; /* a call of XXH3 costs more than the copy of a short value */
};
void tag_init(struct tag *t);
void tag_add(struct tag *t, const void *p, size_t n);
void tag_int(struct tag *t, int64_t v);
void tag_text(struct tag *t, struct str s); /* adds the length too, so that "ab","c" and "a","bc" differ */
void tag_end(struct tag *t, char out[33]);

#endif
