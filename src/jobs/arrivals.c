/* A mail is a file until its COMMIT (mail/inbox.h). A thread reads the mail in a confined process, stores
 * its bytes as contents, and processes it in one write (core/mail/receive.h). Then it removes the file.
 * Reading and syncing take milliseconds, so they are neither in the write nor on the thread of jobs.
 *
 *     the store can't be written      the file waits, and so do those behind it
 *     the mail can't be processed     a second write stores it as FAILED, with the raw mail
 *     that fails, too                 the file is moved to the folder failed, for the operator
 *     killed before the COMMIT        the file is taken again
 *     killed before the removal       the file is taken again; mail_receive finds its digest
 *     two processes take the file     the same
 *
 * Anybody can send a mail, and nobody can tell from a mail how long it takes to read. So no mail waits for
 * the end of another one:
 *
 *     new ---- the first thread, in the order of arrival, MAIL_BRIEF_MS each
 *      |   \
 *      |    its origin sent costly mails ---------------> later --- the first thread, behind `new`, the smallest first
 *      |                                                    |
 *      +--------------- too large, or not read in time -----+---> slow --- the second thread, with the whole limits
 *
 * A costly mail is one that was not read in time, or that ended its reader. Costly mails use up the budgets
 * of their sender, of their relay and of their door (jobs/mail_budget.h). While one of these is used up,
 * the mails of that origin go to `later` without an attempt. So costly mails delay those of other origins
 * by their first attempts only. In `later`, honest mails come first, because a costly mail must be large.
 * In `slow`, a sender and a relay have half a minute of reading time in each minute. One process of a
 * folder takes the mails of `slow`.
 *
 * The budgets are in memory: after a start each costly mail of `new` may be tried once more.
 *
 * inotify wakes the threads. They also look each second, because a file system of the network reports no
 * changes of other machines. */
#include "jobs/arrivals.h"

#include "base/clock.h"
#include "base/log.h"
#include "core/access/scope.h"
#include "core/all/finish.h"
#include "core/mail/receive.h"
#include "jobs/mail_budget.h"
#include "work/work.h"
#include "mail/read.h"
#include "mail/inbox.h"
#include "jobs/mail_files.h"
#include "mail/bounce.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

/* ---- one mail: it is read, stored, and then removed from the inbox --------------------------- */

enum arrival_end {
    ARRIVAL_TAKEN,      /* it is in the store, in the folder failed, or was gone before */
    ARRIVAL_WAITS,      /* the store or the folder can't be written now. Logged */
    ARRIVAL_TAKES_LONG, /* longer than the effort. Nothing was stored */
};

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

/* Takes the mail. With a brief effort, it must also have few attachments. *failed: it can't be read, and is
 * FAILED. */
static enum arrival_end arrival_take(struct desk *d, struct inbox_file file, const struct mail_effort *e,
                                     bool *failed) {
    struct arena *a = arena_new();
    struct arrival *m = ARENA_NEW(a, struct arrival);
    *m = (struct arrival){.desk = d, .arena = a};
    *failed = false;
    enum arrival_end end = arrival_read(m, file, e, failed);
    arena_free(a);
    return end;
}

#define AT_ONCE 64 /* names that are read at once */
#define LOOK_MS 1000
#define LARGE \
    (4 << 20) /* bytes of a file. A larger one is not tried: its digest and its copies alone take 50 ms */
#define COSTLY_MS \
    (MAIL_BUDGET_MS / 3) /* taken of the budgets of sender and relay: three costly mails in a minute */
#define COSTLY_DOOR_MS (MAIL_BUDGET_MS / 6) /* the same of a door */
#define SLOW_SHARE 2                        /* a mail of `slow` takes its reading time as many times */
#define SLOW_CHOICE 1000 /* mails of `slow` of which one is chosen: to look at each takes 20 us */

struct arrivals;

struct lane {
    struct arrivals *of;
    pthread_t thread;
    bool (*take)(struct lane *l); /* takes some mails. Returns true if there may be more */
    struct mail_budgets *budgets;
    int changes; /* inotify of its folder, -1: none */
    bool started;
};

struct arrivals {
    struct desk *desk;
    struct lane brief, slow;
    int end; /* eventfd */
    atomic_bool stopping;
};

static bool lane_ends(const struct lane *l) { return atomic_load(&l->of->stopping); }

/* Moves the mail. Returns false if it must wait where it is. */
static bool put_aside(struct lane *l, struct arena *a, struct inbox_file file, enum inbox_folder to) {
    struct desk *d = l->of->desk;
    if (inbox_move(a, d->inbox, file, to)) return true;
    log_error("%s can't be written: %s", d->inbox.p, strerror(errno));
    return false;
}

/* ---- the mails that are read briefly --------------------------------------------------------- */

static void note_costly(struct lane *l, const struct mail_origin *from) {
    int64_t now = clock_monotonic();
    mail_budget_take(l->budgets, from->sender, COSTLY_MS, now);
    if (from->relay != from->door) mail_budget_take(l->budgets, from->relay, COSTLY_MS, now);
    mail_budget_take(l->budgets, from->door, COSTLY_DOOR_MS, now);
}

static bool may_be_costly(const struct lane *l, const struct mail_origin *from) {
    int64_t now = clock_monotonic();
    return mail_budget_left(l->budgets, from->sender, now) < COSTLY_MS ||
           (from->relay != from->door && mail_budget_left(l->budgets, from->relay, now) < COSTLY_MS) ||
           mail_budget_left(l->budgets, from->door, now) < COSTLY_DOOR_MS;
}

/* Tries to take the mail. Returns false if it, and those behind it, must wait. */
static bool take_briefly(struct lane *l, struct arena *a, struct inbox_file file,
                         const struct mail_origin *from) {
    bool failed;
    enum arrival_end end = arrival_take(l->of->desk, file, &mail_briefly, &failed);
    if (failed || end == ARRIVAL_TAKES_LONG) note_costly(l, from);
    if (end == ARRIVAL_TAKES_LONG) return put_aside(l, a, file, INBOX_SLOW);
    return end == ARRIVAL_TAKEN;
}

/* Takes the mail, or puts it aside. A file that can't be read is for arrival_take, which says so. */
static bool look_and_take(struct lane *l, struct arena *a, struct inbox_file file) {
    struct inbox_mail head = {.door = DOOR_PIPE};
    int64_t size = 0;
    bool readable = inbox_look(a, l->of->desk->inbox, file, &head, &size) == 0;
    struct mail_origin from = mail_origin_of(&head);
    if (readable && size > LARGE) return put_aside(l, a, file, INBOX_SLOW);
    if (readable && file.folder == INBOX_NEW && may_be_costly(l, &from))
        return put_aside(l, a, file, INBOX_LATER);
    return take_briefly(l, a, file, &from);
}

/* Takes some of the new mails, and then one of those that were put aside. */
static bool brief_take(struct lane *l) {
    struct str names[AT_ONCE], small;
    struct arena *a = arena_new();
    int n = inbox_list(a, l->of->desk->inbox, INBOX_NEW, names, AT_ONCE);
    bool taken = true, aside = false;
    for (int i = 0; i < n && taken && !lane_ends(l); i++) {
        struct arena_mark mark = arena_mark(a);
        taken = look_and_take(l, a, (struct inbox_file){INBOX_NEW, names[i]});
        arena_return(a, mark);
    }
    if (taken && !lane_ends(l) && inbox_smallest(a, l->of->desk->inbox, INBOX_LATER, &small))
        aside = taken = look_and_take(l, a, (struct inbox_file){INBOX_LATER, small});
    arena_free(a);
    return taken && (n == AT_ONCE || aside);
}

/* ---- the mails that take long ---------------------------------------------------------------- */

/* A mail of `slow` that may be taken. */
struct slow_choice {
    struct str name;
    struct mail_origin from;
    int64_t left; /* rest of the budget of its sender. 0: there is no such mail */
};

/* Chooses the mail whose sender has used least, and of several the one that came first. */
static struct slow_choice slow_choose(const struct lane *l, struct arena *a) {
    struct str *names = arena_array(a, SLOW_CHOICE, sizeof *names), inbox = l->of->desk->inbox;
    int n = inbox_list(a, inbox, INBOX_SLOW, names, SLOW_CHOICE);
    struct slow_choice best = {0};
    int64_t now = clock_monotonic(), size;
    for (int i = 0; i < n; i++) {
        struct arena_mark mark = arena_mark(a);
        struct inbox_mail head = {.door = DOOR_PIPE};
        bool gone = inbox_look(a, inbox, (struct inbox_file){INBOX_SLOW, names[i]}, &head, &size) == ENOENT;
        struct mail_origin from = mail_origin_of(&head);
        int64_t left = mail_budget_left(l->budgets, from.relay, now) > 0
                           ? mail_budget_left(l->budgets, from.sender, now)
                           : 0;
        if (!gone && left > best.left) best = (struct slow_choice){names[i], from, left};
        arena_return(a, mark);
    }
    return best;
}

static bool slow_take_one(struct lane *l, struct arena *a) {
    struct slow_choice mail = slow_choose(l, a);
    if (mail.left == 0) return false;
    int64_t begun = clock_monotonic();
    const struct mail_effort until_end = {.cancel = l->of->end};
    bool failed;
    enum arrival_end end =
        arrival_take(l->of->desk, (struct inbox_file){INBOX_SLOW, mail.name}, &until_end, &failed);
    int64_t now = clock_monotonic(), cost = SLOW_SHARE * (now - begun);
    mail_budget_take(l->budgets, mail.from.sender, cost, now);
    mail_budget_take(l->budgets, mail.from.relay, cost, now);
    return end == ARRIVAL_TAKEN;
}

/* Takes one mail, unless another process of this folder takes one. */
static bool slow_take(struct lane *l) {
    struct arena *a = arena_new();
    int fd = open(inbox_folder_path(a, l->of->desk->inbox, INBOX_SLOW).p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && slow_take_one(l, a);
    if (fd >= 0) close(fd);
    arena_free(a);
    return taken;
}

/* ---- the threads ----------------------------------------------------------------------------- */

static void lane_wait(struct lane *l) {
    char events[4096];
    struct pollfd fds[] = {{.fd = l->of->end, .events = POLLIN}, {.fd = l->changes, .events = POLLIN}};
    poll(fds, 2, LOOK_MS);
    while (l->changes >= 0 && read(l->changes, events, sizeof events) > 0) {}
}

/* Mails that the store can't take now wait for a second, even if others arrive meanwhile. */
static void *lane_main(void *arg) {
    struct lane *l = arg;
    while (!lane_ends(l))
        if (!l->take(l)) lane_wait(l);
    return NULL;
}

static bool lane_start(struct lane *l, struct arrivals *r, enum inbox_folder folder,
                       bool (*take)(struct lane *l)) {
    struct arena *a = arena_new();
    *l = (struct lane){.of = r,
                       .take = take,
                       .budgets = mail_budgets_new(),
                       .changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
    const char *path = inbox_folder_path(a, r->desk->inbox, folder).p;
    if (l->changes >= 0) inotify_add_watch(l->changes, path, IN_MOVED_TO | IN_CLOSE_WRITE);
    arena_free(a);
    l->started = l->budgets && pthread_create(&l->thread, NULL, lane_main, l) == 0;
    return l->started;
}

static void lane_stop(struct lane *l) {
    if (l->of == NULL) return;
    if (l->started) pthread_join(l->thread, NULL);
    if (l->changes >= 0) close(l->changes);
    mail_budgets_free(l->budgets);
}

int arrivals_start(struct desk *d, struct arrivals **out) {
    *out = NULL;
    if (d->inbox.p == NULL) return 0;
    struct arrivals *r = calloc(1, sizeof *r);
    if (r == NULL) return -1;
    *r = (struct arrivals){.desk = d, .end = eventfd(0, EFD_CLOEXEC)};
    bool started = r->end >= 0 && lane_start(&r->brief, r, INBOX_NEW, brief_take) &&
                   lane_start(&r->slow, r, INBOX_SLOW, slow_take);
    if (!started) return arrivals_stop(r), -1;
    *out = r;
    return 0;
}

void arrivals_stop(struct arrivals *r) {
    if (r == NULL) return;
    atomic_store(&r->stopping, true);
    if (r->end >= 0) eventfd_write(r->end, 1);
    lane_stop(&r->brief);
    lane_stop(&r->slow);
    if (r->end >= 0) close(r->end);
    free(r);
}
