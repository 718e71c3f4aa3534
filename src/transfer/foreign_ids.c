/* A set of ids, and a map of them, with open addressing, at most half full. */
#include "transfer/foreign.h"

#include <inttypes.h>
#include <string.h>

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

bool foreign_ids_has(const struct foreign_ids *s, int64_t id) { return s->room && s->slots[id_place(s, id)]; }

int foreign_once(struct foreign *f, struct foreign_ids *s, const char *member, int64_t id) {
    if (id == 0 || foreign_ids_add(f->memory, s, id)) return 0;
    return foreign_twice(f, member, id);
}

int foreign_twice(struct foreign *f, const char *member, int64_t id) {
    return db_refuse(f->why, "%s %" PRId64 " is there twice: remove the older one of the two", member, id);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static size_t pair_place(const struct foreign_map *m, const char *kind, int64_t id) {
    uint64_t h = (uint64_t)id;
    for (const char *p = kind; *p; p++) h = h * 31 + (unsigned char)*p;
    size_t at = (size_t)((h * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (m->room - 1);
    while (m->slots[at].here && (m->slots[at].id != id || strcmp(m->slots[at].kind, kind) != 0))
        at = (at + 1) & (m->room - 1);
    return at;
}

static void map_grow(struct arena *a, struct foreign_map *m) {
    struct foreign_map larger = {.room = m->room ? 2 * m->room : IDS_FIRST, .count = m->count};
    larger.slots = arena_array(a, larger.room, sizeof *larger.slots);
    for (size_t i = 0; i < m->room; i++)
        if (m->slots[i].here)
            larger.slots[pair_place(&larger, m->slots[i].kind, m->slots[i].id)] = m->slots[i];
    *m = larger;
}

void foreign_here(struct foreign *f, const char *kind, int64_t id, int64_t here) {
    struct foreign_map *m = &f->map;
    if (2 * m->count >= m->room) map_grow(f->memory, m);
    size_t at = pair_place(m, kind, id);
    m->count += m->slots[at].here == 0;
    m->slots[at] = (struct foreign_pair){kind, id, here};
}

int64_t foreign_find(const struct foreign *f, const char *kind, int64_t id) {
    return f->map.room ? f->map.slots[pair_place(&f->map, kind, id)].here : 0;
}
