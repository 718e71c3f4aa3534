/* The accounts of a mailbox at its servers: the IMAP account that the desk reads, and the relay that takes
 * its mails. Only owners change them, because they decide which server gets a password. */
#ifndef RES_MAILBOX_ACCOUNT_H
#define RES_MAILBOX_ACCOUNT_H

#include "api/table/fields.h"
#include "core/change/record.h"

extern const struct field mailbox_account_fields[];

/* Adds the columns that follow from the given members: a password, and what a change of the account ends.
 * id 0: a new mailbox. Returns 0, or fails. */
int mailbox_account_columns(struct call *c, int64_t id, struct column *list, int *n);
/* After the mailbox was stored: mails that wait for a relay are tried again. */
int mailbox_account_stored(struct call *c);

#endif
