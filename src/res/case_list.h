/* Shared code of the two lists of conversations: GET /conversations and GET /cases. */
#ifndef RES_CASE_LIST_H
#define RES_CASE_LIST_H

#include "api/call.h"

/* Arguments of both lists. */
#define CASE_LIST_ARGS                                                                                                   \
    {"status", F_WORDS, .words = status_types, .filter = "t.status_type IN @LIST(:status)",                              \
     .doc = "Only conversations whose status has one of these types."},                                                  \
    {                                                                                                                    \
        "priority", F_INT, .filter = "t.priority_id IN (SELECT p.id FROM case_priorities p WHERE p.level <= :priority)", \
                           .doc = "Only conversations with a priority of this level or less."                            \
    }

/* For a caller who sees all conversations: replaces the one branch by a branch for each type of status or for each priority that was asked for,
 * because each is an index range in the order of the list. The filter of that argument is dropped then, so that a count reads the index alone.
 * Other callers keep their branches. */
int case_list_branches(struct call *c, struct branches *b);

/* Time of the last change of the shown members: custom fields come and go without a change of the row. */
#define CASE_CHANGED                                                                                        \
    "SELECT MAX(h.at) FROM (SELECT t.updated_at AS at FROM cases t WHERE t.id = :id UNION ALL SELECT c.at " \
    "FROM changes c WHERE c.what = 'custom_fields') AS h"

/* Adds a condition on the rows of the list to those there are. Its binds are in the branches. */
void case_list_where(struct call *c, const char *condition);

#endif
