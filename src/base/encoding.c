#include "base/encoding.h"

#include <sodium.h>

static struct str base64_of(struct arena *a, const void *bytes, size_t n, int variant) {
    size_t room = sodium_base64_encoded_len(n, variant);
    char *text = arena_bytes(a, room);
    sodium_bin2base64(text, room, bytes, n, variant);
    return (struct str){text, room - 1};
}

struct str base64_encode(struct arena *a, struct str bytes) {
    return base64_of(a, bytes.p, bytes.n, sodium_base64_VARIANT_ORIGINAL);
}

struct str base64url_encode(struct arena *a, const void *bytes, size_t n) {
    return base64_of(a, bytes, n, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

struct str base64url_decode(struct arena *a, struct str text) {
    char *out = arena_bytes(a, text.n + 1);
    size_t n;
    if (sodium_base642bin((unsigned char *)out, text.n + 1, text.p, text.n, NULL, &n, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0)
        return (struct str){0};
    return (struct str){out, n};
}

struct str basic_credentials(struct arena *a, struct str user, struct str password) {
    return STR_CAT(a, S("Basic "), base64_encode(a, STR_CAT(a, user, S(":"), password)));
}

struct str url_encoded(struct arena *a, struct str text) {
    static const char digits[] = "0123456789ABCDEF", plain[] = "-._~";
    char *out = arena_alloc(a, text.n * 3 + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool kept = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || in_set(c, plain);
        if (kept) {
            out[n++] = (char)c;
            continue;
        }
        out[n++] = '%';
        out[n++] = digits[c >> 4];
        out[n++] = digits[c & 15];
    }
    return (struct str){out, n};
}
