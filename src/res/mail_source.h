/* The raw bytes of a mail that came in, as text for a reply. */
#ifndef RES_MAIL_SOURCE_H
#define RES_MAIL_SOURCE_H

#include "res/attachment.h"

#define MAIL_SOURCE_MOST \
    (256 * 1024) /* bytes of a raw mail that a reply shows; GET /mails/:id/source has all of them */

/* .render of a member whose value is the SHA-256 of the content. Bytes that are not UTF-8 are shown as
 * U+FFFD. Null if there is no file. */
void render_mail_source(struct view *v, const struct row *row, const struct value *own);
/* .render of the clean HTML of a mail, in a resource with the member MAIL_PLACE. Its inline pictures are
 * those of its message. Without a message they are left out. */
void render_mail_html(struct view *v, const struct row *row, const struct value *own);

/* A hidden member over the alias t of mails: the message, as the beginning of the addresses of its files. */
#define MAIL_PLACE                                                                              \
    {                                                                                           \
        "place", F_TEXT, HIDDEN, .column = PLACE_OF_POST("t.post_id"),                          \
                                 .doc = "Message of the mail, as the beginning of its address." \
    }

#endif
