/* Cascades: changes of rows in other tables that follow from a change, however many rows. */
#ifndef CORE_CASCADE_H
#define CORE_CASCADE_H

#include "core/desk/job.h"

enum cascade {
    CASCADE_TEAM,   /* deleted: its conversations have no team */
    CASCADE_AGENT,  /* deleted: the person's conversations are unassigned */
    CASCADE_PURGED, /* the same, and personal data is erased */
    /* the same, and what names the person elsewhere; ends with a receipt (core/erasure/erase_receipt.h) */
    CASCADE_ERASED,
    CASCADE_ERASED_TEXTS, /* the same, and the texts of the person's conversations */
    CASCADE_REQUESTER,    /* moved to another organization: the person's conversations move too */
    CASCADE_ORGANIZATION, /* deleted: its people and their conversations have no organization */
    CASCADE_FIELD,        /* deleted with its options and values */
    CASCADE_MERGE,        /* merged conversation: its posts move to the surviving one */
    CASCADE_CASE,         /* deleted conversation: everything that belongs to it is deleted */
    CASCADE_ENDPOINT,     /* deleted with its deliveries and their attempts */
    CASCADE_MONITOR,      /* deleted: its rows of monitor_cases are */
    /* deleted section: its articles are, and its category, if that is deleted and has no other sections */
    CASCADE_SECTION,
    CASCADE_CLIENT,  /* deleted OAuth client: its tokens, codes and grants are deleted */
    CASCADE_ARTICLE, /* deleted article: everything that belongs to it is deleted */
};

/* Runs a cascade for objects that the caller has just changed (ids: JSON array). This write changes as
 * many rows as one write may; jobs change the rest. The caller has marked deleted objects before, and
 * readers leave marked objects out. */
int cascade(struct work *w, enum cascade what, struct str ids);
bool cascades_under_way(
    /* true: rows may refer to deleted objects, or have an old organization. A failure fails the work */
    struct work *w);

/* ---- deleted objects that rows still refer to ------------------------------------------------ */

#define GONE_TEAMS "(SELECT g.id FROM teams g WHERE g.deleted_at IS NOT NULL)"
#define GONE_AGENTS "(SELECT g.id FROM users g WHERE g.leaving_at IS NOT NULL)"
#define GONE_ORGANIZATIONS "(SELECT g.id FROM organizations g WHERE g.deleted_at IS NOT NULL)"
/* SQL: the value of a column that may refer to one of them, as readers see it. CASCADES_UNDER_WAY is
 * evaluated once for each statement. */
#define UNLESS_GONE(column, gone) \
    "CASE WHEN EXISTS (" CASCADES_UNDER_WAY ") AND " column " IN " gone " THEN NULL ELSE " column " END"
#define CASCADES_UNDER_WAY \
    "SELECT 1 FROM jobs g WHERE g.kind = '" JOB_CASCADE_STORED "' AND g.status IN (1, 2)"

struct step; /* core/desk/cascade_step.h */
/* Step n of a cascade, counted over its lists. After the last one it has no statements. */
const struct step *cascade_step(enum cascade what, int64_t n);

#endif
