/* Opaque cursors of a list in any order.
 *
 * A place is the key of a row and its id. `after` begins behind a place, `before` ends in front of it. The row itself need not
 * be there any more, so pages do not depend on rows that move: a row that stays where it is is shown exactly once on a
 * walk, whatever is inserted, deleted or moved between its pages. A row that moves is shown where it is when its place is
 * read: not at all if it moved to a part that was read already, again if it moved out of one.
 *
 * A cursor is valid for one list in one order. Its key is encrypted, because a token may order by names that it may
 * not read. A page costs the same at any depth, and one statement for each link. */
#ifndef API_ROWS_LIST_CURSOR_H
#define API_ROWS_LIST_CURSOR_H

#include "api/rows/view.h"

struct list_cursor {
    const struct order *order;
    const char *of; /* the list and its order */
    bool is_open;   /* no place: from the start, or backwards from the end */
    int64_t id, number;
    struct str text; /* in place of number, if the key is a text */
};

extern const struct field list_cursor_args[]; /* after, before */

/* Reads `after` and `before` into c->cursor, after api_input. Without them the list has offsets. Returns 0 or a
 * negative error. */
int list_cursor_read(struct call *c, const struct order *order, const char *of);

/* Writes the links of the page. first, last: its rows in the order of the list; NULL: it is empty. more: rows are left
 * in the direction of reading. Returns 0 or a negative error. */
int list_cursor_links(struct view *v, const struct row *first, const struct row *last, bool more);

#endif
