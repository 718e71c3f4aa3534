/* Results of a bulk call: what happened to each of its ids.
 *
 * The member `results` of the reply has an object for each id, in the order of the ids of the call. A reply of
 * success says CHANGED, UNCHANGED or DELETED. A refusal says NOT_FOUND, REFUSED or CONFLICT for the ids that
 * are the reason, with the code and the message of the error, and NOT_DONE for the others, because a bulk call
 * changes all or nothing. It names as many refused ids as a work keeps problems.
 *
 * The results follow from what the work has recorded: its typed changes and its problems. So they cost no
 * statement, and no handler knows them. Changes of rules are not part of them: rules run after the reply was
 * written. */
#ifndef API_ROWS_RESULTS_H
#define API_ROWS_RESULTS_H

#include "api/rows/view.h"

/* Writes the member after a success. A changed object has the former values of its properties, in the form and
 * under the names that PUT takes, so that a second PUT restores them. Left out: properties that a GET does not
 * show to the caller, secrets, and long texts, which are not recorded. */
void results_write(struct view *v);
/* Writes the member after a refusal, if a problem concerns one of the ids. */
void results_write_refused(struct json_writer *w, const struct call *c);

#endif
