/* Notes: texts of staff about a person or an organization, visible to staff only. */
#ifndef CORE_NOTE_H
#define CORE_NOTE_H

#include "work/work.h"

enum note_owner { NOTE_USER = 1, NOTE_ORGANIZATION };

int note_add(struct work *w, enum note_owner kind, int64_t owner_id, struct str contents, bool pinned, int64_t *id);
int note_rewrite(struct work *w, int64_t id, struct str contents);
int note_pin(struct work *w, int64_t id, bool pinned); /* by the actor; pinning a pinned note changes nothing */
int note_remove(struct work *w, int64_t id);

/* Returns 0 if the actor may edit or delete the note: its author, admins and owners. Otherwise fails with PERMISSIONS_DENIED. */
int note_may_change(struct work *w, int64_t id);

#endif
