/* Parameters of articles. */
#ifndef RES_ARTICLE_INPUT_H
#define RES_ARTICLE_INPUT_H

#include "core/helpcenter/article.h"
#include "res/attachment.h"

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

#endif
