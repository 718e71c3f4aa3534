/* Rows of uploaded files: uploader and expiry. files/content.h stores the bytes.
 *
 * A file belongs to its uploader until it is attached: a row of another table refers to it and keeps it.
 * An unreferenced file expires FILE_LIFE after its upload. A file that loses its last reference later
 * expires at once. Only the sweeper (jobs/sweep.c) deletes rows of files; files/content.c explains
 * why. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "work/work.h"

#define FILE_LIFE_MS 43200000 /* 12 hours */
#define FILE_LIFE ((int64_t)FILE_LIFE_MS)
/* SQL: when a file expires that has lost its last reference. It can be attached again as long as if it had
 * never been attached. */
#define FILE_EXPIRY(now)                                                                         \
    "CASE WHEN created_at + " FILE_TEXT(FILE_LIFE_MS) " > " now " THEN created_at + " FILE_TEXT( \
        FILE_LIFE_MS) " ELSE " now " END"
#define FILE_TEXT(number) FILE_TEXT_OF(number)
#define FILE_TEXT_OF(number) #number

/* Condition over a row of files with this alias: rows refer to it. Each table that refers to files has a
 * line here. values, posts, articles, mails: "AND ..." leaves out rows v, pa, aa, ma that are being
 * deleted; "" leaves out none. */
#define FILE_USED_BY(f, values, posts, articles, mails)                                                 \
    "(EXISTS (SELECT 1 FROM field_values v WHERE v.file_id = " f ".id " values                          \
    ") OR EXISTS (SELECT 1 FROM post_attachments pa "                                                   \
    "WHERE pa.file_id = " f ".id " posts ") OR EXISTS (SELECT 1 FROM article_attachments aa "           \
    "WHERE aa.file_id = " f ".id " articles ") OR EXISTS (SELECT 1 FROM mails ma WHERE ma.file_id = " f \
    ".id " mails ") OR EXISTS (SELECT 1 FROM event_tokens et "                                          \
    "WHERE et.icon_file_id = " f ".id) OR EXISTS (SELECT 1 FROM csv_imports ci WHERE ci.file_id = " f   \
    ".id))"
#define FILE_IS_USED FILE_USED_BY("f", "", "", "", "")

/* SQL: the caller owns the row. A caller without login owns the files uploaded with the same fingerprint. */
#define FILE_OF_ACTOR(row) "(" row ".user_id = :uploader OR " row ".fingerprint = :fingerprint)"
#define B_FILE_OF_ACTOR(w) B_INT("uploader", (w)->actor.user_id), B_TEXT("fingerprint", file_fingerprint(w))
struct str file_fingerprint(const struct work *w); /* p NULL: the caller is logged in, or has none */

struct file_new {
    struct str name, content_type, sha256; /* 64 hex digits */
    int64_t size;
    int width, height, picture_type; /* 0 unless it is a picture (enum picture_type) */
};
int file_create(struct work *w, const struct file_new *n, int64_t *id);

/* Returns 0 if the caller may upload this many more bytes. Otherwise fails, and says how many bytes are
 * used. The limit is files.unattached_megabytes for the unattached files of a person, or, without login,
 * of a network. */
int files_room(struct work *w, int64_t bytes);
/* The same in the write of the upload. It is exact, because other uploads of this person wait. */
int files_reserve(struct work *w, int64_t bytes);

/* Returns in the arena those of these ids (JSON array) that the caller uploaded and that have not expired.
 * They can't expire until the write ends. Returns their number, or a negative error. */
int files_own(struct work *w, struct str ids, int64_t **out);
/* Reads the content hash of such a file. Returns 1, 0 not found, or a negative error. May be called in a
 * snapshot. */
int file_own_content(struct work *w, int64_t id, struct str *sha256);

/* The caller's files with these ids (a JSON array) that are not attached expire no earlier than a day before
 * `until`. It writes only if they would, so a caller may repeat it often. */
int files_outlive(struct work *w, struct str ids, int64_t until);

/* The actor becomes the uploader of those of these files (a JSON array of ids) that `from` uploaded. */
int files_give(struct work *w, struct str ids, int64_t from);

/* Call these after rows that refer to files were written, or were deleted or changed (JSON arrays of ids). */
int files_attached(struct work *w, struct str ids);
int files_released(struct work *w, struct str ids);
int files_dropped(struct work *w, struct str ids); /* the owners were deleted: their files expire at once */
/* Reads the ids in a query's first column as a JSON array. Call it before the rows that refer to the files
 * are deleted. Returns their number. */
int files_listed(struct work *w, const struct query *q, const struct bind *binds, struct str *ids);

int files_forget(struct work *w, int64_t user_id); /* unattached files of this person expire now */

/* 1 if a row has this content, 0, or a negative error */
int content_named(struct conn *c, struct str sha256);

/* Deletes up to `most` expired files. *contents: their hashes in the arena, possibly repeated. Returns
 * their number, or a negative error. */
int files_expire(struct conn *c, struct arena *a, int64_t now, int most, struct str **contents);

#endif
