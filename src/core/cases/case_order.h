/* Keys by which the conversations of a view are ordered, kept beside their ids (core/cases/view_count.c). */
#ifndef CORE_CASES_CASE_ORDER_H
#define CORE_CASES_CASE_ORDER_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* A number is in `high`, and the id of the conversation in `low`: two keys differ. A text is its first 16
 * bytes, so conversations with one key may have different texts. */
struct case_key {
    uint64_t high, low;
};

struct case_key case_key_of_number(int64_t number, int64_t case_id);
struct case_key case_key_of_text(struct str text);

/* A conversation at its place in the order. */
struct case_place {
    struct case_key key;
    int64_t id;
};

/* A page of a list: `limit` rows from `offset` on, or behind a place. */
struct case_page {
    int64_t offset, limit;
    const struct case_key *behind; /* NULL: no place */
    bool descending;
    int64_t skipped; /* set: rows of the list that stand before all that are listed */
};

/* Moves the places of the page to the front, with all that have the key of its first or its last row. Returns
 * their number. The page begins at place offset - skipped of them, once they are in the order of the list.
 * Behind a place, rows with the key of the place are listed, too, in addition to the limit: they may stand
 * before it or behind it. */
int case_places_page(struct case_place *places, int n, struct case_page *page);

#endif
