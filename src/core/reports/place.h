/* The place of a row of report_days: its kind, dimension, day and key in one number, the primary key.
 *
 *     bits 59 to 62   55 to 58    33 to 54   0 to 32
 *          kind       dimension   day        key
 *
 * So the days of a kind and dimension are a range of numbers. On SQLite the place is the rowid: a row of such
 * a table stays on its page up to the size of a page, and one of four columns WITHOUT ROWID only up to a
 * quarter of it. The pages of longer rows were half empty. */
#ifndef CORE_REPORTS_PLACE_H
#define CORE_REPORTS_PLACE_H

#include "core/reports/fact.h"

#define PLACE_KIND 59
#define PLACE_DIMENSION 55
#define PLACE_DAY 33
#define PLACE_KEYS (INT64_C(1) << PLACE_DAY) /* the greatest key stands for all larger ones */
#define PLACE_KEY "8589934591"               /* the bits of a key, in SQL */
#define PLACE_DAYS (INT64_C(1) << (PLACE_DIMENSION - PLACE_DAY))
#define PLACE_DAY_FIRST (-(INT64_C(1) << 20)) /* 900 BC; the last one is in the year 10,583 */
_Static_assert(FACT_KINDS <= 16 && ROLLUP_DIMENSIONS <= 16, "bits of a place");

static inline int64_t place_clamp(int64_t n, int64_t least, int64_t end) {
    return n < least ? least : n < end ? n : end - 1;
}
static inline int64_t place_make(int64_t kind, int64_t dimension, int64_t day, int64_t key) {
    int64_t days = place_clamp(day, PLACE_DAY_FIRST, PLACE_DAY_FIRST + PLACE_DAYS) - PLACE_DAY_FIRST;
    return kind << PLACE_KIND | dimension << PLACE_DIMENSION | days << PLACE_DAY |
           place_clamp(key, 0, PLACE_KEYS);
}
static inline int64_t place_key(int64_t place) { return place & (PLACE_KEYS - 1); }
static inline int64_t place_day(int64_t place) {
    return (place >> PLACE_DAY & (PLACE_DAYS - 1)) + PLACE_DAY_FIRST;
}
static inline enum report_dimension place_dimension(int64_t place) {
    return (enum report_dimension)(place >> PLACE_DIMENSION & 15);
}
static inline enum fact_kind place_kind(int64_t place) { return (enum fact_kind)(place >> PLACE_KIND & 15); }

#endif
