/* Files of articles, and the pictures among them that the contents show.
 *
 *     sent                                    stored                        shown
 *     src="cid:7" (file 7)                -> src="cid:attachment.9"  -> src="<base>/api/v1/articles/5/attachments/9/url"
 *     the address that replies show        ->
 *
 * So contents can be sent back as they were read, and the address of the desk may change. */
#ifndef CORE_ARTICLE_ATTACHMENT_H
#define CORE_ARTICLE_ATTACHMENT_H

#include "core/helpcenter/article_text.h"

/* Attaches files of the actor after the present ones. The caller has checked them by files_own, or has
 * just created them. Fails with FIELD_INVALID above LIMIT_ATTACHMENTS. */
int article_attachments_add(struct work *w, int64_t article_id, const int64_t *files, int count);
int article_attachment_delete(struct work *w, int64_t article_id, int64_t id);

/* Brings the pictures of the texts into the stored form. */
int article_pictures_stored(struct work *w, int64_t article_id, struct article_texts *texts);
/* Marks the attachments that the texts show. Call it when the texts or the attachments have changed. */
int article_pictures_marked(struct work *w, int64_t article_id, const struct article_texts *texts);

/* Stored contents of an article for readers. Costs nothing if they show no attachment. */
struct str article_contents_shown(struct arena *a, const struct desk *d, int64_t article_id,
                                  struct str contents);

#endif
