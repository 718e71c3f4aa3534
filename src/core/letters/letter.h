/* Letters: mails that the desk writes. A letter is a row and a job, committed with the change that causes
 * it. src/mail sends it afterwards. Its text is a template, filled when it is sent. */
#ifndef CORE_LETTER_H
#define CORE_LETTER_H

#include "core/words.h"
#include "work/work.h"

/* Each creates the link and queues a mail to the address with this id. Returns 0 or a negative error:
 * -ERR_RESOURCE_NOT_FOUND for an unknown id. */
/* ten an hour for each person, then RESOURCE_ACTION_NOT_AVAILABLE */
int letter_verification(struct work *w, int64_t email_id);
int letter_reset(struct work *w, int64_t email_id);
int letter_invitation(struct work *w, int64_t email_id);

/* The same for an address that its person has just added. Returns 1 if it was queued, 0 if ten were sent
 * in the last hour. */
int letter_first_verification(struct work *w, int64_t email_id);

/* Security notices to all validated addresses of the person. Call them before the change, except
 * letter_address_added. */
/* if there was a password, and mail.notify_password_changes is on */
int letter_password_changed(struct work *w, int64_t user_id);
/* template: passkey_added or passkey_removed; names: those of the passkeys */
int letter_passkeys(struct work *w, const char *template, int64_t user_id, struct str names);
int letter_address_added(struct work *w, int64_t email_id);          /* does not send to the new address */
int letters_addresses_removed(struct work *w, struct str email_ids); /* sends to the removed addresses, too */

/* ---- about a conversation: its letters leave in their order (letter_order.c) ----------------- */

struct letter_to {
    int64_t case_id, user_id; /* user_id 0: the address belongs to no person; case_id 0: no conversation */
    struct str address;
};

/* Returns the time until which a mail of letter_reply waits, or 0 if such mails leave at once. */
int64_t letter_reply_waits(const struct work *w);
/* Queues the mail of a message of staff to one address. The message is rejected if the mail to
 * RECIPIENT_TO does not arrive. It waits for mail.undo_seconds. id: of the letter, drawn before by
 * @NEXT_MAIL_ID@; 0: none was drawn. */
int letter_reply(struct work *w, int64_t id, int64_t message_id, enum recipient_type type,
                 struct letter_to to);

/* Queues the mail of a forward (core/cases/forward.h) to one address. Its tokens name the note. It waits as a
 * reply does. */
int letter_forward(struct work *w, int64_t note_id, enum recipient_type type, struct letter_to to);

/* Queues a mail that a rule sends to a person. answers: a mail that came in caused it. Returns 1, 0 if the
 * address gets no more automatic mails about the conversation for now (LETTERS_OF_RULES), or a negative
 * error. Answers to one customer count in all conversations together. */
int letter_notification(struct work *w, struct letter_to to, bool answers, struct str subject,
                        struct str contents);
/* Queues a mail with this text to an endpoint of type EMAIL. Returns the same. */
int letter_of_endpoint(struct work *w, struct letter_to to, struct str subject, struct str contents);
#define LETTERS_OF_RULES \
    10 /* mails of rules and endpoints to one address about one conversation in an hour, so that a loop ends */

/* Queues a mail about a conversation to a member of staff (core/cases/staff_mail.c). values: JSON with the
 * member `case`. */
int letter_staff(struct work *w, const char *template, struct letter_to to, struct str values);

/* Queues the mail of a satisfaction survey. token: the secret of its link, which is valid for `hours`. */
int letter_survey(struct work *w, struct letter_to to, struct str subject, struct str token, int64_t hours);

/* Deletes the letters of a message, none of which is being sent or was sent. Returns 1, 0 if it is too
 * late or the message has none, or a negative error. *mailed: the message has letters. */
int letters_undo(struct work *w, int64_t message_id, bool *mailed);

/* Queues the mail that verifies a mailbox. code: the secret of its link, which is valid for `hours`. */
int letter_mailbox(struct work *w, struct str address, struct str code, int64_t hours);

/* Queues a mail of the desk itself to a member of staff. */
int letter_notice(struct work *w, struct letter_to to, struct str subject, struct str contents);

/* Returns the number of letters of a template that this person was sent in the last hour. Concurrent
 * callers wait until the write ends. */
int letters_lately(struct work *w, int64_t user_id, const char *template);

/* True if mail can leave: by the relay of the settings, by that of the system mailbox, or, for letters about
 * conversations, by that of any mailbox. Otherwise letters are HELD until there is one. */
bool letters_leave(const struct work *w, bool of_conversations);
/* Queues the mails that wait for a relay again. Call it when settings of the relay have changed, or the
 * relay of a mailbox. */
int letters_release(struct work *w);

/* The host name of this desk in mail: the host of its base URL, or its address as a literal (RFC 5321
 * section 4.1.3). */
struct str letter_host(const struct desk *d, struct arena *a);

/* ---- for src/mail: the states of a letter ---------------------------------------------------- */

struct letter {
    int64_t id, user_id, retry_until, case_id, created_at; /* case_id 0: about no conversation */
    int status, attempts;
    struct str template, recipient, name, values,
        message_id; /* name: of the person; values: JSON, the values of the template, and `named` */
};
/* 1, or 0 if it is absent or not queued */
int letter_load(struct work *w, int64_t id, struct letter *out);
/* id, template, recipient: 1, or 0 none */
int letter_by_message(struct work *w, struct str message_id, struct letter *out);
/* The same for a letter of any status. */
int letter_by_id_sent(struct work *w, int64_t id, struct letter *out);
/* Returns 1 if the letter must wait for an earlier one of its conversation, 0, or a negative error. */
int letter_waits(struct work *w, const struct letter *l);
/* The same, in the write that puts off the job of the letter. A letter that ends meanwhile wakes the job. */
int letter_waits_still(struct work *w, const struct letter *l, int64_t job_id);
/* Makes the job due of the letter that waits for this one. Call it in the write that ends the letter. */
int letter_wake_next(struct work *w, const struct letter *l);
#define LETTER_LOOK TIME_MINUTE /* a letter that waits looks again after this time, if nothing wakes it */

/* Lists the Message-IDs of the conversation that the recipient has, or that came in, the latest last: at
 * most `most`. Returns their number. */
int letter_references(struct work *w, const struct letter *l, struct str *list, int most);

/* Holds the letter of a mailbox (0: the system mailbox) until a relay is configured, or connected again.
 * Returns 1, or 0 if one was configured meanwhile, so that the caller tries again. *first: no other letter
 * waits. */
int letter_hold(struct work *w, int64_t id, int64_t mailbox_id, bool *first);

#endif
