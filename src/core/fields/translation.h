/* What is said in several languages: rows of locale_fields, owned by whatever is called so (enum locale_owner). */
#ifndef CORE_TRANSLATION_H
#define CORE_TRANSLATION_H

#include "core/desk/locale.h"
#include "core/words.h"
#include "work/work.h"

struct translation {
    struct str locale, text;
};

struct str locale_now(struct work *w); /* the desk's default locale */

/* The list replaces what the owner has; translations that stay keep their ids. */
int translations_replace(struct work *w, enum locale_owner kind, int64_t owner_id, const struct translation *list, int count);
/* The translation of this id, if the owner has it; 1 found, 0. */
int translation_find(struct work *w, enum locale_owner kind, int64_t owner_id, int64_t id, struct translation *t);
int translation_put(struct work *w, enum locale_owner kind, int64_t owner_id, struct translation t);
int translations_remove(struct work *w, enum locale_owner kind, struct str owner_ids); /* JSON array */

/* SQL: the default translation of the row t, else its first. kind is a number in a text. */
#define TRANSLATION_OF(kind)                                                \
    "(SELECT l.translation FROM locale_fields l WHERE l.owner_kind = " kind \
    " AND l.owner_id = t.id ORDER BY CASE WHEN l.locale = " LOCALE_NOW " THEN 0 ELSE 1 END, l.id LIMIT 1)"
/* SQL: the translations of owners, for F_MANY. */
#define TRANSLATIONS_OF(kind) \
    "SELECT l.owner_id, l.id FROM locale_fields l WHERE l.owner_kind = " kind " AND l.owner_id IN @LIST(:ids) ORDER BY l.owner_id, l.id"

#endif
