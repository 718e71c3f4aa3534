/* Two-column tables of words: what the store keeps as a number and the API says as a word. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/str.h"

struct word {
    int id;
    const char *word; /* NULL ends the table */
};

int word_id(const struct word *table, struct str word);           /* -1 when the table lacks it; letter case counts */
int word_id_any(const struct word *table, struct str word);       /* the same in any letter case, as the API takes words */
const char *word_of(const struct word *table, int64_t id);        /* NULL when the table lacks it */
struct str words_list(struct arena *a, const struct word *table); /* "A, B, C" for messages and docs */

#endif
