/* Applies a delivery report to its letter: core/text/letter.h. */
#ifndef MAIL_BOUNCE_H
#define MAIL_BOUNCE_H

#include "mail/report.h"
#include "work/work.h"

/* Returns 0, also if the report changes nothing, or an error. Applying a report twice has the effect of once. */
int bounce_note(struct work *w, const struct report *r);

#endif
