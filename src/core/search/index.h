/* The search index: a row of search_texts for each text (docs/SEARCH.md).
 *
 * It follows the change log (core/search/follow.h). Cascades have steps for the texts of posts that they
 * delete or move (core/search/text.h). */
#ifndef CORE_SEARCH_INDEX_H
#define CORE_SEARCH_INDEX_H

#include "core/search/text.h"
#include "work/work.h"

/* Rows of one kind, by id. */
struct search_rows {
    int64_t *ids;
    int count, room;
};
/* Reads the texts of these rows, by enum search_table, and writes them. One statement writes about a
 * megabyte of texts, because FTS5 writes a segment of its index for each statement. */
int search_rows_put(struct conn *c, struct arena *a, const struct search_rows *rows);

/* Progress of building the index. */
struct search_progress {
    int64_t table, after; /* enum search_table; rows up to this id are done */
    int64_t last;         /* the table to end with */
};
/* Indexes the next `most` rows. Returns 1 if there are more, 0 if not, or a negative error. */
int search_index_part(struct conn *c, struct arena *a, struct search_progress *p, int64_t most);
/* Indexes everything in one transaction. */
int search_rebuild(struct conn *c);
/* ends the jobs that build the index: it was built in another way */
int search_is_built(struct conn *c, int64_t now);
/* 1: a job is building the index, so results may be missing; 0; or a negative error */
int search_is_building(struct work *w);

#endif
