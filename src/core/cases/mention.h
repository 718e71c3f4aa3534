/* People of staff whom a note mentions: "@" and the name. */
#ifndef CORE_MENTION_H
#define CORE_MENTION_H

#include "work/work.h"

/* False: the text mentions nobody. */
static inline bool may_mention(struct str text) { return text.n && memchr(text.p, '@', text.n); }

/* Finds the people whom the text of the note mentions, and whom no earlier text of it did. Returns their
 * number, or a negative error. */
int mentions_of_note(struct work *w, int64_t note_id, int64_t **ids);
/* Call it before the text of the note changes: keeps those whom the present text mentions, so that a
 * person gets one mail about a note. */
int mentions_keep(struct work *w, int64_t note_id);

#endif
