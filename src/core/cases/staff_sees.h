/* SQL: the people of staff who see a conversation, for decisions about somebody else than the caller. */
#ifndef CORE_STAFF_SEES_H
#define CORE_STAFF_SEES_H

/* The person u with the role r sees the conversation c: as core/access/access.c. While a cascade runs, a deleted
 * team or agent counts as a team or agent, so that too few people see the conversation, never too many. */
#define CASE_ACCESS_OF_STAFF "COALESCE(u.agent_case_access, r.agent_case_access)"
#define STAFF_SEES                                                                                          \
    "u.is_enabled = 1 AND u.deleted_at IS NULL AND r.type >= 2 AND c.state = 1 AND (" CASE_ACCESS_OF_STAFF  \
    " = 3 OR c.assigned_agent_id = u.id OR (" CASE_ACCESS_OF_STAFF " = 2 AND ((c.assigned_team_id IS NULL " \
    "AND c.assigned_agent_id IS NULL) OR EXISTS (SELECT 1 "                                                 \
    "FROM team_members m WHERE m.team_id = c.assigned_team_id "                                             \
    "AND m.user_id = u.id))))"

#endif
