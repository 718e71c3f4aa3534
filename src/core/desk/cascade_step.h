/* The steps of cascades (core/desk/cascade.h). A cascade is an array of steps that ends with {0}. */
#ifndef CORE_CASCADE_STEP_H
#define CORE_CASCADE_STEP_H

#include "core/desk/file.h"
#include "db/db.h"

/* A step changes rows of one table. Bound values are :id, :most, :rows (ids, JSON array), :since (time of
 * the change), :now, :actor, :actor_kind, :cause, and where the last part ended (:place, :after), for rows
 * that the pick finds again after the change. */
struct step {
    /* (id, place) of the next rows, locked; NULL: run once, after the steps before */
    const struct query *pick;
    const struct query *apply[9]; /* statements for these rows */
    int weight;                   /* cost of a row, in rows of conversations: 1 to 255; or COUNTED */
};

/* A weight, and the number under which .counted of the cascade counts the rows that the last statement of
 * the step changed. */
#define COUNTED(weight, what) ((weight) | (what) << 8)
static inline int step_weight(const struct step *s) { return s->weight & 255; }
static inline int step_counted(const struct step *s) { return s->weight >> 8; } /* 0: nothing */

/* `those` selects files. Rows that refer to them are about to be deleted: the other arguments leave these
 * rows out (FILE_USED_BY). Files that nothing else refers to expire. A separate statement locks them
 * first: see files_released. */
#define THOSE_FILES_LOCK(those) "SELECT f.id FROM files f WHERE f.id IN (" those ") ORDER BY f.id @LOCK@"
#define THOSE_FILES_EXPIRE(those, values, posts, articles, mails)                                            \
    "UPDATE files SET expires_at = " FILE_EXPIRY(":since") " WHERE id IN (" those ") AND NOT " FILE_USED_BY( \
        "files", values, posts, articles, mails)
/* The files of the messages or notes with the ids :rows. */
#define POST_FILES "SELECT a.file_id FROM post_attachments a WHERE a.post_id IN @LIST(:rows)"
#define POST_FILES_LOCK THOSE_FILES_LOCK(POST_FILES)
#define POST_FILES_EXPIRE THOSE_FILES_EXPIRE(POST_FILES, "", "AND pa.post_id NOT IN @LIST(:rows)", "", "")
/* The files of values of custom fields. values: a condition over v, a row of field_values. */
#define VALUE_FILES(values) "SELECT v.file_id FROM field_values v WHERE " values " AND v.file_id IS NOT NULL"
#define VALUE_FILES_LOCK(values) THOSE_FILES_LOCK(VALUE_FILES(values))
#define VALUE_FILES_EXPIRE(values) THOSE_FILES_EXPIRE(VALUE_FILES(values), "AND NOT (" values ")", "", "", "")
/* The raw files of the mails with the ids :rows. */
#define MAIL_FILES "SELECT m.file_id FROM mails m WHERE m.id IN @LIST(:rows) AND m.file_id IS NOT NULL"
#define MAIL_FILES_LOCK THOSE_FILES_LOCK(MAIL_FILES)
#define MAIL_FILES_EXPIRE THOSE_FILES_EXPIRE(MAIL_FILES, "", "", "", "AND ma.id NOT IN @LIST(:rows)")
/* These files expire at once, because their mails are erased. Other unused files expire after twelve
 * hours. */
#define MAIL_FILES_EXPIRE_NOW                                     \
    "UPDATE files SET expires_at = :now WHERE id IN (" MAIL_FILES \
    ") AND NOT " FILE_USED_BY("files", "", "", "", "AND ma.id NOT IN @LIST(:rows)")
#define POST_FILES_EXPIRE_NOW                                     \
    "UPDATE files SET expires_at = :now WHERE id IN (" POST_FILES \
    ") AND NOT " FILE_USED_BY("files", "", "AND pa.post_id NOT IN @LIST(:rows)", "", "")
#define VALUE_FILES_EXPIRE_NOW(values)                                                                \
    "UPDATE files SET expires_at = :now WHERE id IN (" VALUE_FILES(values) ") AND NOT " FILE_USED_BY( \
        "files", "AND NOT (" values ")", "", "", "")
#define POST_ATTACHMENTS_DELETE "DELETE FROM post_attachments WHERE post_id IN @LIST(:rows)"
#define POST_ORIGINALS_DELETE "DELETE FROM post_originals WHERE post_id IN @LIST(:rows)"

#endif
