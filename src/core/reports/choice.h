/* The choice among whole records (core/reports/record.h): those that the caller sees, and that have the keys
 * which are asked for. */
#ifndef CORE_REPORTS_CHOICE_H
#define CORE_REPORTS_CHOICE_H

#include "core/reports/record.h"
#include "core/reports/series_ask.h"

#define SEEN_KEPT 1024 /* decisions about an agent and a team */

struct choice {
    const struct case_reader *reader; /* of a caller who sees a part; NULL: all is seen */
    struct record_layout layout;
    int64_t team;  /* of the row, if the records have none */
    bool row_seen; /* the caller sees all records of the row */
    bool unknown;  /* a key that is needed is not known, so facts must be read */
    int count;     /* of keys */
    struct {
        struct record_key at;
        char text[4];
    } keys[KEYED_DIMENSIONS];
    struct {
        bool known, seen;
        int64_t team, agent;
    } seen[SEEN_KEPT];
};

/* A key that is too large for its digits is not known. */
void choice_begin(struct choice *c, const struct case_reader *reader, const struct report_only *only,
                  const struct record_layout *layout);
/* Begins a row of a team, or of a tag, whose records have teams of their own. */
void choice_of_row(struct choice *c, int64_t team);
/* True if each record of the row counts. */
static inline bool choice_has_row(const struct choice *c) { return c->row_seen && c->count == 0; }

bool choice_sees(struct choice *c, const char *record);
static inline bool record_counts(struct choice *c, const char *record) {
    for (int i = 0; i < c->count; i++)
        if (memcmp(record + c->keys[i].at.at, c->keys[i].text, c->keys[i].at.digits) != 0) return false;
    return c->row_seen || choice_sees(c, record);
}

#endif
