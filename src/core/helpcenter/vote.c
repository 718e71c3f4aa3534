#include "core/helpcenter/vote.h"

#include "core/helpcenter/article.h"

QUERY(vote_article_lock, "SELECT id FROM articles WHERE id = :article AND deleted_at IS NULL @LOCK@");
QUERY(vote_of_user, "SELECT id, is_up FROM article_votes WHERE article_id = :article AND user_id = :me");
QUERY(vote_of_fingerprint,
      "SELECT id, is_up FROM article_votes WHERE article_id = :article AND fingerprint = :fingerprint");
QUERY(vote_add, "INSERT INTO article_votes (article_id, user_id, fingerprint, is_up, created_at) "
                "VALUES (:article, :me, :fingerprint, :up, :now)");
QUERY(vote_turn, "UPDATE article_votes SET is_up = :up, created_at = :now WHERE id = :id");
QUERY(vote_drop, "DELETE FROM article_votes WHERE id = :id");
QUERY(votes_count,
      "UPDATE articles "
      "SET upvote_count = upvote_count + :up, downvote_count = downvote_count + :down, rank = " ARTICLE_RANK(
          "views", "upvote_count + :up", "downvote_count + :down") " WHERE id = :article");

struct vote {
    int64_t id; /* 0: none */
    bool is_up;
};

static int vote_load(struct work *w, int64_t article_id, struct vote *out) {
    const struct actor *a = &w->actor;
    struct stmt *row;
    int64_t id;
    *out = (struct vote){0};
    TRY_FOUND(w, db_int(w->conn, &vote_article_lock, BINDS(B_INT("article", article_id)), &id));
    int rc = db_row(
        w->conn, a->user_id ? &vote_of_user : &vote_of_fingerprint,
        BINDS(B_INT("article", article_id), B_INT("me", a->user_id), B_TEXT("fingerprint", a->fingerprint)),
        &row);
    if (rc <= 0) return rc;
    *out = (struct vote){col_int(row, 0), col_int(row, 1) != 0};
    stmt_end(row);
    return 0;
}

static int count_votes(struct work *w, int64_t article_id, int up, int down) {
    return db_exec(w->conn, &votes_count,
                   BINDS(B_INT("article", article_id), B_INT("up", up), B_INT("down", down)));
}

int vote_set(struct work *w, int64_t article_id, bool is_up) {
    const struct actor *a = &w->actor;
    struct vote v;
    TRY(vote_load(w, article_id, &v));
    if (v.id && v.is_up == is_up) return 0;
    const struct bind *binds = BINDS(B_INT("id", v.id), B_INT("article", article_id), B_ID("me", a->user_id),
                                     B_TEXT("fingerprint", a->user_id ? (struct str){0} : a->fingerprint),
                                     B_INT("up", is_up), B_INT("now", w->now));
    TRY(db_exec(w->conn, v.id ? &vote_turn : &vote_add, binds));
    int other = v.id ? -1 : 0;
    return count_votes(w, article_id, is_up ? 1 : other, is_up ? other : 1);
}

int vote_remove(struct work *w, int64_t article_id, bool is_up) {
    struct vote v;
    TRY(vote_load(w, article_id, &v));
    if (v.id == 0 || v.is_up != is_up) return 0;
    TRY(db_exec(w->conn, &vote_drop, BINDS(B_INT("id", v.id))));
    return count_votes(w, article_id, is_up ? -1 : 0, is_up ? 0 : -1);
}
