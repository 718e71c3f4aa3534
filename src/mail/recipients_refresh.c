#include "mail/recipients_refresh.h"

#include "base/log.h"
#include "core/mail/mailbox.h"
#include "mail/recipients.h"

#define RECIPIENTS_READ_MS 5000

/* Returns the number of addresses, or a negative error. */
static int recipients_list(struct desk *d, struct arena *a, struct str **list) {
    struct work w;
    work_init(&w, d, a);
    w.conn = db_reader(d->db);
    int rc = w.conn ? db_read_begin(w.conn, RECIPIENTS_READ_MS) : -ERR_SERVICE_UNAVAILABLE;
    if (rc >= 0) rc = mailbox_addresses(&w, list);
    if (w.conn) db_read_end(w.conn);
    return rc;
}

void recipients_refresh(struct desk *d) {
    struct str *list;
    if (d->inbox.p == NULL) return;
    struct arena *a = arena_new();
    int n = recipients_list(d, a, &list);
    int fault = n < 0 ? 0 : recipients_write(a, d->inbox, list, n);
    if (fault)
        log_often(LOG_ERROR, "failures to write the recipients", "%s/recipients can't be written: %s",
                  d->inbox.p, strerror(fault));
    arena_free(a);
}
