/* The choice among whole records (core/reports/record.h): those that the caller sees, and that have the keys
 * which are asked for.
 *
 * A caller who sees a part reads three sets of rows, which have few records of others:
 *
 *     rows of the caller's teams       all records
 *     rows without a team              nobody's, and the caller's own
 *     rows of the caller as the agent  those of other teams
 *
 * Records of tags have the same rows, but rows without a team have only nobody's. Tags with other conditions
 * are read from whole records of all rows. */
#ifndef CORE_REPORTS_CHOICE_H
#define CORE_REPORTS_CHOICE_H

#include "core/access/access.h"
#include "core/reports/place.h"
#include "core/reports/record.h"
#include "core/reports/series_ask.h"

#define SEEN_KEPT 1024 /* decisions about an agent and a team; a power of two */

/* The rows that are asked for. */
struct choice_ask {
    const struct case_reader *reader; /* of a caller who sees a part; NULL: all is seen */
    const struct report_only *only;
    enum fact_kind kind;
    enum report_dimension rolled; /* BY_TEAM_WHOLE or BY_EACH_TAG, or BY_TEAM_TAG for a reader */
    int64_t first, last;          /* days */
    bool no_keys;                 /* only the team of a record and its time are needed */
};

struct choice {
    const struct choice_ask *ask;
    struct case_parts parts;
    struct record_layout layout; /* of the rows */
    int64_t team, agent;         /* of the row, if the records have none */
    bool is_rest;                /* rows of the caller as the agent */
    bool is_of_tags;             /* rows of teams and agents with tags */
    bool row_seen;               /* the caller sees all records of the row */
    bool unknown;                /* a key that is needed is not known, so facts must be read */
    int count;                   /* of keys */
    struct {
        struct record_key at;
        char text[4];
    } keys[KEYED_DIMENSIONS];
    struct choice_seen {
        uint64_t digits;
        int64_t team;
        bool known, seen;
    } seen[SEEN_KEPT];
};

/* Calls `tell` for each row of the days. c->layout is that of its records. A key that is too large for its
 * digits is not known. */
int choice_rows(struct work *w, const struct choice_ask *ask, struct choice *c,
                void (*tell)(void *arg, int64_t day, int64_t key, struct str records), void *arg);

/* True if each record of the row counts. */
static inline bool choice_has_row(const struct choice *c) { return c->row_seen && c->count == 0; }

bool choice_decide(struct choice *c, const char *record, struct choice_seen *out);

/* A desk has few agents and teams, so each decision is made once, and found by the digits. */
static inline bool choice_sees(struct choice *c, const char *record) {
    uint32_t agent = 0, team = 0;
    if (c->layout.assigned.digits) memcpy(&agent, record + c->layout.assigned.at, 4);
    if (c->layout.keys[BY_TEAM_NOW].digits) memcpy(&team, record + c->layout.keys[BY_TEAM_NOW].at, 3);
    uint64_t digits = (uint64_t)team << 32 | agent;
    uint64_t hash = (digits ^ (uint64_t)c->team << 20) * 0x9E3779B97F4A7C15U;
    struct choice_seen *s = &c->seen[hash >> 32 & (SEEN_KEPT - 1)];
    if (s->known && s->digits == digits && s->team == c->team) return s->seen;
    s->digits = digits;
    return choice_decide(c, record, s);
}
static inline bool record_counts(struct choice *c, const char *record) {
    for (int i = 0; i < c->count; i++)
        if (memcmp(record + c->keys[i].at.at, c->keys[i].text, c->keys[i].at.digits) != 0) return false;
    return c->row_seen || choice_sees(c, record);
}

#endif
