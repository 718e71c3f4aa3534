/* Channels as staff choose them (completions.md section 8): in place in a case or post, and as lists. */
#ifndef RES_CHANNEL_H
#define RES_CHANNEL_H

#include "api/view.h"

/* .render of a column that holds an enum channel: {uuid, type, character_limit, account}, or null. */
void render_channel(struct view *v, const struct row *row, const struct value *own);

#endif
