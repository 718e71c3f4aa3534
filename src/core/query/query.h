/* The text of a search, divided into words and operators (docs/SEARCH.md has the syntax). */
#ifndef CORE_QUERY_QUERY_H
#define CORE_QUERY_QUERY_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"

/* A word, and the positions of an index that it meets (core/query/token.h). */
struct search_term {
    struct str exact, stem; /* stem: p NULL: none */
    bool prefix;            /* words that begin with `exact` */
    bool literal;           /* from a phrase in quotes: finds the exact word only */
};

enum search_key {
    KEY_IN,
    KEY_STATUS,
    KEY_PRIORITY,
    KEY_TYPE,
    KEY_AGENT,
    KEY_TEAM,
    KEY_REQUESTER,
    KEY_ORGANIZATION,
    KEY_TAG,
    KEY_IS,
    KEY_HAS,
    KEY_CREATED,
    KEY_UPDATED,
    SEARCH_KEYS
};
const char *search_key_name(enum search_key key); /* the name of the operator as in a search */

struct search_operator {
    enum search_key key;
    char sign; /* : < > */
    bool or_equal, negated;
    struct str value;
    struct search_operator *next;
};

#define SEARCH_TERMS 64 /* maximum number of terms of a search, with those of synonyms and corrections */

/* A part of the text that looks like an operator and has no effect as one. */
struct search_remark {
    const char *text; /* a sentence for the caller */
    struct search_remark *next;
};

/* A unit is a word, or words that must follow each other. Terms of a unit are neighbours; bit n of a mask
 * is term n. A text that has an alternative of a unit has the unit. */
struct search_query {
    struct search_term terms[SEARCH_TERMS];
    int count, words;       /* words: terms of the text. Those of alternatives follow them */
    uint64_t starts, stops; /* first and last terms of units and alternatives */
    uint64_t ends;          /* the bits of `stops` that end units */
    uint64_t excluded;      /* the bits of `ends` of units that a result must not have */
    /* The bit of `stops` of the alternative of search_query_open; 0: none. */
    uint64_t open;
    /* for the last term of a unit or an alternative: the last term of the unit */
    unsigned char unit[SEARCH_TERMS];
    struct search_operator *operators;
    struct search_remark *remarks; /* list of at most SEARCH_REMARKS */
};

#define SEARCH_REMARKS 4
/* If nothing was found because of search_found.whole. */
#define SEARCH_WHOLE_NOTICE                                                                        \
    "Many texts have words that begin with the last word: it was searched as a whole word. Add a " \
    "letter, or a * to find them."

/* Returns 0, or -1 if it has more than LIMIT_SEARCH_WORDS words. plain: operators are words. */
int search_query_read(struct arena *a, struct str language, struct str text, bool plain,
                      struct search_query *q);
/* Adds the words of a text as an alternative of the unit that ends with term `unit`. Does nothing if there
 * is no room. */
void search_query_alternative(struct arena *a, struct str language, struct search_query *q, int unit,
                              struct str text);
/* Words that begin with the last word of the text meet it, too: an alternative of its unit is added. The
 * word has three letters or more and no digit. Not in quotes, excluded, or in a script without blanks.
 * Call it behind the other alternatives. */
void search_query_open(struct search_query *q);
int search_open_unit(const struct search_query *q);           /* the unit of q->open. -1: none */
int search_unit_start(const struct search_query *q, int end); /* the first term of a unit or an alternative */

/* The terms that meet a position: its exact word, then its other forms. */
uint64_t search_position(const struct search_query *q, const struct str *forms, int count);
/* Advances over a position. *state is 0 before the first one. Returns the units and alternatives that end
 * here. */
static inline uint64_t search_step(const struct search_query *q, uint64_t *state, uint64_t met) {
    *state = ((*state << 1 & ~q->starts) | q->starts) & met;
    return *state & q->stops;
}

/* The units of a query that a text has. */
struct search_tally {
    uint64_t units;
    int counts[SEARCH_TERMS]; /* counts by the last term of the unit */
    int length;               /* positions */
};
void search_tally(const struct search_query *q, struct str terms, struct search_tally *out);

#endif
