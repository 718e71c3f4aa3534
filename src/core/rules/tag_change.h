/* Rename, merge and deletion of tags. None of them changes the owners of the tag: updated_at stays, there is
 * no activity, and no rule runs. So a corrected typing error sends no mail and moves nothing in a list. The
 * change log has an entry for each conversation, person, organization and article, without values. */
#ifndef CORE_TAG_CHANGE_H
#define CORE_TAG_CHANGE_H

#include "core/desk/cascade_step.h"
#include "work/work.h"

struct tag_row {
    int64_t id;
    struct str name, key;
};

/* Reads the tags with these ids, ordered by id, and locks them. A tag that is merged or deleted is left
 * out. Returns their number or a negative error. */
int tags_lock(struct work *w, const int64_t *ids, int count, struct tag_row **out);
/* Returns 1 if another tag has this key, 0 or a negative error. */
int tag_key_taken(struct work *w, int64_t id, struct str key);

/* The caller has locked the tags. Texts that name the tag (core/rules/tag_names.h) follow. */
int tag_rename(struct work *w, const struct tag_row *tag, struct str name);
/* The owners of the `merged` tags have the survivor afterwards. */
int tags_merge(struct work *w, const struct tag_row *survivor, const struct tag_row *merged, int count);
/* Refuses with the reason if a section, a rule or an option of a custom field has one of the tags. */
int tags_delete(struct work *w, const struct tag_row *tags, int count);

extern const struct step tag_leave_steps[], tag_named_steps[]; /* of cascades */
int tag_part(struct work *w, const int64_t *ids, size_t count);

#endif
