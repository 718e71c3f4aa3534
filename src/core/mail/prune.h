/* Deletes old mails that nobody needs. */
#ifndef CORE_MAIL_PRUNE_H
#define CORE_MAIL_PRUNE_H

#include "core/words.h"
#include "db/db.h"

/* Deletes up to `most` of the oldest mails that came in before this time, if they (1) are suspended, or
 * (2) are finished and have no conversation. Their raw files expire at once. Returns their number, or a
 * negative error. */
int mails_prune(struct conn *c, int64_t before, int64_t now, int64_t most);

#endif
