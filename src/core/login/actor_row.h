/* The actor of a person, as columns of a query that finds credentials. So one query both verifies
 * credentials and finds their actor. */
#ifndef CORE_ACTOR_ROW_H
#define CORE_ACTOR_ROW_H

#include "work/work.h"

/* The first columns of such a query. u is the person. */
#define ACTOR_COLUMNS                                                                            \
    "u.role_id, r.type, COALESCE(u.agent_case_access, r.agent_case_access), "                    \
    "r.denied, u.organization_id, CASE WHEN u.organization_case_access = 2 AND o.is_shared = 1 " \
    "THEN 1 ELSE 0 END, COALESCE(u.password_updated_at, 0), u.is_mfa_enabled "
#define ACTOR_COLUMN_COUNT 8
#define OF_ACTOR "JOIN roles r ON r.id = u.role_id LEFT JOIN organizations o ON o.id = u.organization_id "
#define MAY_LOG_IN "u.is_enabled = 1 AND u.deleted_at IS NULL"

/* Reads these columns. The actor gets all scopes, but neither its kind nor the ids of the person and the
 * session. */
void actor_read(struct actor *a, struct stmt *row);

#endif
