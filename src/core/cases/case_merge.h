/* Merging conversations (docs/CONVERSATIONS.md, "Merging"). */
#ifndef CORE_CASE_MERGE_H
#define CORE_CASE_MERGE_H

#include "core/cases/case.h"
#include "core/desk/cascade_step.h"

struct merge {
    struct case_now survivor; /* set by case_merge_load */
    struct case_now *merged;  /* parallel to ids */
    const int64_t *ids;
    int count;
};

/* Locks and loads the survivor and the conversations `ids`, in the order of ids. The caller has found them
 * visible. */
int case_merge_load(struct work *w, int64_t survivor, const int64_t *ids, int count, struct merge *m);
/* Merges them: closes them, hides them from customers, and moves what belongs to them into the survivor,
 * in the parts of a cascade. The caller has checked that the survivor is active and not closed, and that
 * the others are active. Returns the number of tags that did not fit in the survivor, or a negative error. */
int case_merge(struct work *w, struct merge *m);

extern const struct step case_merge_steps[]; /* moves the posts of merged conversations */
/* After a part: messages moved, so the SLA clocks of the surviving conversations change. */
int case_merge_part(struct work *w, const int64_t *merged, size_t count);

#endif
