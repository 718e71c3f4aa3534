#include "outgoing/signature.h"

#include <inttypes.h>
#include <sodium.h>

static struct str signature_by(struct arena *a, struct str secret, struct str seconds, struct str body) {
    crypto_auth_hmacsha256_state s;
    unsigned char out[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_init(&s, (const unsigned char *)secret.p, secret.n);
    crypto_auth_hmacsha256_update(&s, (const unsigned char *)seconds.p, seconds.n);
    crypto_auth_hmacsha256_update(&s, (const unsigned char *)".", 1);
    crypto_auth_hmacsha256_update(&s, (const unsigned char *)body.p, body.n);
    crypto_auth_hmacsha256_final(&s, out);
    return str_hex(a, out, sizeof out);
}

struct str signature(struct arena *a, int64_t seconds, struct str body, const struct str *secrets,
                     int count) {
    struct str t = str_fmt(a, "%" PRId64, seconds), line = STR_CAT(a, S("t="), t);
    bool any = false;
    for (int i = 0; i < count; i++)
        if (secrets[i].p) {
            line = STR_CAT(a, line, S(",v1="), signature_by(a, secrets[i], t, body));
            any = true;
        }
    return any ? line : (struct str){0};
}
