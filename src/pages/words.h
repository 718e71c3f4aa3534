/* The words of the pages, in each language that the server has (words.def). */
#ifndef PAGES_WORDS_H
#define PAGES_WORDS_H

#include "base/str.h"

enum language { LANGUAGE_EN, LANGUAGE_DE, LANGUAGE_FR, LANGUAGE_ES, LANGUAGE_AR, LANGUAGES };

enum site_word {
#define WORD(id, ...) id,
#include "pages/words.def"
#undef WORD
    SITE_WORDS
};

enum language language_of_locale(struct str locale,
                                 /* by the first part of a locale's code; English if there is none */
                                 struct str fallback);
const char *language_code(enum language l); /* for lang="" */
bool language_is_rtl(enum language l);
/* Sets *best to the locale, and *score to its weight, if Accept-Language (RFC 9110 section 12.5.4) prefers
 * it to the best one so far. score begins with 0. */
void locale_better(struct str accept, struct str locale, struct str *best, int *score);
/* English if Accept-Language names no language of the pages. */
enum language language_accepted(struct str accept);
const char *word_text(enum language l, enum site_word w);
struct str word_date(char room[48], enum language l, int64_t at); /* a day in UTC: "5 May 2026" */

enum counted_word { COUNTED_ARTICLES, COUNTED_RESULTS, COUNTED_WORDS };
/* "12 articles", in the plural that the language has for the number. n: not negative */
struct str word_count(char room[64], enum language l, enum counted_word w, int64_t n);

#define SAY(v, word) word_text((v)->language, (word))

#endif
