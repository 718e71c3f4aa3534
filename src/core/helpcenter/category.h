/* Categories of the help center (docs/HELPCENTER.md). */
#ifndef CORE_CATEGORY_H
#define CORE_CATEGORY_H

#include "work/work.h"

int category_last(struct work *w, int64_t *place); /* display_order behind all others */
/* Locks a category against deletion. Returns 1, 0 if it does not exist or is deleted, or a negative error. */
int category_hold(struct work *w, int64_t id);
/* Marks these categories (ids: JSON array). A cascade deletes their sections and articles. */
int categories_delete(struct work *w, struct str ids);
/* Deletes the categories of these brands that have no section, deleted ones included. */
int categories_of_brands_delete(struct work *w, struct str brand_ids);

/* SQL: deletes deleted categories without sections. Their translations go first. */
#define CATEGORY_IS_EMPTY                                                \
    "g.deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sections s " \
    "WHERE s.category_id = g.id)"
#define EMPTY_CATEGORIES_UNTITLE \
    "DELETE FROM locale_fields " \
    "WHERE owner_kind IN (7, 8) AND owner_id IN (SELECT g.id FROM categories g WHERE " CATEGORY_IS_EMPTY ")"
#define EMPTY_CATEGORIES_DROP \
    "DELETE FROM categories WHERE id IN (SELECT g.id FROM categories g WHERE " CATEGORY_IS_EMPTY ")"

#endif
