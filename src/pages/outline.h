/* The contents list of an article: its headings of the levels 2 and 3. */
#ifndef PAGES_OUTLINE_H
#define PAGES_OUTLINE_H

#include "base/str.h"

#define OUTLINE_MOST 40 /* headings; further ones are not listed */

struct outline_item {
    struct str id, text; /* plain text */
    int level;           /* 2 or 3 */
};

struct outline {
    struct outline_item items[OUTLINE_MOST];
    int count;
};

/* Lists the headings of clean HTML (files/html_clean.h). Returns the HTML, in which each listed heading has
 * its id: the words of the heading, which stay when other headings change. */
struct str outline_of(struct arena *a, struct str contents, struct outline *out);

#endif
