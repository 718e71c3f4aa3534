/* The words and sentences of a demo desk: words.json, whose members have the names of this file. In sentences
 * {p} is replaced by a product, {n} by an order number, {name} by a person. */
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
    DEMO_KINDS = 8,
    DEMO_TAGS = 12,
    DEMO_NOTES = 5,
    DEMO_PRAISE = 3,
    DEMO_BLAME = 2,
    DEMO_SECTIONS = 4
};

/* In the order of the file. */
struct demo_topic {
    const char *subjects[2];
    const char *openings[2]; /* the first message of the customer */
    const char *answers[2];  /* the reply of staff */
};

struct demo_language {
    int locale_id, weight; /* number of customers in 100 who write it */
    bool family_first;
    const char *first[DEMO_NAMES], *last[DEMO_NAMES];
    /* for addresses, if folding does not give ASCII letters; otherwise NULL */
    const char *latin_first[DEMO_NAMES], *latin_last[DEMO_NAMES];
    const char *hello, *dear, *bye;
    struct demo_topic topics[DEMO_TOPICS]; /* login, invoice, delivery, failure, return, plans */
    const char *details[4];                /* sentences that a customer may add */
    const char *questions[3];              /* questions of staff */
    const char *again[3];                  /* the customer writes again */
    const char *solutions[3];              /* the last sentence of staff */
    const char *thanks[3];                 /* the customer's thanks */
};

struct demo_both {
    const char *en, *de;
};

struct demo_words {
    const char *products[DEMO_PRODUCTS], *teams[DEMO_TEAMS];
    /* names of organizations: stem, trade, kind */
    const char *stems[DEMO_STEMS], *trades[DEMO_STEMS], *kinds[DEMO_KINDS];
    const char *tags[DEMO_TAGS], *notes[DEMO_NOTES], *praise[DEMO_PRAISE], *blame[DEMO_BLAME];
    struct demo_both category; /* a category of the help center */
    struct {
        struct demo_both title, articles[3][2]; /* title and contents of each article */
    } sections[DEMO_SECTIONS];
    struct demo_language languages[DEMO_LANGUAGES];
};

extern const int demo_topic_teams[DEMO_TOPICS]; /* indexes into teams */
extern const int demo_topic_types[DEMO_TOPICS]; /* ids of case_types */

/* Reads the file at the first call. */
const struct demo_words *demo_words(void);

/* words.json, embedded by tools/embed.sh. */
struct demo_text {
    const char *name, *text;
};
extern const struct demo_text demo_texts[];

#endif
