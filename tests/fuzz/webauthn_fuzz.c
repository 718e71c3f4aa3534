/* Attestations and authenticator data of passkeys: any bytes are read within their bounds, and what is
 * accepted has an id, a key and one of the known algorithms. */
#include "../../src/core/login/webauthn.c"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct webauthn_party party = {{"localhost", 9}, {"http://localhost", 16}};
    struct arena *a = arena_new();
    struct webauthn_credential made = {0};
    struct str bytes = str_dup(a, (struct str){(const char *)data, size}), rest = bytes, challenge;
    int64_t count = 0;
    if (cbor_skip(&rest) && rest.p + rest.n != bytes.p + bytes.n) abort();
    if (webauthn_created(a, &party, bytes, &made) == NULL) {
        struct webauthn_assertion got = {bytes, bytes, bytes, true};
        if (made.id.n == 0 || made.id.n > WEBAUTHN_ID_MAX || made.public_key.n == 0 || made.algorithm >= 0)
            abort();
        if (webauthn_asserted(a, &party, &made, &got, &count) == NULL) abort(); /* nobody has signed it */
    }
    webauthn_client(a, &party, bytes, "webauthn.get", &challenge);
    arena_free(a);
    return 0;
}
