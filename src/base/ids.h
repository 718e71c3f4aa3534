/* Lists of ids, and other numbers of 64 bits. */
#ifndef BASE_IDS_H
#define BASE_IDS_H

#include <stdbool.h>
#include <stdint.h>

/* The order of two ids, or of two structs that begin with an id, for qsort and bsearch. */
int id_compare(const void *x, const void *y);
void ids_sort(int64_t *ids, int n);
int ids_sort_once(int64_t *ids, int n); /* also removes duplicates; returns the number of ids left */

static inline int ids_place(const int64_t *ids, int64_t n, int64_t id) { /* -1: it is not in the list */
    for (int i = 0; i < n; i++)
        if (ids[i] == id) return i;
    return -1;
}
static inline bool ids_have(const int64_t *ids, int64_t n, int64_t id) { return ids_place(ids, n, id) >= 0; }

#endif
