#include "jobs/arrivals.h"

#include "base/log.h"
#include "core/change/finish.h"
#include "core/access/scope.h"
#include "mail/bounce.h"
#include "mail/inbox.h"

#include <errno.h>

#define AT_ONCE 64 /* mails in a row before jobs run again */

struct arrival {
    struct desk *desk;
    struct arena *arena;
    struct incoming mail;
    struct bounce bounce;
    struct work work;
};

static int handle(struct conn *c, void *arg) {
    struct arrival *m = arg;
    work_init(&m->work, m->desk, m->arena);
    m->work.conn = c;
    m->work.actor = (struct actor){.kind = ACTOR_MAIL, .scopes = SCOPES_ALL, .cause = S("A mail server")};
    TRY(bounce_note(&m->work, &m->mail, &m->bounce));
    return work_finish(&m->work);
}

static bool keep_apart(struct desk *d, struct arena *a, struct str name, const char *why) {
    log_error("a mail that came in can't be processed and was moved to %s/failed/%s: %s", d->inbox.p, name.p, why);
    if (inbox_fail(a, d->inbox, name)) return true;
    log_error("%s can't be written: %s", d->inbox.p, strerror(errno));
    return false;
}

/* Takes one mail. Returns false if it must wait for a later attempt. */
static bool arrival_take(struct desk *d, struct arena *a, struct str name) {
    struct arrival m = {.desk = d, .arena = a};
    struct inbox_mail mail;
    int fault = inbox_read(a, d->inbox, name, &mail);
    if (fault == ENOENT) return true;                                        /* another process with this folder has taken it */
    if (fault == EMFILE || fault == ENFILE || fault == ENOMEM) return false; /* not caused by the mail */
    if (fault) return keep_apart(d, a, name, strerror(fault));
    m.mail = (struct incoming){.door = mail.door, .envelope_from = mail.envelope_from, .recipient = mail.recipient};
    bounce_read(d, a, &m.mail, mail.raw, &m.bounce);
    if (!m.bounce.is_report && !m.bounce.is_notice) return keep_apart(d, a, name, "it is not a delivery report");
    int rc = db_write(d->db, handle, &m);
    if (rc == -ERR_SERVICE_UNAVAILABLE) return false;
    if (rc < 0) return keep_apart(d, a, name, "the store refused its contents");
    work_committed(&m.work);
    if (inbox_done(a, d->inbox, name)) return true;
    log_error("%s can't be written: %s", d->inbox.p, strerror(errno));
    return false;
}

bool arrivals_take(struct desk *d, const atomic_bool *stopping) {
    struct str names[AT_ONCE];
    if (d->inbox.p == NULL) return false;
    struct arena *a = arena_new();
    int n = inbox_list(a, d->inbox, names, AT_ONCE);
    bool taken = true;
    for (int i = 0; i < n && taken && !atomic_load(stopping); i++) {
        struct arena *own = arena_new();
        taken = arrival_take(d, own, names[i]);
        arena_free(own);
    }
    arena_free(a);
    return taken && n == AT_ONCE;
}
