/* The help center of the demo desk: two categories, four sections and twelve articles, in English and
 * German. */
#include "demo/extras.h"
#include "demo/fill.h"

#include "core/words.h"
#include "work/work.h"

QUERY(demo_locales_public, "UPDATE locales SET is_public = 1 WHERE locale = 'de'");
QUERY(demo_category_retitle,
      "UPDATE locale_fields SET translation = :title WHERE owner_kind = 7 AND owner_id = 1");
QUERY(demo_category_icon, "UPDATE categories SET icon = :icon WHERE id = 1");
QUERY(demo_category, "INSERT INTO categories (brand_id, display_order, icon, created_at, updated_at) "
                     "VALUES (1, 2, :icon, :now, :now) RETURNING id");
QUERY(demo_section, "INSERT INTO sections (category_id, visibility, agent_id, article_order_by, "
                    "sort_order, total_articles, published_articles, created_at, updated_at) "
                    "VALUES (:category, :visibility, 1, 1, :place, 3, 3, :now, :now) "
                    "RETURNING id");
QUERY(demo_article,
      "INSERT INTO articles (uuid, section_id, status, author_id, creator_id, keywords, "
      "is_featured, allow_comments, sort_order, texts_user_id, texts_at, published_at, "
      "created_at, updated_at) "
      "VALUES (:uuid, :section, 3, 1, 1, NULL, :featured, 1, :place, 1, :now, :now, :now, :now) "
      "RETURNING id");
QUERY(demo_translation,
      "INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) "
      "VALUES (:kind, :owner, :locale, :text, :now, :now)");

static const int visibilities[DEMO_SECTIONS] = {1, 1, 1, 3};

static int fill_both(struct conn *c, const struct filling *f, int kind, int64_t owner,
                     const struct demo_both *text) {
    const struct { const char *locale, *text; } each[] = {{"en-us", text->en}, {"de", text->de}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        TRY(db_exec(c, &demo_translation,
                    BINDS(B_INT("kind", kind), B_INT("owner", owner),
                          B_TEXT("locale", str_of(each[i].locale)), B_TEXT("text", str_of(each[i].text)),
                          B_INT("now", f->world.start))));
    return 0;
}

static int fill_article(struct conn *c, const struct filling *f, int64_t section, int place,
                        const struct demo_both *texts) {
    struct chance chance = chance_of(f->world.seed, OF_UUID, -(section * 100 + place));
    char uuid[36];
    int64_t id;
    chance_uuid(&chance, uuid);
    TRY(db_insert(c, &demo_article,
                  BINDS(B_TEXT("uuid", ((struct str){uuid, sizeof uuid})), B_INT("section", section),
                        B_INT("featured", place == 1), B_INT("place", place), B_INT("now", f->world.start)),
                  &id));
    TRY(fill_both(c, f, 11, id, &texts[0]));
    return fill_both(c, f, 12, id, &texts[1]);
}

int fill_help_center(struct conn *c, struct filling *f) {
    int64_t category = 1, section;
    TRY(db_exec(c, &demo_locales_public, NULL));
    TRY(db_exec(c, &demo_category_retitle, BINDS(B_TEXT("title", S("Orders")))));
    TRY(db_exec(c, &demo_category_icon, BINDS(B_INT("icon", CATEGORY_BOX))));
    for (int i = 0; i < DEMO_SECTIONS; i++) {
        if (i == 2) {
            TRY(db_insert(c, &demo_category,
                          BINDS(B_INT("icon", CATEGORY_PERSON), B_INT("now", f->world.start)), &category));
            TRY(fill_both(c, f, 7, category, &demo_words()->category));
        }
        TRY(db_insert(c, &demo_section,
                      BINDS(B_INT("category", category), B_INT("visibility", visibilities[i]),
                            B_INT("place", i + 1), B_INT("now", f->world.start)),
                      &section));
        TRY(fill_both(c, f, 9, section, &demo_words()->sections[i].title));
        for (int k = 0; k < 3; k++)
            TRY(fill_article(c, f, section, k + 1, demo_words()->sections[i].articles[k]));
    }
    return 0;
}
