/* Deliveries: what rules send to endpoints. The shape of the tables is in schema/0039_endpoints.sql.
 *
 * A delivery is a row that the transaction of the change inserts. So there is no change without its
 * delivery, and no delivery without its change. src/outgoing sends it after the COMMIT.
 *
 *     PENDING --- an attempt succeeds ---> SENT ----+
 *      |  ^  \                                      | replay: PENDING again, with the same event id
 *      |  |   +-- no attempt for 24 h ---> FAILED --+
 *      +--+ an attempt fails: due again after a growing delay
 *
 * A queue of its own, not a reader of the change log, because (1) only the rules decide what an endpoint
 * gets, and a reader of the log would have to evaluate them a second time, with another state; (2) one
 * slow endpoint would stop the cursor of all; (3) the log is pruned by age, whatever was read. Readers of
 * the log take a lease of the same kind: core/change/lease.h.
 *
 * Order. The deliveries of one conversation to one endpoint are sent one after the other, by id. Ids are
 * in commit order, because a change locks its conversation first. A delivery waits until the earlier ones
 * are SENT or FAILED. */
#ifndef CORE_ENDPOINTS_DELIVERY_H
#define CORE_ENDPOINTS_DELIVERY_H

#include "work/work.h"

#define DELIVERY_RETRIED (24 * TIME_HOUR)
#define DELIVERY_KEPT (30 * TIME_DAY) /* rows of deliveries and their attempts */

struct case_now; /* core/cases/case.h */

/* Adds a delivery of a conversation to an endpoint, in this write. The body shows the conversation as the
 * write left it until now. text: of the action; empty or p NULL: none. Values in braces (MACRO_VALUES) are
 * filled in. In JSON, XML and forms they are escaped, because a subject may be a stranger's text.
 * agent_id: the person of {{agent.name}}, 0: nobody. The cause is that of the actor ("Trigger: Escalate").
 * Returns 1, or 0 if the endpoint was deleted or is disabled: nothing is sent. Or a negative error. */
int delivery_add_action(struct work *w, int64_t endpoint_id, const struct case_now *now, int64_t agent_id,
                        struct str text);

/* The same with a text that is filled already. */
int delivery_add(struct work *w, int64_t endpoint_id, int64_t case_id, struct str text);

/* The same for a test of the endpoint. Sets *id if it returns 1. */
int delivery_add_test(struct work *w, int64_t endpoint_id, int64_t *id);

/* Wakes the sender of this process after the COMMIT. Call it after making deliveries due. The sender looks
 * every second, too, for those of other processes. */
void deliveries_announce(struct work *w);

#endif
