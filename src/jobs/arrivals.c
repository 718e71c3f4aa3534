/* A mail is a file until its COMMIT (mail/inbox.h). The thread reads the mail in a confined process, stores its bytes as contents, and processes it
 * in one write (core/mail/receive.h). Then it removes the file. Reading and syncing take milliseconds, so they are neither in the write nor on
 * the thread of jobs.
 *
 *     the store can't be written      the file waits, and so do those behind it
 *     the mail can't be processed     a second write stores it as FAILED, with the raw mail
 *     that fails, too                 the file is moved to the folder failed, for the operator
 *     killed before the COMMIT        the file is taken again
 *     killed before the removal       the file is taken again; mail_receive finds its digest
 *     two processes take the file     the same
 *
 * inotify wakes the thread. It also looks each second, because a file system of the network reports no changes of other machines. */
#include "jobs/arrivals.h"

#include "base/log.h"
#include "core/access/scope.h"
#include "core/change/finish.h"
#include "core/mail/receive.h"
#include "jobs/mail_files.h"
#include "mail/bounce.h"
#include "mail/inbox.h"
#include "mail/read.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#define AT_ONCE 64 /* names that are read at once */
#define LOOK_MS 1000

struct arrivals {
    struct desk *desk;
    pthread_t thread;
    int changes, end; /* inotify, -1: none; eventfd */
    atomic_bool stopping;
};

struct arrival {
    struct desk *desk;
    struct arena *arena;
    struct incoming mail;
    struct mail_files files;
    struct bounce bounce;
    struct work work;
};

/* ---- one mail ----------------------------------------------------------------------------------------------------------- */

static int handle(struct conn *c, void *arg) {
    struct arrival *m = arg;
    struct work *w = &m->work;
    int64_t raw_id = 0, mail_id;
    work_init(w, m->desk, m->arena);
    w->conn = c;
    w->actor = (struct actor){.kind = ACTOR_MAIL, .scopes = SCOPES_ALL, .cause = S("A mail server")};
    int before = mail_arrived_before(c, w->now, &m->mail);
    TRY(before);
    if (before) return work_finish(w);
    TRY(mail_files_create(w, &m->files, &m->mail, &raw_id));
    int noted = m->mail.fault.p ? 0 : bounce_note(w, &m->mail, &m->bounce);
    TRY(noted);
    m->mail.signs.is_bounce = noted;
    TRY(mail_receive(w, &m->mail, raw_id, &mail_id));
    TRY(mail_files_let_go(w, &m->mail));
    return work_finish(w);
}

static struct str refusal(struct arrival *m) {
    const struct problem *p = m->work.problems;
    if (p && p->message.p) return str_dup(m->arena, p->message);
    return p ? str_of(error_info((int)p->code)->message) : S("The store refused the mail.");
}

/* Returns 0 or an error. A mail that can't be processed is stored as FAILED. */
static int arrival_store(struct arrival *m) {
    int rc = db_write(m->desk->db, handle, m);
    if (rc >= 0 || rc == -ERR_SERVICE_UNAVAILABLE) return rc;
    m->mail.fault = refusal(m);
    m->mail.file_count = m->files.count = 0;
    return db_write(m->desk->db, handle, m);
}

static bool keep_apart(struct desk *d, struct arena *a, struct str name, const char *why) {
    log_error("a mail that came in can't be processed and was moved to %s/failed/%s: %s", d->inbox.p, name.p, why);
    if (inbox_fail(a, d->inbox, name)) return true;
    log_error("%s can't be written: %s", d->inbox.p, strerror(errno));
    return false;
}

/* Reads the mail and stores its contents. Returns 0 or -ERR_SERVICE_UNAVAILABLE. */
static int arrival_prepare(struct arrival *m, const struct inbox_mail *from) {
    int64_t begun = clock_monotonic();
    int rc = mail_read(m->arena, from->raw, clock_now(&m->desk->clock), &m->mail);
    if (rc < 0) return rc;
    m->mail.door = from->door;
    m->mail.envelope_from = from->envelope_from;
    m->mail.recipient = from->recipient;
    m->mail.begun = begun;
    bounce_read(m->desk, m->arena, &m->mail, from->raw, &m->bounce);
    mail_fold_quoted(m->arena, &m->mail);
    return mail_files_keep(m->arena, m->desk, from->raw, &m->mail, &m->files);
}

/* Takes one mail. Returns false if it must wait for a later attempt. */
static bool arrival_take(struct desk *d, struct arena *a, struct str name) {
    struct arrival *m = ARENA_NEW(a, struct arrival);
    struct inbox_mail mail;
    *m = (struct arrival){.desk = d, .arena = a};
    int fault = inbox_read(a, d->inbox, name, &mail);
    if (fault == ENOENT) return true;                                        /* another process with this folder has taken it */
    if (fault == EMFILE || fault == ENFILE || fault == ENOMEM) return false; /* not caused by the mail */
    if (fault) return keep_apart(d, a, name, strerror(fault));
    if (arrival_prepare(m, &mail) < 0) return false;
    int rc = arrival_store(m);
    if (rc == -ERR_SERVICE_UNAVAILABLE) return false;
    if (rc < 0) return keep_apart(d, a, name, "the store refused it");
    work_committed(&m->work);
    if (inbox_done(a, d->inbox, name)) return true;
    log_error("%s can't be written: %s", d->inbox.p, strerror(errno));
    return false;
}

/* ---- the thread --------------------------------------------------------------------------------------------------------- */

/* Takes some of the waiting mails. Returns true if there may be more. */
static bool arrivals_take(struct arrivals *r) {
    struct str names[AT_ONCE];
    struct arena *a = arena_new();
    int n = inbox_list(a, r->desk->inbox, names, AT_ONCE);
    bool taken = true;
    for (int i = 0; i < n && taken && !atomic_load(&r->stopping); i++) {
        struct arena *own = arena_new();
        taken = arrival_take(r->desk, own, names[i]);
        arena_free(own);
    }
    arena_free(a);
    return taken && n == AT_ONCE;
}

static void arrivals_wait(struct arrivals *r) {
    char events[4096];
    struct pollfd fds[] = {{.fd = r->end, .events = POLLIN}, {.fd = r->changes, .events = POLLIN}};
    poll(fds, 2, LOOK_MS);
    while (r->changes >= 0 && read(r->changes, events, sizeof events) > 0) {}
}

/* Mails that the store can't take now wait for a second, whatever arrives meanwhile. */
static void *arrivals_main(void *arg) {
    struct arrivals *r = arg;
    while (!atomic_load(&r->stopping))
        if (!arrivals_take(r)) arrivals_wait(r);
    return NULL;
}

static void arrivals_free(struct arrivals *r) {
    if (r->changes >= 0) close(r->changes);
    if (r->end >= 0) close(r->end);
    free(r);
}

int arrivals_start(struct desk *d, struct arrivals **out) {
    *out = NULL;
    if (d->inbox.p == NULL) return 0;
    struct arrivals *r = calloc(1, sizeof *r);
    struct arena *a = arena_new();
    if (r == NULL) return arena_free(a), -1;
    *r = (struct arrivals){.desk = d, .changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), .end = eventfd(0, EFD_CLOEXEC)};
    if (r->changes >= 0) inotify_add_watch(r->changes, STR_CAT(a, d->inbox, S("/new")).p, IN_MOVED_TO | IN_CLOSE_WRITE);
    arena_free(a);
    if (r->end < 0 || pthread_create(&r->thread, NULL, arrivals_main, r) != 0) return arrivals_free(r), -1;
    *out = r;
    return 0;
}

void arrivals_stop(struct arrivals *r) {
    if (r == NULL) return;
    atomic_store(&r->stopping, true);
    eventfd_write(r->end, 1);
    pthread_join(r->thread, NULL);
    arrivals_free(r);
}
