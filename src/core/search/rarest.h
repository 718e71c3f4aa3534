/* The words of the index that the terms of a query stand for, and the rarest of them: it decides which texts
 * a search examines (find.c).
 *
 * A prefix stands for the words that begin with it, which are listed first: FTS5 merges the texts of all
 * words of a prefix before it gives one. If they are more than PREFIX_WORDS, the prefix is broad: it counts
 * as more common than any word, and the newest texts of the kind are examined. The words of articles are
 * listed apart, so that those of conversations change no search of them. */
#ifndef CORE_SEARCH_RAREST_H
#define CORE_SEARCH_RAREST_H

#include "core/search/filter.h"

/* The words of the index that a term stands for. */
struct indexed_words {
    bool made;
    bool broad;       /* too many words begin with the term */
    struct str words; /* of @FOUND. p NULL: none */
};

struct rarest {
    struct indexed_words words;
    int64_t count; /* over f->texts if it is common. INT64_MAX: there is no word */
};
#define NO_WORD ((struct rarest){.count = INT64_MAX})

struct word_search {
    struct work *work;
    const struct search_query *query;
    int kind, texts;             /* texts that are examined at most */
    struct indexed_words *terms; /* of the terms of the query, as far as they were needed */
};

/* The most texts of a kind that a search examines. Articles are longer, so fewer are. */
int texts_examined(const struct desk *d, int kind);

/* The functions below return 0 or a negative error, if nothing else is said. */
int words_of_term(struct work *w, int kind, const struct search_term *t, struct indexed_words *out);
/* Counts the texts of the kinds from `first` to `last` with one of the words, at most `most`. */
int texts_count(struct work *w, struct str words, int first, int last, int64_t most, int64_t *n);
/* Puts the word into *r if it is rarer than *r. It counts no further than *r. */
int weigh_word(const struct word_search *s, int term, struct rarest *r);
/* Puts the rarest word of the unit into *r if it is rarer than *r. */
int weigh_unit(const struct word_search *s, int unit, struct rarest *r);
/* Chooses the rarest word that every result has. */
int rarest_word(const struct word_search *s, struct rarest *r);
/* Returns the number of texts of a kind with the word, also of those that the actor does not see, at most
 * `most`. */
int search_word_texts(struct work *w, int kind, const struct search_term *t, int64_t most);

#define WORD_BINDS(words, kind, most)                                                                       \
    BINDS(B_TEXT("words", words), B_INT("from", search_range(kind)), B_INT("to", search_range((kind) + 1)), \
          B_INT("most", most))

#endif
