/* Tables with two columns: the number that the store keeps, and the word that the API uses for it. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/str.h"

struct word {
    int id;
    const char *word; /* NULL ends the table */
};

/* -1 if the table lacks it; letter case counts */
int word_id(const struct word *table, struct str word);
/* the same in any letter case, as the API accepts words */
int word_id_any(const struct word *table, struct str word);
const char *word_of(const struct word *table, int64_t id);        /* NULL if the table lacks it */
struct str words_list(struct arena *a, const struct word *table); /* "A, B, C" for messages and docs */

#endif
