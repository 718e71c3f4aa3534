/* Contents that a request gives as plain text or as HTML. */
#ifndef RES_HTML_INPUT_H
#define RES_HTML_INPUT_H

#include "api/call/call.h"

/* .prepare with LANE_PICTURE: cleans the parameter `contents` if `is_html` or `channel_options.html` is
 * true. */
int html_prepare(struct call *c);
/* The same for a route with .body = FILES_ATTACHED: also stores the contents of the file parts. */
int html_and_files_prepare(struct call *c);
/* After api_input: the contents as text, as clean HTML, and as the HTML that was given (p NULL: text was
 * given). Fails with FIELD_INVALID if the HTML can't be cleaned. */
int html_contents(struct call *c, struct str *text, struct str *html, struct str *original);

#endif
