/* Tokens that a provider gave while the store could not be written.
 *
 * Many providers replace the refresh token at each use. The stored one is then worth nothing any more, and
 * a second use may end the consent. So the process keeps the new tokens in memory, asks the provider
 * nothing about this mailbox, and writes them each second (mail/collector.h) and before each login until the
 * store takes them. They are lost only if the process ends before. */
#ifndef MAIL_UNSTORED_H
#define MAIL_UNSTORED_H

#include "core/mail/mailbox_oauth.h"

#define MAIL_TOKEN_ACTOR ((struct actor){.kind = ACTOR_MAIL, .cause = S("OAuth")})

/* The name of the lease that gives a renewal to one thread of all processes. */
struct str mail_token_lease(struct arena *a, int64_t mailbox_id);

struct unstored *unstored_new(void); /* NULL: no memory */
void unstored_free(struct unstored *all);

/* Keeps the tokens of a renewal. holder: of the lease mail_token_lease. */
void unstored_keep(const struct desk *d, const struct mail_oauth *o, const struct mail_grant *g,
                   struct str holder);
/* Writes the tokens of all mailboxes. Returns true if those of this one (0: of any) still wait. */
bool unstored_write(struct desk *d, int64_t mailbox_id);

#endif
