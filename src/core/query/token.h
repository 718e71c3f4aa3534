/* The words of a text for search. One tokenizer serves the index of both engines, queries and snippets, so
 * all of them divide and fold texts alike (docs/SEARCH.md).
 *
 * A word is a run of letters and digits. It is folded: NFKD, marks stripped, casefolded. Scripts without
 * blanks between words (Han, kana, Hangul, Thai ...) are read as pairs of neighbouring characters. */
#ifndef CORE_QUERY_TOKEN_H
#define CORE_QUERY_TOKEN_H

#include "base/arena.h"
#include "base/str.h"

enum token_form {
    TOKEN_PLAIN,
    /* two neighbouring characters of a script without blanks; the next word begins with the second one */
    TOKEN_PAIR,
    TOKEN_SINGLE, /* the last character of such a run */
};

struct token {
    size_t at, n; /* its place in the text */
    enum token_form form;
    bool glued; /* no blank between it and the word before: "foo-bar", "don't" */
    /* folded, at most LIMIT_SEARCH_WORD bytes. Valid until the next call, as all texts here */
    struct str exact;
    struct str stem;    /* p NULL: the same as exact */
    struct str address; /* the whole e-mail address that begins with this word, in lower case; p NULL: none */
};

struct token_reader {
    struct arena *arena;
    struct str text;
    size_t at, mark, address_end; /* mark: place of the next @ */
    size_t run_end;               /* end of the run of pairs that is being read */
    struct sb_stemmer *stemmer;
    char room[2][512];
};

/* Reads the first LIMIT_SEARCH_TEXT bytes of a text. language: a code such as "en" or "de-at"; a language
 * without stemmer is stemmed as English. Text that is not UTF-8 has no words. End it with token_end. */
void token_begin(struct token_reader *r, struct arena *a, struct str language, struct str text);
bool token_next(struct token_reader *r, struct token *out);
void token_end(struct token_reader *r);

/* The indexed form of a text: a position for each word, separated by blanks. A position is the exact word,
 * then a stem or an address that differs from it, separated by slashes: "refunding/refund the
 * jane/jane@doe.example doe example". */
struct str token_terms(struct arena *a, struct str language, struct str text);

#endif
