#include "core/reports/record.h"

#include <math.h>
#include <pthread.h>

/* ---- steps ----------------------------------------------------------------------------------- */

#define YEAR (365.0 * 86400.0)

/* bounds[i]: the least whole seconds of step i; step 0 has none, and the last step has no end. middles: the
 * geometric means of their bounds. */
static int64_t bounds[STEPS], middles[STEPS];
static pthread_once_t bounds_once = PTHREAD_ONCE_INIT;

static void bounds_make(void) {
    for (int i = 1; i < STEPS; i++) bounds[i] = (int64_t)ceil(exp(log(YEAR) * (i - 1) / (STEPS - 1)));
    for (int i = 1; i < STEPS; i++) {
        int64_t low = bounds[i], high = i + 1 < STEPS ? bounds[i + 1] - 1 : low;
        middles[i] = high <= low ? low : (int64_t)llround(sqrt((double)low * (double)high));
    }
}

int step_of(int64_t seconds) {
    int low = 0, high = STEPS - 1;
    pthread_once(&bounds_once, bounds_make);
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (bounds[middle] <= seconds) low = middle;
        else high = middle - 1;
    }
    return low;
}

const int64_t *steps_seconds(void) {
    pthread_once(&bounds_once, bounds_make);
    return middles;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static const char digits[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/* The places of the characters in `digits`; others are 0. */
const unsigned char record_digits[128] = {
    // clang-format off
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 0, 0, 0,
    0, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 0, 0, 0, 0, 37,
    0, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
    53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0, 0, 0, 0, 0,
    // clang-format on
};

bool record_key_write(char *out, int width, int64_t key) {
    int64_t most = ((int64_t)1 << 6 * width) - 1;
    bool known = key >= 0 && key < most;
    if (!known) key = most;
    for (int i = width - 1; i >= 0; i--, key /= 64) out[i] = digits[key % 64];
    return known;
}

/* Gives the next key its place. */
static struct record_key key_next(struct record_layout *l, int width) {
    struct record_key k = {(unsigned char)l->width, (unsigned char)width};
    l->width += (size_t)width;
    return k;
}

struct record_layout record_layout(enum fact_kind k, enum report_dimension d) {
    struct record_layout l = {.has_steps = fact_has_duration(k)};
    if (is_in_blocks(d)) l.width = 2;
    l.time_at = (int)l.width;
    l.width += l.has_steps ? 6 : 2;
    if (is_of_tags(d)) {
        l.tag = key_next(&l, 3);
        if (d == BY_ASSIGNED_TAG) l.keys[BY_TEAM_NOW] = key_next(&l, 3);
    }
    if (!is_whole(d)) return l;
    if (d != BY_TEAM_WHOLE) l.keys[BY_TEAM_NOW] = key_next(&l, 3);
    if (d != BY_ASSIGNED_WHOLE) l.assigned = key_next(&l, 4);
    l.keys[BY_AGENT_NOW] = fact_has_author(k) ? key_next(&l, 4) : l.assigned;
    l.keys[BY_CHANNEL] = key_next(&l, 1);
    l.keys[BY_PRIORITY] = key_next(&l, 2);
    if (k == FACT_SLA) l.keys[BY_SLA] = key_next(&l, 2);
    l.keys[BY_ORGANIZATION_NOW] = key_next(&l, 4);
    if (k != FACT_BACKLOG) l.conversation = key_next(&l, 5);
    return l;
}

/* ---- records --------------------------------------------------------------------------------- */

static char mark_of(int n) { return (char)('#' + n + (n >= '\\' - '#')); }

static void step_write(char *out, int64_t seconds) {
    static const char hex[] = "0123456789abcdef";
    int step = step_of(seconds);
    out[0] = hex[step / 16], out[1] = hex[step % 16];
}

void record_write(const struct fact *f, enum report_dimension d, int64_t key, char *out) {
    struct record_layout l = record_layout(f->kind, d);
    int quarter = (int)((f->at - fact_day(f->at) * TIME_DAY) / TIME_QUARTER);
    char *time = out + l.time_at;
    if (is_in_blocks(d)) record_key_write(out, 2, key % BLOCK_KEYS);
    time[0] = (char)('A' + quarter / 4);
    time[1] = mark_of(4 * f->part + quarter % 4);
    if (l.has_steps) step_write(time + 2, f->took), step_write(time + 4, f->took_open);
    for (int i = BY_CHANNEL; i < KEYED_DIMENSIONS; i++)
        if (l.keys[i].digits) record_key_write(out + l.keys[i].at, l.keys[i].digits, f->keys[i]);
    if (l.tag.digits) record_key_write(out + l.tag.at, l.tag.digits, key);
    if (l.assigned.digits) record_key_write(out + l.assigned.at, l.assigned.digits, f->assigned_agent_id);
    if (l.conversation.digits) record_key_write(out + l.conversation.at, l.conversation.digits, f->case_id);
}
