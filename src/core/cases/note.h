/* Notes: texts of staff about a person, an organization or a conversation, visible to staff only. */
#ifndef CORE_NOTE_H
#define CORE_NOTE_H

#include "core/cases/case.h"

enum note_owner { NOTE_USER = 1, NOTE_ORGANIZATION, NOTE_CASE };

struct note_new {
    enum note_owner kind;
    int64_t owner_id;
    /* html: clean HTML; original: what it was before; the last two with p NULL: none */
    struct str text, html, original, client_id;
    bool pinned;
    const int64_t *files; /* attached, in this order */
    int file_count;
    int color; /* enum of note_colors; 0: YELLOW */
    /* It came by mail as the answer to a forward: its agent is told, and nobody is mentioned */
    bool answers;
};

/* Each write to a note of a conversation locks the conversation, and sets its counters and its last
 * activity. It fails with RESOURCE_ACTION_NOT_AVAILABLE if the conversation is in the trash, suspended or
 * merged. A closed conversation takes notes. The text of a forward can't be rewritten, and its letters that
 * still wait are deleted with it (core/cases/forward.h). */
int note_add(struct work *w, const struct note_new *n, int64_t *id);
int note_rewrite(struct work *w, int64_t id, struct str text, struct str html, struct str original);
/* The actor pins the note; pinning a pinned note changes nothing. */
int note_pin(struct work *w, int64_t id, bool pinned);
int note_remove(struct work *w, int64_t id);

/* Returns 0 if the actor may edit or delete the note: its author, admins and owners. Otherwise fails with
 * PERMISSIONS_DENIED. */
int note_may_change(struct work *w, int64_t id);

#endif
