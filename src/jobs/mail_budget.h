/* Budgets of those who send mails. A budget is a minute of time: a costly mail takes a part of it, and the
 * part comes back with time. A key is the hash of a sender, of a relay, or of a door. A table forgets the
 * keys that have used least if it is full. One thread uses a table. */
#ifndef JOBS_MAIL_BUDGET_H
#define JOBS_MAIL_BUDGET_H

#include "mail/inbox.h"

#define MAIL_BUDGET_MS INT64_C(60000)

/* The origin of a mail. An attacker can invent the sender. The relay is the address in the topmost Received
 * header, which the mail server of the desk writes; without one it is the door. */
struct mail_origin {
    uint64_t sender, relay, door;
};
struct mail_origin mail_origin_of(const struct inbox_mail *head);

struct mail_budgets;
struct mail_budgets *mail_budgets_new(void); /* NULL: no memory */
void mail_budgets_free(struct mail_budgets *b);
/* The part of the budget that is left, in milliseconds. now: milliseconds, clock_monotonic. */
int64_t mail_budget_left(const struct mail_budgets *b, uint64_t key, int64_t now);
/* no more than is left */
void mail_budget_take(struct mail_budgets *b, uint64_t key, int64_t ms, int64_t now);

#endif
