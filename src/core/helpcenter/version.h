/* Earlier texts of articles: rows of article_versions. */
#ifndef CORE_ARTICLE_VERSION_H
#define CORE_ARTICLE_VERSION_H

#include "core/helpcenter/article_text.h"

/* Keeps the present texts as a version, before they are replaced. Deletes the oldest versions above
 * LIMIT_VERSIONS and LIMIT_ARTICLE_VERSIONS_SIZE, with a notice. The caller has locked the article. */
int article_version_keep(struct work *w, int64_t article_id, const struct article_texts *present);
/* Reads the texts of a version of this article. Returns 1, 0 if there is none, or a negative error. */
int article_version_load(struct work *w, int64_t article_id, int64_t version_id, struct article_texts *out);

#endif
