/* Scopes limit what the credentials of a request may be used for. A role says what a person may do. A
 * scope narrows it for a program.
 *
 * A mask has two bits for each row of `scopes`: one to read, one to write. Write includes read. A session
 * and Basic credentials have all scopes. An actor without bits has none, so that an entry point that sets
 * no scopes is refused. */
#ifndef CORE_SCOPE_H
#define CORE_SCOPE_H

#include "work/work.h"

#define SCOPES_ALL UINT32_MAX

/* reads, writes: the rights that each level of the scope gives a program, as the page of consent and
 * OpenAPI show them. */
struct scope {
    const char *name, *reads, *writes;
};
/* In the order of their bits. Ends with name NULL. New rows are added at the end, because tokens store
 * masks. */
extern const struct scope scopes[];

/* Returns whether each row has its texts, the names differ and a mask has room for them; if not, err is
 * one line that names the row. */
bool scopes_check(const struct scope *list, char *err, size_t size);

/* Returns the bit that `name` needs to read or to write, or 0 if there is no such scope. */
uint32_t scope_bit(struct str name, bool writes);

/* Adds the bits of "users:read", "users:write" or "users" (write) to *mask. Returns false if there is no
 * such scope. */
bool scope_parse(struct str text, uint32_t *mask);
/* The names of a mask, in the order of `scopes`, as a JSON array: ["users:read","search:write"]. */
struct str scopes_json(struct arena *a, uint32_t mask);
/* the same with blanks between, as OAuth writes them */
struct str scopes_text(struct arena *a, uint32_t mask);
/* the write bits of all of `scopes`, which include the read bits */
uint32_t scopes_write(void);
/* all bits of `scopes`: each may be read and written */
uint32_t scopes_every(void);
/* The part of `wanted` that `owned` includes. Write includes read. */
uint32_t scopes_within(uint32_t wanted, uint32_t owned);
/* Returns the bits that both masks allow, with the read bit of each write bit: users:write and users:read
 * have users:read in common. */
uint32_t scopes_common(uint32_t a, uint32_t b);

/* The bits of both levels of scopes whose names are separated by blanks. An unknown name has none. */
uint32_t scopes_named(const char *names);
bool scopes_include(const char *names, const char *name); /* true if name is one of these names */
bool scopes_known(const char *names);                     /* true if each of the names is that of a scope */
/* Returns true if the actor has one of these bits, or none is needed (0). */
static inline bool scope_shows(const struct actor *a, uint32_t bits) {
    return bits == 0 || (a->scopes & bits) != 0;
}

/* Returns true if the actor may read or write within the scope `name`. Every actor may for "" (no scope),
 * none for an unknown name. */
bool scope_granted(const struct actor *a, const char *name, bool writes);

#endif
