/* Tags of people, organizations, conversations and articles. A tag has one row, made when it is first
 * used. Two texts with the same fold_key are one tag. A write that makes or finds a tag holds its row, so
 * none adds it after it was merged or deleted (core/rules/tag_change.h). */
#ifndef CORE_TAG_H
#define CORE_TAG_H

#include "core/change/object_diff.h"
#include "work/work.h"

/* The statements for a kind of owner. */
struct tagging {
    const struct query *add, *keep, *drop, *changed;
    const struct query *count, *listed; /* NULL: articles, whose tags nobody counts */
    enum diffed_kind diffed;            /* DIFFED_NONE: `named` finds what changed */
    const struct query *named;
    const char *kind; /* with `named`: resource_type of the owner */
    /* conversations: counts the tags, called with -1 before a change and with 1 after it */
    int (*counted)(struct work *w, int64_t owner_id, int n);
};
/* and case_tagging of core/cases/case.h, article_tagging of core/helpcenter/article.h */
extern const struct tagging user_tagging, organization_tagging;

/* The key of a tag; p NULL: invalid (empty, too long, or with a comma or control character). */
struct str tag_key(struct arena *a, struct str name);

/* `names` are valid tags, at most LIMIT_TAGS. The owner's updated_at is set. */
int tags_add(struct work *w, const struct tagging *t, int64_t owner_id, const struct str *names, int count);
int tags_replace(struct work *w, const struct tagging *t, int64_t owner_id, const struct str *names,
                 int count);
int tags_remove(struct work *w, const struct tagging *t, int64_t owner_id, const struct str *names,
                int count);
/* ordered by id, in the arena; returns their number */
int tags_of(struct work *w, const struct tagging *t, int64_t owner_id, int64_t **ids);
int tags_count(struct work *w, const struct tagging *t, int64_t owner_id, int64_t *count);

/* SQL over the alias k of `table`: the tag of a row is shown. A tag that is being deleted is not. One that is
 * being merged has the name of the surviving tag, and is shown if the owner does not have that one, too.
 * `more`: a further condition on the alias o of `table`, or "". */
#define TAG_IS_SHOWN(table, owner, more)                                                      \
    " AND (k.tag_id NOT IN (SELECT g.id FROM tags g WHERE g.gone <> 0) "                      \
    "OR EXISTS (SELECT 1 FROM tags g WHERE g.id = k.tag_id AND g.merged_into_id IS NOT NULL " \
    "AND NOT EXISTS (SELECT 1 FROM " table " o WHERE o." owner " = k." owner                  \
    " AND o.tag_id = g.merged_into_id" more ")))"
/* SQL over the alias t of tags: the tag exists, at least in rows that a merge has not reached. */
#define TAG_EXISTS "(t.gone = 0 OR t.merged_into_id IS NOT NULL)"
/* The time of the last rename, merge or deletion: see core/change/last_change.h. */
#define CHANGE_OF_TAGS "tags"
#define TAGS_CHANGED_AT "(SELECT g.at FROM changes g WHERE g.what = '" CHANGE_OF_TAGS "')"

/* Makes the tags. *keys: their keys, a JSON array for @TEXTS. */
int tags_made(struct work *w, const struct str *names, int count, struct str *keys);

#endif
