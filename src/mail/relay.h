/* The relays: that of a mailbox takes the mails that have its address, that of the settings all others. */
#ifndef MAIL_RELAY_H
#define MAIL_RELAY_H

#include "mail/mail_token.h"
#include "mail/smtp.h"

/* A relay, and how the desk logs in there. */
struct relay_login {
    struct relay relay; /* host.n 0: there is none */
    int64_t mailbox_id; /* 0: the relay of the settings */
    bool by_oauth;      /* relay_token comes before its use */
};
/* Reads the relay of a mailbox (0: the system mailbox), else that of the settings. Returns 0 or a negative
 * error. */
int relay_load(struct work *w, int64_t mailbox_id, struct relay_login *out);
/* Outside of transactions: sets the access token of a relay by OAuth. READY also for all others. */
enum mail_token_result relay_token(struct work *w, struct relay_login *r, const atomic_bool *stopping,
                                   struct str *why);
/* The relay has refused the login: the next one has another access token. */
void relay_denied(struct work *w, const struct relay_login *r);

#endif
