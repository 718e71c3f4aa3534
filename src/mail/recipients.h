/* The file of recipients, DIR/mail/recipients: the addresses that the desk takes mail for, one in each
 * line, as keys (mailbox_key), sorted. The desk writes it, and LMTP and mail-in read it, so that they
 * refuse other recipients while the desk is stopped, too. A mail server whose mail is refused at once
 * sends a report to the sender. A mail that is accepted and dropped later is lost. */
#ifndef MAIL_RECIPIENTS_H
#define MAIL_RECIPIENTS_H

#include "work/work.h"

/* Letter case and the plus part do not matter. Returns 1 if the desk takes mail for the address, 0 if not,
 * or -1 with errno if the file is missing or can't be read. */
int recipients_take(struct arena *a, struct str inbox, struct str address);

/* Keeps the file like the mailboxes and settings of the desk: reads the addresses, and writes the file if it
 * differs. Cheap enough to be called every second: then changes by other processes, and of the file itself,
 * need no notification. */
void recipients_refresh(struct desk *d);

#endif
