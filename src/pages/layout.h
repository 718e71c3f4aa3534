/* The frame of a page: head, header with search and languages, contents, footer. */
#ifndef PAGES_LAYOUT_H
#define PAGES_LAYOUT_H

#include "pages/visit.h"

/* the whole document, with v->main and v->form_html in it */
void layout_write(struct site_visit *v, struct buf *out);

/* A text in the language that was found for it, "de Der Titel" as SITE_TEXT reads it. */
struct site_text {
    struct str locale, text; /* text.p NULL: none */
};
struct site_text site_text_of(struct arena *a, struct str read);
void site_text_lang(struct buf *out, const struct site_visit *v,
                    const struct site_text *t); /*  lang="de" dir="ltr" if it differs from the page's */

/* SQL: the best translation of an owner, with its locale: that of the page, that of the brand, any. kind:
 * a number as text. Binds :locale, :fallback. */
#define SITE_TEXT(kind, owner)                                                                \
    "COALESCE(" SITE_TEXT_AMONG(kind, owner, " AND l.locale = :locale") ", " SITE_TEXT_AMONG( \
        kind, owner, " AND l.locale = :fallback") ", " SITE_TEXT_AMONG(kind, owner,           \
                                                                       " ORDER BY l.id LIMIT 1") ")"
#define SITE_TEXT_AMONG(kind, owner, which)                                                    \
    "(SELECT l.locale || ' ' || l.translation FROM locale_fields l WHERE l.owner_kind = " kind \
    " AND l.owner_id = " owner which ")"

/* The attributes are for elements inside a line: a block of the other direction would leave the edge of
 * the page. */

/* A step of the breadcrumbs. path: behind v->root; p NULL: the page itself. */
struct site_crumb {
    struct site_text text;
    struct str path;
};
/* the form with the search field, whose id is the same on all pages */
void site_search_form(const struct site_visit *v, struct buf *out);

/* to v->main; begins with the home page */
void site_crumbs(struct site_visit *v, const struct site_crumb *crumbs, int count);

/* the first character of a name or a title */
struct str site_initial(struct arena *a, struct str text);

/* a paragraph; nothing without a text */
void site_description(struct site_visit *v, const struct site_text *description);

#endif
