/* Articles of the help center (completions.md section 6, docs/HELPCENTER.md). */
#include "core/helpcenter/article.h"

#include "api/generic.h"
#include "api/reply.h"
#include "api/visible.h"
#include "base/limits.h"
#include "core/access/help_center.h"
#include "core/access/permission.h"
#include "core/fields/translation.h"
#include "core/words.h"
#include "res/article_input.h"
#include "res/article_write.h"
#include "res/article_version.h"
#include "res/groups.h"
#include "res/tag.h"

/* ---- members ---------------------------------------------------------------------------------------------------------- */

static const struct field article_fields[] = {
    {"legacy_id", F_TEXT, READONLY, .doc = "Id in the system that the article was imported from."},
    {"uuid", F_TEXT, READONLY, .doc = "Universal id."},
    {"titles", F_MANY, READONLY, .ref = "locale_field", .many = TRANSLATIONS_OF("11"), .doc = "Titles in several locales."},
    {"contents", F_MANY, READONLY, .ref = "locale_field", .many = TRANSLATIONS_OF("12"),
     .doc = "Contents in the same locales, as clean HTML."},
    {"keywords", F_TEXT, READONLY, .doc = "Words by which readers find the article.", .example = "\"login, sign in\""},
    {"section", F_REF, READONLY, .ref = "section", .doc = "Section of the article."},
    {"creator", F_REF, READONLY, .ref = "user_minimal", .doc = "Person who created the article."},
    {"author", F_REF, READONLY, .ref = "user_minimal", .doc = "Person who is named as author."},
    {"attachments", F_ROWS, READONLY, .ref = "article_attachment", .owned_by = "article_id", .doc = "Attached files."},
    {"*", .group = download_all},
    {"status", F_WORD, READONLY, .words = article_statuses, .doc = "DRAFT, PENDINGAPPROVAL or PUBLISHED.", .example = "\"PUBLISHED\""},
    {"upvote_count", F_INT, READONLY, .doc = "Number of votes for the article.", .example = "3"},
    {"downvote_count", F_INT, READONLY, .doc = "Number of votes against it.", .example = "1"},
    {"views", F_INT, READONLY, .doc = "Number of views.", .example = "120"},
    {"rank", F_INT, READONLY, .doc = "Views, and ten for each vote: the order POPULAR.", .example = "140"},
    {"tags", F_MANY, READONLY | ON_DEMAND, .ref = "tag", .many = TAGS_OF("article_tags", "article_id"), .doc = "Tags of the article."},
    {"is_featured", F_BOOL, READONLY, .doc = "True if the article is pinned."},
    {"allow_comments", F_BOOL, READONLY, .doc = "True if readers may comment."},
    {"total_comments", F_INT, READONLY, .doc = "Number of published comments.", .example = "2"},
    {"created_at", F_TIME, READONLY, .doc = "Time of creation."},
    {"published_at", F_TIME, READONLY, .doc = "Time of the first publication. Null before."},
    {"updated_at", F_TIME, READONLY, .doc = "Time of the last change."},
    {0},
};

/* ---- reads ------------------------------------------------------------------------------------------------------------ */

enum article_filter { ARTICLES_PINNED = 1, ARTICLES_ALREADY_PUBLISHED };
static const struct word article_filters[] = {{ARTICLES_PINNED, "PINNED"}, {ARTICLES_ALREADY_PUBLISHED, "PUBLISHED"}, {0}};

#define WITH_TAGS "t.id IN (SELECT k.article_id FROM article_tags k JOIN tags g ON g.id = k.tag_id WHERE g.name_key IN @TEXTS(:tags))"
static const struct field article_args[] = {
    {"section_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.section_id = :section_id",
     .doc = "Only articles of this section, in its order: LATEST, POPULAR or MANUAL.", .example = "1"},
    {"tags", F_TEXTS, .check = check_tag_keys, .filter = WITH_TAGS, .doc = "Only articles with one of these tags."},
    {"filter", F_WORD, .words = article_filters, .doc = "PINNED: only pinned articles. PUBLISHED: only published ones."},
    {0},
};

QUERY(article_order_of, "SELECT s.article_order_by FROM sections s WHERE s.id = :id");

/* A draft is placed by its creation. */
static int order_of_section(struct call *c) {
    static const struct order orders[] = {[ARTICLES_LATEST] = {.key = "COALESCE(t.published_at, t.created_at)", .descending = true},
                                          [ARTICLES_POPULAR] = {.key = "t.rank", .descending = true},
                                          [ARTICLES_MANUAL] = {.key = "t.sort_order"}};
    int64_t order = 0;
    if (!arg(c, "section_id")->given) return 0;
    TRY(db_int(c->work.conn, &article_order_of, BINDS(B_INT("id", arg(c, "section_id")->value.i)), &order));
    if (order >= ARTICLES_LATEST && order <= ARTICLES_MANUAL) c->order = &orders[order];
    return 0;
}

static int get_articles(struct call *c) {
    TRY(api_input(c));
    TRY(order_of_section(c));
    int64_t filter = arg(c, "filter")->value.i;
    if (filter) c->where = filter == ARTICLES_PINNED ? "t.is_featured = 1" : "t.status = 3";
    return api_list(c);
}

static int get_article(struct call *c) { return api_get(c); }

/* ---- writes ----------------------------------------------------------------------------------------------------------- */

QUERY(articles_published, "SELECT a.id FROM articles a WHERE a.id IN @LIST(:ids) AND a.status = 3 LIMIT 1");

static int may_change_targets(struct call *c) {
    int64_t id;
    int rc = db_int(c->work.conn, &articles_published, BINDS(B_TEXT("ids", api_ids(c))), &id);
    return rc <= 0 ? rc : article_may_publish(c);
}

static int insert_given(struct call *c, const struct attached *files) {
    struct article_new n = {.section_id = in_int(c, "section"),
                            .author_id = given(c, "author") ? in_int(c, "author") : c->work.actor.user_id,
                            .creator_id = c->work.actor.user_id,
                            .status = (int)in_int(c, "status"),
                            .legacy_id = in_text(c, "legacy_id"),
                            .keywords = in_text(c, "keywords"),
                            .is_featured = in_int(c, "is_featured") != 0,
                            .allow_comments = in_int(c, "allow_comments") != 0,
                            .files = files->ids,
                            .file_count = files->count};
    bool changed;
    TRY(article_texts_given(c, &n.texts, &changed));
    TRY(article_insert(&c->work, &n, &c->id));
    return api_keep(c);
}

static int post_article(struct call *c) {
    struct attached files;
    attachments_read(c, &files);
    if (failed(&c->work)) return -(int)failure(&c->work);
    if (in_int(c, "status") == ARTICLE_PUBLISHED) TRY(article_may_publish(c));
    TRY(attachments_store(c, &files));
    TRY(insert_given(c, &files));
    return api_reply(c);
}

static int put_article(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct article_texts texts;
    struct attached files;
    bool rewritten;
    TRY(article_target(c));
    attachments_read(c, &files);
    if (failed(&c->work)) return -(int)failure(&c->work);
    if (given(c, "status") && in_int(c, "status") == ARTICLE_PUBLISHED) TRY(article_may_publish(c));
    TRY(article_texts_given(c, &texts, &rewritten));
    TRY(attachments_store(c, &files));
    struct article_change wanted = {.columns = list,
                                    .column_count = api_columns(c, list),
                                    .section_id = given(c, "section") ? in_int(c, "section") : 0,
                                    .status = given(c, "status") ? (int)in_int(c, "status") : 0,
                                    .texts = rewritten ? &texts : NULL,
                                    .files = files.ids,
                                    .file_count = files.count};
    if (api_given(c) || files.count) TRY(article_change(&c->work, c->id, &wanted));
    TRY(api_keep(c));
    return api_reply(c);
}

static int delete_article(struct call *c) {
    TRY(article_target(c));
    TRY(api_input(c));
    TRY(articles_delete(&c->work, api_ids(c)));
    return api_reply(c);
}

/* The ids are known after their rows were locked. So a deadlock is possible here; the store then runs the write again. */
static int delete_articles(struct call *c) {
    TRY(api_target(c));
    TRY(article_sections_lock(&c->work, api_ids(c), 0));
    TRY(may_change_targets(c));
    TRY(api_input(c));
    TRY(articles_delete(&c->work, api_ids(c)));
    return api_reply(c);
}

/* ---- routes ----------------------------------------------------------------------------------------------------------- */

#define SCOPE "conversations"
#define WRITERS .permission = "help_center_articles.manage"
#define CLEANED .body = FILES_ATTACHED, .prepare = article_prepare, .lane = LANE_PICTURE, .lane_for = "contents,attachment_file_ids"

static const struct route article_routes[] = {
    {GET, "/articles", PUBLIC, SCOPE, LIST, get_articles, .args = article_args, .summary = "List articles",
     .doc = "Published articles of the sections that the caller sees. Writers get drafts, too."},
    {GET, "/articles/:id", PUBLIC, SCOPE, ONE, get_article, .summary = "Get an article"},
    {POST, "/articles", AG_PLUS, SCOPE, ONE, post_article, WRITERS, CLEANED, .input = article_input, .summary = "Create an article"},
    {PUT, "/articles/:id", AG_PLUS, SCOPE, ONE, put_article, WRITERS, CLEANED, .input = article_input, .summary = "Update an article",
     .doc = "Changed titles or contents make a version of the former ones. A change of a published article needs the permission "
            "help_center_articles.publish, too."},
    {PUT, "/articles/:id/restore", AG_PLUS, SCOPE, ONE, put_article_restore, WRITERS, .input = article_restore_input,
     .summary = "Restore a version of an article", .doc = "Its present texts become a version."},
    {DELETE, "/articles/:id", AG_PLUS, SCOPE, NONE, delete_article, WRITERS, .summary = "Delete an article"},
    {DELETE, "/articles", AG_PLUS, SCOPE, COUNT, delete_articles, WRITERS, .summary = "Delete several articles"},
    {0},
};

const struct resource article_resource = {.type = "article",
                                          .title = "Articles",
                                          .doc = "Articles of the help center.",
                                          .url = "articles/:id",
                                          .table = "articles",
                                          .where = "t.deleted_at IS NULL",
                                          .fields = article_fields,
                                          .routes = article_routes,
                                          .visible = access_articles,
                                          .changes_unseen = true};
