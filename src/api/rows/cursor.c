#include "api/rows/cursor.h"

#include "base/random.h"

#include <sodium.h>

#define CURSOR_MAC 16 /* bytes of the MAC in a cursor */

static void cursor_mac(const struct work *w, const char *of, struct str place, unsigned char out[MAC_SIZE]) {
    mac(out, &w->desk->cursor_key, STR_CAT(w->arena, str_of(of), S("|"), place));
}

struct str cursor_seal(const struct work *w, const char *of, struct str place) {
    unsigned char sum[MAC_SIZE];
    cursor_mac(w, of, place, sum);
    struct str plain = STR_CAT(w->arena, (struct str){(const char *)sum, CURSOR_MAC}, place);
    size_t room = sodium_base64_ENCODED_LEN(plain.n, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    char *text = arena_bytes(w->arena, room);
    sodium_bin2base64(text, room, (const unsigned char *)plain.p, plain.n,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return str_of(text);
}

bool cursor_open(const struct work *w, const char *of, struct str text, struct str *place) {
    unsigned char sum[MAC_SIZE];
    unsigned char *plain = arena_alloc(w->arena, text.n + 1);
    size_t n = 0;
    if (sodium_base642bin(plain, text.n, text.p, text.n, NULL, &n, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0)
        return false;
    if (n < CURSOR_MAC) return false;
    *place = (struct str){(const char *)plain + CURSOR_MAC, n - CURSOR_MAC};
    cursor_mac(w, of, *place, sum);
    return sodium_memcmp(sum, plain, CURSOR_MAC) == 0;
}
