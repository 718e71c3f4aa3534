/* Invariants between the rows of a desk that the store can't enforce, for `deskd check`. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include "db/db.h"

/* Reports one line for each finding: the first ten of a kind, then the number of the rest. Returns the number of findings, or a negative
 * error. */
int desk_check(struct conn *c, void (*report)(void *arg, const char *line), void *arg);

/* The rows (team_id, agent_id, status_type, n) that case_counts must contain, computed from the conversations. */
#define CASE_COUNTS                                                                                                \
    "WITH alone AS (SELECT COALESCE(assigned_team_id, 0) AS team_id, COALESCE(assigned_agent_id, 0) AS agent_id, " \
    "status_type, COUNT(*) AS n FROM cases WHERE state = 1 GROUP BY 1, 2, 3), "                                    \
    "counted AS (SELECT team_id, agent_id, status_type, n FROM alone "                                             \
    "UNION ALL SELECT -1, agent_id, status_type, SUM(n) FROM alone GROUP BY agent_id, status_type "                \
    "UNION ALL SELECT team_id, -1, status_type, SUM(n) FROM alone GROUP BY team_id, status_type "                  \
    "UNION ALL SELECT -1, -1, status_type, SUM(n) FROM alone GROUP BY status_type) "

#endif
