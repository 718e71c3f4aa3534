/* The facts of objects: the values that predicates are evaluated with in memory. */
#ifndef CORE_FACTS_H
#define CORE_FACTS_H

#include "core/predicates/definition.h"

/* The values of one field of one object, none to many, stored as the kind of its definition requires. */
struct fact {
    int count;
    int64_t *numbers;
    struct str *texts;
    bool changed;              /* the work changed the value */
    const struct fact *before; /* the values before the change; NULL: unknown, or not changed */
};

struct facts {
    int64_t id;
    struct fact *list; /* parallel to the definitions; fields that are not wanted have no values */
};

/* Reads the facts of objects in one statement, ordered by id. wanted: parallel to d->list, the fields to
 * read (predicate_mark); NULL: all. ids: JSON array. Fields of added messages see the messages that the
 * work has added so far. Returns the number of objects that were found, or a negative error. */
int facts_read(struct work *w, const struct definitions *d, const bool *wanted, struct str ids,
               struct facts **out);

/* Sets changed and before of the facts of conversations, by the typed changes of the work. A conversation
 * that the work created had no values before. The state before is that of the first change of the work.
 * Code that runs rules twice in a work keeps the facts of the first run and calls facts_since. */
void facts_history(struct work *w, const struct definitions *d, const bool *wanted, struct facts *list,
                   int count);
/* Sets changed and before of one conversation by comparison with earlier facts of it. */
void facts_since(const struct definitions *d, struct facts *now, const struct facts *earlier);

#endif
