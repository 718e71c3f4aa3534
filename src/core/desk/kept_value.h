/* Values that were read from rows which seldom change, kept in memory while no row has changed (db_mark). */
#ifndef CORE_KEPT_VALUE_H
#define CORE_KEPT_VALUE_H

#include "work/work.h"

/* Sets of tables. The numbers begin at 1, because 0 means none. */
enum kept_from {
    KEPT_TEAMS = 1, /* teams and their members */
    KEPT_GONE,      /* the marks of deleted teams, agents and organizations (core/desk/cascade.h) */
    KEPT_TOTALS,    /* counters of conversations, with the memberships and priorities that choose them */
    KEPT_ADDRESSES, /* which e-mail addresses and phone numbers there are, not their members */
};
extern const struct db_tracked_table *const kept_tables[]; /* db_config.marked */

/* A value is found by all of these. */
#define KEPT_PARTS 5
struct kept_key {
    const void *of; /* the address of a constant that says what the value is */
    int64_t parts[KEPT_PARTS];
};

#define KEPT_TEXT 128 /* bytes; a longer text is not kept */
struct kept_value {
    int64_t number;
    struct str text; /* p NULL: none */
};

/* True if values of these rows are kept for this read or write. */
bool kept_value_may(const struct work *w, enum kept_from from);
/* True: *value is what the rows of this read or write give; its text is in the arena of the work. */
bool kept_value_find(struct work *w, enum kept_from from, const struct kept_key *key,
                     struct kept_value *value);
/* Keeps what this read or write has just read of the rows, or does nothing. */
void kept_value_put(struct work *w, enum kept_from from, const struct kept_key *key,
                    const struct kept_value *value);

struct slots *kept_values_new(void); /* base/slots.h; NULL: no memory */

#endif
