/* Parts of cases that several files of this folder use. */
#ifndef RES_CASE_PARTS_H
#define RES_CASE_PARTS_H

#include "api/call/call.h"
#include "core/cases/case.h"
#include "core/cases/case_total.h"
#include "core/cases/macro.h"
#include "core/people/tag.h"
#include "core/predicates/predicate.h"

/* ---- lists: case_list.c ---------------------------------------------------------------------- */

/* Arguments of both lists. */
#define CASE_LIST_ARGS                                                                        \
    {"status", F_WORDS, .words = status_types,                                                \
     .doc = "Only conversations whose status has one of these types."},                       \
    {                                                                                         \
        "priority", F_INT, .doc = "Only conversations with a priority of this level or less." \
    }

extern const struct word case_identity_types[];

/* Chooses the index range that the list walks (case_list.c). b: the conversations that the caller sees;
 * replaced. types: the list has only these types of status, as bits of 1 << enum status_type; 0: all. Sets
 * c->branches, and the filters for case_list_count. Call it after api_input. */
int case_list_plan(struct call *c, struct branches *b, unsigned types);
/* The same for the inbox: active conversations that are neither completed, closed nor snoozed. */
int case_list_plan_inbox(struct call *c, struct branches *b);
/* For a list with a condition of its own, of staff: checks the filters on each row, or walks a small range of one filter.
 * *kept: the filters as a condition whose count may be kept (core/cases/view_count.h); sql NULL: it may not. Returns 1 if
 * there are filters, 0, or a negative error. Call it after api_input. c->where is set before if the list is not of
 * active conversations. */
int case_list_check(struct call *c, struct branches *b, struct condition *kept);
/* .count: the total from counters */
int case_list_count(struct call *c, int64_t *total);

/* Time of the last change of the clocks, which change without the row. */
#define CASE_CHANGED "(SELECT MAX(m.updated_at) FROM sla_metrics m WHERE m.case_id = t.id), " TAGS_CHANGED_AT

/* SQL: ids of the people who take part in the conversation :id. */
#define PARTICIPANTS                                     \
    "SELECT p.user_id FROM case_participants p "         \
    "WHERE p.case_id = :id UNION SELECT k.requester_id " \
    "FROM cases k WHERE k.id = :id"

/* ---- input: case_input.c --------------------------------------------------------------------- */

/* .check: the person must be staff who may log in */
int check_assigned_agent(struct call *c, struct in *in);
/* .check: the time must be in the future, and at most a year ahead */
int check_within_year(struct call *c, struct in *in);
struct case_change case_change_given(struct call *c); /* the properties in the input */
/* Fails with PERMISSIONS_DENIED if an agent closes the conversation: only admins and owners may. */
int check_closing(struct call *c);

/* ---- replies: case_reply.c ------------------------------------------------------------------- */

extern const struct field reply_input[];
int post_case_reply(struct call *c);
int delete_case_reply(struct call *c); /* DELETE /cases/:id/reply/:post_id */

/* ---- targets of bulk calls: case_input.c ----------------------------------------------------- */

/* Locks and reads the targets, in the order of their ids in the call. */
int load_targets(struct call *c, struct case_now **out);
typedef const char *why_not(struct work *w, const struct case_now *c);
/* Refuses the targets that have a reason `why`. */
int refuse_targets(struct call *c, const struct case_now *targets, why_not *why);

/* ---- snoozes: case_snooze.c ------------------------------------------------------------------ */

extern const struct field snooze_input[];
/* SQL of the member `snooze`: the two times and the person, between blanks; NULL: it is not snoozed */
#define CASE_SNOOZE_TEXT                                                                        \
    "CASE WHEN t.snoozed_at IS NOT NULL THEN t.snoozed_at || ' ' || COALESCE(t.snoozed_until, " \
    "0) || ' ' || COALESCE(t.snoozed_by_id, 0) END"
void render_snooze(struct view *v, const struct row *row, const struct value *own);
int put_case_snooze(struct call *c);
int delete_case_snooze(struct call *c);

/* ---- merges: case_merge.c -------------------------------------------------------------------- */

extern const struct field merge_input[];
int post_case_merge(struct call *c);

/* ---- splits: case_split.c -------------------------------------------------------------------- */

extern const struct field split_input[];
int post_case_split(struct call *c);

/* ---- forwards: case_forward.c ---------------------------------------------------------------- */

extern const struct field forward_input[];
int post_case_forward(struct call *c);
int delete_case_forward(struct call *c); /* DELETE /cases/:id/forward/:post_id */
/* SQL of the member `forward` of a note t, a text of lines: To, Cc, messages and the statuses of the
 * letters, each as a JSON array, and the subject. NULL: the note is no forward. */
#define FORWARD_TEXT                                                                                \
    "(SELECT f.to_addresses || '\n' || f.cc_addresses || '\n' || f.post_ids || '\n' || (SELECT "    \
    "@JSON_ROWS(x.said) FROM (SELECT o.status || ' ' || o.recipient AS said FROM outgoing_mails o " \
    "WHERE o.post_id = f.note_id) x) || '\n' || f.subject FROM forwards f WHERE f.note_id = t.id)"
/* The note of the forward that the note t answers. */
#define ANSWERED_NOTE                                                                     \
    "(SELECT MAX(m.forward_id) FROM mails m JOIN forwards f ON f.note_id = m.forward_id " \
    "WHERE m.post_id = t.id)"
void render_forward(struct view *v, const struct row *row, const struct value *own);

/* ---- macros in a request: macro.c ------------------------------------------------------------ */

#define MACRO_DOC "Macro whose properties and tags are set, except those that the request gives itself."

/* After api_input. Returns 1 with the macro that the request names, 0 if it names none, or a negative
 * error. */
int macro_given(struct call *c, struct macro *out);
/* Adds the macro's properties to `change`. Agents can't close conversations by a macro either. */
int macro_join(struct call *c, const struct macro *m, const struct case_now *now, struct case_change *change);
/* Applies the macro's tags, unless the request has tags. */
int macro_join_tags(struct call *c, const struct macro *m, int64_t case_id);

#endif
