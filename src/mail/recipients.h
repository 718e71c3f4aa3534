/* The file of recipients, DIR/mail/recipients: the addresses that the desk takes mail for, one in each
 * line, as keys (mailbox_key), sorted. The desk writes it, and LMTP and mail-in read it, so that they
 * refuse other recipients while the desk is stopped, too. A mail server whose mail is refused at once
 * sends a report to the sender. A mail that is accepted and dropped later is lost. */
#ifndef MAIL_RECIPIENTS_H
#define MAIL_RECIPIENTS_H

#include "base/arena.h"
#include "base/str.h"

/* Makes the file hold exactly these addresses. Writes nothing if it does already. Returns 0 or errno. */
int recipients_write(struct arena *a, struct str inbox, const struct str *addresses, int n);
/* Letter case and the plus part do not matter. Returns 1 if the desk takes mail for the address, 0 if not,
 * or -1 with errno if the file is missing or can't be read. */
int recipients_take(struct arena *a, struct str inbox, struct str address);

#endif
