/* What must hold between the rows of a desk, and what the store itself can't see. For `deskd check`. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include "db/db.h"

/* One line a finding; at most a few of each kind, then how many more. Returns the number of findings, or error. */
int desk_check(struct conn *c, void (*report)(void *arg, const char *line), void *arg);

/* Rows (team_id, agent_id, status_type, n) as case_counts must hold them, from the conversations themselves. */
#define CASE_COUNTS                                                                                                \
    "WITH alone AS (SELECT COALESCE(assigned_team_id, 0) AS team_id, COALESCE(assigned_agent_id, 0) AS agent_id, " \
    "status_type, COUNT(*) AS n FROM cases WHERE state = 1 GROUP BY 1, 2, 3), "                                    \
    "counted AS (SELECT team_id, agent_id, status_type, n FROM alone "                                             \
    "UNION ALL SELECT -1, agent_id, status_type, SUM(n) FROM alone GROUP BY agent_id, status_type "                \
    "UNION ALL SELECT team_id, -1, status_type, SUM(n) FROM alone GROUP BY team_id, status_type "                  \
    "UNION ALL SELECT -1, -1, status_type, SUM(n) FROM alone GROUP BY status_type) "

#endif
