/* One mailbox that is read by IMAP, on a thread of its own, so that a server that hangs delays no other
 * mailbox.
 *
 *     lease ─▸ connect, log in, select ─▸ round ─▸ wait (IDLE) ─▸ round ...          a fault ─▸ the connection ends, a delay, again
 *
 *     round:   list ─▸ for each mail: fetch, write to the inbox, fsync ─▸ wait until the desk has committed them ─▸ move or delete
 *
 * No mail is lost, because it stays on the server until a row of mail_arrivals or of mails shows that the
 * desk has committed it. No mail is taken twice, because the same raw mail for the same recipient is one
 * arrival. So a crash between any two steps is harmless: the mail is fetched again, found among the
 * arrivals, and moved. */
#ifndef MAIL_COLLECT_H
#define MAIL_COLLECT_H

#include "mail/imap.h"
#include "work/work.h"

/* A mailbox that a thread reads. The texts are in an arena of that thread. */
struct collected {
    int64_t id;
    struct str address; /* the recipient of its mails */
    struct imap_account account;
    bool by_oauth;            /* an access token is needed for each login (mail/mail_token.h) */
    struct str folder, after; /* results of imap_folder; after.p NULL: mails are deleted */
    /* the reason why it can't be read with these values, a sentence; NULL: it can */
    const char *wrong;
};

struct collecting;
/* Starts the thread. It frees `a`, in which `what` is. Returns NULL, and frees it, if no thread can be
 * started. */
struct collecting *collect_start(struct desk *d, struct arena *a, const struct collected *what);
void collect_stop(struct collecting *c); /* the thread ends within a second */
bool collect_ended(const struct collecting *c);
void collect_join(struct collecting *c); /* waits until it has ended, and frees it */

#endif
