/* Slugs: "<id>-<words of the title>", the last part of a page's address (docs/HELPCENTER.md). */
#ifndef CORE_SLUG_H
#define CORE_SLUG_H

#include "base/str.h"

/* Letters are folded, Latin ones to ASCII where they have such a form. Everything that is neither a letter
 * nor a digit separates words. Invisible characters (bidi marks, joiners) are left out. A title without
 * letters and digits gives "<id>". */
struct str slug_of(struct arena *a, int64_t id, struct str title);
int64_t slug_id(struct str slug); /* 0: not a slug */

#endif
