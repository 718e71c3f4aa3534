/* What people on a demo desk are called and write. */
#ifndef CORE_DEMO_TEXT_H
#define CORE_DEMO_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "demo/plan.h"

/* Names in letters for addresses, folded once: folding is a hundred times the work of the rest. */
struct demo_names {
    struct str first[DEMO_LANGUAGES][DEMO_NAMES], last[DEMO_LANGUAGES][DEMO_NAMES]; /* "jurgen" */
};
void demo_names(struct demo_names *n, struct arena *a);

/* Each replaces what the buffer held. */
void demo_full_name(struct buf *out, const struct demo_person *p);
void demo_address(struct buf *out, const struct demo_names *n, const struct demo_person *p);
void demo_organization_name(struct buf *out, int64_t id);
void demo_subject(struct buf *out, const struct demo_world *w, const struct demo_case *c);
void demo_contents(struct buf *out, const struct demo_world *w, const struct demo_case *c, int message);

#endif
