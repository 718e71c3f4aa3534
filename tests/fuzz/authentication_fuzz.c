/* Authentication-Results: any bytes are read within their bounds, and no header gives a verdict to another
 * server. */
#include "core/mail/authentication.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct str header = str_dup(a, (struct str){(const char *)data, size}),
               prefixed = STR_CAT(a, S("mx.example;"), header);
    struct mail_authentication other =
        authentication_read(a, &header, 1, S("never \x01 named"), S("a@b.example"));
    struct mail_authentication ours = authentication_read(a, &prefixed, 1, S("MX.example"), S("a@b.example"));
    assert(other.header.p == NULL && other.dkim == 0 && other.spf == 0 && other.dmarc == 0);
    assert(ours.header.p && ours.dkim <= VERDICT_ERROR && ours.spf <= VERDICT_ERROR &&
           ours.dmarc <= VERDICT_ERROR);
    arena_free(a);
    return 0;
}
