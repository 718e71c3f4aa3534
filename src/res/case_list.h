/* Shared code of the lists of conversations: GET /conversations, GET /cases, and those of people,
 * organizations and views. */
#ifndef RES_CASE_LIST_H
#define RES_CASE_LIST_H

#include "api/call/call.h"
#include "core/cases/case_total.h"

/* Arguments of both lists. */
#define CASE_LIST_ARGS                                                                        \
    {"status", F_WORDS, .words = status_types,                                                \
     .doc = "Only conversations whose status has one of these types."},                       \
    {                                                                                         \
        "priority", F_INT, .doc = "Only conversations with a priority of this level or less." \
    }

extern const struct word case_identity_types[];

/* Chooses the index range that the list walks (case_list.c). b: the conversations that the caller sees;
 * replaced. Sets c->branches, and the filters for case_list_count. Call it after api_input. */
int case_list_plan(struct call *c, struct branches *b);
/* For a list that has ranges of its own: checks the filters on each row. Returns 1 if there are filters,
 * 0, or a negative error. Call it after api_input and after c->where is set. */
int case_list_check(struct call *c, struct branches *b);
/* .count: the total from counters; c->counting is a struct case_filter */
int case_list_count(struct call *c, int64_t *total);

/* Time of the last change of the shown members: custom fields come and go without a change of the row. */
#define CASE_CHANGED                                                                       \
    "SELECT MAX(h.at) "                                                                    \
    "FROM (SELECT t.updated_at AS at FROM cases t WHERE t.id = :id UNION ALL SELECT c.at " \
    "FROM changes c WHERE c.what = 'custom_fields' UNION ALL SELECT MAX(m.updated_at) "    \
    "FROM sla_metrics m WHERE m.case_id = :id) AS h"

/* SQL: ids of the people who take part in the conversation :id. */
#define PARTICIPANTS                                     \
    "SELECT p.user_id FROM case_participants p "         \
    "WHERE p.case_id = :id UNION SELECT k.requester_id " \
    "FROM cases k WHERE k.id = :id"

#endif
