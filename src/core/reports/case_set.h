/* Sets of conversations from rollups: those that a number of a report counts, and those of a backlog. Whole
 * records have the conversation of each fact, so a set costs a look at each record of the period, and neither
 * a row for each fact nor a tree of ids. */
#ifndef CORE_REPORTS_CASE_SET_H
#define CORE_REPORTS_CASE_SET_H

#include "core/reports/record.h"
#include "core/reports/series_ask.h"

struct case_set {
    struct work *work;
    /* A number for each id of a block of BLOCK_KEYS, or NULL. 1: the conversation is in the set */
    int16_t **blocks;
    int64_t room;  /* of blocks */
    int64_t count; /* of conversations */
};

/* Both return 1, 0 if rollups do not have the set, or a negative error. The set has only conversations that
 * the caller sees. */
int case_set_behind(struct work *w, const struct report_behind *b, unsigned parts, struct case_set *out);
/* Reads the set of those that were open just before the end of the period. b->part: an age. */
int case_set_backlog(struct work *w, const struct report_behind *b, struct case_set *out);

bool case_set_has(const struct case_set *s, int64_t id);
/* The ids in their order, as JSON. */
struct str case_set_ids(const struct case_set *s);
/* The page of the list of the set, the last changed conversations first. Returns the number of ids, or a
 * negative error. */
int case_set_page(const struct case_set *s, int64_t offset, int64_t limit, int64_t *ids);

#endif
