/* The brand's own templates of the help center. Without them nothing is parsed. */
#ifndef PAGES_SITE_TEMPLATE_H
#define PAGES_SITE_TEMPLATE_H

#include "pages/visit.h"

/* Fills the template of the page: replaces v->head.title and v->main, and empties v->form_html. Returns false
 * if the brand has none. */
bool site_template_page(struct site_visit *v);

struct site_frame {
    struct str title, header, contents, footer; /* title: of the page; the others are HTML */
};
/* Fills the template of the frame: the <title>, and the body to *out. Returns false if the brand has none. */
bool site_template_frame(struct site_visit *v, const struct site_frame *frame, struct str *title,
                         struct buf *out);

/* adds the blocks `style` of all templates of the brand to v->main */
int template_styles(struct site_visit *v);

#endif
