/* A record of a rollup: what a report needs of a fact, as a few characters of a row of report_days.
 *
 * Records have a fixed width for each kind and dimension and are sorted, so a fact is added and taken away
 * without the others, and the text that follows from a set of facts is unique. A record has the quarter of an
 * hour of its fact, its part, and for durations the steps of both times. Quarters, because the clocks of all
 * zones are whole quarters from UTC.
 *
 *     hour  part and quarter  step  step in business time
 *     'A'   '#' + 4 * 0 + 3   "7f"  "03"                     "A&7f03"; kinds without duration: "A&"
 *
 * Few facts of a day have the same organization, and a row costs more than a record. So rows of
 * organizations have 4,096 of them: row k has those from 4096 k on, and each record begins with two
 * characters for the place of its organization.
 *
 * A rollup of one property does not say what a caller sees who sees a part, nor which facts have two
 * properties, nor how many conversations they belong to. So the records of BY_TEAM_WHOLE, BY_ASSIGNED_WHOLE
 * and BY_EACH_TAG are whole: they end with the other keys (but tags) in digits of 64. These are the team
 * and the agent of the conversation (but the key of the row), the author, the channel, the priority, the SLA,
 * the organization and the conversation. A caller who sees a part reads rows of teams and of one agent, and
 * no others (core/reports/choice.h). Reports by tag read BY_TEAM_TAG and BY_ASSIGNED_TAG in the same way.
 * These have a record for each tag of a fact, with the tag; rows of agents have the team, too. Rows without a
 * team have only nobody's, so no record needs the agent. A key that is too large for its digits is
 * KEY_UNKNOWN; then facts are read. Facts of the backlog have no conversation, because it is one of those
 * that were created, completed and reopened (core/reports/case_set.h).
 *
 * 256 steps: step 0 is under a second, the others grow by 7 % from a second to a year. */
#ifndef CORE_REPORTS_RECORD_H
#define CORE_REPORTS_RECORD_H

#include "core/reports/fact.h"

#define RECORD_MAX 32
#define BLOCK_KEYS 4096 /* keys of a row of a dimension in blocks */
static inline bool is_in_blocks(enum report_dimension d) { return d == BY_ORGANIZATION_NOW; }
static inline bool is_whole(enum report_dimension d) {
    return d == BY_TEAM_WHOLE || d == BY_ASSIGNED_WHOLE || d == BY_EACH_TAG;
}
static inline bool is_of_tags(enum report_dimension d) { return d == BY_TEAM_TAG || d == BY_ASSIGNED_TAG; }

/* ---- parts of a record ------------------------------------------------------------------------- */

/* Numbers of digits: 64 characters in their order. All numbers of a record index arrays, also if the store is
 * damaged. */
extern const unsigned char record_digits[128];
static inline int record_digit(char c) { return record_digits[c & 127]; }

struct record_key {
    unsigned char at, digits; /* digits 0: the record has no such key */
};
struct record_layout {
    size_t width;
    int time_at; /* of the quarter, the part and the steps */
    bool has_steps;
    struct record_key assigned, conversation, tag, keys[KEYED_DIMENSIONS];
};
struct record_layout record_layout(enum fact_kind k, enum report_dimension d);

#define KEY_UNKNOWN (-1)
static inline int64_t record_key(const char *record, struct record_key k) {
    int64_t n = 0;
    for (int i = 0; i < k.digits; i++) n = 64 * n + record_digit(record[k.at + i]);
    return n == ((int64_t)1 << 6 * k.digits) - 1 ? KEY_UNKNOWN : n;
}
/* Writes the digits of a key, and nothing behind them. Returns false if they are those of KEY_UNKNOWN. */
bool record_key_write(char *out, int digits, int64_t key);

/* The place of a key in its block, from the first two characters of a record. */
static inline int block_place(const char *at) { return 64 * record_digit(at[0]) + record_digit(at[1]); }

#define DAY_QUARTERS 96
#define TIME_QUARTER (15 * TIME_MINUTE)
/* Quarters and parts are a range of printable characters without the backslash, which JSON escapes. */
#define RECORD_MARKS (4 * FACT_PARTS)
static inline int record_mark(char c) { return (unsigned char)(c - '#' - (c > '\\')) % RECORD_MARKS; }
static inline int record_part(const char *time) { return record_mark(time[1]) / 4; }
/* The quarter of the day. */
static inline int record_quarter(const char *time) {
    return 4 * ((unsigned char)(time[0] - 'A') % 24) + record_mark(time[1]) % 4;
}
static inline int step_digit(char c) { return (c & 15) + 9 * (c >> 6 & 1); }
static inline int record_step(const char *time, bool business) {
    const char *at = time + (business ? 4 : 2);
    return (step_digit(at[0]) * 16 + step_digit(at[1])) & 255;
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* key: that of the row, or a tag. */
void record_write(const struct fact *f, enum report_dimension d, int64_t key, char *out);

/* ---- steps ------------------------------------------------------------------------------------- */

#define STEPS 256
#define STEP_ERROR_PERCENT 4 /* of a duration of a year or less that is read from its step */
int step_of(int64_t seconds);
const int64_t *steps_seconds(void); /* the geometric mean of the bounds of each step */

static inline int64_t fact_day(int64_t at) { return at / TIME_DAY - (at % TIME_DAY < 0); }

#endif
