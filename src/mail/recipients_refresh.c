#include "mail/recipients_refresh.h"

#include "base/log.h"
#include "core/mail/mailbox.h"
#include "mail/recipients.h"

#define RECIPIENTS_READ_MS 5000

/* Returns the number of addresses, or a negative error. */
static int recipients_list(struct work *w, void *list) { return mailbox_addresses(w, list); }

void recipients_refresh(struct desk *d) {
    struct work w;
    struct str *list;
    if (d->inbox.p == NULL) return;
    struct arena *a = arena_new();
    work_init(&w, d, a);
    int n = work_read(&w, RECIPIENTS_READ_MS, recipients_list, &list);
    int fault = n < 0 ? 0 : recipients_write(a, d->inbox, list, n);
    if (fault)
        log_often(LOG_ERROR, "failures to write the recipients", "%s/recipients can't be written: %s",
                  d->inbox.p, strerror(fault));
    arena_free(a);
}
