/* The steps of cascades (core/change/cascade.c). A cascade of another file is an array of steps that ends with {0}. */
#ifndef CORE_CASCADE_STEP_H
#define CORE_CASCADE_STEP_H

#include "core/desk/file.h"
#include "db/db.h"

/* A step changes rows of one table. Bound values are :id, :most, :rows (ids, JSON array), :since (time of the change), :now, :actor,
 * :actor_kind, :cause, and where the last part ended (:place, :after), for rows that the pick finds again after the change. */
struct step {
    const struct query *pick;     /* (id, place) of the next rows, locked; NULL: run once, after the steps before */
    const struct query *apply[7]; /* statements for these rows */
    int weight;                   /* cost of a row, in rows of conversations */
};

#define FILE_IN_NO_ARTICLE "AND NOT EXISTS (SELECT 1 FROM article_attachments aa WHERE aa.file_id = files.id)"
/* Expires files of the messages or notes :rows that nothing else refers to. A separate statement locks them first: see files_released. */
#define POST_FILES "SELECT a.file_id FROM post_attachments a WHERE a.post_id IN @LIST(:rows)"
#define POST_FILES_LOCK "SELECT f.id FROM files f WHERE f.id IN (" POST_FILES ") ORDER BY f.id @LOCK@"
#define POST_FILES_EXPIRE                                                                                                     \
    "UPDATE files SET expires_at = " FILE_EXPIRY(                                                                             \
        ":since") " WHERE id IN (" POST_FILES                                                                                 \
                  ") AND NOT EXISTS (SELECT 1 FROM field_values v WHERE v.file_id = files.id) AND NOT EXISTS (SELECT 1 FROM " \
                  "post_attachments pa WHERE pa.file_id = files.id AND pa.post_id NOT IN @LIST(:rows)) " FILE_IN_NO_ARTICLE
#define POST_ATTACHMENTS_DELETE "DELETE FROM post_attachments WHERE post_id IN @LIST(:rows)"
#define POST_ORIGINALS_DELETE "DELETE FROM post_originals WHERE post_id IN @LIST(:rows)"

extern const struct step case_merge_steps[], case_delete_steps[];        /* core/cases/case_merge.c, case_delete.c */
extern const struct step section_delete_steps[], article_delete_steps[]; /* core/helpcenter/delete.c */

#endif
