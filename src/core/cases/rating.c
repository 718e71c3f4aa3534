#include "core/cases/rating.h"

#include "base/limits.h"

QUERY(ratings_of_case, "SELECT COUNT(*) FROM case_ratings WHERE case_id = :case");
QUERY(rating_newest, "SELECT MAX(id) FROM case_ratings WHERE case_id = :case");
QUERY(rating_creator, "SELECT creator_id FROM case_ratings WHERE id = :id");
QUERY(rating_stored, "SELECT score, comment FROM case_ratings WHERE id = :id");
QUERY(rating_insert, "INSERT INTO case_ratings (case_id, score, comment, creator_id, created_at, updated_at) "
                     "VALUES (:case, :score, :comment, :creator, :now, :now) "
                     "RETURNING id");
QUERY(rating_update,
      "UPDATE case_ratings SET score = :score, comment = :comment, updated_at = :now WHERE id = :id");

static struct changed rating_changed(const struct case_now *c, int64_t id) {
    return (struct changed){"conversation_rating", id, c->id};
}

/* The score of the newest rating is a property of the conversation, too. */
static int rate_case(struct work *w, struct case_now *c, int score) {
    return case_change(w, c, &(struct case_change){.set = CASE_RATING, .rating = score});
}

int rating_add(struct work *w, struct case_now *c, const struct rating *r, int64_t creator_id, int64_t *id) {
    int64_t present = 0;
    TRY(case_not_hidden(w, c));
    TRY(db_int(w->conn, &ratings_of_case, BINDS(B_INT("case", c->id)), &present));
    if (present >= LIMIT_RATINGS)
        return fail_state(w, "The conversation has %d ratings. Change one of them.", LIMIT_RATINGS);
    TRY(db_insert(w->conn, &rating_insert,
                  BINDS(B_INT("case", c->id), B_INT("score", r->score), B_TEXT("comment", r->comment),
                        B_INT("creator", creator_id), B_INT("now", w->now)),
                  id));
    change_created(w, rating_changed(c, *id));
    return rate_case(w, c, r->score);
}

int rating_change(struct work *w, struct case_now *c, int64_t id, const struct rating *r, bool with_comment) {
    struct stmt *row;
    int64_t newest = 0;
    TRY(case_not_hidden(w, c));
    TRY_FOUND(w, db_row(w->conn, &rating_stored, BINDS(B_INT("id", id)), &row));
    int former = (int)col_int(row, 0), score = r->score ? r->score : former;
    struct str comment = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    bool other_comment = with_comment && !str_eq(comment, r->comment);
    if (score == former && !other_comment) return 0;
    const struct bind *binds =
        BINDS(B_INT("id", id), B_INT("score", score), B_TEXT("comment", with_comment ? r->comment : comment),
              B_INT("now", w->now));
    TRY(db_exec(w->conn, &rating_update, binds));
    change_property(w, rating_changed(c, id), "score", changed_word(rating_scores, former),
                    changed_word(rating_scores, score));
    if (other_comment) change_named(w, rating_changed(c, id), "comment");
    TRY(db_int(w->conn, &rating_newest, BINDS(B_INT("case", c->id)), &newest));
    return id == newest ? rate_case(w, c, score) : 0;
}

int rating_may_change(struct work *w, const struct case_now *c, int64_t id) {
    int64_t me = w->actor.rank > ROLE_PUBLIC ? w->actor.user_id : c->requester_id, creator = 0;
    if (w->actor.rank >= ROLE_ADMIN || me == c->requester_id) return 0;
    TRY(db_int(w->conn, &rating_creator, BINDS(B_INT("id", id)), &creator));
    return creator == me ? 0 : fail(w, ERR_PERMISSIONS_DENIED);
}
