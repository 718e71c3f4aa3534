/* Writes of articles. Requests, imports and restored versions call these functions.
 *
 * Locks. A write locks the sections that it counts, ascending by id, then the articles. So two writes that
 * move articles between the same sections wait for each other, and the counters are exact. Counters:
 * sections.total_articles, sections.published_articles. */
#ifndef CORE_ARTICLE_H
#define CORE_ARTICLE_H

#include "core/change/record.h"
#include "core/desk/cascade_step.h"
#include "core/helpcenter/article_text.h"

/* Locks the sections of these articles (JSON array of ids) and a further one (0: none). Call it before the
 * articles are locked. */
int article_sections_lock(struct work *w, struct str ids, int64_t section_id);

struct article_new {
    struct article_texts texts;
    int64_t section_id, author_id, creator_id;
    int status; /* enum article_status */
    struct str legacy_id, keywords;
    bool is_featured, allow_comments;
    const int64_t *files; /* ids of files of the actor, checked (core/helpcenter/article_attachment.h) */
    int file_count;
};
/* Locks the section, and adds the article as its last. Fails with FIELD_INVALID if the section was deleted
 * meanwhile. */
int article_insert(struct work *w, const struct article_new *n, int64_t *id);

struct article_change {
    const struct column *columns; /* plain columns */
    int column_count;
    int64_t section_id;                /* 0: stays. In another section the article is the last one */
    int status;                        /* enum article_status; 0: stays */
    const struct article_texts *texts; /* all texts; NULL: they stay. Changed texts make a version */
    const int64_t *files;              /* further files */
    int file_count;
};
/* The caller has locked the section of the article and the new one (article_sections_lock). */
int article_change(struct work *w, int64_t id, const struct article_change *c);

/* Marks articles as deleted. A cascade deletes their rows. ids: JSON array; the caller has locked the
 * articles and their sections. */
int articles_delete(struct work *w, struct str ids);
extern const struct step article_delete_steps[]; /* core/helpcenter/delete.c */

/* Puts these articles of a section first in its MANUAL order. The caller has locked the section. */
int articles_reorder(struct work *w, int64_t section_id, const int64_t *ids, int count);

/* The address of the public page in a locale. */
struct str article_page(struct arena *a, const struct desk *d, struct str locale, struct str slug);

struct tagging;
extern const struct tagging article_tagging; /* core/people/tag.h */

/* articles.conversations, for the insights: conversations that readers opened from the page of the
 * article. */
/* Counts a conversation in the write that creates it. The caller has found the article visible. Locks its
 * row, so call it last. */
int article_opened(struct work *w, int64_t article_id);

/* The rank orders POPULAR sections. */
/* SQL: the rank for these values. Each write of one of them sets it. */
#define ARTICLE_RANK(views, up, down) views " + 10 * (" up " - (" down "))"

#endif
