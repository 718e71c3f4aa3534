/* The words and sentences of a demo desk. In texts {p} is replaced by a product, {n} by an order number,
 * {name} by a person. */
#ifndef CORE_DEMO_WORDS_H
#define CORE_DEMO_WORDS_H

#include <stdbool.h>

enum {
    DEMO_NAMES = 12,
    DEMO_TOPICS = 6,
    DEMO_LANGUAGES = 7,
    DEMO_PRODUCTS = 12,
    DEMO_TEAMS = 8,
    DEMO_STEMS = 32,
    DEMO_KINDS = 8
};

struct demo_topic {
    const char *subjects[2];
    const char *openings[2]; /* the first message of the customer */
    const char *answers[2];  /* the reply of staff */
};

struct demo_language {
    int locale_id, weight; /* number of customers in 100 who write it */
    bool family_first;
    const char *first[DEMO_NAMES], *last[DEMO_NAMES];
    /* for addresses, if folding does not give ASCII letters */
    const char *latin_first[DEMO_NAMES], *latin_last[DEMO_NAMES];
    const char *hello, *dear, *bye;
    struct demo_topic topics[DEMO_TOPICS];
    const char *details[4];   /* sentences that a customer may add */
    const char *questions[3]; /* questions of staff */
    const char *again[3];     /* the customer writes again */
    const char *solutions[3]; /* the last sentence of staff */
    const char *thanks[3];    /* the customer's thanks */
};

extern const struct demo_language demo_languages[DEMO_LANGUAGES];
extern const char *const demo_products[DEMO_PRODUCTS];
extern const char *const demo_teams[DEMO_TEAMS];
extern const int demo_topic_teams[DEMO_TOPICS];  /* indexes into demo_teams */
extern const int demo_topic_types[DEMO_TOPICS];  /* ids of case_types */
extern const char *const demo_stems[DEMO_STEMS]; /* names of organizations: stem, trade, kind */
extern const char *const demo_trades[DEMO_STEMS];
extern const char *const demo_kinds[DEMO_KINDS];

#endif
