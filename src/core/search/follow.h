/* The search index follows the change log.
 *
 * A write that changes a text leaves the index alone: its entries in the change log say what changed. They
 * are read by cursor (core/change/log.h), and the texts of the rows that they name are read and written
 * again, hundreds in one write. FTS5 writes a segment of its index for each statement, so this costs a text
 * a small part of what it costs alone.
 *
 *     write: row + entry of the change log ── COMMIT          search: is the index behind? ── no ──> find
 *                       │                                                 │ yes                        ^
 *                       └─> a second later, or after 500 changes          │                            │
 *                           (the job runner): search_catch_up <───────────┴────────────────────────────┘
 *
 * A search sees every change that was committed before it began: if the index is behind, the search first
 * brings it up to date, whichever process made the changes. After CATCH_UP_MS it begins no further part. If
 * changes are left, or the store can't be written, it finds what there is, and a notice says that the newest
 * results may be missing.
 *
 * The cursor is stored in the write that moves the index. So a crash loses nothing, and the entries after the
 * cursor are indexed by the next search or the next start. Texts are read when they are written, not from the
 * log, so an entry that is read twice changes nothing, and an entry whose row has changed again meanwhile is
 * followed by another one.
 *
 * Each write of search_texts locks the row of the cursor first (SEARCH_LOCK): the follower, jobs that build
 * the index, and cascades that move, delete or erase texts. So no text is written that another write has
 * moved or erased after it was read.
 *
 * A cursor of another store (a restored dump) or before the oldest entry proves nothing: a job builds the
 * index anew.
 *
 * Articles are the exception. Their texts are written in the write that changes them, because pages of the
 * help center read the index on the event loop, and articles are seldom written. */
#ifndef CORE_SEARCH_FOLLOW_H
#define CORE_SEARCH_FOLLOW_H

#include "db/db.h"
#include "work/work.h"

/* The finisher: writes the texts of changed articles. Counts the changes of other texts in desk->unindexed
 * after the COMMIT, and wakes the job runner if there are many. */
int search_finish(struct work *w);
/* The write has added entries to the change log without typed changes: the index is to follow. */
void search_logged(struct work *w);
int search_articles_anew(struct work *w); /* adds a job that writes the texts of all articles again */

/* 1: changes that this snapshot sees are not indexed yet; 0; or a negative error. */
int search_is_behind(struct work *w);
/* Indexes the next entries, in a write of its own (core/all/catch_up.h). Returns 1 if there are more, 0 or a
 * negative error. */
int search_follow(struct work *w, void *arg);
/* Many changes wait, or (late: a second has passed) some do: call search_catch_up (core/all/catch_up.h). */
bool search_waits(const struct desk *d, bool late);

/* The objects that the entries after the cursor name, as JSON arrays of ids, for checks. */
struct search_pending {
    struct str posts; /* messages and notes whose texts may be missing in the index */
    struct str texts; /* texts that are still to be removed */
    struct str cases; /* conversations whose texts are */
};
int search_pending_read(struct work *w, struct search_pending *out);

/* The index is complete, and no other write is under way: sets the place to the end of the change log. */
int search_cursor_set(struct conn *c);

#endif
