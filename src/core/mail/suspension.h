/* The reasons for which a mail is suspended: one table, in the order of the checks. */
#ifndef CORE_MAIL_SUSPENSION_H
#define CORE_MAIL_SUSPENSION_H

#include "core/mail/incoming.h"
#include "core/mail/mailbox.h"
#include "core/mail/sender.h"
#include "core/mail/thread.h"

/* The mail that the rules judge, with its authentication, its sender and its conversation. */
struct judged {
    const struct incoming *mail;
    struct mail_authentication seen;
    struct mail_sender sender;
    struct thread thread;
    int64_t mail_id; /* its row */
    bool as_staff;   /* the mail acts with the powers of staff */
    bool asked;      /* it answers a forward, and the sender is an address of it */
};

/* Applies the rules; the first hit wins. Returns its enum suspension and sets *reason, one line that names
 * what was found; 0: no hit; or a negative error. */
int suspension_find(struct work *w, const struct judged *j, struct str *reason);

#define CASE_MAILS_AN_HOUR 10    /* mails from one address to one conversation; further mails are suspended */
#define ADDRESS_MAILS_AN_HOUR 60 /* mails from one address to the desk */

#endif
