/* Reads the mailboxes that have an IMAP account: a thread that starts and ends one thread for each (mail/collect.h), as their rows change. */
#ifndef MAIL_COLLECTOR_H
#define MAIL_COLLECTOR_H

#include "work/work.h"

struct collector;
struct collector *collector_start(struct desk *d); /* NULL: it can't be started */
void collector_stop(struct collector *c);          /* ends all connections; takes a second at most, unless the store hangs */

#endif
