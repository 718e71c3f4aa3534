/* The parameter macro_id of operations that change a conversation. */
#ifndef RES_MACRO_APPLY_H
#define RES_MACRO_APPLY_H

#include "api/call/call.h"
#include "core/cases/macro.h"

#define MACRO_DOC "Macro whose properties and tags are set, except those that the request gives itself."

/* After api_input. Returns 1 with the macro that the request names, 0 if it names none, or a negative
 * error. */
int macro_given(struct call *c, struct macro *out);
/* Adds the macro's properties to `change`. Agents can't close conversations by a macro either. */
int macro_join(struct call *c, const struct macro *m, const struct case_now *now, struct case_change *change);
/* Applies the macro's tags, unless the request has tags. */
int macro_join_tags(struct call *c, const struct macro *m, int64_t case_id);

#endif
