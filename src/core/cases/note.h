/* Notes: what staff write about a person or an organization, for staff alone. */
#ifndef CORE_NOTE_H
#define CORE_NOTE_H

#include "work/work.h"

enum note_owner { NOTE_USER = 1, NOTE_ORGANIZATION };

int note_add(struct work *w, enum note_owner kind, int64_t owner_id, struct str contents, bool pinned, int64_t *id);
int note_rewrite(struct work *w, int64_t id, struct str contents);
int note_pin(struct work *w, int64_t id, bool pinned); /* by the actor; pinning what is pinned keeps who did it */
int note_remove(struct work *w, int64_t id);

/* Whether the actor may change what a note says, or take it away: who wrote it, admins and owners. 0, or PERMISSIONS_DENIED. */
int note_may_change(struct work *w, int64_t id);

/* Contents as HTML that shows the same: escaped, lines kept. */
struct str note_html(struct arena *a, struct str contents);

#endif
