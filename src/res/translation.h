/* Titles in several locales as input: a list of {locale, translation}, or one plain text. */
#ifndef RES_TRANSLATION_H
#define RES_TRANSLATION_H

#include "api/call/call.h"
#include "core/fields/translation.h"

struct translations {
    const struct translation *list;
    int count;
    bool single; /* sent in place of a list: the translations in other locales stay */
};

/* The translations of an owner, and their role there. */
struct told {
    enum locale_owner kind;
    int64_t owner_id; /* 0: not created yet */
};

/* Reads a list of {locale, translation} at a place of a parameter. A reference {id} keeps the owner's
 * translation with this id. Problems are gathered. */
int translations_read(struct call *c, const struct in *in, const struct json *list, struct str place,
                      struct told told, struct translations *out);
/* text: in the default locale. */
int translation_plain(struct call *c, const struct in *in, struct str text, struct str place,
                      enum locale_owner kind, struct translations *out);

/* .check of a list of translations (with SINGLE_TOO also of one text or one object); in->made is a struct
 * translations. told: of the row c->id, or of the row that is being created. */
int check_translations(struct call *c, struct in *in, enum locale_owner kind);
int store_translations(struct call *c, const struct in *in, int64_t id, enum locale_owner kind);

/* ---- slugs as a member: one for each title, shown in place (core/helpcenter/slug.h) ---------- */

/* type: category_slug or section_slug. A further one is a line at the end of translation.c. */
#define SLUGS_MEMBER(type)                                                                                \
    {                                                                                                     \
        "slugs", F_ROWS, READONLY, .ref = type, .owned_by = "owner_id",                                   \
                                   .doc = "Last parts of addresses of pages, one for each title.",        \
                                   .example = "[{\"locale\": \"en-us\", \"translation\": \"3-billing\"}]" \
    }

#endif
