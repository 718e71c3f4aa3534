/* What a delivery report does to the letter that it is about: core/letter.h. */
#ifndef MAIL_BOUNCE_H
#define MAIL_BOUNCE_H

#include "mail/report.h"
#include "work/work.h"

/* 0, also when the report changes nothing, or error. The same report twice is once. */
int bounce_note(struct work *w, const struct report *r);

#endif
