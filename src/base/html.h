/* Writes HTML. Text is escaped. */
#ifndef BASE_HTML_H
#define BASE_HTML_H

#include "base/buf.h"

void html_text(struct buf *out, struct str text); /* Escapes & < > " ' for any place in HTML. */
/* Escapes for a text or a value in double quotes: apostrophes stay. */
void html_escape(struct buf *out, struct str text);

/* A small printf: %s is a text (const char *, escaped), %h is HTML (const char *, unchanged), %d an int.
 * Nothing else. */
void html(struct buf *out, const char *fmt, ...);

#endif
