/* Permanent deletion of conversations. */
#ifndef CORE_CASE_DELETE_H
#define CORE_CASE_DELETE_H

#include "core/desk/cascade_step.h"
#include "work/work.h"

/* Deletes these conversations (JSON array of ids) with everything that belongs to them, in the parts of a
 * cascade. Nobody sees them from this write on. Conversations that were merged into them are deleted too,
 * because only staff see them and their posts have moved. The caller has locked the rows and checked that
 * they are in the trash. */
int cases_delete(struct work *w, struct str ids);

extern const struct step case_delete_steps[];

#endif
