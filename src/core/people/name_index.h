/* The index of autocomplete: for each name, the folded text from each of its words on, so that a prefix of
 * any word is an index range. A write that stores a name's key stores its words too. */
#ifndef CORE_NAME_INDEX_H
#define CORE_NAME_INDEX_H

#include "work/work.h"

enum name_kind { NAME_USER = 1, NAME_ORGANIZATION, NAME_TAG };

#define NAME_WORDS 8 /* indexed words of each name; later words are not indexed */
#define NAME_WORD 60 /* bytes stored of a word */

/* Updates the words when a name is added, changed or removed. Keys (fold_key, email_key) before and after;
 * p NULL: none. */
int name_indexed(struct conn *c, enum name_kind kind, int64_t id, struct str before, struct str after);

/* Indexes the names of the next rows after id *after, and advances *after. Returns 1 if there are more, 0
 * if not, or a negative error. */
int names_reindex(struct work *w, enum name_kind kind, int64_t *after);

/* Splits a key into the texts that it is found by, the whole key first. Returns their number, at most
 * NAME_WORDS. */
int name_words(struct str key, struct str out[NAME_WORDS]);

/* The stored prefix of a word: at most NAME_WORD bytes, cut between characters. */
struct str name_word(struct str s);

/* The end of the range of a prefix: texts that begin with `prefix` are >= prefix and < this. */
struct str name_range_end(struct arena *a, struct str prefix);

#endif
