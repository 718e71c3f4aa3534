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
    CASCADE_CLIENT,    /* deleted OAuth client: its tokens, codes and grants are deleted */
    CASCADE_ARTICLE,   /* deleted article: everything that belongs to it is deleted */
    CASCADE_TAG,       /* merged or deleted: its rows have the surviving tag, or none */
    CASCADE_TAG_NAMED, /* renamed: what has it is logged, because the search index has the name */
    CASCADES           /* not a cascade: their number */
};
struct step; /* core/desk/cascade_step.h */
/* A row of the table of cascades: core/all/cascades.c. A desk has the table as .cascades. The functions may
 * be NULL. */
struct cascade_row {
    const char *name;            /* name in the input of jobs: never changed, because stored jobs have it */
    const struct step *steps[3]; /* these lists, one after the other */
    int (*counted)(struct work *w, int64_t id, int what, int64_t n); /* counts rows of COUNTED steps */
    int (*part)(struct work *w, const int64_t *ids, size_t count);   /* called at the end of each part */
    int (*done)(struct work *w, int64_t id);                         /* called at the end of each object */
};

/* Runs a cascade for objects that the caller has just changed (ids: JSON array). This write changes as
 * many rows as one write may; jobs change the rest. The caller has marked deleted objects before, and
 * readers leave marked objects out. */
int cascade(struct work *w, enum cascade what, struct str ids);
/* True: rows may refer to deleted objects, or have an old organization. A failure fails the work. */
bool cascades_under_way(struct work *w);
/* True: no row refers to a deleted team, agent or organization, so UNLESS_GONE gives its column. False: one
 * may. It is known in memory until the next such deletion; on PostgreSQL it is never known. */
bool nothing_is_gone(struct work *w);
/* Step n of a cascade, counted over its lists. After the last one it has no statements. */
const struct step *cascade_step(const struct cascade_row *row, int64_t n);

/* ---- deleted objects that rows still refer to ------------------------------------------------ */

#define GONE_TEAMS "(SELECT g.id FROM teams g WHERE g.deleted_at IS NOT NULL)"
#define GONE_AGENTS "(SELECT g.id FROM users g WHERE g.leaving_at IS NOT NULL)"
#define GONE_ORGANIZATIONS "(SELECT g.id FROM organizations g WHERE g.deleted_at IS NOT NULL)"
/* SQL: the value of a column that may refer to one of them, as readers see it. CASCADES_UNDER_WAY is
 * evaluated once for each statement. */
#define UNLESS_GONE(column, gone) \
    "CASE WHEN EXISTS (" CASCADES_UNDER_WAY ") AND " column " IN " gone " THEN NULL ELSE " column " END"
/* Both columns of a member (api/table/resource.h). */
#define COLUMN_UNLESS_GONE(of, gone) .column = UNLESS_GONE(of, gone), .column_if_whole = of
/* Over the alias p of posts: the conversation that the post was written in, even if a merge has moved it. */
#define POST_WRITTEN_IN "COALESCE(p.written_case_id, p.case_id)"
#define CASCADES_UNDER_WAY \
    "SELECT 1 FROM jobs g WHERE g.kind = '" JOB_CASCADE_STORED "' AND g.status IN (1, 2)"

#endif
