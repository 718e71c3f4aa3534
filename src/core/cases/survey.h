/* Satisfaction surveys: a mail to the requester with a link to a page that rates the conversation. */
#ifndef CORE_SURVEY_H
#define CORE_SURVEY_H

#include "core/cases/rating.h"

#define SURVEY_COMMENT 2000 /* characters */

/* Queues the mail of a survey and sets the rating status to OFFERED. The caller has locked the
 * conversation. Fails with RESOURCE_ACTION_NOT_AVAILABLE if the conversation has a rating, was surveyed
 * less than a day ago, is in the trash, suspended or merged, or if the requester has no e-mail address or
 * has unsubscribed from surveys. */
int survey_send(struct work *w, int64_t case_id);

struct survey {
    int64_t case_id, requester_id;
    struct str subject;
    int rating; /* 0: none */
};
/* Finds the survey of a link. Returns 1, 0 if the link is wrong, has expired or was replaced by a newer
 * one, or if the conversation can't be rated, or a negative error. Changes nothing. */
int survey_find(struct work *w, struct str token, struct survey *out);
/* Rates the conversation for its requester, or changes the requester's newest rating. Returns as
 * survey_find. */
int survey_rate(struct work *w, struct str token, const struct rating *r);

#endif
