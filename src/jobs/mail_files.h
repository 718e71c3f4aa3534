/* From a mail that was read to what is stored: the raw mail and the attachments become contents and rows
 * of files. */
#ifndef JOBS_MAIL_FILES_H
#define JOBS_MAIL_FILES_H

#include "core/desk/file.h"
#include "core/mail/incoming.h"

struct mail_files {
    struct file_new raw;          /* sha256.p NULL: it has a row already */
    struct file_new *attachments; /* attachments of the mail, in its order */
    int count;
};

/* Stores the contents durably. raw.p NULL: the raw mail is stored already. Waits for the disk, so call it
 * outside of a write. Returns 0 or -ERR_SERVICE_UNAVAILABLE, logged. */
int mail_files_keep(struct arena *a, const struct desk *d, struct str raw, const struct incoming *m,
                    struct mail_files *out);
/* Makes the rows, in the write that processes the mail. Sets the ids of the files of the mail, and *raw_id
 * if there is a raw mail. If a content was removed meanwhile: -ERR_SERVICE_UNAVAILABLE; begin again. */
int mail_files_create(struct work *w, const struct mail_files *f, struct incoming *m, int64_t *raw_id);
/* Rows of attachments that no message refers to, because the mail was not posted, expire at once. Call it
 * at the end of that write. */
int mail_files_let_go(struct work *w, const struct incoming *m);

/* A mail of plain text with a quoted part becomes HTML, because only HTML can fold the quoted part. */
void mail_fold_quoted(struct arena *a, struct incoming *m);

#endif
