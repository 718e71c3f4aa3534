/* A limit on attributes. The parser compares each attribute of an element with all others, so an element
 * with 300,000 attributes takes 10 s. */
#ifndef FILES_HTML_ATTRIBUTES_H
#define FILES_HTML_ATTRIBUTES_H

#include "base/str.h"

/* Returns the HTML before the first tag that has more than LIMIT_HTML_ATTRIBUTES attributes; mostly, all of
 * it. Finds each such tag, wherever the parser may see the beginning of one, so it may also find one in a
 * comment or in a script. Reads the HTML once. */
struct str html_few_attributes(struct str html);

#endif
