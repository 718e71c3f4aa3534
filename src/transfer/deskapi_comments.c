/* Comments of articles, with their replies. A further run finds those of the last one in imported_ids. */
#include "transfer/deskapi_parts.h"

#include <stdlib.h>

#include "base/error.h"
#include "core/helpcenter/comment.h"
#include "files/html_clean.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

#define COMMENT "article_comment"

struct commented {
    int64_t article, parent;
};

static int comment_texts(struct foreign *f, const struct json *item, struct comment_new *n) {
    struct html_cleaned clean;
    n->contents = str_trim(json_member_text(item, "contents"));
    n->is_html = json_member_true(item, "is_html");
    if (!n->contents.n || !n->is_html || html_is_clean(n->contents)) return n->contents.n > 0;
    int rc = html_clean(f->item, n->contents, &clean);
    n->contents = rc > 0 ? clean.html : (struct str){0};
    return rc < 0 ? rc : n->contents.n > 0;
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
    if (rc > 0) rc = comment_texts(f, item, &n);
    if (rc == 0) foreign_skip(f, "comments without a text or an author", id);
    if (rc <= 0) return rc;
    foreign_work(f, &w, at, by);
    rc = comments_lock(&w, of.article);
    if (rc >= 0) rc = comment_insert(&w, &n, here);
    if (rc >= 0) rc = comment_set_status(&w, of.article, *here, COMMENT_PUBLISHED);
    if (rc >= 0) rc = imported_keep(f, COMMENT, id, *here, 0);
    foreign_made(f, "comments", 1);
    if (item_int(item, "like_count") > 0) foreign_skip(f, "likes of comments", id);
    TRY(foreign_done(f, &w, rc));
    return 1;
}

/* Returns 1 with the comment here, 0 if it is left out, or a negative error. */
static int comment_kept(struct foreign *f, const struct json *item, struct commented of, int64_t *here,
                        bool *is_new) {
    struct imported row = {0};
    int64_t id = item_int(item, "id");
    int found = f->maps_ids ? imported_find(f, COMMENT, id, &row) : 0;
    *here = row.here;
    *is_new = !found;
    if (found) return found;
    found = parent_takes(f, of, id);
    return found > 0 ? comment_made(f, item, of, here) : found;
}

/* Spam takes no replies, so a comment becomes spam when its replies are there. */
static int comment_judged(struct foreign *f, const struct json *item, int64_t article, int64_t here) {
    struct work w;
    if (!str_eq(json_member_text(item, "status"), S("SPAM"))) return 0;
    foreign_work(f, &w, api_time(f, item, "created_at"), foreign_owner(f));
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
        bool is_new, is_reply = api_reference(sorted[i], "parent") > 0;
        if (of.parent == 0 && is_reply) continue; /* it is among the replies of its parent */
        int kept = comment_kept(f, sorted[i], of, &here, &is_new);
        TRY(kept);
        if (kept && of.parent == 0 && replies)
            TRY(comments_of(f, replies, (struct commented){of.article, here}));
        if (kept && is_new) TRY(comment_judged(f, sorted[i], of.article, here));
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
