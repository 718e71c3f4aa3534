#include "core/time/calendars.h"

#include "base/arena.h"

#include <pthread.h>
#include <stdlib.h>

/* A desk has a few business hours, so they are a list. The last one used comes first. */
struct calendar {
    struct arena *arena; /* the arena of this entry and of all it refers to */
    struct calendar_row row;
    const struct business_time *time;
    struct calendar *next;
};

/* Maximum number of entries of 30 KiB to 100 KiB each. The entry that was unused for longest is removed
 * first. */
#define CALENDARS_MAX 256

struct calendars {
    pthread_mutex_t lock;
    struct calendar *first;
};

struct calendars *calendars_new(void) {
    struct calendars *c = calloc(1, sizeof *c);
    if (c) pthread_mutex_init(&c->lock, NULL);
    return c;
}

void calendars_free(struct calendars *c) {
    if (c == NULL) return;
    for (struct calendar *x = c->first, *next; x; x = next) {
        next = x->next;
        arena_free(x->arena);
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static bool calendar_is(const struct calendar *x, const struct calendar_row *row) {
    return str_eq(x->row.zones, row->zones) && str_eq(x->row.holidays, row->holidays) &&
           str_eq(x->row.time_zone, row->time_zone);
}

static struct calendar *calendar_make(const struct calendar_row *row) {
    struct arena *a = arena_new();
    struct calendar *x = ARENA_NEW(a, struct calendar);
    struct hours h;
    *x = (struct calendar){
        .arena = a,
        .row = {row->id, str_dup(a, row->zones), str_dup(a, row->holidays), str_dup(a, row->time_zone)},
        .next = NULL};
    if (hours_read(a, row->zones, row->holidays, row->time_zone, &h) >= 0)
        x->time = business_time_prepare(a, &h);
    return x;
}

const struct business_time *calendars_find(struct calendars *c, const struct calendar_row *row) {
    struct calendar **at = &c->first, *x;
    while (*at && (*at)->row.id != row->id) at = &(*at)->next;
    x = *at;
    if (x) *at = x->next;
    if (x && !calendar_is(x, row)) {
        arena_free(x->arena);
        x = NULL;
    }
    if (x == NULL) x = calendar_make(row);
    x->next = c->first;
    c->first = x;
    return x->time;
}

/* Frees the entries behind CALENDARS_MAX. */
static void calendars_shorten(struct calendars *c) {
    struct calendar **at = &c->first;
    for (int n = 0; *at && n < CALENDARS_MAX; n++) at = &(*at)->next;
    for (struct calendar *x = *at, *next; x; x = next) {
        next = x->next;
        arena_free(x->arena);
    }
    *at = NULL;
}

void calendars_lock(struct calendars *c) {
    pthread_mutex_lock(&c->lock);
    calendars_shorten(c);
}

void calendars_unlock(struct calendars *c) { pthread_mutex_unlock(&c->lock); }
