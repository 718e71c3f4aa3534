#include "jobs/arrival.h"

#include "base/log.h"
#include "core/access/scope.h"
#include "core/all/finish.h"
#include "core/mail/receive.h"
#include "jobs/mail_files.h"
#include "mail/bounce.h"

#include <errno.h>

#define BRIEF_FILES 20 /* attachments: each is synced, which takes milliseconds */

struct arrival {
    struct desk *desk;
    struct arena *arena;
    struct incoming mail;
    struct mail_files files;
    struct bounce bounce;
    struct work work;
};

static int handle(struct work *w, void *arg) {
    struct arrival *m = arg;
    int64_t raw_id = 0, mail_id;
    int before = mail_arrived_before(w->conn, w->now, &m->mail);
    if (before) return before;
    TRY(mail_files_create(w, &m->files, &m->mail, &raw_id));
    int noted = m->mail.fault.p ? 0 : bounce_note(w, &m->mail, &m->bounce);
    TRY(noted);
    m->mail.signs.is_bounce = noted;
    m->mail.signs.is_notice = m->bounce.is_notice;
    TRY(mail_receive(w, &m->mail, raw_id, &mail_id));
    return mail_files_let_go(w, &m->mail);
}

static struct str refusal(struct arrival *m) {
    const struct problem *p = m->work.problems;
    if (p && p->message.p) return str_dup(m->arena, p->message);
    return p ? str_of(error_info((int)p->code)->message) : S("The store refused the mail.");
}

/* Returns 0 or an error. A mail that can't be processed is stored as FAILED. */
static int arrival_store(struct arrival *m) {
    work_init(&m->work, m->desk, m->arena);
    m->work.actor = (struct actor){.kind = ACTOR_MAIL, .scopes = SCOPES_ALL, .cause = S("A mail server")};
    int rc = work_write(&m->work, handle, m);
    if (rc >= 0 || rc == -ERR_SERVICE_UNAVAILABLE) return rc;
    m->mail.fault = refusal(m);
    m->mail.file_count = m->files.count = 0;
    return work_write(&m->work, handle, m);
}

static enum arrival_end inbox_changed(const struct desk *d, bool changed) {
    if (!changed) log_error("%s can't be written: %s", d->inbox.p, strerror(errno));
    return changed ? ARRIVAL_TAKEN : ARRIVAL_WAITS;
}

static enum arrival_end keep_apart(struct desk *d, struct arena *a, struct inbox_file file, const char *why) {
    log_error("a mail that came in can't be processed and was moved to %s/failed/%s: %s", d->inbox.p,
              file.name.p, why);
    return inbox_changed(d, inbox_fail(a, d->inbox, file));
}

/* Reads the mail and stores its contents. Returns 0, MAIL_TAKES_LONG, or -ERR_SERVICE_UNAVAILABLE. */
static int arrival_prepare(struct arrival *m, const struct inbox_mail *from, const struct mail_effort *e) {
    int64_t begun = clock_monotonic();
    int rc = mail_read(m->arena, from->raw, clock_now(&m->desk->clock), e, &m->mail);
    if (rc < 0 || rc == MAIL_TAKES_LONG) return rc;
    if (e->brief && m->mail.file_count > BRIEF_FILES) return MAIL_TAKES_LONG;
    m->mail.door = from->door;
    m->mail.envelope_from = from->envelope_from;
    m->mail.recipient = from->recipient;
    m->mail.begun = begun;
    bounce_read(m->desk, m->arena, &m->mail, from->raw, &m->bounce);
    mail_fold_quoted(m->arena, &m->mail);
    return mail_files_keep(m->arena, m->desk, from->raw, &m->mail, &m->files);
}

static enum arrival_end arrival_read(struct arrival *m, struct inbox_file file, const struct mail_effort *e,
                                     bool *failed) {
    struct desk *d = m->desk;
    struct inbox_mail mail;
    int fault = inbox_read(m->arena, d->inbox, file, &mail);
    /* another process with this folder has taken it */
    if (fault == ENOENT) return ARRIVAL_TAKEN;
    /* not caused by the mail */
    if (fault == EMFILE || fault == ENFILE || fault == ENOMEM) return ARRIVAL_WAITS;
    if (fault) return keep_apart(d, m->arena, file, strerror(fault));
    int rc = arrival_prepare(m, &mail, e);
    if (rc < 0 || rc == MAIL_TAKES_LONG) return rc < 0 ? ARRIVAL_WAITS : ARRIVAL_TAKES_LONG;
    *failed = m->mail.fault.p != NULL;
    rc = arrival_store(m);
    if (rc == -ERR_SERVICE_UNAVAILABLE) return ARRIVAL_WAITS;
    if (rc < 0) return keep_apart(d, m->arena, file, "the store refused it");
    return inbox_changed(d, inbox_done(m->arena, d->inbox, file));
}

enum arrival_end arrival_take(struct desk *d, struct inbox_file file, const struct mail_effort *e,
                              bool *failed) {
    struct arena *a = arena_new();
    struct arrival *m = ARENA_NEW(a, struct arrival);
    *m = (struct arrival){.desk = d, .arena = a};
    *failed = false;
    enum arrival_end end = arrival_read(m, file, e, failed);
    arena_free(a);
    return end;
}
