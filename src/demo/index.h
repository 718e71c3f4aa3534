/* Indexes out of the way of a bulk load: building one at the end costs a tenth of keeping it through ten million
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

/* All that the schema files make, without what later ones drop: no engine's catalogue is asked. */
struct index *indexes_of_schema(struct arena *a);

#endif
