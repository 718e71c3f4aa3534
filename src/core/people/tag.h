/* Tags of people, organizations, conversations and articles. A tag has one row, made when it is first
 * used. Two texts with the same fold_key are one tag. */
#ifndef CORE_TAG_H
#define CORE_TAG_H

#include "work/work.h"

enum tagged { TAGGED_USER, TAGGED_ORGANIZATION, TAGGED_CASE, TAGGED_ARTICLE };

/* The key of a tag; p NULL: invalid (empty, too long, or with a comma or control character). */
struct str tag_key(struct arena *a, struct str name);

/* `names` are valid tags, at most LIMIT_TAGS. The owner's updated_at is set. */
int tags_add(struct work *w, enum tagged kind, int64_t owner_id, const struct str *names, int count);
int tags_replace(struct work *w, enum tagged kind, int64_t owner_id, const struct str *names, int count);
int tags_remove(struct work *w, enum tagged kind, int64_t owner_id, const struct str *names, int count);
/* ordered by id, in the arena; returns their number */
int tags_of(struct work *w, enum tagged kind, int64_t owner_id, int64_t **ids);
int tags_count(struct work *w, enum tagged kind, int64_t owner_id, int64_t *count);

/* Makes the tags. *keys: their keys, a JSON array for @TEXTS. */
int tags_made(struct work *w, const struct str *names, int count, struct str *keys);

#endif
