/* The words of articles: of titles, for suggestions, and of all texts, for misspelled words of a search and
 * for prefixes. The words of the whole index, for prefixes. */
#ifndef CORE_SEARCH_VOCABULARY_H
#define CORE_SEARCH_VOCABULARY_H

#include "core/search/text.h"

/* Replaces the title words of these texts and adds their words to the vocabulary. Texts of other kinds are
 * left out. Each has its terms. Returns 0 or a negative error. */
int vocabulary_put(struct conn *c, struct arena *a, const struct search_text *list);
int vocabulary_clear(struct conn *c);

/* Words of the vocabulary with a Damerau-Levenshtein distance of at most 1 to a folded word of 4 to 7
 * letters, of at most 2 to a longer one. The nearest come first. Other words than letters have none.
 * Returns their number, at most `most`, or a negative error. */
int vocabulary_near(struct conn *c, struct arena *a, struct str word, struct str *out, int most);

/* Words that begin with `prefix`, in their order: of articles, or of the whole index. Returns their number,
 * at most `most`, or a negative error. PostgreSQL can't list the words of the whole index: there the only
 * one is WORDS_UNKNOWN. */
#define WORDS_UNKNOWN "*"
int vocabulary_words(struct conn *c, struct arena *a, bool of_articles, struct str prefix, struct str *out,
                     int most);

/* The number of edits (a letter more, less or other, or two neighbours exchanged), if it is at most 2;
 * otherwise 3. For tests. */
int vocabulary_distance(struct str a, struct str b);

#endif
