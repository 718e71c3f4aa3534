/* Scopes limit what the credentials of a request may be used for. A role says what a person may do. A scope narrows it for a program.
 *
 * A mask has two bits for each row of `scopes`: one to read, one to write. Write includes read. A session and Basic credentials have all
 * scopes. An actor without bits has none, so that an entry point that sets no scopes is refused. */
#ifndef CORE_SCOPE_H
#define CORE_SCOPE_H

#include "work/work.h"

#define SCOPES_ALL UINT32_MAX

/* Names in the order of their bits. Ends with NULL. New names are added at the end, because tokens store masks. */
extern const char *const scopes[];

/* Returns whether the names differ and a mask has room for them; if not, err is one line that names the row. */
bool scopes_check(const char *const *list, char *err, size_t size);

/* Returns the bit that `name` needs to read or to write, or 0 if there is no such scope. */
uint32_t scope_bit(struct str name, bool writes);

/* Returns true if the actor may read or write within the scope `name`. Every actor may for "" (no scope), none for an unknown name. */
bool scope_granted(const struct actor *a, const char *name, bool writes);

#endif
