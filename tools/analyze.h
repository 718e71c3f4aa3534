/* tools/analyze.sh reads this before each file, except work.c. The analyzer sees one file at a time, so it does not know that
 * these functions always return a negative error, and that their callers' outputs are then not read. */
#include "work/work.h"

#define fail(...) ((fail)(__VA_ARGS__), -1)
#define fail_field(...) ((fail_field)(__VA_ARGS__), -1)
#define fail_at(...) ((fail_at)(__VA_ARGS__), -1)
#define fail_state(...) ((fail_state)(__VA_ARGS__), -1)
