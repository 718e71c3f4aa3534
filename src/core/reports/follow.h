/* Facts and rollups follow the change log, as the search index does (core/search/follow.h).
 *
 * A write of a conversation leaves reports alone, so it costs nothing more. The follower reads the entries
 * after its cursor, computes the facts of the conversations that they name again, and changes the facts and
 * rollups that differ. Cursor, facts and rollups change in one write: after a crash all three are those of
 * the same moment, and the next part begins at the cursor.
 *
 *     report_cursor    place ──> entries of the change log after it ──> their conversations
 *                      built ──> the next conversations, of a desk that has no facts yet
 *
 * A read of a report first brings them up to date, whichever process made the changes. Between reads the job
 * runner does so once a minute, so that a batch has many changes of the same day.
 *
 * Facts depend on three things without entries of their own:
 *
 * - Business hours, and SLA clocks that a job computes again. Both have the epoch of clock_generations. A new
 *   epoch builds everything anew, when the job has ended.
 * - The organization of a conversation. A cascade sets it when the organization of the requester changes, and
 *   each part adds its conversations to report_pending. The follower computes their facts, and deletes the
 *   rows that it has read. Each part adds rows of its own, so a part that commits meanwhile loses none. */
#ifndef CORE_REPORTS_FOLLOW_H
#define CORE_REPORTS_FOLLOW_H

#include "work/work.h"

/* SQL of a cascade: the facts of the conversations :rows are computed again. */
#define REPORTS_PENDING \
    "INSERT INTO report_pending (case_id) SELECT c.id FROM cases c WHERE c.id IN @LIST(:rows)"

/* 1: changes that this snapshot sees are not followed yet; 0; or a negative error. */
int report_is_behind(struct work *w);
/* Follows the next changes, in a write of its own (core/all/catch_up.h). Returns 1 if there are more, 0 or a
 * negative error. */
int report_follow(struct work *w, void *arg);
/* Forgets the place, for a store that was filled without a change log: all is built anew. */
int report_begin_anew(struct conn *c);

/* Compares facts with the rows of conversations, and rollups with facts, for deskd check. Returns the number
 * of findings, or a negative error. */
struct report_findings {
    void (*case_differs)(void *arg, int64_t case_id);
    void (*day_differs)(void *arg, int64_t kind, int64_t day);
    void *arg;
};
int report_check(struct work *w, const struct report_findings *f);

#endif
