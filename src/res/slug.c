#include "core/helpcenter/slug.h"
#include "res/slug.h"

#include "api/rows/view.h"

static void render_slug(struct view *v, const struct row *row, const struct value *own) {
    const struct value *title = row_cell(row, "title");
    int64_t id = 0;
    str_to_int(own->s, &id);
    jw_str(&v->w, slug_of(v->c->work.arena, id, title->s));
}

static const struct field slug_fields[] = {
    {"locale", F_TEXT, READONLY, .doc = "Code of the locale of the title.", .example = "\"en-us\""},
    {"translation", F_COMPUTED, READONLY, .column = "t.owner_id", .render = render_slug,
     .doc = "The slug: id and words of the title.", .example = "\"3-billing\""},
    {"title", F_TEXT, HIDDEN, .column = "t.translation"},
    {0},
};

/* Rows are shown only inside of their owner. */
#define SLUGS_OF(what, kind)                                                           \
    .scope = "conversations", .shown_as = "slug", .title = "Slugs of " what,           \
    .doc = "Last parts of the addresses of " what ". They follow from the titles.",    \
    .from = "locale_fields t", .where = "t.owner_kind = " kind, .fields = slug_fields, \
    .visible = access_everyone

const struct resource category_slug_resource = {.type = "category_slug", SLUGS_OF("categories", "7")};
const struct resource section_slug_resource = {.type = "section_slug", SLUGS_OF("sections", "9")};
const struct resource article_slug_resource = {.type = "article_slug", SLUGS_OF("articles", "11")};
