/* Comments on articles, and their likes.
 *
 * A comment with a parent is a reply; a reply has no replies. Everyone who sees the article sees a
 * comment, unless it or its parent is SPAM. articles.total_comments counts the comments that everyone
 * sees. Each write of a comment locks the row of the article first, so the count is exact.
 *
 * A comment that a customer writes or changes waits (column `waits`), until staff publish it or mark it as
 * spam. Only the list of moderators depends on it. */
#ifndef CORE_HELPCENTER_COMMENT_H
#define CORE_HELPCENTER_COMMENT_H

#include "core/access/access.h"
#include "core/words.h"

#define COMMENT_WINDOW \
    (10 * TIME_MINUTE) /* the author edits or deletes a comment up to and including this age */

/* Condition on a row of article_comments with this alias: everyone who sees the article sees it. */
#define COMMENT_SHOWN(c)                                                               \
    c ".status = 1 AND NOT EXISTS (SELECT 1 FROM article_comments pc WHERE pc.id = " c \
      ".parent_id AND pc.status = 2)"

struct comment_new {
    /* parent_id 0: none; the caller has checked that it is a comment of this article */
    int64_t article_id, parent_id;
    struct str contents; /* clean HTML if is_html */
    bool is_html;
};

/* Visibility: the comments of visible articles. Only staff see SPAM and replies to it. */
void access_comments(struct work *w, struct branches *out);
void access_likes(struct work *w, struct branches *out); /* likes of visible comments */

/* Returns the seconds that the actor must wait before the next comment (setting
 * helpcenter.comments_a_minute), 0, or a negative error. */
int64_t comment_delay(struct work *w);
/* The same in a write: comments of one person wait for each other until the write ends. Locks nothing
 * else, so call it before the article is locked. */
int64_t comment_guard(struct work *w);

/* Locks the article of the following changes. Returns 0, or fails with RESOURCE_NOT_FOUND if it was
 * deleted. */
int comments_lock(struct work *w, int64_t article_id);

/* Fails with RESOURCE_ACTION_NOT_AVAILABLE if the article takes no comments, and with FIELD_INVALID of
 * parent_id if the parent is a reply or SPAM. The caller has called comments_lock. */
int comment_insert(struct work *w, const struct comment_new *n, int64_t *id);

/* Returns 0 if the actor is the author. Otherwise fails with PERMISSIONS_DENIED. */
int comment_is_own(struct work *w, int64_t id);
/* Returns 0 within COMMENT_WINDOW. Otherwise fails with RESOURCE_ACTION_NOT_AVAILABLE. */
int comment_is_fresh(struct work *w, int64_t id);
int comment_rewrite(struct work *w, int64_t id, struct str contents);
int comment_remove(struct work *w, int64_t article_id, int64_t id); /* with its replies and all their likes */
/* also ends its wait */
int comment_set_status(struct work *w, int64_t article_id, int64_t id, enum comment_status status);

/* A person has one like of a comment: *id is the present one or a new one. */
int comment_like(struct work *w, int64_t comment_id, int64_t *id);
int comment_unlike(struct work *w, int64_t comment_id);

#endif
