/* Comments on articles. */
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "core/access/help_center.h"
#include "core/helpcenter/comment.h"
#include "files/html_clean.h"
#include "res/groups.h"
#include "res/html.h"

/* ---- members --------------------------------------------------------------------------------- */

/* Comments have no attachments, so inline pictures are removed. */
static struct str no_picture(void *ctx, struct str content_id) {
    (void)ctx, (void)content_id;
    return (struct str){0};
}

/* Pictures of other servers stay blocked, because their servers would learn who reads when. */
static void render_comment(struct view *v, const struct row *row, const struct value *own) {
    if (row_cell(row, "is_html")->i)
        jw_str(&v->w, html_show(v->c->work.arena, own->s, false, no_picture, NULL));
    else jw_str(&v->w, own->s);
}

/* Replies in the order of a talk. Only staff see SPAM. */
#define REPLIES                                                                            \
    "SELECT r.parent_id, r.id FROM article_comments r "                                    \
    "WHERE r.parent_id IN @LIST(:ids) AND (r.status = 1 OR EXISTS (SELECT 1 FROM users u " \
    "WHERE u.id = :me AND u.role_type >= 2)) "                                             \
    "ORDER BY r.parent_id, r.created_at, r.id"

static const struct field comment_fields[] = {
    {"article_id", F_INT, HIDDEN, .column = "t.article_id"},
    {"contents", F_LONG, PRESENT | BY_HANDLER, .render = render_comment,
     .doc = "Contents of the comment: a text, or HTML if is_html is true. Pictures of other servers are "
            "blocked.",
     .example = "\"This helped, thank you.\""},
    {"is_html", F_BOOL, CREATE_ONLY | BY_HANDLER, .initial = "0",
     .doc = "True if `contents` is HTML. It is cleaned when it is stored."},
    {"status", F_WORD, READONLY, .words = comment_statuses, .doc = "PUBLISHED, or SPAM. Only staff see SPAM.",
     .example = "\"PUBLISHED\""},
    {"user", F_REF, READONLY, .ref = "user_minimal", .doc = "Author of the comment."},
    {"article", F_REF, READONLY | ON_DEMAND, .ref = "article", .doc = "Article that the comment is on."},
    {"is_waiting", F_BOOL, READONLY | ON_DEMAND, .column = "t.waits", .to = TO_STAFF,
     .doc = "True if a customer wrote or changed it, and staff have neither published it nor marked it as "
            "spam since then. It is published nevertheless."},
    {"parent", F_REF, CREATE_ONLY | BY_HANDLER | NULLABLE, .ref = "comment",
     .doc = "Comment that this one replies to. It is no reply itself. Null if the comment is no reply."},
    {"replies", F_MANY, READONLY, .ref = "comment", .many = REPLIES, .doc = "Replies, the oldest first."},
    {"is_liked", F_BOOL, READONLY,
     .column = "CASE WHEN EXISTS (SELECT 1 FROM comment_likes cl WHERE cl.comment_id = t.id "
               "AND cl.user_id = :me) THEN 1 ELSE 0 END",
     .doc = "True if the caller likes the comment."},
    {"like_count", F_INT, READONLY, .doc = "Number of people who like it.", .example = "3"},
    {"*", .group = row_times},
    {0},
};

/* ---- reading --------------------------------------------------------------------------------- */

static const struct field comment_args[] = {
    {"filter", F_WORD, .words = comment_statuses,
     .doc = "Only comments with this status. SPAM lists replies, too; callers who are not staff get an "
            "empty list."},
    {0},
};

/* The condition on listed comments. The states are constants, because the indexes are for one state each. */
static const char *comments_listed(struct call *c) {
    bool staff = c->work.actor.rank >= ROLE_COLLABORATOR;
    const struct in *filter = arg(c, "filter");
    int64_t status = filter->given ? filter->value.i : staff ? 0 : COMMENT_PUBLISHED;
    if (status == COMMENT_SPAM)
        return staff ? "t.article_id = :id AND t.status = 2" : "t.article_id = :id AND 1 = 0";
    if (status == COMMENT_PUBLISHED) return "t.article_id = :id AND t.parent_id IS NULL AND t.status = 1";
    return "t.article_id = :id AND t.parent_id IS NULL";
}

static int get_comments(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    c->where = comments_listed(c);
    c->branches = ARENA_NEW(c->work.arena, struct branches);
    c->branches->all = true; /* api_of has found the article visible */
    return api_list(c);
}

/* The lists of the whole desk: which comments they have. */
enum { QUEUE_WAITING = 1, QUEUE_PUBLISHED, QUEUE_SPAM };

static const struct word queues[] = {
    {QUEUE_WAITING, "WAITING"}, {QUEUE_PUBLISHED, "PUBLISHED"}, {QUEUE_SPAM, "SPAM"}, {0}};

static const struct field queue_args[] = {
    {"filter", F_WORD, .words = queues,
     .doc = "PUBLISHED, the default: all that everyone sees. WAITING: those of customers that staff have not "
            "looked at. SPAM."},
    {0},
};

static int64_t queue_asked(struct call *c) {
    const struct in *filter = arg(c, "filter");
    return filter->given ? filter->value.i : QUEUE_PUBLISHED;
}

/* Each condition has an index in the order of the list. */
static int get_all_comments(struct call *c) {
    static const char *const conditions[] = {
        [QUEUE_WAITING] = "t.waits = 1 AND " COMMENT_SHOWN("t"),
        [QUEUE_PUBLISHED] = COMMENT_SHOWN("t"),
        [QUEUE_SPAM] = "t.status = 2",
    };
    TRY(api_input(c));
    c->where = conditions[queue_asked(c)];
    return api_list(c);
}

/* Published comments are counted by article, because there may be many. */
static int count_all_comments(struct call *c, int64_t *total) {
    struct branches articles = {0};
    struct stmt *s;
    if (queue_asked(c) != QUEUE_PUBLISHED) return 0;
    access_articles(&c->work, &articles);
    struct str sql = str_fmt(c->work.arena,
                             "SELECT COALESCE(SUM(t.total_comments), 0) FROM articles t "
                             "WHERE t.total_comments > 0 AND %s",
                             articles.where[0]);
    TRY(db_start(c->work.conn, sql.p, articles.binds, &s));
    int rc = stmt_step(s);
    if (rc == 1) *total = col_int(s, 0);
    stmt_end(s);
    return rc;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int refuse_flood(struct call *c, int64_t seconds) {
    return seconds <= 0 ? (int)seconds : call_wait(c, seconds);
}

/* Refuses a flood before a process cleans its HTML. */
static int post_comment_prepare(struct call *c) {
    if (!json_says_yes(json_named(c->body, S("is_html")))) return 0;
    TRY(refuse_flood(c, comment_delay(&c->work)));
    return html_clean_contents(c, LIMIT_TEXT);
}

QUERY(comment_form,
      "SELECT is_html FROM article_comments WHERE id = :id AND user_id = :me AND created_at >= :since");

/* A comment keeps its form. */
static int put_comment_prepare(struct call *c) {
    int64_t html = 0;
    const struct bind *binds = BINDS(B_INT("id", c->vars[1].id), B_INT("me", c->work.actor.user_id),
                                     B_INT("since", c->work.now - COMMENT_WINDOW));
    int rc = db_int(c->work.conn, &comment_form, binds, &html);
    return rc < 0 ? rc : html ? html_clean_contents(c, LIMIT_TEXT) : 0;
}

/* The contents as they are stored. */
static int comment_contents(struct call *c, bool html, struct str *out) {
    const struct html_cleaned *clean = c->prepared;
    *out = html && clean ? clean->html : in_text(c, "contents");
    if (html && (clean == NULL || clean->cut))
        return in_fail(c, "contents", ERR_FIELD_INVALID,
                       "This HTML is too complex or too long. Send plain text.");
    if (html && str_trim(clean->text).n == 0)
        return in_fail(c, "contents", ERR_FIELD_EMPTY, "The comment has no text that can be shown.");
    return 0;
}

static int post_comment(struct call *c) {
    struct comment_new n = {.article_id = c->vars[0].id};
    TRY(api_of(c));
    TRY(api_input(c));
    n.is_html = in_int(c, "is_html") != 0;
    n.parent_id = in(c, "parent")->value.type == V_INT ? in_int(c, "parent") : 0;
    TRY(comment_contents(c, n.is_html, &n.contents));
    TRY(refuse_flood(c, comment_guard(&c->work)));
    TRY(comments_lock(&c->work, n.article_id));
    TRY(comment_insert(&c->work, &n, &c->id));
    return api_reply(c);
}

/* Locks the article before the comment, in the order of every write. */
static int comment_target(struct call *c) {
    TRY(api_of(c));
    TRY(comments_lock(&c->work, c->vars[0].id));
    return api_target(c);
}

static int put_comment(struct call *c) {
    struct str contents;
    TRY(comment_target(c));
    TRY(comment_is_own(&c->work, c->id));
    TRY(api_input(c));
    TRY(comment_is_fresh(&c->work, c->id));
    int64_t html = 0;
    TRY(db_int(c->work.conn, &comment_form,
               BINDS(B_INT("id", c->id), B_INT("me", c->work.actor.user_id), B_INT("since", 0)), &html));
    TRY(comment_contents(c, html != 0, &contents));
    TRY(comment_rewrite(&c->work, c->id, contents));
    return api_reply(c);
}

static int delete_comment(struct call *c) {
    TRY(comment_target(c));
    TRY(comment_is_own(&c->work, c->id));
    TRY(api_input(c));
    TRY(comment_is_fresh(&c->work, c->id));
    TRY(comment_remove(&c->work, c->vars[0].id, c->id));
    return api_reply_none(c);
}

static int moderate(struct call *c, enum comment_status status) {
    TRY(comment_target(c));
    TRY(api_input(c));
    TRY(comment_set_status(&c->work, c->vars[0].id, c->id, status));
    return api_reply_none(c);
}

static int put_comment_publish(struct call *c) { return moderate(c, COMMENT_PUBLISHED); }
static int put_comment_spam(struct call *c) { return moderate(c, COMMENT_SPAM); }

/* ---- routes ---------------------------------------------------------------------------------- */

#define OF_ARTICLE .within = {"article", "article_id"}
#define WINDOW_DOC                                                                           \
    "Only for the author, up to 10 minutes after the comment was posted. Staff moderate by " \
    "/spam."

static const struct route comment_routes[] = {
    {GET, "/articles/:id/comments", PUBLIC, "", LIST, get_comments, OF_ARTICLE, .args = comment_args,
     .order = {"t.created_at", true}, .summary = "List the comments on an article",
     .doc = "The newest first. Replies are in `replies` of their comment; include=comment shows them in "
            "full. Without `filter`, staff get comments of both states, others the published ones."},
    {GET, "/comments", COL_PLUS, "conversations", LIST, get_all_comments, .args = queue_args,
     .order = {"t.created_at", true}, .count = count_all_comments,
     .summary = "List the comments on all articles",
     .doc = "For moderators: comments and replies on the articles that the caller sees, the newest first."},
    {GET, "/articles/:id/comments/:comment_id", PUBLIC, "", ONE, api_get, OF_ARTICLE,
     .summary = "Get a comment"},
    {POST, "/articles/:id/comments", ALL, "", ONE, post_comment, .bearer = "conversations", OF_ARTICLE,
     .prepare = post_comment_prepare, .lane = LANE_PICTURE, .lane_for = "is_html",
     .summary = "Comment on an article",
     .doc = "With parent_id it is a reply to that comment. A person may post as many comments a minute as "
            "the setting helpcenter.comments_a_minute says.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/articles/:id/comments/:comment_id", ALL, "", ONE, put_comment, .bearer = "conversations",
     OF_ARTICLE, .prepare = put_comment_prepare, .lane = LANE_PICTURE, .summary = "Change a comment",
     .doc = WINDOW_DOC " It stays a text or HTML, as it was posted.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/articles/:id/comments/:comment_id/publish", COL_PLUS, "", NONE, put_comment_publish,
     .bearer = "conversations", OF_ARTICLE, .input = no_fields, .summary = "Publish a comment",
     .doc = "A published comment stays as it is, and waits no longer."},
    {PUT, "/articles/:id/comments/:comment_id/spam", COL_PLUS, "", NONE, put_comment_spam,
     .bearer = "conversations", OF_ARTICLE, .input = no_fields, .summary = "Mark a comment as spam",
     .doc = "Then only staff see it and its replies. Has no effect on spam."},
    {DELETE, "/articles/:id/comments/:comment_id", ALL, "", NONE, delete_comment, .bearer = "conversations",
     OF_ARTICLE, .summary = "Delete a comment", .doc = WINDOW_DOC " Its replies are deleted, too.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource comment_resource = {
    .type = "comment",
    .scope = "conversations",
    .title = "Comments on articles",
    .doc = "Comments of people on articles of the help center, and replies to "
           "them.",
    .url = "articles/:article_id/comments/:id",
    .table = "article_comments",
    .fields = comment_fields,
    .routes = comment_routes,
    .visible = access_comments,
    .changes_unseen = true};

/* ---- likes of comments ----------------------------------------------------------------------- */

/* Likes of comments: one for each person and comment. */

static const struct field like_fields[] = {
    {"article_id", F_INT, HIDDEN,
     .column = "(SELECT ac.article_id FROM article_comments ac "
               "WHERE ac.id = t.comment_id)"},
    {"comment_id", F_INT, HIDDEN, .column = "t.comment_id"},
    {"user", F_REF, READONLY, .ref = "user", .doc = "Person who likes the comment."},
    {"created_at", F_TIME, READONLY, .doc = "Time of the like."},
    {0},
};

#define COMMENT_OF_PATH "t.article_id = :id"
#define LIKE_OF_PATH                                                            \
    "t.comment_id = :comment_id AND EXISTS (SELECT 1 FROM article_comments ac " \
    "WHERE ac.id = t.comment_id AND ac.article_id = :id)"

/* Returns 0 if the caller sees the article and the comment of the path. Otherwise fails with 404. */
static int liked_comment(struct call *c) {
    int64_t id = c->vars[1].id;
    TRY(api_of(c));
    if (c->method != GET && id) TRY(db_lock_row(c->work.conn, "article_comments", id));
    int rc = id ? visible_row(c, resource_of("comment"), id, NULL, COMMENT_OF_PATH) : 0;
    return rc < 0 ? rc : rc ? 0 : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

static int get_likes(struct call *c) {
    TRY(liked_comment(c));
    TRY(api_input(c));
    c->branches = ARENA_NEW(c->work.arena, struct branches);
    c->branches->all = true; /* the comment is visible */
    return api_list(c);
}

static int post_like(struct call *c) {
    TRY(liked_comment(c));
    TRY(api_input(c));
    TRY(comment_like(&c->work, c->vars[1].id, &c->id));
    return api_reply(c);
}

static int delete_like(struct call *c) {
    TRY(liked_comment(c));
    TRY(api_input(c));
    TRY(comment_unlike(&c->work, c->vars[1].id));
    return api_reply_none(c);
}

#define LIKES "/articles/:id/comments/:comment_id/likes"
#define OF_COMMENT .of = "article", .where = LIKE_OF_PATH

static const struct route like_routes[] = {
    {GET, LIKES, ALL, "", LIST, get_likes, .bearer = "conversations", OF_COMMENT,
     .summary = "List the likes of a comment"},
    {GET, LIKES "/:like_id", ALL, "", ONE, api_get, .bearer = "conversations", OF_COMMENT,
     .summary = "Get a like of a comment"},
    {POST, LIKES, ALL, "", ONE, post_like, .bearer = "conversations", OF_COMMENT, .input = no_fields,
     .summary = "Like a comment",
     .doc = "A person has one like of a comment. If there is one already, the reply shows it."},
    {DELETE, LIKES, ALL, "", NONE, delete_like, .bearer = "conversations", OF_COMMENT,
     .summary = "Take back the like of a comment", .doc = "Has no effect without a like."},
    {0},
};

const struct resource like_resource = {.type = "like",
                                       .scope = "conversations",
                                       .title = "Likes of comments",
                                       .doc = "People who like a comment on an article.",
                                       .url = "articles/:article_id/comments/:comment_id/likes/:id",
                                       .table = "comment_likes",
                                       .fields = like_fields,
                                       .routes = like_routes,
                                       .visible = access_likes,
                                       .unlogged = "a like is no change of the comment"};
