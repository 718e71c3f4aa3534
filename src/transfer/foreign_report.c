/* The report of an import: created rows, rows left out, and words of the other system. */
#include "transfer/foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- counts ---------------------------------------------------------------------------------- */

enum { COUNTS = 200 };

/* The names of unknown members come from the files, so their number has a limit. */
static struct foreign_count *count_of(struct foreign *f, struct foreign_count **list, const char *what) {
    int n = 0;
    for (; *list && strcmp((*list)->what, what) != 0; list = &(*list)->next)
        if (++n == COUNTS) return *list;
    if (!*list) {
        *list = ARENA_NEW(f->memory, struct foreign_count);
        (*list)->what =
            n == COUNTS - 1 ? "values of other unknown members" : str_dup(f->memory, str_of(what)).p;
    }
    return *list;
}

void foreign_made(struct foreign *f, const char *what, int64_t n) { count_of(f, &f->made, what)->n += n; }

void foreign_skip(struct foreign *f, const char *what, int64_t id) {
    struct foreign_count *c = count_of(f, &f->skipped, what);
    if (c->n++ == 0) snprintf(c->example, sizeof c->example, "%s:%" PRId64, f->system->name, id);
}

void foreign_skip_many(struct foreign *f, const char *what, int64_t n) {
    count_of(f, &f->skipped, what)->n += n;
}

void foreign_skip_file(struct foreign *f, const char *what, const char *file) {
    struct foreign_count *c = count_of(f, &f->skipped, what);
    if (c->n++ == 0) snprintf(c->example, sizeof c->example, "%s", file);
}

void foreign_unlisted(struct foreign *f, const char *kind) { count_of(f, &f->unlisted, kind)->n++; }

bool foreign_is_unlisted(const struct foreign *f, const char *kind) {
    const struct foreign_count *c = f->unlisted;
    while (c && strcmp(c->what, kind) != 0) c = c->next;
    return c != NULL;
}

/* ---- terms ----------------------------------------------------------------------------------- */

void foreign_explain(struct foreign *f, const char *kind, int64_t id, struct str name, int value) {
    struct foreign_term *t = ARENA_NEW(f->memory, struct foreign_term);
    *t = (struct foreign_term){kind, id, str_dup(f->memory, name.p ? name : S("")), value, f->terms};
    f->terms = t;
}

int foreign_term(const struct foreign *f, const char *kind, int64_t id, struct str name) {
    for (const struct foreign_term *t = f->terms; t; t = t->next)
        if (strcmp(t->kind, kind) == 0 && ((id && t->id == id) || (!id && name.n && str_eq(t->name, name))))
            return t->value;
    return -1;
}
