/* The raw bytes of a mail that came in, as text for a reply. */
#ifndef RES_MAIL_SOURCE_H
#define RES_MAIL_SOURCE_H

#include "api/view.h"

#define MAIL_SOURCE_MOST (256 * 1024) /* bytes of a raw mail that a reply shows; GET /mails/:id/source has all of them */

/* .render of a member whose value is the SHA-256 of the content. Bytes that are not UTF-8 are shown as U+FFFD. Null if there is no file. */
void render_mail_source(struct view *v, const struct row *row, const struct value *own);
/* .render of clean HTML without attachments: pictures of the mail itself are left out. */
void render_mail_html(struct view *v, const struct row *row, const struct value *own);

/* Returns the text with each byte that is not a part of valid UTF-8 replaced by U+FFFD. */
struct str utf8_mended(struct arena *a, struct str bytes);

#endif
