#include "res/help_center.h"

#include "api/rows/generic.h"
#include "api/rows/visible.h"
#include "base/link.h"
#include "core/access/access.h"
#include "core/fields/translation.h"
#include "core/helpcenter/article.h"
#include "core/helpcenter/slug.h"

#define LIMIT_LINKS 20 /* articles of one reply: each is a few statements in its write */

static int check_article_ids(struct call *c, struct in *in) {
    if (in->value.i <= LIMIT_LINKS) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "At most %d articles can be linked.",
                   LIMIT_LINKS);
}

const struct field article_link_input[] = {
    {"article_ids", F_IDS, CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .column = "", .check = check_article_ids,
     .doc = "Ids of published articles that the requester sees. A line with title and address of each is "
            "appended to the text.",
     .example = "[7]"},
    {0},
};

QUERY(link_locales,
      "SELECT COALESCE((SELECT l.locale FROM users u JOIN locales l ON l.id = u.locale_id "
      "WHERE u.id = :id), ''), (SELECT l.locale FROM brands b JOIN locales l ON l.id = b.locale_id "
      "WHERE b.is_default = 1)");
QUERY(link_title,
      "SELECT l.locale, l.translation FROM locale_fields l "
      "WHERE l.owner_kind = 11 AND l.owner_id = :article "
      "ORDER BY CASE WHEN l.locale = :locale THEN 0 WHEN l.locale = :fallback THEN 1 ELSE 2 END, l.id "
      "LIMIT 1");

static int check_seen(struct call *c, const struct in *ids, const struct actor *reader) {
    const struct resource *article = resource_of("article");
    struct actor caller = c->work.actor;
    int problems = c->work.problem_count;
    for (int64_t i = 0; i < ids->value.i; i++) {
        c->work.actor = *reader;
        int rc = visible_row(c, article, ids->value.ids[i], "t.status = 3", NULL);
        c->work.actor = caller;
        TRY(rc);
        if (rc == 0)
            fail_at(&c->work, ERR_FIELD_INVALID, ids->name, in_place(c, ids, "%lld", (long long)i),
                    "There is no published article with this id, or the requester may not see it. GET "
                    "/articles lists articles.");
    }
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

static int append_link(struct call *c, int64_t id, const struct bind *binds, struct str *text,
                       struct str *html) {
    struct arena *a = c->work.arena;
    struct stmt *row;
    int rc = db_row(c->work.conn, &link_title, binds, &row);
    if (rc <= 0) return rc;
    struct str locale = str_dup(a, col_text(row, 0)), title = str_dup(a, col_text(row, 1));
    stmt_end(row);
    struct str line =
        STR_CAT(a, title, S("\n"), article_page(a, c->work.desk, locale, slug_of(a, id, title)));
    *text = STR_CAT(a, *text, S("\n\n"), line);
    if (html->p) *html = STR_CAT(a, *html, S("<p>"), text_to_html(a, line), S("</p>"));
    return 0;
}

int article_links_append(struct call *c, int64_t reader_id, struct str *text, struct str *html) {
    struct arena *a = c->work.arena;
    const struct in *ids = in(c, "article_ids");
    struct actor reader;
    struct stmt *row;
    if (ids->value.type != V_IDS || ids->value.i == 0) return 0;
    TRY_FOUND(&c->work, actor_of_person(&c->work, reader_id, &reader));
    TRY(check_seen(c, ids, &reader));
    int rc = db_row(c->work.conn, &link_locales, BINDS(B_INT("id", reader_id)), &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    struct str locale = str_dup(a, col_text(row, 0)), fallback = str_dup(a, col_text(row, 1));
    stmt_end(row);
    for (int64_t i = 0; i < ids->value.i; i++)
        TRY(append_link(c, ids->value.ids[i],
                        BINDS(B_INT("article", ids->value.ids[i]), B_TEXT("locale", locale),
                              B_TEXT("fallback", fallback)),
                        text, html));
    return 0;
}
