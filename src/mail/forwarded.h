/* The mail of a forward (core/cases/forward.h): the text of its sender, and the messages below it. */
#ifndef MAIL_FORWARDED_H
#define MAIL_FORWARDED_H

#include "core/cases/forward.h"

/* Writes the messages as text and as HTML. Left out are (1) what the messages themselves quote, (2) tokens of
 * the desk, and (3) addresses of pictures on other servers, which report who reads when. Inline pictures stay
 * if their file is mailed. */
void forwarded_write(const struct desk *d, struct arena *a, const struct forward_mail *m, struct str *text,
                     struct str *html);

/* Names the inline pictures in the HTML: their parts have a content id, the others lose it. */
void forwarded_show_files(struct arena *a, struct forward_mail *m, struct str html);

#endif
