/* Likes of comments: one for each person and comment. */
#include "core/helpcenter/comment.h"

#include "api/rows/generic.h"
#include "api/rows/visible.h"
#include "res/groups.h"

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
