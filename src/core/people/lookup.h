/* Autocomplete: names that begin with the text, or have a word that does. Each search is an index range
 * (core/people/name_index.h; for addresses the unique index of their keys), whatever the size of the desk.
 * At most 500 matches are counted, or as many as are shown. */
#ifndef CORE_LOOKUP_H
#define CORE_LOOKUP_H

#include "work/work.h"

enum lookup_kind { LOOKUP_EMAILS, LOOKUP_TAGS, LOOKUP_ORGANIZATIONS, LOOKUP_USERS };

struct lookup {
    enum lookup_kind kind;
    struct str text;       /* as typed */
    struct str roles;      /* for users: JSON array of role types; p NULL: all */
    struct str ids, names; /* excluded: JSON arrays of ids and of keys */
    int64_t limit;
    /* out: ids, names that begin with the text first: `count` of them, at most `limit`, are shown */
    int64_t *found, total;
    int count;
    bool more; /* out: there are more than `total` */
};
int lookup_run(struct work *w, struct lookup *l);

/* Normalises a name for comparison. */
struct str lookup_key(struct arena *a, enum lookup_kind kind, struct str name);

#endif
