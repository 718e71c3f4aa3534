#include "core/helpcenter/comment.h"

#include "core/access/help_center.h"
#include "core/change/change.h"
#include "core/desk/setting.h"
#include "json/json.h"

#include <inttypes.h>

static struct changed changed_comment(int64_t id) { return (struct changed){"comment", id, 0}; }

/* ---- visibility ------------------------------------------------------------------------------ */

void access_comments(struct work *w, struct branches *out) {
    struct branches articles = {0};
    access_articles(w, &articles);
    access_through(w, "articles", "t.article_id", NULL, &articles, out);
    if (w->actor.rank < ROLE_COLLABORATOR)
        out->where[0] = str_fmt(w->arena, "%s AND %s", COMMENT_SHOWN("t"), out->where[0]).p;
}

void access_likes(struct work *w, struct branches *out) {
    access_comments(w, out);
    /* The inner t is another one. */
    out->where[0] =
        str_fmt(w->arena, "t.comment_id IN (SELECT t.id FROM article_comments t WHERE %s)", out->where[0]).p;
}

/* ---- floods ---------------------------------------------------------------------------------- */

QUERY(comment_before, "SELECT c.created_at FROM article_comments c "
                      "WHERE c.user_id = :me AND c.created_at > :since "
                      "ORDER BY c.created_at DESC LIMIT 1 OFFSET :others");

int64_t comment_delay(struct work *w) {
    int64_t most = setting_int(w->desk, "helpcenter.comments_a_minute"), at;
    if (most == 0) return 0;
    int rc = db_int(
        w->conn, &comment_before,
        BINDS(B_INT("me", w->actor.user_id), B_INT("since", w->now - TIME_MINUTE), B_INT("others", most - 1)),
        &at);
    return rc <= 0 ? rc : (at + TIME_MINUTE - w->now) / TIME_SECOND + 1;
}

int64_t comment_guard(struct work *w) {
    TRY(db_lock(w->conn, str_fmt(w->arena, "comments:%" PRId64, w->actor.user_id)));
    return comment_delay(w);
}

/* ---- comments -------------------------------------------------------------------------------- */

QUERY(comments_article_lock, "SELECT id FROM articles WHERE id = :id AND deleted_at IS NULL @LOCK@");
QUERY(comments_allowed, "SELECT allow_comments FROM articles WHERE id = :id");
QUERY(comment_parent, "SELECT 1 FROM article_comments "
                      "WHERE id = :id AND article_id = :article AND parent_id IS NULL AND status = 1");
QUERY(comment_add,
      "INSERT INTO article_comments (article_id, parent_id, user_id, contents, is_html, status, waits, "
      "created_at, updated_at) "
      "VALUES (:article, :parent, :me, :contents, :html, 1, :waits, :now, :now) RETURNING id");
QUERY(comment_author, "SELECT user_id FROM article_comments WHERE id = :id");
QUERY(comment_born, "SELECT created_at FROM article_comments WHERE id = :id");
QUERY(comment_update, "UPDATE article_comments SET contents = :contents, waits = :waits, updated_at = :now "
                      "WHERE id = :id AND contents <> :contents");
QUERY(comment_status, "SELECT status FROM article_comments WHERE id = :id");
QUERY(comment_mark,
      "UPDATE article_comments SET status = :status, waits = 0, updated_at = :now WHERE id = :id");
QUERY(comment_seen, "UPDATE article_comments SET waits = 0 WHERE id = :id AND waits = 1");
QUERY(comment_thread, "SELECT id FROM article_comments WHERE id = :id OR parent_id = :id ORDER BY id");
QUERY(comment_unlike_all, "DELETE FROM comment_likes WHERE comment_id IN @LIST(:ids)");
QUERY(comment_drop_replies, "DELETE FROM article_comments WHERE parent_id = :id");
QUERY(comment_drop, "DELETE FROM article_comments WHERE id = :id");
QUERY(comments_shown,
      "SELECT COUNT(*) FROM article_comments c WHERE (c.id = :id OR c.parent_id = :id) AND " COMMENT_SHOWN(
          "c"));
QUERY(comments_count, "UPDATE articles SET total_comments = total_comments + :more WHERE id = :id");

int comments_lock(struct work *w, int64_t article_id) {
    int64_t id;
    int rc = db_int(w->conn, &comments_article_lock, BINDS(B_INT("id", article_id)), &id);
    return rc < 0 ? rc : rc ? 0 : fail(w, ERR_RESOURCE_NOT_FOUND);
}

static int count_comments(struct work *w, int64_t article_id, int64_t more) {
    return more ? db_exec(w->conn, &comments_count, BINDS(B_INT("id", article_id), B_INT("more", more))) : 0;
}

/* The number of comments that everyone sees, of a comment and its replies. */
static int shown_of_thread(struct work *w, int64_t id, int64_t *n) {
    int rc = db_int(w->conn, &comments_shown, BINDS(B_INT("id", id)), n);
    return rc < 0 ? rc : 0;
}

static int check_comment_parent(struct work *w, const struct comment_new *n) {
    int64_t one;
    if (n->parent_id == 0) return 0;
    int rc = db_int(w->conn, &comment_parent,
                    BINDS(B_INT("id", n->parent_id), B_INT("article", n->article_id)), &one);
    if (rc) return rc < 0 ? rc : 0;
    return fail_field(w, ERR_FIELD_INVALID, S("parent_id"),
                      "This comment takes no replies. Reply to a published comment that is no reply itself.");
}

/* Staff look at what customers write. */
static bool comment_waits(const struct work *w) { return w->actor.rank < ROLE_COLLABORATOR; }

int comment_insert(struct work *w, const struct comment_new *n, int64_t *id) {
    int64_t allowed = 0;
    TRY(check_comment_parent(w, n));
    TRY(db_int(w->conn, &comments_allowed, BINDS(B_INT("id", n->article_id)), &allowed));
    if (!allowed)
        return fail_state(w, "This article takes no comments. Open a conversation to ask about "
                             "it.");
    const struct bind *binds =
        BINDS(B_INT("article", n->article_id), B_ID("parent", n->parent_id), B_INT("me", w->actor.user_id),
              B_TEXT("contents", n->contents), B_INT("html", n->is_html), B_INT("waits", comment_waits(w)),
              B_INT("now", w->now));
    TRY(db_insert(w->conn, &comment_add, binds, id));
    change_created(w, changed_comment(*id));
    return count_comments(w, n->article_id, 1);
}

int comment_is_own(struct work *w, int64_t id) {
    int64_t author = 0;
    TRY(db_int(w->conn, &comment_author, BINDS(B_INT("id", id)), &author));
    return author == w->actor.user_id ? 0 : fail(w, ERR_PERMISSIONS_DENIED);
}

int comment_is_fresh(struct work *w, int64_t id) {
    int64_t born = 0;
    TRY(db_int(w->conn, &comment_born, BINDS(B_INT("id", id)), &born));
    if (w->now - born <= COMMENT_WINDOW) return 0;
    return fail_state(w, "The comment is older than 10 minutes, so it can't be changed or deleted. Write a "
                         "new comment.");
}

int comment_rewrite(struct work *w, int64_t id, struct str contents) {
    int rows = db_exec(w->conn, &comment_update,
                       BINDS(B_INT("id", id), B_TEXT("contents", contents), B_INT("waits", comment_waits(w)),
                             B_INT("now", w->now)));
    if (rows > 0) change_named(w, changed_comment(id), "contents");
    return rows < 0 ? rows : 0;
}

int comment_remove(struct work *w, int64_t article_id, int64_t id) {
    int64_t shown = 0, *thread;
    TRY(shown_of_thread(w, id, &shown));
    int n = db_ids(w->conn, &comment_thread, BINDS(B_INT("id", id)), w->arena, &thread);
    TRY(n);
    struct str ids = json_ids(w->arena, thread, (size_t)n);
    TRY(db_exec(w->conn, &comment_unlike_all, BINDS(B_TEXT("ids", ids))));
    TRY(db_exec(w->conn, &comment_drop_replies, BINDS(B_INT("id", id))));
    TRY(db_exec(w->conn, &comment_drop, BINDS(B_INT("id", id))));
    TRY(changes_deleted(w, "comment", ids));
    return count_comments(w, article_id, -shown);
}

static int comment_end_wait(struct work *w, int64_t id) {
    int rows = db_exec(w->conn, &comment_seen, BINDS(B_INT("id", id)));
    if (rows > 0) change_named(w, changed_comment(id), "is_waiting");
    return rows < 0 ? rows : 0;
}

int comment_set_status(struct work *w, int64_t article_id, int64_t id, enum comment_status status) {
    int64_t former = 0, before = 0, after = 0;
    TRY(db_int(w->conn, &comment_status, BINDS(B_INT("id", id)), &former));
    if (former == (int64_t)status) return comment_end_wait(w, id);
    TRY(shown_of_thread(w, id, &before));
    TRY(db_exec(w->conn, &comment_mark,
                BINDS(B_INT("id", id), B_INT("status", status), B_INT("now", w->now))));
    change_property(w, changed_comment(id), "status", changed_word(comment_statuses, former),
                    changed_word(comment_statuses, status));
    TRY(shown_of_thread(w, id, &after));
    return count_comments(w, article_id, after - before);
}

/* ---- likes ----------------------------------------------------------------------------------- */

QUERY(like_present, "SELECT id FROM comment_likes WHERE comment_id = :comment AND user_id = :me");
QUERY(like_add, "INSERT INTO comment_likes (comment_id, user_id, created_at) "
                "VALUES (:comment, :me, :now) RETURNING id");
QUERY(like_drop, "DELETE FROM comment_likes WHERE comment_id = :comment AND user_id = :me");
QUERY(likes_count, "UPDATE article_comments SET like_count = like_count + :more WHERE id = :comment");

static int count_likes(struct work *w, int64_t comment_id, int more) {
    return db_exec(w->conn, &likes_count, BINDS(B_INT("comment", comment_id), B_INT("more", more)));
}

int comment_like(struct work *w, int64_t comment_id, int64_t *id) {
    const struct bind *binds =
        BINDS(B_INT("comment", comment_id), B_INT("me", w->actor.user_id), B_INT("now", w->now));
    int rc = db_int(w->conn, &like_present, binds, id);
    if (rc) return rc < 0 ? rc : 0;
    TRY(db_insert(w->conn, &like_add, binds, id));
    return count_likes(w, comment_id, 1);
}

int comment_unlike(struct work *w, int64_t comment_id) {
    int rows =
        db_exec(w->conn, &like_drop, BINDS(B_INT("comment", comment_id), B_INT("me", w->actor.user_id)));
    return rows <= 0 ? rows : count_likes(w, comment_id, -1);
}
