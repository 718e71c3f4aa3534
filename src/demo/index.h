/* Drops indexes before a bulk load: building one at the end costs a tenth of updating it in ten million
 * inserts. */
#ifndef CORE_DEMO_INDEX_H
#define CORE_DEMO_INDEX_H

#include "base/arena.h"
#include "base/str.h"

struct index {
    struct str name, table;
    const char *drop, *create;
    struct index *next;
};

/* Returns all indexes that the schema files make, without those dropped by later files. Does not depend on
 * an engine's catalogue. */
struct index *indexes_of_schema(struct arena *a);

#endif
