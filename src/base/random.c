#include "base/random.h"

#include <sodium.h>
#include <stdlib.h>
#define XXH_STATIC_LINKING_ONLY /* for the size of the state */
#include <xxhash.h>

void random_bytes(void *out, size_t n) { randombytes_buf(out, n); }

struct str random_hex(struct arena *a, size_t bytes) {
    unsigned char raw[64];
    if (bytes > sizeof raw) abort();
    random_bytes(raw, bytes);
    return str_hex(a, raw, bytes);
}

struct str random_uuid(struct arena *a) {
    unsigned char b[16];
    random_bytes(b, sizeof b);
    b[6] = (unsigned char)((b[6] & 0x0F) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3F) | 0x80);
    struct str h = str_hex(a, b, sizeof b), dash = S("-");
    return STR_CAT(a, {h.p, 8}, dash, {h.p + 8, 4}, dash, {h.p + 12, 4}, dash, {h.p + 16, 4}, dash,
                   {h.p + 20, 12});
}

bool is_uuid(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? s.p[i] != '-' : !in_set(s.p[i], "0123456789abcdef")) return false;
    }
    return s.n == 36;
}

void key_derive(struct key *out, const struct key *server, const char *purpose) {
    mac(out->bytes, server, str_of(purpose));
}

void mac(unsigned char out[MAC_SIZE], const struct key *k, struct str text) {
    crypto_generichash(out, MAC_SIZE, (const unsigned char *)text.p, text.n, k->bytes, sizeof k->bytes);
}

struct str mac_hex(struct arena *a, const struct key *k, struct str text) {
    unsigned char out[MAC_SIZE];
    mac(out, k, text);
    return str_hex(a, out, sizeof out);
}

bool secret_eq(struct str a, struct str b) { return a.n == b.n && sodium_memcmp(a.p, b.p, a.n) == 0; }

#define NONCE crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define EXTRA crypto_aead_xchacha20poly1305_ietf_ABYTES

static struct str seal_with(struct arena *a, const struct key *k, struct str text,
                            const unsigned char nonce[NONCE]) {
    unsigned char *out = arena_alloc(a, NONCE + text.n + EXTRA);
    unsigned long long n;
    memcpy(out, nonce, NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(out + NONCE, &n, (const unsigned char *)text.p, text.n, NULL,
                                               0, NULL, out, k->bytes);
    return (struct str){(char *)out, NONCE + (size_t)n};
}

struct str seal(struct arena *a, const struct key *k, struct str text) {
    unsigned char nonce[NONCE];
    random_bytes(nonce, NONCE);
    return seal_with(a, k, text, nonce);
}

struct str seal_same(struct arena *a, const struct key *k, struct str text) {
    unsigned char nonce[MAC_SIZE];
    mac(nonce, k, text);
    return seal_with(a, k, text, nonce);
}

struct str seal_open(struct arena *a, const struct key *k, struct str sealed) {
    if (sealed.n < NONCE + EXTRA) return (struct str){0};
    const unsigned char *in = (const unsigned char *)sealed.p;
    unsigned char *out = arena_alloc(a, sealed.n - NONCE - EXTRA + 1);
    unsigned long long n;
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(out, &n, NULL, in + NONCE, sealed.n - NONCE, NULL, 0, in,
                                                   k->bytes) != 0)
        return (struct str){0};
    return (struct str){(char *)out, (size_t)n};
}

struct str seal_text(struct arena *a, const struct key *k, struct str text) {
    struct str sealed = seal(a, k, text);
    return str_hex(a, sealed.p, sealed.n);
}

struct str seal_text_open(struct arena *a, const struct key *k, struct str sealed) {
    unsigned char *bytes = arena_alloc(a, sealed.n / 2 + 1);
    size_t n;
    if (sodium_hex2bin(bytes, sealed.n / 2, sealed.p, sealed.n, NULL, &n, NULL) != 0) return (struct str){0};
    return seal_open(a, k, (struct str){(char *)bytes, n});
}

#define ARGON_OPS 2
#define ARGON_MEMORY (19 * 1024 * 1024)

struct str password_hash(struct arena *a, struct str password) {
    char out[crypto_pwhash_STRBYTES];
    if (crypto_pwhash_str_alg(out, password.p, password.n, ARGON_OPS, ARGON_MEMORY,
                              crypto_pwhash_ALG_ARGON2ID13) != 0)
        abort();
    return str_dup(a, str_of(out));
}

bool password_verify(struct str hash, struct str password) {
    /* A hash of no known password with the parameters above, so that an unknown user costs as much time as
     * a known one. */
    static const char nobody[] =
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$K1BSL0zXg8Vq5cXJ2sQm3oQWl4t4mHqv3n7kXr0Cw1E";
    bool known = hash.p != NULL;
    bool match = crypto_pwhash_str_verify(known ? hash.p : nobody, password.p, password.n) == 0;
    return known && match;
}

_Static_assert(sizeof(XXH3_state_t) <= TAG_STATE, "the state of XXH3 has grown");

static XXH3_state_t *state(struct tag *t) { return (XXH3_state_t *)(void *)t->state; }

void tag_init(struct tag *t) {
    XXH3_128bits_reset(state(t));
    t->n = 0;
}

static void tag_flush(struct tag *t) {
    XXH3_128bits_update(state(t), t->bytes, t->n);
    t->n = 0;
}

void tag_add(struct tag *t, const void *p, size_t n) {
    if (n == 0) return;
    if (n > sizeof t->bytes - t->n) tag_flush(t);
    if (n > sizeof t->bytes) {
        XXH3_128bits_update(state(t), p, n);
        return;
    }
    memcpy(t->bytes + t->n, p, n);
    t->n += n;
}

void tag_int(struct tag *t, int64_t v) { tag_add(t, &v, sizeof v); }

void tag_text(struct tag *t, struct str s) {
    tag_int(t, s.p ? (int64_t)s.n : -1);
    if (s.n) tag_add(t, s.p, s.n);
}

void tag_end(struct tag *t, char out[33]) {
    XXH128_canonical_t c;
    tag_flush(t);
    XXH128_canonicalFromHash(&c, XXH3_128bits_digest(state(t)));
    for (int i = 0; i < 16; i++) {
        out[2 * i] = "0123456789abcdef"[c.digest[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[c.digest[i] & 15];
    }
    out[32] = 0;
}
