/* Row visibility as SQL. A branch is one WHERE condition: an index range in the order of the list.
 *
 * A list limits each branch by itself and merges them. A single read takes a row that any branch admits.
 * Without a branch, no row is visible. */
#ifndef CORE_ACCESS_H
#define CORE_ACCESS_H

#include "base/buf.h"
#include "work/work.h"

#define BRANCHES_MAX 20
#define BRANCH_BINDS_MAX 32

struct branches {
    bool all; /* every row is visible; branches are not needed */
    /* a row may be in several branches; otherwise branches are disjoint, and their counts can be added */
    bool overlap;
    /* no index has the order of the list: the rows of a page are read after their ids are known */
    bool sorted;
    int count;
    const char *where[BRANCHES_MAX]; /* over the alias t */
    int bind_count;
    struct bind binds[BRANCH_BINDS_MAX + 1]; /* for all branches together */
};

/* Functions that add branches return nothing. If they can't read what they need, they fail the work (fail
 * of work.h), which then has no reply of its handler. */
void branch_add(struct branches *b, const char *where);
void branch_bind_int(struct branches *b, const char *name, int64_t v); /* `name` begins with a colon */
void branch_bind_text(struct branches *b, const char *name, struct str v);

/* Conversations that the actor sees. Also used for cases, messages, notes, search and views. */
void access_cases(struct work *w, struct branches *out);
/* The team and the agent that all conversations of a list have, if has_team and has_agent; 0: none. */
struct case_assignment {
    bool has_team, has_agent;
    int64_t team_id, agent_id;
};
/* The same for staff, without branches that have none of these conversations. No cascade may be under way, because a conversation with a
 * deleted team or agent counts as one without. */
void access_assigned_cases(struct work *w, const struct case_assignment *of, struct branches *out);
/* The same decision about conversations of one team and one agent (0: none), for counts that are kept by
 * team and agent. Staff only. */
struct case_reader;
int access_case_reader(struct work *w, struct case_reader **out);
bool access_case_of(const struct case_reader *r, int64_t team_id, int64_t agent_id);
/* The conversations of a reader who sees a part: those of one agent, all those of some teams, and nobody's,
 * which have neither a team nor an agent. */
struct case_parts {
    int64_t agent;
    const int64_t *teams; /* sorted */
    int team_count;
    bool nobodys;
};
struct case_parts access_case_parts(const struct case_reader *r);
/* The same for staff, for cases of each state: active, suspended, in the trash or merged. Other callers
 * see none. */
void access_cases_of_any_state(struct work *w, struct branches *out);
/* True: the caller sees each conversation, so that its state alone decides. */
bool access_sees_all_cases(const struct work *w);
/* True: the caller sees conversations by their team and agent, which rules change. */
bool access_is_by_assignment(const struct work *w);
/* Functions for `.visible` of a resource. Everyone: each caller that a route admits or that a reference
 * leads to. */
void access_everyone(struct work *w, struct branches *out);
void access_staff(struct work *w, struct branches *out);

/* Posts of conversations that the actor sees, in any state. Staff only. */
void access_timeline(struct work *w, struct branches *out);
/* Adds one branch: rows without a conversation in `column`, or with one that the actor sees in any state.
 * Staff only. */
void access_case_or_none(struct work *w, const char *column, struct branches *out);
/* Notes of conversations that the actor sees (in any state), and all notes of people and organizations.
 * Staff only. */
void access_notes(struct work *w, struct branches *out);

/* Activities of conversations that the actor sees (in any state), and all activities of people and
 * organizations. Staff only. */
void access_activities(struct work *w, struct branches *out);
/* Attachments of messages and notes that the actor sees. Only staff see those of notes. */
void access_attachments(struct work *w, struct branches *out);

/* Adds one branch: rows whose `column` holds the id of a row of `table` that `parents` and `where` admit
 * (`where` NULL: no condition). Both are conditions over the alias t of `table`. */
void access_through(struct work *w, const char *table, const char *column, const char *where,
                    const struct branches *parents, struct branches *out);

/* Adds one branch: rows whose `column` holds the id of a conversation that the actor sees. */
void access_of_case(struct work *w, const char *column, struct branches *out);
/* The list of conversations without filters=MY_ORGANIZATION. Customers get only conversations that they
 * requested. */
void access_own_cases(struct work *w, struct branches *out);
/* The list with filters=MY_ORGANIZATION. Customers get all conversations of their organization, their own
 * among them. The rows are those of access_cases, but in one index range. */
void access_organization_cases(struct work *w, struct branches *out);

/* Returns 1 if the logged-in actor may read this person, 0 if not, or a negative error. Staff may read
 * everybody. Others may read themselves and people who take part in a conversation that they see. */
int access_person(struct work *w, int64_t user_id);

/* Reads the person as an actor with all scopes, as their own request would have. Returns an actor_state,
 * or a negative error. */
enum actor_state { ACTOR_UNKNOWN, ACTOR_ABLE, ACTOR_BARRED /* disabled or deleted; *out is set, too */ };
int actor_of_person(struct work *w, int64_t user_id, struct actor *out);

/* Rows with a column user_id: staff see all, others only their own. */
void access_of_person(struct work *w, struct branches *out);

/* SQL: the macro with this alias is for all, for a team of :me, or of :me. */
#define MACRO_IS_LISTED(m)                                                                                   \
    "(" m ".visibility_type = 3 OR " m ".agent_id = :me OR (" m ".visibility_type = 2 AND EXISTS (SELECT 1 " \
    "FROM team_members tm WHERE tm.team_id = " m ".visible_to_team_id AND tm.user_id = :me)))"

#endif
