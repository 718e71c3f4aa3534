/* Titles in several languages as input: a list of {locale, translation}, or one plain text. */
#ifndef RES_TRANSLATION_H
#define RES_TRANSLATION_H

#include "api/call.h"
#include "core/translation.h"

struct translations {
    const struct translation *list;
    int count;
};

/* Reads a list that stands at a place of a parameter; problems are gathered. */
int translations_read(struct call *c, const struct in *in, const struct json *list, struct str place,
                      struct translations *out);
int translation_plain(struct call *c, const struct in *in, struct str text, struct str place,
                      struct translations *out); /* in the default locale */

/* For a field `titles`; in->made is a struct translations. */
int check_translations(struct call *c, struct in *in);

#endif
