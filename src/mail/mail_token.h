/* Access tokens of mailboxes that log in by OAuth 2 (core/mail/mailbox_oauth.h): from the store while they
 * are valid, else from the provider.
 *
 * The thread that is about to log in renews a token, five minutes before its end. A lease gives the renewal
 * to one thread of all processes, because a provider may end a consent whose refresh token is used twice.
 * The request is made without a transaction, by the rules of outgoing/fetch.h: mail.oauth_timeout_seconds,
 * 64 KiB, no redirects. A provider that failed is asked again after 15 seconds at the earliest, so that many
 * mails wait for it once. New tokens that the store does not take wait in memory (mail/unstored.h). */
#ifndef MAIL_MAIL_TOKEN_H
#define MAIL_MAIL_TOKEN_H

#include "core/mail/mailbox_oauth.h"

#include <stdatomic.h>

enum mail_token_result {
    MAIL_TOKEN_READY,
    MAIL_TOKEN_NONE,    /* the mailbox logs in by password */
    MAIL_TOKEN_CONSENT, /* nothing but a new consent helps */
    MAIL_TOKEN_LATER,   /* the provider or the store failed */
    MAIL_TOKEN_BUSY,    /* another thread renews the token now */
};

struct mail_token {
    struct str text;
    struct str why; /* of CONSENT and LATER: a sentence */
};
/* Runs outside of transactions; w is used for its arena and its desk. */
enum mail_token_result mail_token_get(struct work *w, int64_t mailbox_id, const atomic_bool *stopping,
                                      struct mail_token *out);
/* The same, and waits while another thread renews the token: 5 s longer than a request may take. */
enum mail_token_result mail_token_await(struct work *w, int64_t mailbox_id, const atomic_bool *stopping,
                                        struct mail_token *out);
/* A server has refused the token. */
void mail_token_refused(struct work *w, int64_t mailbox_id, struct str token);

/* Exchanges the code of a consent. Returns false and sets *why: a sentence. */
bool mail_token_of_code(struct work *w, const struct mail_oauth *o, struct str code, struct str verifier,
                        const atomic_bool *stopping, struct mail_grant *out, struct str *why);

#endif
