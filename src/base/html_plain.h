/* The text of clean HTML, without a parser. */
#ifndef BASE_HTML_PLAIN_H
#define BASE_HTML_PLAIN_H

#include "base/arena.h"
#include "base/str.h"

/* Returns the text of HTML that html_clean() wrote (files/html_clean.h): well-formed tags, escaped text.
 * Blocks are separated by line breaks, cells by blanks. Pictures give their alternative text. Other HTML
 * gives a less readable text, but every byte is read once. */
struct str html_plain(struct arena *a, struct str html);

#endif
