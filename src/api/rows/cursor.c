#include "api/rows/cursor.h"

#include "base/random.h"

#include <sodium.h>

#define CURSOR_MAC 16 /* bytes of the MAC in a cursor */

static void cursor_mac(const struct work *w, const char *of, struct str place, unsigned char out[MAC_SIZE]) {
    mac(out, &w->desk->cursor_key, STR_CAT(w->arena, str_of(of), S("|"), place));
}

static struct str to_base64(struct arena *a, struct str bytes) {
    size_t room = sodium_base64_ENCODED_LEN(bytes.n, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *text = arena_bytes(a, room);
    sodium_bin2base64(text, room, (const unsigned char *)bytes.p, bytes.n,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return str_of(text);
}

static bool from_base64(struct arena *a, struct str text, struct str *bytes) {
    unsigned char *plain = arena_alloc(a, text.n + 1);
    size_t n = 0;
    if (sodium_base642bin(plain, text.n, text.p, text.n, NULL, &n, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0)
        return false;
    *bytes = (struct str){(const char *)plain, n};
    return true;
}

struct str cursor_seal(const struct work *w, const char *of, struct str place) {
    unsigned char sum[MAC_SIZE];
    cursor_mac(w, of, place, sum);
    return to_base64(w->arena, STR_CAT(w->arena, (struct str){(const char *)sum, CURSOR_MAC}, place));
}

bool cursor_open(const struct work *w, const char *of, struct str text, struct str *place) {
    unsigned char sum[MAC_SIZE];
    struct str plain;
    if (!from_base64(w->arena, text, &plain) || plain.n < CURSOR_MAC) return false;
    *place = (struct str){plain.p + CURSOR_MAC, plain.n - CURSOR_MAC};
    cursor_mac(w, of, *place, sum);
    return sodium_memcmp(sum, plain.p, CURSOR_MAC) == 0;
}

static struct key hiding_key(const struct work *w) {
    struct key k;
    mac(k.bytes, &w->desk->cursor_key, S("hidden places"));
    return k;
}

struct str cursor_hide(const struct work *w, const char *of, struct str place) {
    struct key k = hiding_key(w);
    return to_base64(w->arena, seal_same(w->arena, &k, STR_CAT(w->arena, str_of(of), S("|"), place)));
}

bool cursor_reveal(const struct work *w, const char *of, struct str text, struct str *place) {
    struct key k = hiding_key(w);
    struct str sealed, list = STR_CAT(w->arena, str_of(of), S("|"));
    if (!from_base64(w->arena, text, &sealed)) return false;
    struct str plain = seal_open(w->arena, &k, sealed);
    if (plain.p == NULL || !str_starts(plain, list)) return false;
    *place = (struct str){plain.p + list.n, plain.n - list.n};
    return true;
}
