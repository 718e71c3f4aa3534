/* Dates of mails (RFC 5322 section 3.3), also in broken forms. */
#ifndef MAIL_DATE_H
#define MAIL_DATE_H

#include "base/str.h"

/* Returns milliseconds since 1970, or 0 if the text is not a date, or one before 1990. */
int64_t mail_date(struct str text);

#endif
