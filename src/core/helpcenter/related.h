/* Articles that are related to an article. */
#ifndef CORE_RELATED_H
#define CORE_RELATED_H

#include "work/work.h"

#define RELATED 5             /* shown */
#define RELATED_CANDIDATES 30 /* considered, because the reader may not see all */

/* The articles t that are related to one without tags and keywords, the best first. They are in the same
 * section, so who sees the article sees them. Binds :section, :id and :most. */
#define RELATED_BY_RANK                                                                  \
    "t.section_id = :section AND t.id <> :id AND t.status = 3 AND t.deleted_at IS NULL " \
    "ORDER BY t.rank DESC, t.id DESC LIMIT :most"

/* Finds the published articles that are related most, the best first, whether or not the actor sees them.
 * ids has room for RELATED_CANDIDATES. Returns their number, or a negative error. */
int related_articles(struct work *w, int64_t article_id, int64_t *ids);

#endif
