#include "api/rows/cursor.h"

#include "base/encoding.h"
#include "base/random.h"

#include <sodium.h>

#define CURSOR_MAC 16 /* bytes of the MAC in a cursor */

static void cursor_mac(const struct work *w, const char *of, struct str place, unsigned char out[MAC_SIZE]) {
    mac(out, &w->desk->cursor_key, STR_CAT(w->arena, str_of(of), S("|"), place));
}

struct str cursor_seal(const struct work *w, const char *of, struct str place) {
    unsigned char sum[MAC_SIZE];
    cursor_mac(w, of, place, sum);
    struct str sealed = STR_CAT(w->arena, (struct str){(const char *)sum, CURSOR_MAC}, place);
    return base64url_encode(w->arena, sealed.p, sealed.n);
}

bool cursor_open(const struct work *w, const char *of, struct str text, struct str *place) {
    unsigned char sum[MAC_SIZE];
    struct str plain = base64url_decode(w->arena, text);
    if (plain.n < CURSOR_MAC) return false;
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
    struct str sealed = seal_same(w->arena, &k, STR_CAT(w->arena, str_of(of), S("|"), place));
    return base64url_encode(w->arena, sealed.p, sealed.n);
}

bool cursor_reveal(const struct work *w, const char *of, struct str text, struct str *place) {
    struct key k = hiding_key(w);
    struct str sealed = base64url_decode(w->arena, text), list = STR_CAT(w->arena, str_of(of), S("|"));
    if (sealed.p == NULL) return false;
    struct str plain = seal_open(w->arena, &k, sealed);
    if (plain.p == NULL || !str_starts(plain, list)) return false;
    *place = (struct str){plain.p + list.n, plain.n - list.n};
    return true;
}
