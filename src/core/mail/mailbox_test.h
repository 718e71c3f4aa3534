/* A test of a mailbox: a mail from it to itself, by its way out and its way in.
 *
 *     POST /mailboxes/:id/test ─▸ row, job ─▸ job: relay ─▸ IMAP ─▸ wait ┄┄ arrival ─▸ end: steps, status
 *
 * The subject of the mail has a token of 128 random bits. A mail that comes in with the token of a test that
 * waits ends there: it makes no row of mails, no conversation and no person, and no rule sees it. The token
 * is used once. A mail that comes later is an ordinary mail from the address of a mailbox, which suspension
 * keeps from becoming a conversation. */
#ifndef CORE_MAIL_MAILBOX_TEST_H
#define CORE_MAIL_MAILBOX_TEST_H

#include "core/mail/incoming.h"

enum mailbox_test_status {
    MAILBOX_TEST_NONE = 1,
    MAILBOX_TEST_RUNNING,
    MAILBOX_TEST_PASSED,
    MAILBOX_TEST_FAILED
};
#define MAILBOX_TEST_WAIT TIME_MINUTE /* between the beginnings of two tests of a mailbox */

/* Begins a test. *wait: seconds until the next one may begin; 0: it has begun. The row is locked. Returns 1, 0
 * if there is no such mailbox, or a negative error. */
int mailbox_test_begin(struct work *w, int64_t id, int64_t *wait);
/* The subject of its mail. */
struct str mailbox_test_subject(struct arena *a, struct str token);
/* Returns 1 if the mail is that of a test that waits, 0, or a negative error. */
int mailbox_test_arrived(struct work *w, const struct incoming *m, const struct mail_authentication *seen);
/* Reads whether the mail has arrived. *verdicts: of the checks of the sender, as text; p NULL: none. */
int mailbox_test_look(struct work *w, int64_t id, struct str token, bool *arrived, struct str *verdicts);
/* Ends the test, unless another one has begun. steps: JSON. */
int mailbox_test_end(struct work *w, int64_t id, struct str token, bool passed, struct str steps);

#endif
