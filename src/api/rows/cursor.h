/* Opaque cursors. A reply shows a place in a list as text, and a later request sends it back. The text has
 * a MAC, so an altered or made-up one is refused before it reaches a statement. All opaque cursors of the
 * API go through these functions. */
#ifndef API_ROWS_CURSOR_H
#define API_ROWS_CURSOR_H

#include "work/work.h"

/* `of` names the list, because a cursor is valid for one list only. The text is base64url. */
struct str cursor_seal(const struct work *w, const char *of, struct str place);
/* false: this server did not make it */
bool cursor_open(const struct work *w, const char *of, struct str text, struct str *place);
/* The same for a place that its reader may not read: it is encrypted. Equal places give equal texts. */
struct str cursor_hide(const struct work *w, const char *of, struct str place);
bool cursor_reveal(const struct work *w, const char *of, struct str text, struct str *place);

#endif
