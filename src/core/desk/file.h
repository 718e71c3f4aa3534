/* Uploaded files as rows: who uploaded what, and what refers to it. What is in them is kept by files/content.h.
 *
 * A file is its uploader's alone until it is attached: named by a row of another table, which keeps it. What nothing
 * refers to has a time to expire: FILE_LIFE after the upload, or at once when the last reference goes later. Rows of files
 * are deleted by nobody but the sweeper (jobs/sweep_files.c): files/content.c says why that matters. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "work/work.h"

#define FILE_LIFE_MS 43200000 /* 12 hours */
#define FILE_LIFE ((int64_t)FILE_LIFE_MS)
/* When a file that nothing refers to any more expires, for SQL: it may be named again as long as if nothing ever had. */
#define FILE_EXPIRY(now) \
    "CASE WHEN created_at + " FILE_TEXT(FILE_LIFE_MS) " > " now " THEN created_at + " FILE_TEXT(FILE_LIFE_MS) " ELSE " now " END"
#define FILE_TEXT(number) FILE_TEXT_OF(number)
#define FILE_TEXT_OF(number) #number

/* Of a row f of files. A table that refers to files has its line here. */
#define FILE_IS_USED                                                      \
    "(EXISTS (SELECT 1 FROM user_field_values v WHERE v.file_id = f.id) " \
    "OR EXISTS (SELECT 1 FROM organization_field_values v WHERE v.file_id = f.id))"

/* A row of files is the caller's. A caller without login owns the files that were uploaded with its fingerprint. */
#define FILE_OF_ACTOR(row) "(" row ".user_id = :uploader OR " row ".fingerprint = :fingerprint)"
#define B_FILE_OF_ACTOR(w) B_INT("uploader", (w)->actor.user_id), B_TEXT("fingerprint", file_fingerprint(w))
struct str file_fingerprint(const struct work *w); /* p NULL: none counts */

struct file_new {
    struct str name, content_type, sha256; /* 64 hex digits */
    int64_t size;
};
int file_create(struct work *w, const struct file_new *n, int64_t *id);

/* Returns 0 if the caller may upload so many bytes more, or the refusal, which says how many bytes are used. The unattached
 * files of one person have at most files.unattached_megabytes; without login, those that come from one network. */
int files_room(struct work *w, int64_t bytes);
int files_reserve(struct work *w,
                  int64_t bytes); /* the same in the write of the upload. It is exact: it locks out other uploads of this person */

/* Of these ids (JSON array) those that who acts uploaded and that have not expired, in the arena. They stay until the
 * write ends. Returns how many, or error. */
int files_own(struct work *w, struct str ids, int64_t **out);
/* The content of one of these: 1, 0 none, or error. It may be read in a snapshot. */
int file_own_content(struct work *w, int64_t id, struct str *sha256);

/* After rows were written that refer to them, or deleted or changed that did (JSON arrays of ids). */
int files_attached(struct work *w, struct str ids);
int files_released(struct work *w, struct str ids);
int files_dropped(struct work *w, struct str ids); /* of somebody who is gone: they expire at once */
/* The ids a query yields in its first column, once each, as a JSON array: before what refers to them goes. */
int files_listed(struct work *w, const struct query *q, const struct bind *binds, struct str *ids);

int files_forget(struct work *w, int64_t user_id); /* what this person uploaded and nothing refers to expires now */

int content_named(struct conn *c, struct str sha256); /* whether a row names this content: 1, 0 or error */

/* Up to `most` expired files less, their contents in the arena, some more than once: how many, or error. */
int files_expire(struct conn *c, struct arena *a, int64_t now, int most, struct str **contents);

#endif
