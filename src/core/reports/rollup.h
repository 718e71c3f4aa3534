/* Rollups: the facts of a day (UTC) with one key of a dimension, as one text (report_days).
 *
 * A record is what a report needs of a fact: its quarter of an hour, its part, and for durations the steps of
 * both times. Quarters, because the clocks of all zones are whole quarters from UTC.
 * Records have a fixed width for each kind and are sorted, so a fact is added and taken away without the
 * others, and the text that follows from a set of facts is unique.
 *
 *     hour  part and quarter  step  step in business time
 *     'A'   '#' + 4 * 0 + 3   "7f"  "03"                     "A&7f03"; kinds without duration: "A&"
 *
 * Few facts of a day have the same organization or conversation, and a row costs more than a record. So rows
 * of these dimensions have 4,096 keys: row k has the keys from 4096 k on, and each record begins with two
 * characters for the place of its key. Records of conversations have no steps; they are of facts that a
 * conversation may have several times, for the number of conversations (core/reports/distinct.c).
 *
 * A rollup of one property does not say what a caller sees who sees a part, nor which facts have two
 * properties. So rows of BY_TEAM_WHOLE have a team each, and their records end with the other keys (but tags)
 * in digits of 64: the agent of the conversation, the author, the channel, the priority, the SLA and the
 * organization. A key that is too large for its digits is KEY_UNKNOWN; then facts are read.
 *
 * 256 steps: step 0 is under a second, the others grow by 7 % from a second to a year. */
#ifndef CORE_REPORTS_ROLLUP_H
#define CORE_REPORTS_ROLLUP_H

#include "core/reports/fact.h"

#define RECORD_MAX 24
#define BLOCK_KEYS 4096 /* keys of a row of a dimension in blocks */
static inline bool is_in_blocks(enum report_dimension d) {
    return d == BY_ORGANIZATION_NOW || d == BY_CONVERSATION;
}
/* Digits of the keys of a whole record: those that all kinds have, and others. */
#define KEYS_WIDTH (4 + 1 + 2 + 4)
static inline size_t record_keys_width(enum fact_kind k) {
    return KEYS_WIDTH + (fact_has_author(k) ? 4U : 0U) + (k == FACT_SLA ? 2U : 0U);
}
static inline size_t record_width(enum fact_kind k, enum report_dimension d) {
    return (is_in_blocks(d) ? 2U : 0U) + (fact_has_duration(k) && d != BY_CONVERSATION ? 6U : 2U) +
           (d == BY_TEAM_WHOLE ? record_keys_width(k) : 0U);
}
/* True if a conversation may have several such facts in a period, so that conversations are counted. */
static inline bool has_conversations(enum fact_kind k) {
    return k == FACT_REOPENED || k == FACT_COMPLETED || k == FACT_NEXT_RESPONSE || k == FACT_REPLY ||
           k == FACT_REQUEST || k == FACT_SLA;
}
#define KEY_UNKNOWN (-1)
/* Reads the keys at the end of a whole record, but that of the team. */
void record_keys_read(enum fact_kind k, const char *at, int64_t keys[KEYED_DIMENSIONS], int64_t *assigned);

/* The place of a key in its block, from the first two characters of a record. */
int block_place(const char *at);

#define DAY_QUARTERS 96
#define TIME_QUARTER (15 * TIME_MINUTE)
struct fact_record {
    int quarter, part, step, step_open; /* quarter: of the day */
};

/* Quarters and parts are a range of printable characters without the backslash, which JSON escapes. */
#define RECORD_MARKS (4 * FACT_PARTS)
static inline char record_mark(int n) { return (char)('#' + n + (n >= '\\' - '#')); }
static inline int record_step(const char *at) {
    int high = at[0] <= '9' ? at[0] - '0' : at[0] - 'a' + 10,
        low = at[1] <= '9' ? at[1] - '0' : at[1] - 'a' + 10;
    return (high * 16 + low) & 255;
}
/* All numbers index arrays, also if the store is damaged. */
static inline struct fact_record fact_record_read(const char *at, bool has_duration) {
    int hour = (unsigned char)(at[0] - 'A') % 24;
    int mark = (unsigned char)(at[1] - '#' - (at[1] > '\\')) % RECORD_MARKS;
    struct fact_record r = {.quarter = 4 * hour + mark % 4, .part = mark / 4};
    if (has_duration) r.step = record_step(at + 2), r.step_open = record_step(at + 4);
    return r;
}

#define STEPS 256
#define STEP_ERROR_PERCENT 4 /* of a duration of a year or less that is read from its step */
int step_of(int64_t seconds);
int64_t step_seconds(int step); /* the geometric mean of its bounds */

static inline int64_t fact_day(int64_t at) { return at / TIME_DAY - (at % TIME_DAY < 0); }

/* Changes of rollups. */
struct rollup_changes {
    struct rollup_change *list;
    int count, room;
};
/* The fact is added (or taken away). */
void rollup_note(struct work *w, struct rollup_changes *changes, const struct fact *f, bool added);
/* Writes the changes. The caller has locked the cursor. */
int rollup_put(struct work *w, struct rollup_changes *changes);

/* Compares the rollups with the stored facts, for deskd check. Returns the number of days that differ, or a
 * negative error. */
int rollup_check(struct work *w, void (*report)(void *arg, int64_t kind, int64_t day), void *arg);

#endif
