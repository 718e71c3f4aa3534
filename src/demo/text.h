/* The names and texts of the people on a demo desk. */
#ifndef CORE_DEMO_TEXT_H
#define CORE_DEMO_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "demo/plan.h"

/* Names as ASCII letters for addresses, folded once, because folding takes a hundred times as long as the
 * rest. */
struct demo_names {
    struct str first[DEMO_LANGUAGES][DEMO_NAMES], last[DEMO_LANGUAGES][DEMO_NAMES]; /* "jurgen" */
};
void demo_names(struct demo_names *n, struct arena *a);

/* Each function replaces the contents of the buffer. */
void demo_full_name(struct buf *out, const struct demo_person *p);
void demo_address(struct buf *out, const struct demo_names *n, const struct demo_person *p);
void demo_organization_name(struct buf *out, int64_t id);
void demo_subject(struct buf *out, const struct demo_world *w, const struct demo_case *c);
void demo_contents(struct buf *out, const struct demo_world *w, const struct demo_case *c, int message);

#endif
