#include "api/table/resource.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define TYPES 256 /* slots; far more than resources */

static struct {
    pthread_once_t once;
    const struct resource *place[TYPES];
} types = {.once = PTHREAD_ONCE_INIT}; /* derived once from constants */

static size_t type_hash(const char *type) {
    uint32_t h = 2166136261u;
    for (; *type; type++) h = (h ^ (unsigned char)*type) * 16777619u;
    return h;
}

static void index_types(void) {
    for (const struct resource *const *r = resources; *r; r++) {
        size_t at = type_hash((*r)->type) % TYPES;
        while (types.place[at]) at = (at + 1) % TYPES;
        types.place[at] = *r;
    }
}

const struct resource *resource_of(const char *type) {
    pthread_once(&types.once, index_types);
    for (size_t at = type_hash(type) % TYPES; types.place[at]; at = (at + 1) % TYPES)
        if (strcmp(types.place[at]->type, type) == 0) return types.place[at];
    return NULL;
}
