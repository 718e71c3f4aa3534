/* Links to articles, appended to the text of a reply. */
#ifndef RES_ARTICLE_LINK_H
#define RES_ARTICLE_LINK_H

#include "api/call/call.h"

extern const struct field article_link_input[]; /* article_ids */

/* Appends a line with title and address for each article of article_ids to the text, and to the HTML (p
 * NULL: plain text). The locale is that of the reader, else that of the default brand, else any. Reports
 * FIELD_INVALID for each article that is not published, or that the reader does not see. */
int article_links_append(struct call *c, int64_t reader_id, struct str *text, struct str *html);

#endif
