/* Locks and permissions of writes of articles. */
#ifndef RES_ARTICLE_WRITE_H
#define RES_ARTICLE_WRITE_H

#include "api/call/call.h"

/* Locks the section of the article (core/helpcenter/article.h). Fails with PERMISSIONS_DENIED if the
 * article is published, and the caller may not publish: readers see a published article at once, so its
 * changes need that permission, too. */
int article_may_change(struct call *c, int64_t article_id);
int article_may_publish(struct call *c);
/* api_target of one article with these locks, this permission. */
int article_target(struct call *c);

int64_t article_section_given(const struct call *c); /* section_id in the body, unchecked; 0: none */

#endif
