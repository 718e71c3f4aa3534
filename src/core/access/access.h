/* Who sees which rows, as SQL: branches, each an index range in the order of the list.
 *
 * A list merges the branches (each limited by itself), a single read takes any of them. No branch at all: nothing is seen. */
#ifndef CORE_ACCESS_H
#define CORE_ACCESS_H

#include "base/buf.h"
#include "work/work.h"

#define BRANCHES_MAX 20
#define BRANCH_BINDS_MAX 24

struct branches {
    bool all;     /* every row: no condition */
    bool overlap; /* a row may be in several branches; else they are disjoint, and counts add up */
    int count;
    const char *where[BRANCHES_MAX]; /* over the alias t */
    int bind_count;
    struct bind binds[BRANCH_BINDS_MAX + 1]; /* of all branches together */
};

void branch_add(struct branches *b, const char *where);
void branch_bind_int(struct branches *b, const char *name, int64_t v); /* name with its colon */
void branch_bind_text(struct branches *b, const char *name, struct str v);

/* Conversations as conversations, cases, messages, notes, search and views see them (completions.md section 5). */
void access_cases(struct work *w, struct branches *out);
/* Named answers to "who sees its rows", for `.visible` of a resource. Everyone: every caller that a route admits or a reference leads to. */
void access_everyone(struct work *w, struct branches *out);
void access_staff(struct work *w, struct branches *out);

/* One branch: rows whose `column` holds the id of a row of `table` that `parents` and the condition `where` (NULL: none) let through. Both are
 * conditions over the alias t of `table`. */
void access_through(struct work *w, const char *table, const char *column, const char *where, const struct branches *parents,
                    struct branches *out);

/* Posts of those. */
void access_posts(struct work *w, struct branches *out);
/* One branch: rows whose column names a conversation that the actor sees. */
void access_of_case(struct work *w, const char *column, struct branches *out);
/* The list without filters=MY_ORGANIZATION: customers get those they requested alone. */
void access_own_cases(struct work *w, struct branches *out);
/* With it: their organization's, which theirs are among; the same as access_cases, by one index range. */
void access_organization_cases(struct work *w, struct branches *out);

/* Whether the actor, who is logged in, may read this person: staff everybody, others themselves and who takes part in a conversation that
 * they see. 1, 0 or error. */
int access_person(struct work *w, int64_t user_id);

/* What rows hold of people (user_id): staff see everybody's, others their own. */
void access_of_person(struct work *w, struct branches *out);

#endif
