/* Which people of staff are told of what a write did: by mails (core/cases/staff_mail.h) and in their
 * list of notifications (core/cases/notification_rows.h). The rules are in staff_notice.c. */
#ifndef CORE_STAFF_NOTICE_H
#define CORE_STAFF_NOTICE_H

#include "work/work.h"

/* The finisher: tells staff of the changes of this work. It comes after rules and clocks. */
int staff_notices_finish(struct work *w);

#endif
