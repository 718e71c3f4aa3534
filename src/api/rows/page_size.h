/* Limits the reply of a list to LIMIT_REPLY. */
#ifndef API_ROWS_PAGE_SIZE_H
#define API_ROWS_PAGE_SIZE_H

#include "api/rows/view.h"

struct page {
    struct row *rows; /* in the order of reading, which may be backwards */
    int count;
    int64_t total;
    bool more;        /* further rows exist */
    bool cut;         /* the page was cut, because these rows fill the reply */
    bool is_followed; /* view_follow was done */
};

/* Writes the envelope with its tag, or answers 304. If a list with pages is too large, drops rows from the
 * end of the page, but never the first. A whole list (LIST_COUNT) has no next page and is never cut.
 * Returns 0 or a negative error. */
int page_reply(struct view *v, struct page *p);

#endif
