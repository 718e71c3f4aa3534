/* The words by which mail programs begin quotes, in the languages of their users. All are in lower case. Texts are compared after their
 * letters were made lower case (g_utf8_strdown). */
#ifndef MAIL_QUOTE_WORDS_H
#define MAIL_QUOTE_WORDS_H

#include "base/str.h"

/* Lists end with NULL. */
extern const char *const words_wrote[];     /* verbs of the line that introduces a quote */
extern const char *const words_original[];  /* in a separator of dashes: an earlier mail */
extern const char *const words_forwarded[]; /* in a separator or line: a forwarded mail */
extern const char *const words_device[];    /* first words of the line that a mail program adds at the end */
extern const char *const words_forward_prefixes[];

enum header_label { LABEL_NONE, LABEL_FROM = 1, LABEL_DATE = 2, LABEL_TO = 4, LABEL_CC = 8, LABEL_SUBJECT = 16 };
/* Returns the kind of the label of a header line, which is in lower case and without its colon. */
enum header_label header_label(struct str word);

bool has_word(struct str text, const char *const *words);    /* one of the words is in the text */
bool begins_word(struct str text, const char *const *words); /* the text begins with one */

#endif
