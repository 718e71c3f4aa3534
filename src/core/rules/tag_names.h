/* Texts that name a tag: conditions and actions of rules, conditions of views, options of custom fields. They
 * name it as people write it, also before the tag exists, so they have no reference to its row. */
#ifndef CORE_TAG_NAMES_H
#define CORE_TAG_NAMES_H

#include "work/work.h"

/* All of these texts name the tag `name` in place of the tag with this key. Rules are compiled again. */
int tag_names_follow(struct work *w, struct str key, struct str name);

/* *out: the rule, or the option of a field, that names the tag, as in: The trigger "Refunds". Conditions of
 * views do not count, because a view without matches does no harm. Returns 1, 0 (none does) or a negative
 * error. */
int tag_is_named(struct work *w, struct str key, struct str *out);

#endif
