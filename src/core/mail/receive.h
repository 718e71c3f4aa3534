/* Mails that came in: from the mail that a reader returned to a message of a conversation (docs/MAIL.md). */
#ifndef CORE_MAIL_RECEIVE_H
#define CORE_MAIL_RECEIVE_H

#include "core/mail/incoming.h"

/* Processes a mail in one write: inserts its row, and posts its message, or suspends or rejects it.
 * file_id: the raw mail. The files of the mail have rows (mail_file.id). A mail with a fault becomes
 * FAILED. The caller calls work_finish.
 *
 * Returns 1; 0 if the same mail arrived for the same recipient within seven days, and nothing is stored;
 * or a negative error. If the error is no ERR_SERVICE_UNAVAILABLE, the write can't succeed: the caller
 * rolls it back, and stores the mail with a fault. */
int mail_receive(struct work *w, const struct incoming *m, int64_t file_id, int64_t *mail_id);
/* Returns 1 if mail_receive would return 0, 0 if not, or a negative error. May be called in a snapshot. */
int mail_arrived_before(struct conn *c, int64_t now, const struct incoming *m);
/* The digest of mail_arrivals: SHA-256 of the recipient, a NUL, and the SHA-256 of the raw mail. Both in
 * hex digits. */
struct str arrival_digest(struct arena *a, struct str recipient, struct str sha256);
#define MAIL_ARRIVALS_KEPT (7 * TIME_DAY)

/* Releases a suspended mail: a job reads it again and processes it without the suspension rules. Returns
 * 1, 0 if it is not suspended, or a negative error. */
int mail_release(struct work *w, int64_t mail_id);

/* A released mail that waits for its job. */
struct mail_released {
    enum mail_door door;
    struct str envelope_from, recipient; /* p NULL: unknown */
    struct str sha256;                   /* hash of the raw mail; p NULL: the raw mail is lost */
    int64_t size;
};
/* Returns 1, 0 if the mail is gone or was processed, or a negative error. Locks the row, if in a write. */
int mail_released_load(struct conn *c, struct arena *a, int64_t mail_id, struct mail_released *out);
/* Processes a released mail, as mail_receive does. The sender becomes a participant of the conversation. A
 * mail with a fault is suspended again. Returns 1, 0 if it was processed before, or a negative error. */
int mail_process_released(struct work *w, const struct incoming *m, int64_t mail_id);

#endif
