/* Parts of articles that several files of this folder use. */
#ifndef RES_HELP_CENTER_H
#define RES_HELP_CENTER_H

#include "api/call/call.h"
#include "core/helpcenter/article.h"

/* ---- input: article_input.c ------------------------------------------------------------------ */

extern const struct field article_input[];

/* .prepare with LANE_PICTURE: cleans the contents of articles in the body, in place, and stores the
 * contents of file parts. A plain text in `titles` or `contents` becomes the translation in the default
 * locale. */
int article_prepare(struct call *c);
/* The same for the records of a bulk import. */
int article_import_prepare(struct call *c);

/* After api_input: all texts that the article then has. Reports locales that lack a title or contents.
 * *changed: texts were given. */
int article_texts_given(struct call *c, struct article_texts *out, bool *changed);

/* ---- permissions: article_version.c ------------------------------------------------------------ */

/* Locks the section of the article (core/helpcenter/article.h). Fails with PERMISSIONS_DENIED if the
 * article is published, and the caller may not publish: readers see a published article at once, so its
 * changes need that permission, too. */
int article_may_change(struct call *c, int64_t article_id);
int article_may_publish(struct call *c);
/* api_target of one article with these locks, this permission. */
int article_target(struct call *c);

/* ---- versions: article_version.c ------------------------------------------------------------- */

extern const struct field article_restore_input[];
int put_article_restore(struct call *c);

/* ---- articles in a reply: article_link.c ----------------------------------------------------- */

extern const struct field article_link_input[]; /* article_ids */

/* Appends a line with title and address for each article of article_ids to the text, and to the HTML (p
 * NULL: plain text). The locale is that of the reader, else that of the default brand, else any. Reports
 * FIELD_INVALID for each article that is not published, or that the reader does not see. */
int article_links_append(struct call *c, int64_t reader_id, struct str *text, struct str *html);

#endif
