/* Translations: rows of locale_fields. Their owner is (enum locale_owner, id). */
#ifndef CORE_TRANSLATION_H
#define CORE_TRANSLATION_H

#include "core/desk/locale.h"
#include "core/words.h"
#include "work/work.h"

struct translation {
    struct str locale, text;
};

struct str locale_now(struct work *w); /* the desk's default locale */

/* Replaces the owner's translations. Translations that stay keep their ids. */
int translations_replace(struct work *w, enum locale_owner kind, int64_t owner_id,
                         const struct translation *list, int count);
/* Reads the translation with this id of this owner. Returns 1 found, 0 not. */
int translation_find(struct work *w, enum locale_owner kind, int64_t owner_id, int64_t id,
                     struct translation *t);
int translation_put(struct work *w, enum locale_owner kind, int64_t owner_id, struct translation t);
int translations_remove(struct work *w, enum locale_owner kind, struct str owner_ids); /* JSON array */

int64_t translation_limit(enum locale_owner kind); /* characters */
bool translation_is_line(enum locale_owner kind);  /* true: no line breaks */

/* SQL: a column of the best translation of an owner. Its locale is (1) :locale, (2) :fallback, the locale
 * of the brand, (3) any; the lowest id comes first. kind: a number as text. */
#define TRANSLATED(column, kind, owner)                                                               \
    "(SELECT l." column " FROM locale_fields l WHERE l.owner_kind = " kind " AND l.owner_id = " owner \
    " ORDER BY CASE WHEN l.locale = :locale THEN 0 WHEN l.locale = :fallback THEN 1 ELSE 2 END, l.id LIMIT 1)"
#define TRANSLATION_FOR(kind, owner) TRANSLATED("translation", kind, owner)
/* SQL: the translation of row t in the default locale, otherwise its first. kind: a number as text. */
#define TRANSLATION_OF(kind)                                                \
    "(SELECT l.translation FROM locale_fields l WHERE l.owner_kind = " kind \
    " AND l.owner_id = t.id ORDER BY CASE WHEN l.locale = " LOCALE_NOW " THEN 0 ELSE 1 END, l.id LIMIT 1)"
/* SQL: translations of owners, for F_MANY. The time of each is part of the ETag of its owner. */
#define TRANSLATIONS_OF(kind)                                                               \
    "SELECT l.owner_id, l.id, l.updated_at FROM locale_fields l WHERE l.owner_kind = " kind \
    " AND l.owner_id IN @LIST(:ids) ORDER BY l.owner_id, l.id"

#endif
