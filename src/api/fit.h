/* The reply of a list, made to fit LIMIT_REPLY. */
#ifndef API_FIT_H
#define API_FIT_H

#include "api/view.h"

struct page {
    struct row *rows; /* in the order in which they were read: before_id reads backwards */
    int count;
    int64_t total;
    bool more;        /* there are rows behind these */
    bool cut;         /* because these fill the reply */
    bool is_followed; /* view_follow was done */
};

/* Writes the whole envelope with its tag, or says 304. A list that has pages ends early if more would not fit: it drops rows from the end of the page,
 * but never the first. A whole list (LIST_COUNT) has no page to go on with and is never cut. Returns 0 or a negative error. */
int page_reply(struct view *v, struct page *p);

#endif
