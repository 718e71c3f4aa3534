/* Views and macros: rows of a person that may be shared with teams or with all staff. */
#ifndef RES_SHARE_H
#define RES_SHARE_H

#include "api/call/call.h"

int check_team_ids(struct call *c, struct in *in); /* .check of ids: each must be the id of a team */
/* the argument show_all; ignored with a notice unless the caller is an admin */
bool show_all_asked(struct call *c);
/* Staff write their own rows that are not shared. Others are written by agents and above with the
 * permission; rows of another person that are not shared only by admins and owners. Returns 0, or fails
 * with PERMISSIONS_DENIED. */
int share_may_write(struct call *c, const char *permission, bool shared, int64_t agent_id);

#endif
