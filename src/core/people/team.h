/* Teams and their members. */
#ifndef CORE_TEAM_H
#define CORE_TEAM_H

#include "work/work.h"

/* ids: JSON array; a cascade unassigns their conversations */
int teams_delete(struct work *w, struct str ids);
int team_add_members(struct work *w, int64_t team_id, struct str user_ids);
int team_remove_members(struct work *w, int64_t team_id, struct str user_ids);
/* Teams with an enabled member and business hours open now, ordered by id, in the arena. Returns their
 * number, or a negative error. */
int teams_available(struct work *w, int64_t **ids);

#endif
