/* The page of a path. */
#ifndef PAGES_ROUTE_H
#define PAGES_ROUTE_H

#include "pages/visit.h"

/* Finds the page of the request among v->pages, and sets the texts of its variables. Returns 1, 0 if the
 * pages have the path without the method, or -1 if no page has it. */
int site_route(struct site_visit *v);
/* The path behind the locale that the language menu leads to: that of the page. After a post that of its
 * form. */
struct str site_menu_path(const struct site_visit *v);
/* True if the request is a form of one of the pages that takes files. */
bool site_form_takes_files(const struct site_page *pages, const struct http_request *r);

#endif
