/* Counts of conversations that meet a condition, for views. The essay is in view_count.c. */
#ifndef CORE_VIEW_COUNT_H
#define CORE_VIEW_COUNT_H

#include "base/words.h"
#include "core/cases/case_order.h"
#include "work/work.h"

struct view_rows; /* core/cases/case_view.h */

/* KNOWN: exact. RELATIVE: exact a short time ago. UNKNOWN: not counted yet. */
enum count_accuracy { COUNT_KNOWN = 1, COUNT_RELATIVE, COUNT_UNKNOWN };
extern const struct word count_accuracies[];

struct view_counts; /* the counts that a process keeps */
struct view_counts *view_counts_new(void);
void view_counts_free(struct view_counts *c);

/* Several counts of one request. */
struct counting {
    struct work *work;
    struct str place;           /* place in the change log */
    int64_t kept_for;           /* milliseconds for which a count may be out of date */
    int64_t until;              /* clock_monotonic at which counting ends */
    struct case_reader *reader; /* core/access/access.h */
    bool exact;                 /* count outdated groups again */
    int most;                   /* list up to so many conversations; 0: none */
    bool page;                  /* list the places in the order of the view */
    int64_t *ids;               /* those that the actor sees; NULL: more, or not known */
    int id_count;
    struct case_place *places; /* the same with their keys; NULL: not known */
    int place_count;
};
/* Begins to count for the actor, who is staff. Call it in a snapshot. */
int counting_begin(struct work *w, bool exact, struct counting *out);
int counting_count(struct counting *c, const struct view_rows *rows, int64_t *n,
                   enum count_accuracy *accuracy);
/* One exact count. Returns 1, or a negative error. */
int counting_exact(struct work *w, const struct view_rows *rows, int64_t *n);
/* The same, with the ids of the conversations that the actor sees, ascending: *ids. NULL: more than
 * `most`, or not known. Returns their number, 0 without ids, or a negative error. */
int counting_list(struct work *w, const struct view_rows *rows, int most, int64_t **ids);
/* The ids of a page in the order of rows->order, which is not NULL, and of all conversations with the key
 * of its first or its last row (core/cases/case_order.h). *ids NULL: not known. Returns their number, 0
 * without ids, or a negative error. */
int counting_page(struct work *w, const struct view_rows *rows, struct case_page *page, int64_t **ids);

#endif
