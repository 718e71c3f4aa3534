/* The HTML that a message or a note was given as, before it was cleaned. Only the clean HTML is shown. The
 * original is kept because cleaning loses parts of it that a later version may be able to show. It is
 * deleted with its post. */
#ifndef CORE_ORIGINAL_H
#define CORE_ORIGINAL_H

#include "work/work.h"

/* Keeps the original of a message or note, in place of an earlier one. html: p NULL: the post was written
 * as plain text, and has none. */
int original_keep(struct work *w, int64_t post_id, struct str html);

#endif
