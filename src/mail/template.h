/* What letters say: a subject, a text and HTML with {{names}} in them. */
#ifndef MAIL_TEMPLATE_H
#define MAIL_TEMPLATE_H

#include "base/buf.h"
#include "work/work.h"

struct template {
    const char *name;
    const char *path; /* of the page its link leads to; NULL: it has none */
    const char *subject, *text, *html;
};
extern const struct template templates[]; /* the built-in ones; ends with name NULL */

/* What is said under this name: 1, 0 no such template, or error. */
int template_text(struct work *w, struct str name, struct template *out);

struct meaning {
    const char *name; /* without braces; NULL ends the list */
    struct str value; /* p NULL: as the empty text */
};
/* Names nobody gave a meaning are left out. Values are one line each; in HTML they are escaped. */
void template_fill(struct buf *out, const char *text, const struct meaning *meanings, bool html);

#endif
