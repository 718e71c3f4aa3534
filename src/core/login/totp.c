#include "core/login/totp.h"

#include "base/random.h"

#include <assert.h>
#include <glib.h>
#include <stdio.h>

/* 0..999999 */
static int totp_code(struct str secret, int64_t step) {
    unsigned char moving[8], hash[20];
    gsize n = sizeof hash;
    for (int i = 0; i < 8; i++) moving[i] = (unsigned char)((uint64_t)step >> (56 - 8 * i));
    GHmac *h = g_hmac_new(G_CHECKSUM_SHA1, (const guchar *)secret.p, secret.n);
    g_hmac_update(h, moving, sizeof moving);
    g_hmac_get_digest(h, hash, &n);
    g_hmac_unref(h);
    assert(n == sizeof hash);
    /* Dynamic truncation: RFC 4226 section 5.3. */
    const unsigned char *at = hash + (hash[19] & 0x0F);
    uint32_t bits = (uint32_t)(at[0] & 0x7F) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    return (int)(bits % 1000000);
}

static bool six_digits(struct str code, char out[7]) {
    size_t n = 0;
    for (size_t i = 0; i < code.n; i++) {
        if (code.p[i] == ' ') continue;
        if (code.p[i] < '0' || code.p[i] > '9' || n == 6) return false;
        out[n++] = code.p[i];
    }
    out[n] = 0;
    return n == 6;
}

int64_t totp_match(struct str secret, struct str code, int64_t now, int64_t last) {
    char given[7], right[7];
    int64_t middle = now / TOTP_STEP_MS, found = -1;
    if (!six_digits(code, given)) return -1;
    for (int64_t step = middle - 1; step <= middle + 1; step++) {
        snprintf(right, sizeof right, "%06d", totp_code(secret, step));
        if (secret_eq((struct str){given, 6}, (struct str){right, 6}) && step > last) found = step;
    }
    return found;
}

struct str base32(struct arena *a, struct str bytes) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    char *out = arena_alloc(a, bytes.n * 8 / 5 + 2);
    size_t n = 0;
    uint32_t held = 0;
    int bits = 0;
    for (size_t i = 0; i < bytes.n; i++) {
        held = held << 8 | (unsigned char)bytes.p[i];
        for (bits += 8; bits >= 5; bits -= 5) out[n++] = letters[held >> (bits - 5) & 31];
    }
    if (bits) out[n++] = letters[held << (5 - bits) & 31];
    out[n] = 0;
    return (struct str){out, n};
}
