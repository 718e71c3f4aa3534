/* Regular expressions from users: PCRE2 with limits on size, time and memory, so that no pattern can
 * exhaust the server. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/str.h"

/* Returns NULL if the pattern compiles, else the reason: a sentence in the arena without its full stop. */
const char *pattern_wrong(struct arena *a, struct str pattern);

/* Returns 1 if the pattern matches anywhere in the text, 0 if not, -1 if it is invalid or a limit was
 * reached. */
int pattern_found(struct str pattern, struct str text);

#endif
