/* Posts scheduled replies (core/cases/scheduled_reply.h), as periodic work of the runner.
 *
 * Each is one write: the row goes, and POST /cases/:id/reply runs in the name of its author. So it is posted
 * once, also if processes are killed or look at the same time, and whatever refuses the request now refuses
 * it. A second write keeps the reason. If the store is unavailable, the next look tries again. */
#ifndef JOBS_SCHEDULED_H
#define JOBS_SCHEDULED_H

#include "api/call/api.h"

/* Posts those that are due, at most 100. Returns true if more may be due. */
bool scheduled_send(struct api *api);

#endif
