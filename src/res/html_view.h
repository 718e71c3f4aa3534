/* The HTML of messages and notes, for one reader. */
#ifndef RES_HTML_VIEW_H
#define RES_HTML_VIEW_H

#include "api/rows/view.h"

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
