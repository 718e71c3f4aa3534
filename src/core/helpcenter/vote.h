/* Votes on articles: one for each person or fingerprint. The counters and the rank of the article change
 * in the same write. */
#ifndef CORE_HELPCENTER_VOTE_H
#define CORE_HELPCENTER_VOTE_H

#include "work/work.h"

/* The voter is the person of the actor, or else its fingerprint. The caller has found the article visible.
 * Both lock the row of the article, and fail with RESOURCE_NOT_FOUND if it was deleted. Both have no
 * effect if there is nothing to change. */
int vote_set(struct work *w, int64_t article_id, bool is_up);    /* replaces the opposite vote */
int vote_remove(struct work *w, int64_t article_id, bool is_up); /* leaves the opposite vote */

#endif
