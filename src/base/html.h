/* HTML out of text: what is not said to be HTML is escaped. */
#ifndef BASE_HTML_H
#define BASE_HTML_H

#include "base/buf.h"

void html_text(struct buf *out, struct str text);

/* A small printf: %s is text (const char *, escaped), %h is HTML as it stands, %d an int, and that is all. */
void html(struct buf *out, const char *fmt, ...);

#endif
