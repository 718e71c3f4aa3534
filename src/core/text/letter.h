/* Letters: what the desk writes to people by mail. Each is a row and a job, committed with the change that wants it; src/mail
 * sends it afterwards. What it says is a template's text, filled when it is sent. */
#ifndef CORE_LETTER_H
#define CORE_LETTER_H

#include "core/words.h"
#include "work/work.h"

/* Each makes the link and queues the mail to the address of that id. 0, or error; an unknown id is -ERR_RESOURCE_NOT_FOUND. */
int letter_verification(struct work *w, int64_t email_id); /* ten an hour a person, then RESOURCE_ACTION_NOT_AVAILABLE */
int letter_reset(struct work *w, int64_t email_id);
int letter_invitation(struct work *w, int64_t email_id);

/* The same for an address that its person added just now: 1 queued, 0 if ten were sent in the last hour. */
int letter_first_verification(struct work *w, int64_t email_id);

/* Notices of security. They go to all validated addresses of the person. Called before the change, but letter_address_added. */
int letter_password_changed(struct work *w, int64_t user_id);        /* if there was a password, and the desk sends such letters */
int letter_address_added(struct work *w, int64_t email_id);          /* not to the new one */
int letters_addresses_removed(struct work *w, struct str email_ids); /* to the removed ones, too; a letter tells all of one person */

/* How many of a kind this person was sent in the last hour, those of writes under way included. */
int letters_lately(struct work *w, int64_t user_id, const char *template);

/* Mails that waited for a relay are queued again: settings of the relay have changed. */
int letters_release(struct work *w);

/* This desk's name in mail: the host of its base URL, or its address as a literal (RFC 5321 section 4.1.3). */
struct str letter_host(const struct desk *d, struct arena *a);

/* ---- for src/mail: the life of one --------------------------------------------------------------------------- */

struct letter {
    int64_t id, user_id, retry_until;
    int status, attempts;
    struct str template, recipient, name, values,
        message_id; /* name: of the person; values: JSON, what the template's names mean, and `named` */
};
int letter_load(struct work *w, int64_t id, struct letter *out);                  /* 1, 0 absent or no longer to be sent */
int letter_by_message(struct work *w, struct str message_id, struct letter *out); /* id, template and recipient: 1, or 0 none */
/* What came of sending it: 1, or 0 where that is no longer possible. The text is dropped unless it may still be sent. error: p NULL, or why,
 * in printable ASCII. That it was refused or bounced is an activity of its person. */
int letter_set(struct work *w, int64_t id, enum mail_status status, struct str error);
/* Waits for a relay: 1, or 0 when one was named meanwhile, so that it is to be tried again. *first: it is the only one that waits. */
int letter_hold(struct work *w, int64_t id, bool *first);

#endif
