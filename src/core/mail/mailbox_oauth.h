/* The consent by which a mailbox logs in at its servers: OAuth 2 (RFC 6749, 7636, 9700).
 *
 *                         the owner agrees at the provider
 *     no provider ──▸ NEEDS_CONSENT ───────────────────────────▸ CONNECTED ──┐ a renewal: new access token
 *                          ▲  ▲          first tokens             │   │  ▲   │
 *                          │  └───────────────────────────────────┘   │  └───┘
 *                          │    the provider refuses a renewal:       │
 *                          │    admins get a mail                     │
 *                          └──────────────────────────────────────────┘
 *                               provider, client or server changed
 *
 * In NEEDS_CONSENT the mails of the mailbox wait: those that came in stay at the IMAP server, those that
 * leave by its relay are HELD (core/letters/letter.h). oauth_reason says why. In CONNECTED it says why the
 * last renewal failed, if the provider could not be asked; the access token is used until it expires.
 *
 * Refresh token, access token and the secret of the client are stored sealed. */
#ifndef CORE_MAIL_MAILBOX_OAUTH_H
#define CORE_MAIL_MAILBOX_OAUTH_H

#include "core/words.h"
#include "work/work.h"

enum mail_provider_kind { MAIL_GOOGLE = 1, MAIL_MICROSOFT, MAIL_GENERIC };
extern const struct word mail_provider_words[], consent_words[];
enum consent { CONSENT_NEEDED = 1, CONSENT_CONNECTED };

/* The addresses and scopes of a provider, and its servers. */
struct mail_preset {
    enum mail_provider_kind kind;
    /* NULL: the owner sets it. authorization_url has the arguments by which a refresh token comes */
    const char *authorization_url, *token_url, *issuer, *scopes;
    const char *imap_host, *smtp_host;
    bool secret_in_body; /* otherwise the client authenticates by the header Authorization */
};
const struct mail_preset *mail_preset_of(int kind);

struct mail_oauth {
    int64_t mailbox_id;
    const struct mail_preset *preset;
    /* addresses of the mailbox, else of the preset; issuer p NULL: it is not known */
    struct str authorization_url, token_url, issuer, scopes, client_id;
    struct str secret; /* p NULL: a public client */
    bool issuer_named; /* the owner has set it: the provider must name itself */
    enum consent state;
    struct str reason, refresh_token, access_token; /* p NULL: none, or sealed with another server key */
    struct str sealed; /* the refresh token as it is stored: marks this consent */
    int64_t access_until, renew_at, failed_at;
};
/* Reads the consent of a mailbox. Returns 1, 0 if it has no provider, or a negative error. */
int mail_oauth_load(struct work *w, int64_t mailbox_id, struct mail_oauth *out);

/* Tokens that a provider gave. refresh p NULL: the old one stays. */
struct mail_grant {
    struct str access, refresh;
    int64_t life; /* milliseconds */
};
/* Stores the first tokens. The mails that wait are queued again. */
int mail_oauth_connect(struct work *w, int64_t mailbox_id, const struct mail_grant *g);
/* The results of a renewal. Each does nothing if another consent was stored meanwhile. */
int mail_oauth_renewed(struct work *w, const struct mail_oauth *o, const struct mail_grant *g);
int mail_oauth_failed(struct work *w, const struct mail_oauth *o, struct str reason);
/* The provider has refused the refresh token. Admins get a mail. */
int mail_oauth_lost(struct work *w, const struct mail_oauth *o, struct str reason);
/* A server has refused this access token: the next login renews it. */
int mail_oauth_refused(struct work *w, int64_t mailbox_id, struct str access);

/* ---- the way of an owner to the provider and back --------------------------------------------- */

/* The parameter `state`: sealed, so that nobody can read or forge it, valid for ten minutes, for one
 * person. */
struct consent_ticket {
    int64_t mailbox_id, user_id, until;
    struct str verifier;
};
#define CONSENT_LIFE (10 * TIME_MINUTE)
struct str consent_ticket_seal(const struct desk *d, struct arena *a, const struct consent_ticket *t);
bool consent_ticket_open(const struct desk *d, struct arena *a, struct str state, int64_t now,
                         struct consent_ticket *out);
/* The address of the callback of a mailbox. */
struct str consent_callback(const struct desk *d, struct arena *a, int64_t mailbox_id);

#endif
