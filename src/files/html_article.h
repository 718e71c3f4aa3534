/* The HTML of articles. It is clean HTML (files/html_clean.h) with one difference: it shows pictures of
 * other servers over https, because writers of the desk choose them. Pictures over http stay blocked. */
#ifndef FILES_HTML_ARTICLE_H
#define FILES_HTML_ARTICLE_H

#include "base/arena.h"
#include "base/str.h"

/* Cleans the HTML of an article. HTML that is clean already costs no process. Returns 1, 0 if the HTML
 * can't be cleaned or is too long, or -ERR_SERVICE_UNAVAILABLE. See html_clean: call it only in the pool. */
int html_article_clean(struct arena *a, struct str html, struct str *out);

/* Returns true if html_article_clean could have written this HTML. Reads it once, without a parser. */
bool html_article_is_clean(struct str html);

#endif
