/* Tags: words that people, organizations (later conversations, sections, articles) carry. One row a tag, made when it
 * is first used; two texts that fold_key makes alike are one tag. */
#ifndef CORE_TAG_H
#define CORE_TAG_H

#include "work/work.h"

enum tagged { TAGGED_USER, TAGGED_ORGANIZATION };

/* The key a tag is found and compared by; p NULL: this is no tag (empty, too long, a comma or control character in it).
 */
struct str tag_key(struct arena *a, struct str name);

/* Names are valid tags, at most LIMIT_TAGS. The owner's updated_at follows. */
int tags_add(struct work *w, enum tagged kind, int64_t owner_id, const struct str *names, int count);
int tags_replace(struct work *w, enum tagged kind, int64_t owner_id, const struct str *names, int count);
int tags_remove(struct work *w, enum tagged kind, int64_t owner_id, const struct str *names, int count);
int tags_of(struct work *w, enum tagged kind, int64_t owner_id, int64_t **ids); /* by id, in the arena; returns how many */
int tags_count(struct work *w, enum tagged kind, int64_t owner_id, int64_t *count);

#endif
