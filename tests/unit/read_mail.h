/* For tests of the reading of mails: each is read by the confined process, as the desk does. */
#ifndef TESTS_UNIT_READ_MAIL_H
#define TESTS_UNIT_READ_MAIL_H

#include "mail/read.h"

#include "with_arena.h"

#define NOW INT64_C(1769904000000) /* 2026-02-01 */

static inline struct incoming mail_of(struct str raw) {
    struct incoming m = {.recipient = S("support@example.com")};
    int rc = mail_read(arena, raw, NOW, &mail_wholly, &m);
    if (rc != 1) fail_msg("%.*s", (int)m.fault.n, m.fault.p ? m.fault.p : "?");
    return m;
}

static inline void is_text(struct str s, const char *expected) {
    if (!str_eq(s, str_of(expected)))
        fail_msg("is         %.*s\n  instead of %s", (int)s.n, s.p ? s.p : "NULL", expected);
}

#endif
