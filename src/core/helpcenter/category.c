#include "core/helpcenter/category.h"

#include "core/desk/cascade.h"
#include "core/change/change.h"
#include "json/json.h"

QUERY(category_highest,
      "SELECT COALESCE(MAX(display_order), 0) + 1 FROM categories WHERE deleted_at IS NULL");
QUERY(category_held, "SELECT id FROM categories WHERE id = :id AND deleted_at IS NULL @HOLD@");
QUERY(categories_mark, "UPDATE categories SET deleted_at = :now, updated_at = :now WHERE id IN @LIST(:ids)");
QUERY(sections_of_categories, "SELECT id FROM sections WHERE category_id IN @LIST(:ids) ORDER BY id");
QUERY(sections_alive_of_categories,
      "SELECT id FROM sections WHERE category_id IN @LIST(:ids) AND deleted_at IS NULL ORDER BY id");
QUERY(categories_untitle, EMPTY_CATEGORIES_UNTITLE);
QUERY(categories_drop, EMPTY_CATEGORIES_DROP);

int category_last(struct work *w, int64_t *place) {
    int rc = db_int(w->conn, &category_highest, NULL, place);
    return rc < 0 ? rc : 0;
}

int category_hold(struct work *w, int64_t id) {
    int64_t held;
    return db_int(w->conn, &category_held, BINDS(B_INT("id", id)), &held);
}

#define IDLE_OF_BRANDS                                                       \
    "g.brand_id IN @LIST(:brands) AND NOT EXISTS (SELECT 1 FROM sections s " \
    "WHERE s.category_id = g.id)"
QUERY(categories_idle, "SELECT g.id FROM categories g WHERE " IDLE_OF_BRANDS " ORDER BY g.id @LOCK@");

int categories_of_brands_delete(struct work *w, struct str brand_ids) {
    int64_t *ids;
    int n = db_ids(w->conn, &categories_idle, BINDS(B_TEXT("brands", brand_ids)), w->arena, &ids);
    return n <= 0 ? n : categories_delete(w, json_ids(w->arena, ids, (size_t)n));
}

/* Articles are not listed one by one: a reader of the log finds the deletion of their section. */
int categories_delete(struct work *w, struct str ids) {
    const struct bind *binds = BINDS(B_TEXT("ids", ids), B_INT("now", w->now));
    int64_t *sections;
    TRY(db_exec(w->conn, &categories_mark, binds));
    int n = db_ids(w->conn, &sections_alive_of_categories, binds, w->arena, &sections);
    TRY(n);
    for (int i = 0; i < n; i++) change_deleted(w, (struct changed){"section", sections[i], 0});
    TRY(changes_deleted(w, "category", ids));
    n = db_ids(w->conn, &sections_of_categories, binds, w->arena, &sections);
    TRY(n);
    if (n) return cascade(w, CASCADE_SECTION, json_ids(w->arena, sections, (size_t)n));
    TRY(db_exec(w->conn, &categories_untitle, NULL));
    return db_exec(w->conn, &categories_drop, NULL);
}
