/* Randomness and keyed hashes (libsodium). Secrets are compared in constant time. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/arena.h"
#include "base/str.h"

void random_bytes(void *out, size_t n);
struct str random_hex(struct arena *a, size_t bytes);
struct str random_uuid(struct arena *a); /* version 4, RFC 9562 */

/* One key a purpose, derived from the server key: a leak of one says nothing of another. */
struct key {
    unsigned char bytes[32];
};
void key_derive(struct key *out, const struct key *server, const char *purpose);

#define MAC_SIZE 32
void mac(unsigned char out[MAC_SIZE], const struct key *k, struct str text); /* keyed BLAKE2b */
struct str mac_hex(struct arena *a, const struct key *k, struct str text);   /* 64 characters */
bool secret_eq(struct str a, struct str b);

/* Encrypts text under a key: nonce and authenticated ciphertext (XChaCha20-Poly1305). p NULL when opening fails. */
struct str seal(struct arena *a, const struct key *k, struct str text);
struct str seal_open(struct arena *a, const struct key *k, struct str sealed);
struct str seal_same(struct arena *a, const struct key *k, struct str text); /* equal texts give equal results: the nonce is a keyed hash */
struct str seal_text(struct arena *a, const struct key *k, struct str text); /* the same in hex digits, where a text is kept */
struct str seal_text_open(struct arena *a, const struct key *k, struct str sealed);

/* Argon2id at 19 MiB, t = 2: about 20 ms. Never on an event loop. */
struct str password_hash(struct arena *a, struct str password);
bool password_verify(struct str hash, struct str password); /* hash.p NULL: the same time, then false */

/* XXH3-128 of what is added, as 32 hex digits: ETags. Not a secret. */
#define TAG_STATE 576 /* of XXH3: random.c checks */
struct tag {
    _Alignas(64) unsigned char state[TAG_STATE];
};
void tag_init(struct tag *t);
void tag_add(struct tag *t, const void *p, size_t n);
void tag_int(struct tag *t, int64_t v);
void tag_text(struct tag *t, struct str s); /* with its length, so that two texts never run together */
void tag_end(struct tag *t, char out[33]);

#endif
