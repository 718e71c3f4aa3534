/* What autocomplete looks up: of every name the text from each of its words on, folded, so that a prefix of any word is an index range.
 * Whoever writes a name's key writes its words in the same write. */
#ifndef CORE_NAME_INDEX_H
#define CORE_NAME_INDEX_H

#include "work/work.h"

enum name_kind { NAME_USER = 1, NAME_ORGANIZATION, NAME_TAG };

#define NAME_WORDS 8 /* of a name; later ones are not looked up */
#define NAME_WORD 60 /* bytes of one that count */

/* A name is given, changes, or goes: keys (fold_key, email_key) before and after; p NULL: none. */
int name_indexed(struct conn *c, enum name_kind kind, int64_t id, struct str before, struct str after);

/* Writes the words of the names of a part of the rows behind *after, and moves it on: 1 there are more, 0. */
int names_reindex(struct work *w, enum name_kind kind, int64_t *after);

/* The texts that a key is found by, at most NAME_WORDS, the whole first: their number. */
int name_words(struct str key, struct str out[NAME_WORDS]);

/* As much of a word, or of what is looked up, as is kept: NAME_WORD bytes, no character cut. */
struct str name_word(struct str s);

/* The end of the range of a prefix: what begins with it is >= it and < this. */
struct str name_range_end(struct arena *a, struct str prefix);

#endif
