/* The person who sent a mail, and the people in its To and Cc. */
#ifndef CORE_MAIL_SENDER_H
#define CORE_MAIL_SENDER_H

#include "core/cases/case.h"
#include "core/mail/incoming.h"

struct mail_sender {
    /* Address of the header From. key: result of email_key. p NULL: no valid address. */
    struct str address, key;
    int64_t user_id; /* owner of the address; 0: nobody. An unverified address has no owner */
    int rank;        /* enum role_type; ROLE_PUBLIC: nobody */
    bool is_enabled, is_validated;
};

/* Looks the sender up. Creates nobody. Returns 0 or a negative error. */
int sender_find(struct work *w, const struct incoming *m, struct mail_sender *out);
/* True if the mail may act with the powers of staff: its sender is staff, and DMARC passed. */
bool sender_is_proven_staff(const struct mail_sender *s, const struct mail_authentication *seen);
/* Returns 1 if the sender, who is staff, sees the conversation, 0 if not, or a negative error. */
int sender_sees(struct work *w, const struct mail_sender *s, const struct case_now *c);
/* Returns 1 if the sender is the requester or a participant, 0 if not, or a negative error. */
int sender_takes_part(struct work *w, const struct mail_sender *s, const struct case_now *c);
/* The sender becomes the actor of the work, of kind MAIL. Creates the person if nobody owns the address.
 * The rank of staff counts only if as_staff. Sets user_id. Returns 1, 0 if the person is disabled, or a
 * negative error. */
int sender_act(struct work *w, const struct incoming *m, struct mail_sender *s, bool as_staff);

#define COPIES_OF_MAIL 20       /* people in To and Cc who become participants */
#define PARTICIPANTS_BY_MAIL 50 /* participants of a conversation; more are not added by mails */
/* The people in To and Cc become participants: people without an account are created. Left out are the
 * sender, addresses of the desk, blocked addresses, and addresses that no person reads. desk_known: an
 * address in To or Cc is one of the desk. If none is, and the envelope does not say for whom the mail is,
 * an address in To may be the desk, so nobody in To joins. Returns 0 or a negative error. */
int sender_copies_join(struct work *w, const struct incoming *m, const struct mail_sender *s, bool desk_known,
                       int64_t case_id);

#define RECIPIENTS_OF_MAIL 50 /* addresses of To, and of Cc, that are looked up */
/* Stores the people with an address in To or Cc as recipients of the message. Addresses without a person,
 * as those of the desk, are left out. Returns 0 or a negative error. */
int sender_recipients_keep(struct work *w, const struct incoming *m, int64_t mail_id, int64_t post_id);

/* True if no person reads the address: it is that of a mail server, or one of a program that takes no
 * answers. */
bool mail_address_is_daemon(struct str address);
bool mail_address_is_noreply(struct str address);
/* True if a line of mail.blocklist has this address, its domain, or "*." and a domain above. */
bool mail_address_blocked(const struct desk *d, struct arena *a, struct str address);

#endif
