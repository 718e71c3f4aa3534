/* The conversations that meet a condition, by team and agent, and their changes (core/cases/view_count.c). */
#ifndef CORE_CASE_GROUPS_H
#define CORE_CASE_GROUPS_H

#include "core/cases/case_order.h"
#include "work/work.h"

struct view_rows; /* core/cases/case_view.h */

struct case_group {
    int64_t team, agent, n;
};

/* A member is a conversation: its id << MEMBER_BITS, and the place of its group. Members ascend. */
#define MEMBER_BITS 16
#define MEMBERS_MOST (128 * 1024)
static inline int64_t member_id(uint64_t member) { return (int64_t)(member >> MEMBER_BITS); }
static inline int member_group(uint64_t member) { return (int)(member & ((1U << MEMBER_BITS) - 1)); }

struct case_groups {
    struct case_group *groups;
    int count;
    uint64_t *members; /* NULL: changes can't be followed */
    int member_count;
    struct case_key *keys; /* parallel to members; NULL: the view has no order that is kept */
    bool large;            /* more than MEMBERS_MOST members */
};

/* Counts in the store, into the arena. with_members: also lists the members, unless there are more than
 * MEMBERS_MOST, or the condition or the desk has what changes without an entry in the change log. */
int case_groups_count(struct work *w, const struct view_rows *rows, bool with_members,
                      struct case_groups *out);

/* Brings groups with members, that were counted at a place in the change log, up to this snapshot: only the
 * conversations that the entries since then name are read. Returns 1, 0 if they must be counted again, or a
 * negative error. */
int case_groups_follow(struct work *w, const struct view_rows *rows, const struct case_groups *from,
                       struct str place, struct case_groups *out);

#endif
