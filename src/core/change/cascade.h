/* Cascades: what follows from a change in other rows, however many they are. */
#ifndef CORE_CASCADE_H
#define CORE_CASCADE_H

#include "core/desk/job.h"

enum cascade {
    CASCADE_TEAM,         /* gone: its conversations have no team */
    CASCADE_AGENT,        /* gone: nobody is assigned to the person's conversations */
    CASCADE_PURGED,       /* the same, and what is known of the person is erased */
    CASCADE_REQUESTER,    /* in another organization: so are the person's conversations */
    CASCADE_ORGANIZATION, /* gone: its people and their conversations are in none */
    CASCADE_FIELD,        /* gone: so are its options and its values */
};

/* Carries out what follows from what the caller has just changed of these (ids: JSON array): as many rows in this write
 * as one may take, the rest by jobs. What is gone must be marked so already, and whoever reads leave it out. */
int cascade(struct work *w, enum cascade what, struct str ids);
int cascade_run(struct work *w, const struct job *j); /* the job "cascade" */
bool cascades_under_way(struct work *w);              /* rows may name what is gone, or belong elsewhere */

/* ---- what is gone, while rows still name it ----------------------------------------------------------------------- */

#define GONE_TEAMS "(SELECT g.id FROM teams g WHERE g.deleted_at IS NOT NULL)"
#define GONE_AGENTS "(SELECT g.id FROM users g WHERE g.leaving_at IS NOT NULL)"
#define GONE_ORGANIZATIONS "(SELECT g.id FROM organizations g WHERE g.deleted_at IS NOT NULL)"
/* A column that refers to one of them, as it is to be shown. Whether a cascade is under way is asked once a statement. */
#define UNLESS_GONE(column, gone) "CASE WHEN EXISTS (" CASCADES_UNDER_WAY ") AND " column " IN " gone " THEN NULL ELSE " column " END"
#define CASCADES_UNDER_WAY "SELECT 1 FROM jobs g WHERE g.kind = 'cascade' AND g.status IN (1, 2)"

#endif
