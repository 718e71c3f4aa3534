/* Articles of the help center (docs/HELPCENTER.md). */
#include "core/helpcenter/article.h"
#include "core/helpcenter/related.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "core/access/help_center.h"
#include "core/access/permission.h"
#include "core/fields/translation.h"
#include "core/helpcenter/slug.h"
#include "core/helpcenter/tally.h"
#include "core/words.h"
#include "res/help_center.h"
#include "res/attachment.h"
#include "res/case_parts.h"
#include "res/groups.h"
#include "res/translation.h"
#include "res/tag.h"

extern const struct resource article_resource;

/* ---- members --------------------------------------------------------------------------------- */

/* In the default locale, else in the first one that the article has. */
static void render_helpcenter_url(struct view *v, const struct row *row, const struct value *own) {
    struct work *w = &v->c->work;
    const struct value *slugs = row_cell(row, "slugs");
    const struct row *best = slugs->type == V_ROWS ? slugs->rows : NULL;
    struct str wanted = locale_now(w);
    (void)own;
    for (const struct row *r = best; r; r = r->next)
        if (str_eq(row_cell(r, "locale")->s, wanted)) best = r;
    if (best == NULL) jw_null(&v->w);
    else
        jw_str(&v->w, article_page(w->arena, w->desk, row_cell(best, "locale")->s,
                                   slug_of(w->arena, row->id, row_cell(best, "title")->s)));
}

static const struct field article_fields[] = {
    {"legacy_id", F_TEXT, READONLY, .doc = "Id in the system that the article was imported from."},
    {"uuid", F_TEXT, READONLY, .doc = "Universal id."},
    {"titles", F_MANY, READONLY, .ref = "locale_field", .many = TRANSLATIONS_OF("11"),
     .doc = "Titles in several locales."},
    SLUGS_MEMBER("article_slug"),
    {"contents", F_MANY, READONLY, .ref = "locale_field", .many = TRANSLATIONS_OF("12"),
     .doc = "Contents in the same locales, as clean HTML."},
    {"keywords", F_TEXT, READONLY, .doc = "Words by which readers find the article.",
     .example = "\"login, sign in\""},
    {"section", F_REF, READONLY, .ref = "section", .doc = "Section of the article."},
    {"creator", F_REF, READONLY, .ref = "user_minimal", .doc = "Person who created the article."},
    {"author", F_REF, READONLY, .ref = "user_minimal", .doc = "Person who is named as author."},
    {"attachments", F_ROWS, READONLY, .ref = "article_attachment", .owned_by = "article_id",
     .doc = "Attached files."},
    {"*", .group = download_all},
    {"status", F_WORD, READONLY, .words = article_statuses, .doc = "DRAFT, PENDINGAPPROVAL or PUBLISHED.",
     .example = "\"PUBLISHED\""},
    {"upvote_count", F_INT, READONLY, .doc = "Number of votes for the article.", .example = "3"},
    {"downvote_count", F_INT, READONLY, .doc = "Number of votes against it.", .example = "1"},
    {"views", F_INT, READONLY, .doc = "Number of views.", .example = "120"},
    {"rank", F_INT, READONLY, .doc = "Views, and ten for each vote: the order POPULAR.", .example = "140"},
    TAG_NAMES_MEMBER,
    {"tags", F_MANY, READONLY, .ref = "tag", .many = TAGS_OF("article_tags", "article_id"),
     .doc = "Tags of the article."},
    {"is_featured", F_BOOL, READONLY, .doc = "True if the article is pinned."},
    {"allow_comments", F_BOOL, READONLY, .doc = "True if readers may comment."},
    {"total_comments", F_INT, READONLY, .doc = "Number of published comments.", .example = "2"},
    {"created_at", F_TIME, READONLY, .doc = "Time of creation."},
    {"published_at", F_TIME, READONLY, .doc = "Time of the first publication. Null before."},
    {"updated_at", F_TIME, READONLY, .doc = "Time of the last change."},
    {"conversations", F_INT, READONLY | ON_DEMAND, .to = TO_STAFF,
     .doc = "Number of conversations opened from its page.", .example = "4"},
    {"helpcenter_url", F_COMPUTED, READONLY, .render = render_helpcenter_url,
     .doc = "Address of the public page.",
     .example = "\"http://127.0.0.1:8080/helpcenter/en-us/articles/7-reset-your-password\""},
    {0},
};

/* ---- reads ----------------------------------------------------------------------------------- */

enum article_filter { ARTICLES_PINNED = 1, ARTICLES_ALREADY_PUBLISHED };
static const struct word article_filters[] = {
    {ARTICLES_PINNED, "PINNED"}, {ARTICLES_ALREADY_PUBLISHED, "PUBLISHED"}, {0}};

#define WITH_TAGS                                                                      \
    "t.id IN (SELECT k.article_id FROM article_tags k JOIN tags g ON g.id = k.tag_id " \
    "WHERE g.name_key IN @TEXTS(:tags))"
static const struct field article_args[] = {
    {"section_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.section_id = :section_id",
     .doc = "Only articles of this section, in its order: LATEST, POPULAR or MANUAL.", .example = "1"},
    {"tags", F_TEXTS, .check = check_tag_keys, .filter = WITH_TAGS,
     .doc = "Only articles with one of these tags."},
    {"filter", F_WORD, .words = article_filters,
     .doc = "PINNED: only pinned articles. PUBLISHED: only published ones."},
    {0},
};

QUERY(article_order_of, "SELECT s.article_order_by FROM sections s WHERE s.id = :id");

/* A draft is placed by its creation. */
static int order_of_section(struct call *c) {
    static const struct order orders[] = {
        [ARTICLES_LATEST] = {.key = "COALESCE(t.published_at, t.created_at)", .descending = true},
        [ARTICLES_POPULAR] = {.key = "t.rank", .descending = true},
        [ARTICLES_MANUAL] = {.key = "t.sort_order"}};
    int64_t order = 0;
    if (!arg(c, "section_id")->given) return 0;
    TRY(db_int(c->work.conn, &article_order_of, BINDS(B_INT("id", arg(c, "section_id")->value.i)), &order));
    if (order >= ARTICLES_LATEST && order <= ARTICLES_MANUAL) c->order = &orders[order];
    return 0;
}

/* A number over the sections that the caller sees. section: 0: all. */
static int sections_sum(struct call *c, const char *what, int64_t section, int64_t *out) {
    struct arena *a = c->work.arena;
    struct branches b = {0};
    struct stmt *row;
    access_sections(&c->work, &b);
    struct bind *binds = arena_array(a, (size_t)b.bind_count + 3, sizeof *binds);
    for (int i = 0; i < b.bind_count; i++) binds[i] = b.binds[i];
    binds[b.bind_count] = (struct bind)B_INT("of", section);
    binds[b.bind_count + 1] = (struct bind)B_INT("person", c->work.actor.user_id);
    const char *sql = str_fmt(a, "SELECT COALESCE(SUM(%s), 0) FROM sections t WHERE %s%s", what, b.where[0],
                              section ? " AND t.id = :of" : "")
                          .p;
    TRY(db_start(c->work.conn, sql, binds, &row));
    int rc = stmt_step(row);
    *out = rc == 1 ? col_int(row, 0) : 0;
    stmt_end(row);
    return rc < 0 ? rc : 0;
}

#define OWN_DRAFTS                                                                          \
    "t.published_articles + (SELECT COUNT(*) FROM articles d WHERE (d.author_id = :person " \
    "OR d.creator_id = :person) AND d.section_id = t.id AND d.status <> 3 AND d.deleted_at IS NULL)"

/* Counts by the counters of sections, so that a list does not read every article. */
static int count_articles(struct call *c, int64_t *total) {
    const struct actor *actor = &c->work.actor;
    const struct in *section = arg(c, "section_id");
    int64_t filter = arg(c, "filter")->value.i;
    if (filter == ARTICLES_PINNED) return 0;
    for (int i = 0; i < c->arg_count; i++) {
        const char *name = c->args[i].field->name;
        if (c->args[i].given && c->args[i].field->filter && strcmp(name, "section_id") != 0) return 0;
    }
    const char *what = access_writes_articles(actor) && !filter    ? "t.total_articles"
                       : actor->rank < ROLE_COLLABORATOR || filter ? "t.published_articles"
                                                                   : OWN_DRAFTS;
    TRY(sections_sum(c, what, section->given ? section->value.i : 0, total));
    return 1;
}

static int get_articles(struct call *c) {
    TRY(api_input(c));
    TRY(order_of_section(c));
    int64_t filter = arg(c, "filter")->value.i;
    if (filter) c->where = filter == ARTICLES_PINNED ? "t.is_featured = 1" : "t.status = 3";
    return api_list(c);
}

/* HEAD is no view. */
static int get_article(struct call *c) {
    TRY(api_get(c));
    if (!c->head) article_read(c->work.desk, &c->work.actor, c->work.arena, c->id);
    return 0;
}

/* ---- writes ---------------------------------------------------------------------------------- */

QUERY(articles_published, "SELECT a.id FROM articles a WHERE a.id IN @LIST(:ids) AND a.status = 3 LIMIT 1");

static int may_change_targets(struct call *c) {
    int64_t id;
    int rc = db_int(c->work.conn, &articles_published, BINDS(B_TEXT("ids", api_ids(c))), &id);
    return rc <= 0 ? rc : article_may_publish(c);
}

static int insert_given(struct call *c, const struct attached *files, int64_t creator_id) {
    struct article_new n = {.section_id = in_int(c, "section"),
                            .author_id = given(c, "author") ? in_int(c, "author") : creator_id,
                            .creator_id = creator_id,
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
    TRY(attachments_read(c, &files));
    if (in_int(c, "status") == ARTICLE_PUBLISHED) TRY(article_may_publish(c));
    TRY(attachments_store(c, &files));
    TRY(insert_given(c, &files, c->work.actor.user_id));
    return api_reply(c);
}

static int put_article(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct article_texts texts;
    struct attached files;
    bool rewritten;
    TRY(article_target(c));
    TRY(attachments_read(c, &files));
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

static int delete_articles(struct call *c) {
    TRY(api_bulk_ids(c));
    TRY(article_sections_lock(&c->work, api_ids(c), 0));
    TRY(api_target(c));
    TRY(may_change_targets(c));
    TRY(api_input(c));
    TRY(articles_delete(&c->work, api_ids(c)));
    return api_reply(c);
}

/* ---- bulk imports ---------------------------------------------------------------------------- */

static const struct field article_record[] = {
    {"*", .group = article_input},
    {"creator", F_REF, NULLABLE | BY_HANDLER, .ref = "user", .check = check_assigned_agent,
     .doc = "Member of staff who created the article. Default: the creator of the import."},
    {0},
};

static int insert_article_record(struct call *c) {
    const struct in *ids = in(c, "attachment_file_ids");
    struct attached files = {.ids = arena_array(c->work.arena, (size_t)ids->value.i + 1, sizeof *files.ids),
                             .count = (int)ids->value.i};
    if (ids->value.type == V_IDS) memcpy(files.ids, ids->value.ids, (size_t)ids->value.i * sizeof *files.ids);
    else files.count = 0;
    if (in_int(c, "status") == ARTICLE_PUBLISHED) TRY(article_may_publish(c));
    return insert_given(c, &files,
                        given(c, "creator") && in_int(c, "creator") ? in_int(c, "creator")
                                                                    : c->work.actor.user_id);
}

static const struct field article_import_input[] = {
    {"articles", F_LIST, REQUIRED, .doc = "Articles to create, at most 200.",
     .example = "[{\"titles\": [{\"locale\": \"en-us\", \"translation\": \"Reset your password\"}], "
                "\"contents\": [{\"locale\": \"en-us\", \"translation\": \"<p>Open the settings.</p>\"}], "
                "\"section_id\": 1}]"},
    {0},
};

/* ---- related articles ------------------------------------------------------------------------ */

static int get_related_articles(struct call *c) {
    int64_t ids[RELATED_CANDIDATES];
    struct row *rows;
    int found = 0, shown = 0;
    TRY(api_of(c));
    TRY(api_input(c));
    int n = related_articles(&c->work, c->vars[0].id, ids);
    TRY(n);
    TRY(view_load(view_new(c), c->resource, ids, n, &rows, &found));
    for (const struct row *row = rows; row && shown < RELATED; row = row->next) ids[shown++] = row->id;
    return api_reply_list_of(c, ids, shown);
}

/* ---- the MANUAL order ------------------------------------------------------------------------ */

static const struct field reorder_input[] = {
    {"article_ids", F_IDS, PRESENT,
     .doc = "Ids of articles of one section, in the new order. The other "
            "articles follow.",
     .example = "[2, 1]"},
    {"section", F_REF, 0, .ref = "section", .doc = "Their section. Default: the section of the first one."},
    {0},
};

QUERY(article_section, "SELECT a.section_id FROM articles a WHERE a.id = :id AND a.deleted_at IS NULL");
QUERY(articles_elsewhere, "SELECT a.id FROM articles a "
                          "WHERE a.id IN @LIST(:ids) AND a.section_id = :section AND a.deleted_at IS NULL");

/* Reports each article that is not in the section. */
static int check_in_section(struct call *c, const struct in *wanted, int64_t section) {
    struct str ids = json_ids(c->work.arena, wanted->value.ids, (size_t)wanted->value.i);
    int64_t *found;
    int n = db_ids(c->work.conn, &articles_elsewhere, BINDS(B_TEXT("ids", ids), B_INT("section", section)),
                   c->work.arena, &found);
    TRY(n);
    return in_among(c, wanted, found, n,
                    "The section has no article with this id. GET /sections/:id/articles lists them.");
}

static int put_articles_order(struct call *c) {
    TRY(api_input(c));
    const struct in *wanted = in(c, "article_ids");
    int64_t section = in_int(c, "section");
    int seen = 1;
    if (!section) {
        TRY(db_int(c->work.conn, &article_section, BINDS(B_INT("id", wanted->value.ids[0])), &section));
        seen = section ? api_visible(c, resource_of("section"), section) : 0;
    }
    TRY(seen);
    if (!seen) return check_in_section(c, wanted, 0);
    TRY(db_lock_row(c->work.conn, "sections", section));
    TRY(check_in_section(c, wanted, section));
    TRY(articles_reorder(&c->work, section, wanted->value.ids, (int)wanted->value.i));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define SCOPE "conversations"
#define WRITERS .permission = "help_center_articles.manage"
#define CLEANED                                                               \
    .body = FILES_ATTACHED, .prepare = article_prepare, .lane = LANE_PICTURE, \
    .lane_for = "contents,attachment_file_ids"

static const struct route article_routes[] = {
    {GET, "/articles", PUBLIC | WIDGET, SCOPE, LIST, get_articles, .count = count_articles,
     .args = article_args, .summary = "List articles",
     .doc = "Published articles of the sections that the caller sees. Writers get drafts, too."},
    {GET, "/articles/:id", PUBLIC | WIDGET, SCOPE, ONE, get_article, .summary = "Get an article"},
    {POST, "/articles", AG_PLUS, SCOPE, ONE, post_article, WRITERS, CLEANED, .input = article_input,
     .summary = "Create an article"},
    {PUT, "/articles/:id", AG_PLUS, SCOPE, ONE, put_article, WRITERS, CLEANED, .input = article_input,
     .summary = "Update an article",
     .doc = "Changed titles or contents make a version of the former ones. A change of a published article "
            "needs the permission help_center_articles.publish, too."},
    {GET, "/articles/:id/related", PUBLIC | WIDGET, SCOPE, LIST_COUNT, get_related_articles, .of = "article",
     .chosen = true, .summary = "List articles related to an article",
     .doc = "At most five published articles that the caller sees: of the same section, with common tags or "
            "keywords."},
    {POST, "/bulk/articles", AG_PLUS, SCOPE, ONE, api_import, WRITERS, .status = 202, .reply = "bulk_job",
     .label = "job", .prepare = article_import_prepare, .lane = LANE_PICTURE, .input = article_import_input,
     .args = import_args, .records = &article_resource, .record_list = "articles",
     .summary = "Import articles",
     .doc = "The HTML is cleaned before the reply. A job creates the articles; GET /jobs/:id shows its "
            "result."},
    {PUT, "/articles/reorder", AG_PLUS, SCOPE, NONE, put_articles_order, WRITERS, .input = reorder_input,
     .summary = "Reorder articles", .doc = "The order of a section whose article_order_by is MANUAL."},
    {PUT, "/articles/:id/restore", AG_PLUS, SCOPE, ONE, put_article_restore, WRITERS,
     .input = article_restore_input, .summary = "Restore a version of an article",
     .doc = "Its present texts become a version.",
     .sample = {.path = "1",
                .setup = "curl {owner} -X PUT -d \"titles=Another title\" -d \"contents=Another text.\" "
                         "\"{api}/articles/1\"\nVERSION=$(curl {owner} \"{api}/articles/1/versions\" | "
                         "member id)",
                .body = "{\"version_id\":$VERSION}"}},
    {DELETE, "/articles/:id", AG_PLUS, SCOPE, NONE, delete_article, WRITERS, .summary = "Delete an article"},
    {DELETE, "/articles", AG_PLUS, SCOPE, COUNT, delete_articles, WRITERS,
     .summary = "Delete several articles"},
    {0},
};

const struct resource article_resource = {.type = "article",
                                          .scope = "conversations",
                                          .title = "Articles",
                                          .doc = "Articles of the help center.",
                                          .url = "articles/:id",
                                          .table = "articles",
                                          .where = "t.deleted_at IS NULL",
                                          .fields = article_fields,
                                          .routes = article_routes,
                                          .visible = access_articles,
                                          .record_fields = article_record,
                                          .insert = insert_article_record,
                                          .changes_unseen = true};
