/* Teams and who is in them. */
#ifndef CORE_TEAM_H
#define CORE_TEAM_H

#include "work/work.h"

int teams_delete(struct work *w, struct str ids); /* JSON array; their conversations become unassigned */
int team_add_members(struct work *w, int64_t team_id, struct str user_ids);
int team_remove_members(struct work *w, int64_t team_id, struct str user_ids);
/* Those with an enabled member whose hours are open now, by id: an array in the arena. Returns how many, or error. */
int teams_available(struct work *w, int64_t **ids);

#endif
