#include "base/ids.h"

#include <stdlib.h>

int id_compare(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

void ids_sort(int64_t *ids, int n) {
    if (n > 1) qsort(ids, (size_t)n, sizeof *ids, id_compare);
}

int ids_sort_once(int64_t *ids, int n) {
    int kept = 0;
    ids_sort(ids, n);
    for (int i = 0; i < n; i++)
        if (i == 0 || ids[i] != ids[i - 1]) ids[kept++] = ids[i];
    return kept;
}
