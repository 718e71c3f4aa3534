/* Reads a mail that came in. A confined process (files/confined.h) parses it, because no parser of hostile
 * bytes is safe by itself. */
#ifndef MAIL_READ_H
#define MAIL_READ_H

#include "core/mail/incoming.h"

/* How long the caller waits. */
struct mail_effort {
    bool brief; /* a tenth of a second of CPU time */
    int cancel; /* the caller stops waiting when this descriptor becomes readable; -1: none */
};
extern const struct mail_effort mail_wholly, mail_briefly;

/* Fills all of `out` but the envelope, which stays unchanged. Texts are in the arena. A date more than a
 * day after `now` is 0. Returns 1 if the mail was read, 0 if it can't be read (then out->fault says why),
 * MAIL_TAKES_LONG if it takes longer than the caller waits (then `out` has no meaning), or
 * -ERR_SERVICE_UNAVAILABLE, logged: no mail can be read now. A mail that makes its reader fail can't be
 * told from a broken reader by the way the process ends, so a mail that is known to be good decides. Waits
 * for a process: milliseconds of CPU for a short mail, half a second for one of 50 MiB, and 10 s at most. */
#define MAIL_TAKES_LONG 2
int mail_read(struct arena *a, struct str raw, int64_t now, const struct mail_effort *e,
              struct incoming *out);

#endif
