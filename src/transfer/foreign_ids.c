/* A set of ids with open addressing, at most half full. */
#include "transfer/foreign.h"

#include <inttypes.h>

enum { IDS_FIRST = 1024 };

static size_t id_place(const struct foreign_ids *s, int64_t id) {
    size_t at = (size_t)(((uint64_t)id * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (s->room - 1);
    while (s->slots[at] && s->slots[at] != id) at = (at + 1) & (s->room - 1);
    return at;
}

static void ids_grow(struct arena *a, struct foreign_ids *s) {
    struct foreign_ids larger = {.room = s->room ? 2 * s->room : IDS_FIRST, .count = s->count};
    larger.slots = arena_array(a, larger.room, sizeof *larger.slots);
    for (size_t i = 0; i < s->room; i++)
        if (s->slots[i]) larger.slots[id_place(&larger, s->slots[i])] = s->slots[i];
    *s = larger;
}

bool foreign_ids_add(struct arena *a, struct foreign_ids *s, int64_t id) {
    if (2 * s->count >= s->room) ids_grow(a, s);
    size_t at = id_place(s, id);
    if (s->slots[at]) return false;
    s->slots[at] = id;
    s->count++;
    return true;
}

int foreign_once(struct foreign *f, struct foreign_ids *s, const char *member, int64_t id) {
    if (id == 0 || foreign_ids_add(f->memory, s, id)) return 0;
    return foreign_twice(f, member, id);
}

int foreign_twice(struct foreign *f, const char *member, int64_t id) {
    return db_refuse(f->why, "%s %" PRId64 " is there twice: remove the older one of the two", member, id);
}
