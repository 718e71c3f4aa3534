#include "mail/collector.h"

#include "base/log.h"
#include "core/desk/setting.h"
#include "core/mail/mailbox.h"
#include "core/words.h"
#include "mail/collect.h"
#include "mail/recipients.h"
#include "mail/unstored.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_AGAIN_MS 1000
#define READ_MS 10000
#define MAILBOXES_MAX 200 /* maximum number of mailboxes that are read: each has a thread */

/* A mailbox that is read. `marks` is all that its thread was started with: if it differs, the thread is
 * started again. */
struct read_mailbox {
    struct collecting *collecting;
    struct arena *arena; /* the arena of `marks` */
    int64_t id;
    struct str marks;
    bool seen, ends;
    struct read_mailbox *next;
};

struct collector {
    struct desk *desk;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool over;
    struct read_mailbox *first;
};

#define ACCOUNT                                                                        \
    "SELECT m.id, m.address, m.imap_host, m.imap_port, m.imap_security, m.imap_user, " \
    "m.imap_password, m.imap_folder, m.imap_after, m.oauth_provider, m.oauth_state, "  \
    "m.oauth_connected_at "                                                            \
    "FROM mailboxes m WHERE "
QUERY(mailboxes_by_imap, ACCOUNT " m.imap_host IS NOT NULL AND m.is_enabled = 1 AND m.deleted_at IS NULL "
                                 "ORDER BY m.id LIMIT :most");

/* ---- one row --------------------------------------------------------------------------------- */

static bool private_hosts_allowed(const struct desk *d) {
    return setting_bool(d, "mail.imap_allow_private_addresses");
}

static struct str row_address(const struct desk *d, struct arena *a, struct stmt *row) {
    struct str own = col_text(row, 1);
    return own.n ? str_dup(a, own) : setting_text(d, "mail.from_address", a);
}

/* All that a thread is started with, as one text. */
static struct str row_marks(const struct desk *d, struct arena *a, struct stmt *row) {
    struct str ca = setting_text(d, "mail.imap_ca", a), address = row_address(d, a, row);
    struct str marks =
        str_fmt(a, "%s\n%s\n%d", address.n ? address.p : "", ca.n ? ca.p : "", private_hosts_allowed(d));
    for (int i = 2; i <= 11; i++) {
        struct str cell = col_text(row, i);
        marks = STR_CAT(a, marks, S("\n"), cell.n ? cell : S(""));
    }
    return marks;
}

static struct str dup_or_none(struct arena *a, struct str s) { return s.n ? str_dup(a, s) : (struct str){0}; }

static void collected_read(const struct desk *d, struct arena *a, struct stmt *row, struct collected *out) {
    struct str sealed = col_text(row, 6), folder = col_text(row, 7), after = col_text(row, 8);
    bool by_oauth = !col_null(row, 9);
    struct str password = by_oauth ? S("") : mailbox_password_open(d, a, str_dup(a, sealed));
    int security = col_null(row, 4) ? SMTP_TLS : (int)col_int(row, 4);
    *out = (struct collected){.id = col_int(row, 0),
                              .address = row_address(d, a, row),
                              .account = {.host = str_dup(a, col_text(row, 2)),
                                          .user = dup_or_none(a, col_text(row, 5)),
                                          .password = password,
                                          .ca = setting_text(d, "mail.imap_ca", a),
                                          .port = col_int(row, 3),
                                          .security = security,
                                          .private_allowed = private_hosts_allowed(d)},
                              .by_oauth = by_oauth,
                              .folder = imap_folder(a, folder.n ? folder : S("INBOX")),
                              .after = after.n ? imap_folder(a, after) : (struct str){0}};
    if (out->account.port == 0) out->account.port = out->account.security == SMTP_TLS ? 993 : 143;
    if (out->account.user.p == NULL) out->account.user = out->address;
    if (sealed.n && password.p == NULL)
        out->wrong = "The password was encrypted with another server key. Set it again.";
    else if (out->address.n == 0) out->wrong = "The mailbox has no address. Set mail.from_address.";
    else if (out->folder.p == NULL || (after.n && out->after.p == NULL))
        out->wrong = "The name of a folder is not valid.";
    else if (str_eq(out->folder, out->after))
        out->wrong = "Mails must be moved to another folder than the one that is read.";
}

QUERY(mailbox_by_imap, ACCOUNT "m.id = :id AND m.imap_host IS NOT NULL");

int collected_load(struct work *w, int64_t id, struct collected *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &mailbox_by_imap, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    collected_read(w->desk, w->arena, row, out);
    stmt_end(row);
    return 1;
}

/* ---- all rows -------------------------------------------------------------------------------- */

static struct read_mailbox *reading_find(const struct collector *c, int64_t id) {
    for (struct read_mailbox *m = c->first; m; m = m->next)
        if (m->id == id) return m;
    return NULL;
}

static void reading_add(struct collector *c, struct stmt *row, struct str marks) {
    struct read_mailbox *m = calloc(1, sizeof *m);
    struct arena *a = arena_new();
    struct collected what;
    if (m == NULL) abort();
    collected_read(c->desk, a, row, &what);
    *m = (struct read_mailbox){.arena = arena_new(), .id = what.id, .seen = true, .next = c->first};
    m->marks = str_dup(m->arena, marks);
    m->collecting = collect_start(c->desk, a, &what);
    if (m->collecting) c->first = m;
    else arena_free(m->arena), free(m);
}

/* Starts a thread for a new row, or ends that of a row that has changed. */
static void reading_meet(struct collector *c, struct arena *a, struct stmt *row) {
    struct str marks = row_marks(c->desk, a, row);
    struct read_mailbox *m = reading_find(c, col_int(row, 0));
    if (m == NULL) reading_add(c, row, marks);
    else m->seen = !m->ends && str_eq(m->marks, marks); /* one that ends is started again when it has ended */
}

/* Returns 0, or a negative error: then nothing is known about the rows. */
static int mailboxes_meet(struct collector *c) {
    struct conn *conn = db_reader(c->desk->db);
    int rc = conn ? db_read_begin(conn, READ_MS) : -ERR_SERVICE_UNAVAILABLE;
    if (rc < 0) return rc;
    struct arena *a = arena_new();
    DB_ROWS(rc, conn, &mailboxes_by_imap, BINDS(B_INT("most", MAILBOXES_MAX)), row) reading_meet(c, a, row);
    arena_free(a);
    db_read_end(conn);
    return rc;
}

/* Ends the threads whose rows were not seen, or all. Frees those that have ended. */
static void readings_end(struct collector *c, bool all) {
    for (struct read_mailbox *m = c->first; m; m = m->next)
        if (all || !m->seen) collect_stop(m->collecting), m->ends = true;
    for (struct read_mailbox **at = &c->first; *at;) {
        struct read_mailbox *m = *at;
        if (!m->ends || (!all && !collect_ended(m->collecting))) {
            at = &m->next;
            continue;
        }
        collect_join(m->collecting);
        *at = m->next;
        arena_free(m->arena);
        free(m);
    }
}

static void collector_look(struct collector *c) {
    for (struct read_mailbox *m = c->first; m; m = m->next) m->seen = false;
    if (mailboxes_meet(c) < 0)
        for (struct read_mailbox *m = c->first; m; m = m->next) m->seen = !m->ends;
    readings_end(c, false);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Returns false if the collector ends. */
static bool collector_rest(struct collector *c) {
    struct timespec until = clock_deadline(LOOK_AGAIN_MS);
    pthread_mutex_lock(&c->lock);
    if (!c->over) pthread_cond_timedwait(&c->wake, &c->lock, &until);
    bool over = c->over;
    pthread_mutex_unlock(&c->lock);
    return !over;
}

static void *collector_main(void *arg) {
    struct collector *c = arg;
    while (collector_rest(c)) {
        recipients_refresh(c->desk);
        unstored_write(c->desk, 0);
        collector_look(c);
    }
    readings_end(c, true);
    if (unstored_write(c->desk, 0)) log_error("the store does not take tokens of mailboxes: they are lost");
    return NULL;
}

static void collector_free(struct collector *c) {
    pthread_cond_destroy(&c->wake);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct collector *collector_start(struct desk *d) {
    struct collector *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->desk = d;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    if (pthread_create(&c->thread, NULL, collector_main, c) == 0) return c;
    collector_free(c);
    return NULL;
}

void collector_stop(struct collector *c) {
    if (c == NULL) return;
    pthread_mutex_lock(&c->lock);
    c->over = true;
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    collector_free(c);
}
