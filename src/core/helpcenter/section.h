/* Sections of the help center (docs/HELPCENTER.md). */
#ifndef CORE_SECTION_H
#define CORE_SECTION_H

#include "core/desk/cascade_step.h"
#include "core/words.h"
#include "work/work.h"

/* Tags narrow sections for logged-in people and for staff, teams only those for staff. */
static inline bool section_has_tags(int64_t visibility) {
    return visibility == SECTION_AUTHORIZED || visibility == SECTION_AGENTS;
}
static inline bool section_has_teams(int64_t visibility) { return visibility == SECTION_AGENTS; }

int section_place(struct work *w, int64_t id); /* puts a new section behind the others of its category */
int section_set_creator(struct work *w, int64_t id, int64_t user_id);
/* 1, 0 not found, or a negative error */
int section_visibility(struct work *w, int64_t id, int64_t *visibility);
/* the highest enum section_visibility of these sections */
int sections_widest(struct work *w, struct str ids, int64_t *visibility);

/* Replace the tags (valid names) or the teams of a section. */
int section_tags_put(struct work *w, int64_t id, const struct str *names, int count);
int section_teams_put(struct work *w, int64_t id, struct str team_ids);
/* Removes tags and teams that the present visibility of these sections does not use. */
int sections_drop_unused(struct work *w, struct str ids);
/* Returns the ids of the teams among these that exist, in ascending order. */
int section_teams_known(struct work *w, struct str team_ids, int64_t **known);

/* The brand whose sections are ordered together with this one: that of its category, or the default brand.
 * id 0: the default brand. */
int section_brand(struct work *w, int64_t id, int64_t *brand_id);
/* Puts these sections first. The others of the brand, and of all brands, follow in their old order.
 * Returns 0, or 1 + the index of the first id that is not a section of the brand. */
int sections_reorder(struct work *w, int64_t brand_id, const int64_t *ids, int count);

/* Marks these sections (ids: JSON array). A cascade deletes their articles. */
int sections_delete(struct work *w, struct str ids);
extern const struct step section_delete_steps[]; /* core/helpcenter/delete.c */

#endif
