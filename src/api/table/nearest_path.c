/* The path that a caller probably meant, for the message of a 404. A path is near if its segments differ
 * from those of a route by few letters. The variables of a route match any segment. Else it is the longest
 * path of a route that the given one begins with. */
#include "api/table/router.h"

#include <ctype.h>

#define NEAR 2         /* letters that a near path may differ in */
#define NEAR_LENGTH 40 /* longer segments are not compared */
#define FAR (NEAR + 1)

/* The Levenshtein distance without regard to letter case; FAR if it is more than NEAR. */
static int distance(struct str a, struct str b) {
    int row[NEAR_LENGTH + 1], longer = (int)(a.n > b.n ? a.n - b.n : b.n - a.n);
    if (a.n > NEAR_LENGTH || b.n > NEAR_LENGTH || longer > NEAR) return FAR;
    for (size_t k = 0; k <= b.n; k++) row[k] = (int)k;
    for (size_t i = 1; i <= a.n; i++) {
        int diagonal = row[0], least = row[0] = (int)i;
        for (size_t k = 1; k <= b.n; k++) {
            bool same = tolower((unsigned char)a.p[i - 1]) == tolower((unsigned char)b.p[k - 1]);
            int change = diagonal + !same, other = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            diagonal = row[k];
            row[k] = change < other ? change : other;
            if (row[k] < least) least = row[k];
        }
        if (least > NEAR) return FAR;
    }
    return row[b.n] > NEAR ? FAR : row[b.n];
}

/* The distance of the first `n` segments; FAR: they are not near. A short word has fewer letters that may
 * differ. */
static int segments_distance(const struct compiled *c, const struct str *segments, int n) {
    int sum = 0;
    for (int i = 0; i < n && sum <= NEAR; i++) {
        if (segment_is_variable(c->segments[i])) continue;
        int one = distance(segments[i], c->segments[i]);
        sum += one * 2 >= (int)c->segments[i].n ? FAR : one;
    }
    return sum > NEAR ? FAR : sum;
}

/* An id of the given path that can be shown as it is. */
static bool is_plain_segment(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!isalnum((unsigned char)s.p[i]) && s.p[i] != '-' && s.p[i] != '_' && s.p[i] != '.') return false;
    return s.n > 0 && s.n <= NEAR_LENGTH;
}

static struct str path_shown(struct arena *a, const struct compiled *c, const struct str *segments) {
    struct str path = S("/api/v1");
    for (int i = 0; i < c->count; i++)
        path = STR_CAT(a, path, S("/"),
                       segment_is_variable(c->segments[i]) && is_plain_segment(segments[i]) ? segments[i]
                                                                                            : c->segments[i]);
    return path;
}

bool router_nearest(const struct router *r, struct arena *a, enum method m, struct str path,
                    struct str *out) {
    struct str segments[PATH_SEGMENTS];
    const struct compiled *best = NULL, *begins = NULL;
    int n = path_split(a, path, segments), least = FAR;
    if (n > 1 && segments[n - 1].n == 0) n--; /* a slash at the end */
    for (int i = 0; i < r->count; i++) {
        const struct compiled *c = &r->routes[i];
        if (c->count > n) break; /* they are sorted by their length */
        int far = segments_distance(c, segments, c->count);
        if (c->count == n &&
            (far < least || (far == least && far < FAR && best->route->method != m && c->route->method == m)))
            best = c, least = far;
        if (far == 0 && c->count < n && (begins == NULL || begins->count < c->count)) begins = c;
    }
    if (best == NULL) best = begins;
    if (best) *out = path_shown(a, best, segments);
    return best != NULL;
}
