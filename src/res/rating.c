/* Ratings of conversations, several for a conversation. */
#include "core/cases/rating.h"

#include "api/rows/generic.h"
#include "api/table/layout.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "res/groups.h"

/* ---- below a conversation -------------------------------------------------------------------- */

#define SCORE                                                                                  \
    {                                                                                          \
        "score", F_WORD, REQUIRED | BY_HANDLER, .words = rating_scores, .doc = "GOOD or BAD.", \
                                                .example = "\"GOOD\""                          \
    }
#define COMMENT                                                                               \
    {                                                                                         \
        "comment", F_LONG, NULLABLE | BY_HANDLER, .doc = "Reason for the score.",             \
                                                  .example = "\"Thank you, it turns again.\"" \
    }

static const struct field rating_fields[] = {
    SCORE,
    COMMENT,
    {"conversation", F_REF, READONLY, .ref = "conversation", .column = "t.case_id",
     .doc = "Conversation that is rated."},
    {"creator", F_REF, READONLY, .ref = "user_minimal", .column = "t.creator_id",
     .doc = "Person who rated it."},
    {"case_id", F_INT, HIDDEN, .column = "t.case_id"},
    {"*", .group = row_times},
    {0},
};

/* Locks and loads the conversation of the path. */
static int rated_case(struct call *c, struct case_now *out) {
    TRY_FOUND(&c->work, case_load(&c->work, c->vars[0].id, out));
    return 0;
}

static int post_rating(struct call *c) {
    struct case_now now;
    TRY(api_of(c));
    TRY(api_input(c));
    TRY(rated_case(c, &now));
    int64_t creator = c->work.actor.rank > ROLE_PUBLIC ? c->work.actor.user_id : now.requester_id;
    struct rating r = {.score = (int)in_int(c, "score"), .comment = in_text(c, "comment")};
    TRY(rating_add(&c->work, &now, &r, creator, &c->id));
    return api_reply(c);
}

static int put_rating(struct call *c) {
    struct case_now now;
    TRY(api_target(c));
    TRY(rated_case(c, &now));
    TRY(rating_may_change(&c->work, &now, c->id));
    TRY(api_input(c));
    struct rating r = {.score = (int)in_int(c, "score"), .comment = in_text(c, "comment")};
    TRY(rating_change(&c->work, &now, c->id, &r, given(c, "comment")));
    return api_reply(c);
}

static const struct route rating_routes[] = {
    {GET, "/conversations/:id/ratings", ALL | FINGERPRINT | WIDGET, "", LIST_COUNT, api_list,
     .bearer = "conversations", .summary = "List the ratings of a conversation",
     .doc = "The oldest first. The newest is the rating of the case."},
    {POST, "/conversations/:id/ratings", ALL | FINGERPRINT | WIDGET, "", ONE, post_rating,
     .bearer = "conversations", .status = 200, .summary = "Rate a conversation",
     .doc = "Also a closed one. Each call adds a rating, at most 100. PUT "
            "changes one.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/conversations/:id/ratings/:rating_id", ALL | FINGERPRINT | WIDGET, "", ONE, put_rating,
     .bearer = "conversations", .summary = "Change the rating of a conversation",
     .doc = "Only for the creator of the rating, the requester, admins and "
            "owners.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource conversation_rating_resource = {
    .type = "conversation_rating",
    .scope = "conversations",
    .title = "Ratings",
    .doc = "Scores and comments of customers about the help that they got.",
    .table = "case_ratings",
    .fields = rating_fields,
    .routes = rating_routes,
    .conversation = "case_id",
    .within = {"conversation", "case_id"},
    .is_untyped = true};

/* ---- recent ratings, for staff --------------------------------------------------------------- */

static const struct field case_rating_fields[] = {
    {"case", F_REF, READONLY, .ref = "case", .column = "t.case_id", .doc = "Conversation that is rated."},
    {"score", F_WORD, READONLY, .words = rating_scores, .doc = "GOOD or BAD.", .example = "\"GOOD\""},
    {"comment", F_LONG, READONLY, .doc = "Reason for the score."},
    {"creator", F_REF, READONLY, .ref = "user_minimal", .column = "t.creator_id",
     .doc = "Person who rated it."},
    {"created_at", F_TIME, READONLY, .doc = "Time of the rating."},
    {0},
};

static const struct field recent_args[] = {
    {"user_id", F_INT, .doc = "Only ratings by this person."},
    {0},
};

static void access_case_ratings(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_COLLABORATOR) access_of_case(w, "t.case_id", out);
}

/* Stops after `limit` visible ratings, so it counts no others. */
static int recent_ids(struct call *c, int64_t *ids) {
    struct branches b = {0};
    struct buf sql = {0};
    struct stmt *s;
    int n = 0, rc;
    buf_text(&sql, "SELECT t.id FROM case_ratings t WHERE 1 = 1");
    view_condition(c, c->resource, &b, &sql);
    if (arg(c, "user_id")->given) buf_text(&sql, " AND t.creator_id = :creator");
    buf_text(&sql, " ORDER BY t.id DESC LIMIT :most");
    buf_char(&sql, 0);
    struct bind binds[BRANCH_BINDS_MAX + 3] = {0};
    memcpy(binds, b.binds, (size_t)b.bind_count * sizeof *binds);
    binds[b.bind_count] = (struct bind)B_INT("creator", arg(c, "user_id")->value.i);
    binds[b.bind_count + 1] = (struct bind)B_INT("most", c->options.limit);
    rc = db_start(c->work.conn, sql.p, binds, &s);
    buf_free(&sql);
    if (rc < 0) return rc;
    while ((rc = stmt_step(s)) == 1 && n < c->options.limit) ids[n++] = col_int(s, 0);
    stmt_end(s);
    return rc < 0 ? rc : n;
}

static int get_recent_ratings(struct call *c) {
    TRY(api_input(c));
    int64_t *ids = arena_array(c->work.arena, (size_t)c->options.limit + 1, sizeof *ids);
    int n = recent_ids(c, ids);
    return n < 0 ? n : api_reply_list_of(c, ids, n);
}

static const struct route case_rating_routes[] = {
    {GET, "/cases/ratings/recent", COL_PLUS, "conversations", LIST_COUNT, get_recent_ratings,
     .args = recent_args, .chosen = true, .summary = "List the newest ratings",
     .doc = "Ratings of conversations that the caller may see, the newest first. limit is the number of "
            "ratings shown, which total_count repeats."},
    {0},
};

const struct resource case_rating_resource = {.type = "case_rating",
                                              .scope = "conversations",
                                              .title = "Recent ratings",
                                              .doc = "A rating, as staff see it in a list.",
                                              .table = "case_ratings",
                                              .fields = case_rating_fields,
                                              .routes = case_rating_routes,
                                              .visible = access_case_ratings,
                                              .is_item = true};
