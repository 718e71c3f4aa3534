/* Hands one mail to a relay (RFC 5321), by libcurl. */
#ifndef MAIL_SMTP_H
#define MAIL_SMTP_H

#include "base/arena.h"
#include "base/str.h"
#include "mail/fault.h"

#include <stdatomic.h>
#include <stdint.h>

struct relay {
    /* p NULL or empty: none; ca: PEM, used in place of the system's certificates */
    struct str host, user, password, ca;
    struct str bearer; /* an access token, in place of the password; p NULL: none */
    struct str hello;  /* name of this host; empty: the system's */
    int64_t port, timeout_s;
    int security;             /* enum smtp_security */
    struct mail_fault *fault; /* why the mail is not sent, for a person; NULL: not asked for */
};

enum smtp_outcome {
    SMTP_SENT,
    /* no connection, no valid certificate, no login, or a 4xx reply: a later attempt may succeed */
    SMTP_LATER,
    SMTP_REFUSED, /* a 5xx reply to the sender, the recipient or the text */
    SMTP_TOO_BIG, /* the same, because of the size of the mail (RFC 1870: 552) */
};

/* Sends a mail. If it is not sent, *reason is one line for the operator, in the arena. Ends within a
 * second after *stopping is set. */
enum smtp_outcome smtp_send(struct arena *a, const struct relay *r, struct str from, struct str to,
                            struct str message, const atomic_bool *stopping, struct str *reason);

#endif
