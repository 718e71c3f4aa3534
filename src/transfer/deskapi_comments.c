/* Comments of articles, with their replies. A further run finds those of the last one in imported_ids.
 *
 * updated_at of a comment here is that of the source, until somebody changes the comment here. So a further
 * run finds out who has changed a comment: (1) the source: the comment follows, (2) this desk, or both: it
 * stays. A comment has no versions, so a change of the source would destroy that of this desk. A comment that
 * was deleted at the source is removed here, unless it or a reply to it is of this desk, or was changed here.
 * Comments of articles whose list the source did not give completely stay. */
#include "transfer/deskapi_parts.h"

#include <stdlib.h>

#include "base/error.h"
#include "core/change/record.h"
#include "core/helpcenter/comment.h"
#include "files/html_clean.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

#define COMMENT "article_comment"

struct commented {
    int64_t article, parent;
};

/* Returns 1, 0 if there is no text, or a negative error. */
static int comment_texts(struct foreign *f, const struct json *item, bool is_html, struct str *out) {
    struct html_cleaned clean;
    *out = str_trim(json_member_text(item, "contents"));
    if (!out->n || !is_html || html_is_clean(*out)) return out->n > 0;
    int rc = html_clean(f->item, *out, &clean);
    *out = rc > 0 ? clean.html : (struct str){0};
    return rc < 0 ? rc : out->n > 0;
}

static bool is_comment_spam(const struct json *item) {
    return str_eq(json_member_text(item, "status"), S("SPAM"));
}

static int64_t comment_changed_at(struct foreign *f, const struct json *item) {
    int64_t at = api_time(f, item, "updated_at");
    return at > 0 ? at : api_time(f, item, "created_at");
}

/* Gives the comment updated_at of the source, and remembers it. */
static int comment_dated(struct foreign *f, struct work *w, const struct json *item, int64_t here) {
    w->now = comment_changed_at(f, item);
    if (w->now <= 0) w->now = f->now;
    TRY(record_update(w, (struct record){NULL, "article_comments", NULL}, &here, 1, NULL, 0));
    return imported_keep(f, COMMENT, item_int(item, "id"), here, w->now);
}

/* A comment that was marked as spam here takes no replies, and one that was deleted here is gone. */
QUERY(comment_takes_replies, "SELECT 1 FROM article_comments WHERE id = :id AND status = 1");

static int parent_takes(struct foreign *f, struct commented of, int64_t id) {
    int64_t one;
    int rc = of.parent ? db_int(f->conn, &comment_takes_replies, BINDS(B_INT("id", of.parent)), &one) : 1;
    if (rc == 0) foreign_skip(f, "replies to comments that are spam or were deleted here", id);
    return rc;
}

/* Comments of customers wait for staff. Those that staff have left alone do so no more. */
static int comment_made(struct foreign *f, const struct json *item, struct commented of, int64_t *here) {
    struct work w;
    struct comment_new n = {.article_id = of.article, .parent_id = of.parent};
    struct author by;
    int64_t id = item_int(item, "id"), author = api_reference(item, "user"),
            at = api_time(f, item, "created_at");
    int rc = foreign_found_person(f, author, &by);
    if (rc == 0) rc = foreign_deleted_person(f, author, at, &by);
    n.is_html = json_member_true(item, "is_html");
    if (rc > 0) rc = comment_texts(f, item, n.is_html, &n.contents);
    if (rc == 0) foreign_skip(f, "comments without a text or an author", id);
    if (rc <= 0) return rc;
    foreign_work(f, &w, at, by);
    rc = comments_lock(&w, of.article);
    if (rc >= 0) rc = comment_insert(&w, &n, here);
    if (rc >= 0) rc = comment_set_status(&w, of.article, *here, COMMENT_PUBLISHED);
    if (rc >= 0) rc = comment_dated(f, &w, item, *here);
    foreign_made(f, "comments", 1);
    if (item_int(item, "like_count") > 0) foreign_skip(f, "likes of comments", id);
    TRY(foreign_done(f, &w, rc));
    return 1;
}

/* ---- comments of an earlier run -------------------------------------------------------------- */

QUERY(comment_now, "SELECT created_at, updated_at, is_html FROM article_comments WHERE id = :id");

struct comment_here {
    int64_t id, created_at, updated_at;
    bool is_html;
};

static int comment_find(struct foreign *f, int64_t id, struct comment_here *out) {
    struct stmt *row;
    int rc = db_row(f->conn, &comment_now, BINDS(B_INT("id", id)), &row);
    if (rc != 1) return rc;
    *out = (struct comment_here){id, col_int(row, 0), col_int(row, 1), col_int(row, 2) != 0};
    stmt_end(row);
    return 1;
}

/* updated_at that the last run has given. Earlier versions of this program gave the time of creation. */
static int64_t given_at(const struct imported *row, int64_t created_at) {
    return row->changed_at ? row->changed_at : created_at;
}

/* Gives a comment that nobody has changed here the contents of the source, and publishes one that is no spam
 * there. It stays text or HTML, as it is here. */
static int comment_rewritten(struct foreign *f, const struct json *item, int64_t article,
                             const struct comment_here *now) {
    struct work w;
    struct str contents;
    int texts = comment_texts(f, item, now->is_html, &contents);
    TRY(texts);
    if (!texts) foreign_skip(f, "comments without a text or an author", item_int(item, "id"));
    foreign_work(f, &w, comment_changed_at(f, item), foreign_owner(f));
    int rc = comments_lock(&w, article);
    if (rc >= 0 && texts) rc = comment_rewrite(&w, now->id, contents);
    if (rc >= 0 && !is_comment_spam(item)) rc = comment_set_status(&w, article, now->id, COMMENT_PUBLISHED);
    if (rc >= 0) rc = comment_dated(f, &w, item, now->id);
    foreign_made(f, "comments with changes", 1);
    return foreign_done(f, &w, rc);
}

/* Returns 1 if the comment has followed the source, 0 if it stays, or a negative error. */
static int comment_follow(struct foreign *f, const struct json *item, int64_t article,
                          const struct imported *row) {
    struct comment_here now;
    int64_t id = item_int(item, "id"), at = comment_changed_at(f, item);
    if (at <= 0 || at == given_at(row, api_time(f, item, "created_at"))) return 0;
    int found = comment_find(f, row->here, &now);
    TRY(found);
    if (found == 1 && now.updated_at == given_at(row, now.created_at)) {
        TRY(comment_rewritten(f, item, article, &now));
        return 1;
    }
    foreign_skip(f,
                 found ? "changes of comments that were changed here, too: they stay as they are here"
                       : "changes of comments that were deleted here",
                 id);
    return imported_keep(f, COMMENT, id, row->here, at);
}

/* ---- a list of comments ---------------------------------------------------------------------- */

/* Returns 1 with the comment here, 0 if it is left out, or a negative error. *is_written: it is new, or has
 * followed the source. */
static int comment_kept(struct foreign *f, const struct json *item, struct commented of, int64_t *here,
                        bool *is_written) {
    struct imported row = {0};
    int64_t id = item_int(item, "id");
    int found = f->maps_ids ? imported_find(f, COMMENT, id, &row) : 0, followed;
    TRY(found);
    if (f->maps_ids && id > 0) foreign_ids_add(f->memory, &f->comments, id);
    *here = row.here;
    *is_written = !found;
    if (found) {
        TRY(followed = comment_follow(f, item, of.article, &row));
        *is_written = followed > 0;
        return 1;
    }
    found = parent_takes(f, of, id);
    return found > 0 ? comment_made(f, item, of, here) : found;
}

/* Spam takes no replies, so a comment becomes spam when its replies are there. */
static int comment_judged(struct foreign *f, const struct json *item, int64_t article, int64_t here) {
    struct work w;
    if (!is_comment_spam(item)) return 0;
    foreign_work(f, &w, comment_changed_at(f, item), foreign_owner(f));
    int rc = comments_lock(&w, article);
    if (rc >= 0) rc = comment_set_status(&w, article, here, COMMENT_SPAM);
    return foreign_done(f, &w, rc);
}

static int compare_comments(const void *one, const void *two) {
    const struct json *const *a = one, *const *b = two;
    int64_t x = item_int(*a, "id"), y = item_int(*b, "id");
    return x < y ? -1 : x > y;
}

static int comments_of(struct foreign *f, const struct json *list, struct commented of) {
    const struct json **sorted = arena_array(f->item, (list ? list->count : 0) + 1, sizeof *sorted);
    size_t n = 0;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (j->type == JSON_OBJECT) sorted[n++] = j;
    qsort(sorted, n, sizeof *sorted, compare_comments);
    for (size_t i = 0; i < n; i++) {
        const struct json *replies = item_list(sorted[i], "replies");
        int64_t here = 0;
        bool is_written, is_reply = api_reference(sorted[i], "parent") > 0;
        if (of.parent == 0 && is_reply) continue; /* it is among the replies of its parent */
        int kept = comment_kept(f, sorted[i], of, &here, &is_written);
        TRY(kept);
        if (kept && of.parent == 0 && replies)
            TRY(comments_of(f, replies, (struct commented){of.article, here}));
        if (kept && is_written) TRY(comment_judged(f, sorted[i], of.article, here));
    }
    return 0;
}

int take_api_comments(struct foreign *f, const struct json *list, int64_t article) {
    return comments_of(f, list, (struct commented){article, 0});
}

int api_comments_new(struct foreign *f, const struct json *list) {
    struct imported row;
    int n = 0;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        int known = imported_find(f, COMMENT, item_int(j, "id"), &row),
            replies = api_comments_new(f, item_list(j, "replies"));
        if (known < 0 || replies < 0) return known < 0 ? known : replies;
        n += replies + !known;
    }
    return n;
}

/* ---- comments that are gone at the source ---------------------------------------------------- */

QUERY(comments_carried, "SELECT i.foreign_id, i.changed_at, c.id, c.article_id, c.created_at, c.updated_at "
                        "FROM imported_ids i JOIN article_comments c ON c.id = i.here_id "
                        "JOIN articles a ON a.id = c.article_id AND a.deleted_at IS NULL "
                        "WHERE i.source_id = :source AND i.kind = '" COMMENT "' ORDER BY c.id");
QUERY(comment_replies, "SELECT id FROM article_comments WHERE parent_id = :id ORDER BY id");

struct gone_comment {
    int64_t id, here, article;
    bool changed; /* here */
};

/* Comments of earlier runs that are not in the lists of this run. removable: ids here of those that nobody
 * has changed. Returns their number or a negative error. */
static int comments_gone(struct foreign *f, struct gone_comment **out, struct foreign_ids *removable) {
    int rc, n = 0, room = 0;
    *out = NULL;
    DB_ROWS(rc, f->conn, &comments_carried, BINDS(B_INT("source", f->source_id)), row) {
        const struct imported carried = {.changed_at = col_int(row, 1)};
        const struct gone_comment one = {col_int(row, 0), col_int(row, 2), col_int(row, 3),
                                         col_int(row, 5) != given_at(&carried, col_int(row, 4))};
        if (!foreign_ids_has(&f->articles, one.article) || foreign_ids_has(&f->comments, one.id)) continue;
        *out = arena_more(f->item, *out, n, &room, sizeof **out);
        (*out)[n++] = one;
        if (!one.changed) foreign_ids_add(f->item, removable, one.here);
    }
    return rc < 0 ? rc : n;
}

/* Returns 1 if the comment may go with all replies to it, 0 if not, or a negative error. */
static int may_go(struct foreign *f, const struct gone_comment *c, const struct foreign_ids *removable) {
    int64_t *replies;
    int n = db_ids(f->conn, &comment_replies, BINDS(B_INT("id", c->here)), f->item, &replies);
    bool all = !c->changed;
    TRY(n);
    for (int i = 0; i < n; i++) all = all && foreign_ids_has(removable, replies[i]);
    return all;
}

static int comment_goes(struct foreign *f, const struct gone_comment *c) {
    struct work w;
    struct comment_here now;
    int there = comment_find(f, c->here, &now); /* it may have gone with its parent */
    if (there <= 0) return there;
    foreign_work(f, &w, 0, foreign_owner(f));
    int rc = comments_lock(&w, c->article);
    if (rc >= 0) rc = comment_remove(&w, c->article, c->here);
    return foreign_done(f, &w, rc);
}

int remove_api_comments(struct foreign *f) {
    struct gone_comment *gone;
    struct foreign_ids removable = {0};
    if (!f->maps_ids || f->articles.count == 0) return 0;
    int n = comments_gone(f, &gone, &removable);
    for (int i = 0; i < n; i++) {
        int goes = may_go(f, &gone[i], &removable);
        TRY(goes);
        if (goes) {
            TRY(comment_goes(f, &gone[i]));
            foreign_made(f, "comments deleted", 1);
        } else
            foreign_skip(f,
                         "comments that are gone at the source, but were changed or answered here: they stay",
                         gone[i].id);
    }
    return n < 0 ? n : 0;
}
