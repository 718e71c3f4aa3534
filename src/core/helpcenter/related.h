/* Articles that are related to an article. */
#ifndef CORE_RELATED_H
#define CORE_RELATED_H

#include "work/work.h"

#define RELATED 5             /* shown */
#define RELATED_CANDIDATES 30 /* considered, because the reader may not see all */

/* Finds the published articles that are related most, the best first, whether or not the actor sees them. ids has room for RELATED_CANDIDATES.
 * Returns their number, or a negative error. */
int related_articles(struct work *w, int64_t article_id, int64_t *ids);

#endif
