/* The lines of HTML, for mail/quote.h. Only the confined process and fuzz targets parse HTML. */
#ifndef MAIL_QUOTE_HTML_H
#define MAIL_QUOTE_HTML_H

#include "mail/quote.h"

/* Each line has the offset of the tag with which it begins, so that the HTML can be cut there. Quotations
 * give the depth. */
void quote_lines_of_html(struct arena *a, struct str html, struct quote_lines *out);

#endif
