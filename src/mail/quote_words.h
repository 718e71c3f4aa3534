/* The words by which mail programs begin quotes, in the languages of their users: one row a language. A new
 * language is a new row. */
#ifndef MAIL_QUOTE_WORDS_H
#define MAIL_QUOTE_WORDS_H

#include "base/str.h"

/* Each member has words of one kind, in lower case, with | between them. NULL: the language has none. */
struct quote_words {
    const char *language;
    const char *on;                 /* first words of an introduction: "On Tuesday, ... wrote:" */
    const char *wrote_last;         /* its verb, if only the colon follows it */
    const char *wrote;              /* its verb, if the name or the date may follow it */
    const char *from, *sent, *date; /* labels of the header of an earlier mail */
    const char *to, *cc, *subject;
    const char *original;             /* in a line of dashes: an earlier mail */
    const char *forwarded;            /* in a line of dashes, or before a colon: a forwarded mail */
    const char *forward_prefix;       /* prefix of the subject of a forwarded mail */
    const char *device, *device_last; /* first and last words of the line that a mail program adds */
};

/* Ends with a row without a language. */
extern const struct quote_words quote_languages[];

/* Lists of the table, for the functions below. */
enum quote_list {
    WORDS_ON,
    WORDS_WROTE_LAST,
    WORDS_WROTE,
    WORDS_ORIGINAL,
    WORDS_FORWARDED,
    WORDS_FORWARD_PREFIX,
    WORDS_DEVICE,
    WORDS_DEVICE_LAST,
};

/* Verbs and their subjects of sentences in which the sender tells of an own mail: no mail program writes
 * them. */
extern const char *const quote_words_own;

enum header_label {
    LABEL_NONE,
    LABEL_FROM = 1,
    LABEL_DATE = 2,
    LABEL_TO = 4,
    LABEL_CC = 8,
    LABEL_SUBJECT = 16,
    LABEL_SENT = 32 | LABEL_DATE
};

/* Texts are compared as quote_plain (mail/quote.c) makes them: lower case, plain blanks and digits, no
 * invisible characters. */
enum header_label header_label(struct str word);
bool has_word(struct str text, enum quote_list list); /* one is in it, not inside of a longer ASCII word */
bool begins_word(struct str text, enum quote_list list);
bool ends_word(struct str text, enum quote_list list);
bool has_word_of(struct str text, const char *words); /* words with | between them */

#endif
