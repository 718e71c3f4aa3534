#include "mail/tnef.h"

#include "mail/charset.h"

bool tnef_read(struct arena *a, struct str bytes, struct tnef_mail *out) {
    (void)a, (void)bytes;
    *out = (struct tnef_mail){0};
    return false;
}
