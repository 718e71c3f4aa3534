/* Regular expressions that people write: PCRE2 with limits on size, time and memory, so that none of them is an attack.
 */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/str.h"

/* NULL: it compiles; else why not, a sentence in the arena without its full stop. */
const char *pattern_wrong(struct arena *a, struct str pattern);

/* Whether the pattern is found anywhere in a text: 1, 0; -1: it could not be told within the limits, or the pattern is
 * wrong. */
int pattern_found(struct str pattern, struct str text);

#endif
