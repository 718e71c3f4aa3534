/* The handlers of the pages that show. */
#ifndef PAGES_SHOWN_H
#define PAGES_SHOWN_H

#include "pages/visit.h"

int show_first(struct site_visit *v);       /* / */
int show_help_center(struct site_visit *v); /* /helpcenter: redirects to the best locale */
int show_file(struct site_visit *v);        /* style.css */
int show_brand_style(struct site_visit *v); /* brand.css */
int show_logo(struct site_visit *v);
int show_home(struct site_visit *v);
int show_category(struct site_visit *v);
int show_section(struct site_visit *v);
int show_article(struct site_visit *v);
int show_search(struct site_visit *v);
int show_brand_feed(struct site_visit *v);
int show_section_feed(struct site_visit *v);
int show_robots(struct site_visit *v);
int show_sitemap(struct site_visit *v); /* the index */
int show_sitemap_part(struct site_visit *v);

#endif
