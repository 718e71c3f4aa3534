/* Addresses of articles of the source in replies of macros, and in descriptions of categories and sections.
 * They become those of this desk when all articles are here, as in texts of articles and in templates
 * (deskapi_templates.c). The text here is changed, so words of this desk stay. */
#include "base/error.h"
#include "core/fields/translation.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"

static const struct api_kind_here macros_linking = {"macro", "/cases/macros", "macros", NULL},
                                  categories_linking = {"category", "/categories",
                                                        "categories of the help center", NULL},
                                  sections_linking = {"section", "/sections", "sections of the help center",
                                                      NULL};

/* Returns true if the text has changed. */
static bool text_linked(struct foreign *f, struct str *text, struct str locale, bool *left) {
    bool one;
    struct str after = api_links(f, *text, locale, &one);
    bool changed = !str_eq(after, *text);
    *left = *left || one;
    *text = after;
    return changed;
}

/* ---- macros ---------------------------------------------------------------------------------- */

QUERY(macro_text, "SELECT COALESCE(reply_contents, '') FROM macros WHERE id = :id");

int take_api_macro_links(struct foreign *f, const struct json *item) {
    int64_t id = item_int(item, "id"), here = foreign_find(f, macros_linking.type, id);
    struct str text = {0};
    bool left = false;
    if (here == 0 || !api_names_source(f, json_member_text(item, "reply_contents"))) return 0;
    int found = db_text(f->conn, &macro_text, BINDS(B_INT("id", here)), f->item, &text);
    if (found <= 0) return found;
    bool changed = text_linked(f, &text, (struct str){0}, &left);
    if (left) report_links(f, id);
    if (!changed) return 0;
    struct json *body = json_new(f->item, JSON_OBJECT);
    api_put_text(f, body, "reply_contents", text);
    int rc = api_row_write(f, &macros_linking, item, body, here);
    return rc < 0 ? rc : 0;
}

/* ---- categories and sections ----------------------------------------------------------------- */

QUERY(descriptions_here, "SELECT locale, translation FROM locale_fields "
                         "WHERE owner_kind = :kind AND owner_id = :id ORDER BY id");

/* The descriptions here, with other addresses; NULL: none has changed. */
static int descriptions_linked(struct foreign *f, enum locale_owner kind, int64_t here, bool *left,
                               struct json **out) {
    struct json *list = json_new(f->item, JSON_ARRAY);
    bool changed = false;
    int rc;
    DB_ROWS(rc, f->conn, &descriptions_here, BINDS(B_INT("kind", kind), B_INT("id", here)), row) {
        struct json *one = json_new(f->item, JSON_OBJECT);
        struct str locale = str_dup(f->item, col_text(row, 0)), text = str_dup(f->item, col_text(row, 1));
        changed = text_linked(f, &text, locale, left) || changed;
        api_put_text(f, one, "locale", locale);
        api_put_text(f, one, "translation", text);
        json_append(list, one);
    }
    *out = changed ? list : NULL;
    return rc < 0 ? rc : 0;
}

static int descriptions_give(struct foreign *f, const struct api_kind_here *k, enum locale_owner kind,
                             const struct json *item) {
    int64_t id = item_int(item, "id"), here = foreign_find(f, k->type, id);
    const struct json *there = item_list(item, "descriptions");
    struct json *list, *body = json_new(f->item, JSON_OBJECT);
    bool named = false, left = false;
    for (const struct json *j = there ? there->first : NULL; j; j = j->next)
        named = named || api_names_source(f, json_member_text(j, "translation"));
    if (here == 0 || !named) return 0;
    TRY(descriptions_linked(f, kind, here, &left, &list));
    if (left) report_links(f, id);
    if (!list) return 0;
    api_put(body, "descriptions", list);
    int rc = api_row_write(f, k, item, body, here);
    return rc < 0 ? rc : 0;
}

int take_api_category_links(struct foreign *f, const struct json *item) {
    return descriptions_give(f, &categories_linking, DESCRIPTION_OF_CATEGORY, item);
}
int take_api_section_links(struct foreign *f, const struct json *item) {
    return descriptions_give(f, &sections_linking, DESCRIPTION_OF_SECTION, item);
}
