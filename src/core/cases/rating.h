/* Ratings: the verdicts of customers on a conversation, at most LIMIT_RATINGS. The newest is that of the
 * conversation (cases.rating). A closed conversation can be rated. */
#ifndef CORE_RATING_H
#define CORE_RATING_H

#include "core/cases/case.h"

struct rating {
    int score;          /* enum rating_score */
    struct str comment; /* p NULL: none */
};

/* The caller has locked the conversation by case_load. Fails with RESOURCE_ACTION_NOT_AVAILABLE if it has
 * LIMIT_RATINGS ratings, or is in the trash, suspended or merged. */
int rating_add(struct work *w, struct case_now *c, const struct rating *r, int64_t creator_id, int64_t *id);
/* score 0: unchanged. `comment` is stored only if with_comment. */
int rating_change(struct work *w, struct case_now *c, int64_t id, const struct rating *r, bool with_comment);
/* Returns 0 if the actor may change the rating: its creator, the requester, admins and owners. A caller
 * with a fingerprint is the requester. Otherwise fails with PERMISSIONS_DENIED. */
int rating_may_change(struct work *w, const struct case_now *c, int64_t id);

#endif
