/* Differences between two texts, by words.
 *
 * The greedy algorithm of Myers (An O(ND) Difference Algorithm and Its Variations, 1986) finds the
 * shortest list of deletions and insertions. Its time and memory are bounded: units that both texts begin
 * or end with are left out first, and at most DIFF_EDITS edits are tried. Above that, the texts are
 * compared again by paragraphs, and above that, the rest is one deletion and one insertion. */
#ifndef CORE_HELPCENTER_DIFF_H
#define CORE_HELPCENTER_DIFF_H

#include "base/arena.h"
#include "base/str.h"

enum diff_operation { DIFF_EQUAL = 1, DIFF_INSERTED, DIFF_DELETED };

struct diff_part {
    enum diff_operation operation;
    struct str text; /* points into the texts */
    struct diff_part *next;
};

/* Edits that are tried: 1000 need 4 MB and at most some milliseconds. */
#define DIFF_EDITS 1000

/* Returns the parts in order; neighbours differ in their operation. A unit is an HTML tag, a word, a run
 * of blanks, or a single other character. The EQUAL and DELETED parts together are the text `from`, the
 * EQUAL and INSERTED parts the text `to`. *work is how many comparisons may still be made in all; below 0
 * the rest is one deletion and one insertion. */
struct diff_part *diff_texts(struct arena *a, struct str from, struct str to, int64_t *work);

#endif
