/* A thread that looks at the rows of mailboxes each second. It (1) keeps the file of recipients
 * (mail/recipients.h), (2) writes tokens that the store did not take (mail/unstored.h), and (3) starts and
 * ends one thread for each mailbox with an IMAP account (mail/collect.h). So a slow job delays none of them.
 */
#ifndef MAIL_COLLECTOR_H
#define MAIL_COLLECTOR_H

#include "mail/collect.h"
#include "work/work.h"

struct collector;
struct collector *collector_start(struct desk *d); /* NULL: it can't be started */
/* ends all connections; takes a second at most, unless the store hangs */
void collector_stop(struct collector *c);

/* Reads the IMAP account of a mailbox, in the memory of w. Returns 1, 0 if it has none, or a negative error. */
int collected_load(struct work *w, int64_t id, struct collected *out);

#endif
