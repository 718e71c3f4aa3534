/* Mailboxes: the addresses by which mail comes in and replies leave. The address of the system mailbox is
 * the setting mail.from_address. */
#ifndef CORE_MAIL_MAILBOX_H
#define CORE_MAIL_MAILBOX_H

#include "work/work.h"

struct mailbox {
    int64_t id, brand_id, team_id;
    /* address: n 0: mail.from_address is not set. name: its sender name; may be empty */
    struct str address, name;
};

/* The address without its plus part, as a key: letter case and the form of the domain do not matter. p
 * NULL: not an address. */
struct str mailbox_key(struct arena *a, struct str address);

/* Finds the enabled mailbox of an address of a mail that came in, with or without a plus part, verified or
 * not. Returns 1, 0 none, or a negative error. */
int mailbox_of_address(struct work *w, struct str address, struct mailbox *out);
/* Finds the mailbox by which replies of a conversation leave: (1) that of the conversation, (2) the one of
 * its brand that is the default, else the first one, (3) the default. Only enabled and verified ones send;
 * without any, the system mailbox does. Returns 1 or a negative error. */
int mailbox_for_case(struct work *w, int64_t case_id, struct mailbox *out);
/* The same for a reply that names a mailbox (0: none): that one, if it sends. */
int mailbox_for_reply(struct work *w, int64_t mailbox_id, int64_t case_id, struct mailbox *out);
/* The same for a letter: the mailbox of its message, unless the message came by mail. */
int mailbox_for_letter(struct work *w, int64_t letter_id, int64_t case_id, struct mailbox *out);
/* Returns 1 if a mailbox that is not deleted, enabled or not, is stored with the address, 0, or a negative
 * error. The system mailbox is not: its address is a setting. */
int mailbox_has(struct work *w, struct str address);
/* Returns 1 if the address belongs to the desk: that of a mailbox, mail.from_address or mail.return_path.
 * Otherwise 0, or a negative error. */
int mailbox_owns(struct work *w, struct str address);
#define MAILBOX_ADDRESSES \
    "addresses of mailboxes" /* db_lock of writes that give a mailbox or mail.from_address an address */

/* Lists the addresses that the desk takes mail for: those of enabled mailboxes, and that of delivery
 * reports (mail.return_path; if it is empty, mail.from_address). Returns their number, or a negative
 * error. */
int mailbox_addresses(struct work *w, struct str **list);

/* ---- changes --------------------------------------------------------------------------------- */

/* Mails a link to the address of the mailbox, which proves that somebody reads its mail. At most one in
 * MAILBOX_LETTER_WAIT. */
int mailbox_send_verification(struct work *w, int64_t id);
#define MAILBOX_LETTER_WAIT TIME_MINUTE
#define MAILBOX_LINK_LIFE (72 * TIME_HOUR)
/* Return 1, or 0 if the code is unknown, used, expired or replaced. id 0: of any mailbox. mailbox_verify
 * changes the mailbox, mailbox_code_find nothing. */
int mailbox_verify(struct work *w, int64_t id, struct str code);
int mailbox_code_find(struct work *w, struct str code);

/* Makes an enabled, verified mailbox the default. */
int mailbox_set_default(struct work *w, int64_t id);
/* Marks mailboxes as deleted. Conversations and mails keep their references. The caller has refused the
 * system mailbox and the default. */
int mailboxes_delete(struct work *w, const int64_t *ids, int count);
/* Moves the system mailbox and deleted mailboxes of brands (JSON array of ids) to the default brand, so
 * that the brands can be deleted. */
int mailboxes_leave_brands(struct work *w, struct str brand_ids);

/* The passwords of a mailbox are stored sealed. p NULL: none, or sealed with another server key. */
struct str mailbox_password_seal(const struct desk *d, struct arena *a, struct str password);
struct str mailbox_password_open(const struct desk *d, struct arena *a, struct str sealed);

#endif
