/* Keeps the file of recipients (mail/recipients.h) like the mailboxes and settings of the desk. */
#ifndef MAIL_RECIPIENTS_REFRESH_H
#define MAIL_RECIPIENTS_REFRESH_H

#include "work/work.h"

/* Reads the addresses, and writes the file if it differs. Cheap enough to be called every second: then
 * changes by other processes, and of the file itself, need no notification. */
void recipients_refresh(struct desk *d);

#endif
