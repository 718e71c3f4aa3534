/* Reading a report twice gives the same result. Its values are short and on one line, whatever the input. */
#include "mail/report.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct str s, size_t most) {
    if (s.n > most) abort();
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct str mail = {(const char *)data, size};
    struct report first, second;
    enum report_verdict verdict = report_read(a, mail, &first);
    if (report_read(a, mail, &second) != verdict || !str_eq(first.message_id, second.message_id)) abort();
    if (verdict == REPORT_NO_MAIL && (first.recipient_count || first.message_id.p)) abort();
    check(first.message_id, 998);
    for (int i = 0; i < first.recipient_count; i++) {
        const struct report_recipient *r = &first.recipients[i];
        check(r->original, 320), check(r->final, 320), check(r->status, 11), check(r->diagnostic, 400);
        if (r->status.p && r->status.n < 5) abort();
    }
    if (first.recipient_count > 50) abort();
    arena_free(a);
    return 0;
}
