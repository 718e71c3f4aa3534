/* Contents that are plain text or HTML. */
#ifndef RES_HTML_H
#define RES_HTML_H

#include "api/rows/view.h"

/* ---- contents that a request gives ----------------------------------------------------------- */

bool json_says_yes(const struct json *j); /* NULL: false */
/* Cleans the parameter `contents` of at most this many characters, for html_contents and c->prepared. */
int html_clean_contents(struct call *c, size_t most);
/* .prepare with LANE_PICTURE: cleans the parameter `contents` if `is_html` or `channel_options.html` is
 * true. */
int html_prepare(struct call *c);
bool html_needs_prepare(const struct call *c); /* .needs_prepare of it */
/* The same for a route with .body = FILES_ATTACHED: also stores the contents of the file parts. */
int html_and_files_prepare(struct call *c);
bool html_and_files_need_prepare(const struct call *c);
/* After api_input: the contents as text, as clean HTML, and as the HTML that was given (p NULL: text was
 * given). Fails with FIELD_INVALID if the HTML can't be cleaned. */
int html_contents(struct call *c, struct str *text, struct str *html, struct str *original);

/* ---- showing --------------------------------------------------------------------------------- */

/* .render of a member with clean HTML (NULL: plain text) in a resource with the group `attachments`. Plain
 * text becomes HTML. Inline pictures of attached files get their addresses. Pictures of other servers are
 * blocked, unless the route has html_args and the request sends remote_pictures. The text is in the member
 * content_text, or body_text. */
void render_content_html(struct view *v, const struct row *row, const struct value *own);
void render_body_html(struct view *v, const struct row *row, const struct value *own);

/* the route has html_args, and the request sends remote_pictures */
bool html_shows_remote(const struct call *c);
extern const struct field html_args[]; /* remote_pictures, for .args or as a group */

#endif
