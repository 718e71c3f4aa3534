/* Conversations that readers opened from the page of an article: articles.conversations, for the insights. */
#ifndef CORE_HELPCENTER_OPENED_H
#define CORE_HELPCENTER_OPENED_H

#include "work/work.h"

/* Counts a conversation in the write that creates it. The caller has found the article visible. Locks its
 * row, so call it last. */
int article_opened(struct work *w, int64_t article_id);

#endif
