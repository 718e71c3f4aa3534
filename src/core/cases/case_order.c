/* A page is selected among the keys of all conversations of a view, without sorting them: quickselect finds
 * the key of its first row, and that of its last one. Pivots are random, because people choose subjects,
 * and so the order of keys. 100,000 keys take 1 to 2 milliseconds. */
#include "core/cases/case_order.h"

#include "base/random.h"

#define KEY_BYTES 8

static uint64_t case_key_bytes(struct str s, size_t from) {
    uint64_t n = 0;
    for (size_t i = from; i < from + KEY_BYTES; i++) n = n << 8 | (i < s.n ? (unsigned char)s.p[i] : 0);
    return n;
}

struct case_key case_key_of_text(struct str text) {
    return (struct case_key){case_key_bytes(text, 0), case_key_bytes(text, KEY_BYTES)};
}

/* The highest bit is turned, so that signed numbers keep their order. */
struct case_key case_key_of_number(int64_t number, int64_t case_id) {
    return (struct case_key){(uint64_t)number ^ UINT64_C(1) << 63, (uint64_t)case_id};
}

static int case_key_compare(struct case_key a, struct case_key b) {
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

static void case_places_swap(struct case_place *a, struct case_place *b) {
    struct case_place held = *a;
    *a = *b;
    *b = held;
}

static uint64_t pivot_next(uint64_t *state) { /* xorshift */
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* The key at place `at` in the order of keys. All places before it get keys that are not greater, and all
 * behind it keys that are not less. Those before `from` have that already. */
static struct case_key case_key_at(struct case_place *places, int from, int to, int at, uint64_t *state) {
    while (to - from > 1) {
        struct case_key pivot = places[from + (int)(pivot_next(state) % (uint64_t)(to - from))].key;
        int less = from, more = to;
        for (int i = from; i < more;) {
            int order = case_key_compare(places[i].key, pivot);
            if (order < 0) case_places_swap(&places[i++], &places[less++]);
            else if (order > 0) case_places_swap(&places[i], &places[--more]);
            else i++;
        }
        if (at >= less && at < more) return pivot;
        if (at < less) to = less;
        else from = more;
    }
    return places[from].key;
}

/* Moves the places behind a place, and those with its key, to the front. Returns their number; *same: those
 * with its key. */
static int case_places_behind(struct case_place *places, int n, const struct case_page *page, int *same) {
    int listed = 0;
    for (int i = 0; i < n; i++) {
        int order = case_key_compare(places[i].key, *page->behind);
        *same += order == 0;
        if (page->descending ? order <= 0 : order >= 0) case_places_swap(&places[i], &places[listed++]);
    }
    return listed;
}

int case_places_page(struct case_place *places, int n, struct case_page *page) {
    int same = 0;
    if (page->behind) n = case_places_behind(places, n, page, &same);
    int64_t left = n - page->offset, limit = page->limit + same;
    uint64_t state;
    page->skipped = 0;
    if (left <= 0 || limit <= 0) return 0;
    int begin = (int)page->offset, end = limit > left ? n : begin + (int)limit, listed = 0;
    if (page->descending) {
        int first = n - end;
        end = n - begin;
        begin = first;
    }
    random_bytes(&state, sizeof state);
    state |= 1;
    struct case_key first = case_key_at(places, 0, n, begin, &state);
    struct case_key last = case_key_at(places, begin, n, end - 1, &state);
    for (int i = 0; i < n; i++) {
        bool before =
            case_key_compare(places[i].key, first)<0, after = case_key_compare(places[i].key, last)> 0;
        page->skipped += page->descending ? after : before;
        if (!before && !after) case_places_swap(&places[i], &places[listed++]);
    }
    return listed;
}
