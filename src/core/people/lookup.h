/* Autocomplete: who or what has a name that begins so, or a word of it (api.md "Autocomplete"). Each is an index range (core/people/name_index.h,
 * of addresses the unique index of their keys), whatever the size of the desk; only what matches is counted. */
#ifndef CORE_LOOKUP_H
#define CORE_LOOKUP_H

#include "work/work.h"

enum lookup_kind { LOOKUP_EMAILS, LOOKUP_TAGS, LOOKUP_ORGANIZATIONS, LOOKUP_USERS };

struct lookup {
    enum lookup_kind kind;
    struct str text;       /* as typed */
    struct str roles;      /* of users: JSON array of role types; p NULL: all */
    struct str ids, names; /* left out: JSON arrays of ids, and of keys */
    int64_t limit;
    int64_t *found, total; /* out: ids, names that begin so first; limit at most, of so many */
    int count;
};
int lookup_run(struct work *w, struct lookup *l);

/* A name as the kind compares it. */
struct str lookup_key(struct arena *a, enum lookup_kind kind, struct str name);

#endif
