/* Votes on articles: people, and callers without login who send a fingerprint. */
#include "core/helpcenter/vote.h"

#include "api/rows/generic.h"
#include "res/groups.h"

static int vote(struct call *c, bool is_up) {
    TRY(api_of(c));
    TRY(api_input(c));
    if (c->method == DELETE) TRY(vote_remove(&c->work, c->vars[0].id, is_up));
    else TRY(vote_set(&c->work, c->vars[0].id, is_up));
    return api_reply_one(c, c->vars[0].id);
}

static int write_upvote(struct call *c) { return vote(c, true); }
static int write_downvote(struct call *c) { return vote(c, false); }

#define VOTE "conversations", ONE
#define FOR_ARTICLE .of = "article", .reply = "article", .status = 200, .input = no_fields
#define ONE_VOTE                                                                                      \
    "A person, or a fingerprint without login, has one vote on an article: it replaces the opposite " \
    "one. The reply is the article."

static const struct route vote_routes[] = {
    {POST, "/articles/:id/upvote", ALL | FINGERPRINT | WIDGET, VOTE, write_upvote, FOR_ARTICLE,
     .summary = "Vote for an article", .doc = ONE_VOTE},
    {DELETE, "/articles/:id/upvote", ALL | FINGERPRINT | WIDGET, VOTE, write_upvote, FOR_ARTICLE,
     .summary = "Take back a vote for an article", .doc = "Has no effect without such a vote."},
    {POST, "/articles/:id/downvote", ALL | FINGERPRINT | WIDGET, VOTE, write_downvote, FOR_ARTICLE,
     .summary = "Vote against an article", .doc = ONE_VOTE},
    {DELETE, "/articles/:id/downvote", ALL | FINGERPRINT | WIDGET, VOTE, write_downvote, FOR_ARTICLE,
     .summary = "Take back a vote against an article", .doc = "Has no effect without such a vote."},
    {0},
};

const struct resource article_vote_resource = {.type = "article_vote",
                                               .scope = "conversations",
                                               .title = "Votes on articles",
                                               .doc = "Votes of readers on articles.",
                                               .fields = no_fields,
                                               .routes = vote_routes};
