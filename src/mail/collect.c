#include "mail/collect.h"

#include "base/ids.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/all/finish.h"
#include "core/change/lease.h"
#include "core/desk/setting.h"
#include "core/mail/receive.h"
#include "json/json.h"
#include "mail/inbox.h"
#include "mail/mail_token.h"

#include <inttypes.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <time.h>

#define ROUND 50 /* mails of the inbox that the desk takes next, at most */
#define ASIDE \
    150 /* further ones that it has put aside, because they take long: they keep no other mail waiting */
#define WINDOW 200 /* mails that are listed at a time */
#define LARGE \
    (4 << 20) /* one mail above this size is in memory at a time, whatever the number of mailboxes */
#define TAKEN_MS (30 * TIME_SECOND)
#define LOOK_MS 100 /* time between two looks for mails that the desk has committed */
#define SLICE_MS 200
#define UNDER_WAY_MS (5 * TIME_SECOND) /* a wait, while mails are under way */
#define LEASE_MS TIME_MINUTE
#define LEASE_ASK_MS \
    (5 *             \
     TIME_SECOND) /* how often a lease is asked for that another process holds, or that can't be written */
#define READ_MS 10000
#define REMOVED 200         /* uids that are remembered */
#define DENIED_MS TIME_HOUR /* a refused password is not tried more often: servers lock accounts */
#define RETRY_MAX_MS (15 * TIME_MINUTE)

/* A mail that is in the inbox and still on the server. */
struct under_way {
    int64_t uid;
    char digest[2 * crypto_hash_sha256_BYTES + 1]; /* digest as in mail_arrivals */
    /* Name of its file in the inbox; empty: the file was not written. */
    char name[64];
    bool taken; /* the desk has it, so it may be removed from the server */
    bool aside; /* the desk takes others first */
};

struct collecting {
    struct desk *desk;
    struct arena *arena; /* the arena of `what` */
    struct collected what;
    pthread_t thread;
    atomic_bool stopping, ended;
    struct under_way mails[ROUND + ASIDE];
    int count;
    /* uids of mails that were removed from the server, and that its last list still had */
    int64_t removed[REMOVED];
    int removed_count;
    int64_t validity;  /* UIDVALIDITY for which `mails` and `removed` hold */
    int64_t next_look; /* milliseconds since 1970 */
    int64_t leased_at; /* clock_monotonic; 0: not held */
    int64_t asked_at;  /* time of the last request for the lease; 0: none */
    int failures;      /* number of consecutive failures */
    bool more;         /* the last round ended at its limit */
    bool denied;       /* the server refused an access token, and no later one was accepted */
    int64_t too_large; /* mails of the last round that stay on the server */
    bool noted;        /* `error` was stored */
    bool known;        /* it had been stored before, perhaps by another process that held the lease */
    char error[512];   /* empty: none */
};

static pthread_mutex_t large_mail = PTHREAD_MUTEX_INITIALIZER;

/* ---- the store ------------------------------------------------------------------------------- */

#define COLLECT_ACTOR ((struct actor){.kind = ACTOR_MAIL, .cause = S("IMAP")})

static struct str collect_lease(struct work *w, const struct collecting *c) {
    return str_fmt(w->arena, "imap %" PRId64, c->what.id);
}

static int lease_hold(struct work *w, void *arg) {
    return lease_take(w, collect_lease(w, arg), w->desk->process, LEASE_MS);
}

static int lease_drop(struct work *w, void *arg) {
    return lease_release(w, collect_lease(w, arg), w->desk->process);
}

static bool lease_is_young(const struct collecting *c, int64_t now, int64_t ms) {
    return c->leased_at && now - c->leased_at < ms;
}

/* True if this process may read the mailbox. The only process of a store needs no lease. A lease that
 * can't be written again holds for two thirds of its time, so a short outage of the store ends no
 * connection. */
static bool lease_held(struct collecting *c) {
    int64_t now = clock_monotonic();
    if (!db_shared(c->desk->db) || lease_is_young(c, now, LEASE_MS / 3)) return true;
    if (c->asked_at == 0 || now - c->asked_at >= LEASE_ASK_MS) {
        c->asked_at = now;
        int held = desk_write(c->desk, COLLECT_ACTOR, lease_hold, c);
        if (held >= 0) c->leased_at = held ? now : 0;
    }
    return lease_is_young(c, now, 2 * LEASE_MS / 3);
}

QUERY(mailbox_error, "SELECT COALESCE(imap_error, '') FROM mailboxes WHERE id = :id @LOCK@");
QUERY(mailbox_note_tried, "UPDATE mailboxes SET imap_error = :error, imap_tried_at = :now WHERE id = :id");

static int note_tried(struct work *w, void *arg) {
    struct collecting *c = arg;
    struct str error = *c->error ? str_of(c->error) : (struct str){0}, before = {0};
    TRY(db_text(w->conn, &mailbox_error, BINDS(B_INT("id", c->what.id)), w->arena, &before));
    c->known = str_eq(before, str_of(c->error));
    return db_exec(w->conn, &mailbox_note_tried,
                   BINDS(B_TEXT("error", error), B_INT("now", w->now), B_INT("id", c->what.id)));
}

/* Stores the result of an attempt, and logs it if it differs from the last one. NULL: it succeeded. */
static void collect_note(struct collecting *c, const char *error) {
    const char *now = error ? error : "";
    struct str address = c->what.address;
    bool differs = strcmp(c->error, now) != 0, noted = c->noted;
    snprintf(c->error, sizeof c->error, "%s", now);
    c->known = false;
    c->noted = desk_write(c->desk, COLLECT_ACTOR, note_tried, c) >= 0;
    if (differs && error && !c->known) log_warn("the mailbox %.*s: %s", (int)address.n, address.p, error);
    if (differs && !error && noted) log_info("the mailbox %.*s is read again", (int)address.n, address.p);
}

QUERY(arrivals_among, "SELECT a.digest FROM mail_arrivals a WHERE a.digest IN @TEXTS(:digests)");

static void mark_taken(struct collecting *c, struct str digest) {
    for (int i = 0; i < c->count; i++)
        if (str_eq(str_of(c->mails[i].digest), digest)) c->mails[i].taken = true;
}

static int look_for_taken(struct work *w, void *arg) {
    struct collecting *c = arg;
    struct str digests[ROUND + ASIDE];
    int rc;
    for (int i = 0; i < c->count; i++) digests[i] = str_of(c->mails[i].digest);
    DB_ROWS(rc, w->conn, &arrivals_among,
            BINDS(B_TEXT("digests", json_texts(w->arena, digests, (size_t)c->count))), row)
    mark_taken(c, col_text(row, 0));
    return rc;
}

/* Arrivals are kept for a week, rows of mails until somebody deletes them. A mail may stay on the server
 * for longer than a week, because it can't be moved. */
QUERY(mail_of_content, "SELECT m.id FROM mails m JOIN files f ON f.id = m.file_id "
                       "WHERE f.sha256 = :sha256 AND m.recipient = :recipient "
                       "LIMIT 1");

struct mail_sought {
    struct collecting *c;
    struct str sha256; /* hash of a raw mail; p NULL: only the mails under way are looked for */
    int64_t found;
};

static int look_for_mail(struct work *w, void *arg) {
    struct mail_sought *s = arg;
    if (s->sha256.p)
        TRY(db_int(w->conn, &mail_of_content,
                   BINDS(B_TEXT("sha256", s->sha256), B_TEXT("recipient", s->c->what.address)), &s->found));
    return look_for_taken(w, s->c);
}

/* A reader belongs to its thread, and on PostgreSQL it is a connection. So there the reads of all mailboxes
 * share the connections of writes, which do not wait for each other. */
static int mail_seek(struct mail_sought *s) {
    struct desk *d = s->c->desk;
    struct work w;
    if (db_blocks(d->db)) return desk_write(d, COLLECT_ACTOR, look_for_mail, s);
    work_init(&w, d, arena_new());
    int rc = work_read(&w, READ_MS, look_for_mail, s);
    arena_free(w.arena);
    return rc;
}

/* ---- one mail -------------------------------------------------------------------------------- */

static struct str sha256_of(struct arena *a, struct str raw) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(sum, (const unsigned char *)raw.p, raw.n);
    return str_hex(a, sum, sizeof sum);
}

/* Writes a mail to the inbox. Returns 0 if it is on the disk, or errno. */
static int collect_put(const struct collecting *c, struct arena *a, struct str raw, struct under_way *m) {
    struct str name;
    int fault =
        inbox_put(a, c->desk->inbox,
                  &(struct inbox_mail){.door = DOOR_IMAP, .recipient = c->what.address, .raw = raw}, &name);
    if (fault == 0) snprintf(m->name, sizeof m->name, "%s", name.p);
    return fault;
}

/* Fetches a mail, and writes it to the inbox unless the desk has it. Returns IMAP_OK or a fault. */
static int collect_mail(struct collecting *c, struct imap *s, struct arena *a, int64_t uid,
                        struct str *fault) {
    struct mail_sought sought = {.c = c};
    struct under_way *m = &c->mails[c->count];
    struct str raw;
    int rc = imap_read(s, a, uid, &raw);
    if (rc <= 0) return rc;                                 /* 0: somebody else has moved it */
    if (raw.n > LIMIT_MAIL) return c->too_large++, IMAP_OK; /* the server said less */
    *m = (struct under_way){.uid = uid};
    sought.sha256 = sha256_of(a, raw);
    snprintf(m->digest, sizeof m->digest, "%s", arrival_digest(a, c->what.address, sought.sha256).p);
    c->count++;
    if (mail_seek(&sought) < 0) {
        c->count--;
        *fault = S("The store can't be read.");
        return IMAP_LATER;
    }
    m->taken |= sought.found != 0;
    int why = m->taken ? 0 : collect_put(c, a, raw, m);
    if (why == 0) return IMAP_OK;
    c->count--;
    *fault = str_fmt(c->arena, "The inbox can't be written: %s.", strerror(why));
    return IMAP_LATER;
}

/* ---- a round --------------------------------------------------------------------------------- */

static bool collect_stopping(const struct collecting *c) { return atomic_load(&c->stopping); }

/* The number of mails that the desk will take next. */
static int taken_next(const struct collecting *c) {
    int n = 0;
    for (int i = 0; i < c->count; i++) n += !c->mails[i].taken && !c->mails[i].aside;
    return n;
}

static bool has_no_room(const struct collecting *c) {
    return c->count == ROUND + ASIDE || taken_next(c) >= ROUND;
}

static bool is_under_way(const struct collecting *c, int64_t uid) {
    for (int i = 0; i < c->count; i++)
        if (c->mails[i].uid == uid) return true;
    return false;
}

/* A server may list a mail that was removed. Without its uid it would be fetched again. */
static bool was_removed(const struct collecting *c, int64_t uid) {
    return ids_have(c->removed, c->removed_count, uid);
}

/* Remembers the uid, in place of the oldest one if there is no room. */
static void note_removed(struct collecting *c, int64_t uid) {
    if (c->removed_count == REMOVED)
        memmove(c->removed, c->removed + 1, (size_t)--c->removed_count * sizeof *c->removed);
    c->removed[c->removed_count++] = uid;
}

/* Forgets the uids that the server does not list any more. */
static void forget_removed(struct collecting *c, const int64_t *listed, int n) {
    memcpy(c->removed, listed, (size_t)n * sizeof *listed);
    c->removed_count = n;
}

/* Fetches one of the listed mails, if it is to be fetched. */
static int collect_listed(struct collecting *c, struct imap *s, const struct imap_mail *m,
                          struct str *fault) {
    if (m->is_deleted || has_no_room(c) || is_under_way(c, m->uid) || was_removed(c, m->uid)) return IMAP_OK;
    if (m->size > LIMIT_MAIL) return c->too_large++, IMAP_OK;
    bool large = m->size > LARGE;
    /* The mail is read in a later round. */
    if (large && pthread_mutex_trylock(&large_mail) != 0) return IMAP_OK;
    struct arena *a = arena_new();
    int rc = collect_mail(c, s, a, m->uid, fault);
    arena_free(a);
    if (large) pthread_mutex_unlock(&large_mail);
    return rc;
}

/* Fetches the oldest mails of the folder until there is no room. */
static int collect_new(struct collecting *c, struct imap *s, struct str *fault) {
    struct imap_mail mails[WINDOW];
    int64_t first = 1, still[REMOVED];
    int still_count = 0;
    c->too_large = 0;
    for (; first <= imap_exists(s) && !has_no_room(c); first += WINDOW) {
        int n = imap_list(s, first, mails, WINDOW);
        TRY(n);
        for (int i = 0; i < n; i++)
            if (still_count < REMOVED && was_removed(c, mails[i].uid)) still[still_count++] = mails[i].uid;
        for (int i = 0; i < n && lease_held(c); i++) TRY(collect_listed(c, s, &mails[i], fault));
    }
    if (first > imap_exists(s)) forget_removed(c, still, still_count); /* all mails were listed */
    return IMAP_OK;
}

/* Removes the mails from the server that the desk has committed. */
static int collect_remove(struct collecting *c, struct imap *s) {
    int64_t uids[ROUND + ASIDE];
    int n = 0, left = 0;
    for (int i = 0; i < c->count; i++)
        if (c->mails[i].taken) uids[n++] = c->mails[i].uid;
    if (n == 0) return IMAP_OK;
    struct arena *a = arena_new();
    int rc = imap_take_away(s, a, c->what.after, uids, n);
    arena_free(a);
    TRY(rc);
    for (int i = 0; i < c->count; i++)
        if (c->mails[i].taken) note_removed(c, c->mails[i].uid);
        else c->mails[left++] = c->mails[i];
    c->count = left;
    return IMAP_OK;
}

static void collect_rest(int ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

/* Looks for the mails in the inbox, and then in the store, because a mail leaves the inbox after its
 * COMMIT. A mail in the folder `failed` is the operator's, so it may be removed from the server. One that
 * is nowhere is fetched again. */
static void collect_look(struct collecting *c) {
    enum inbox_place places[ROUND + ASIDE];
    struct arena *a = arena_new();
    int left = 0;
    for (int i = 0; i < c->count; i++)
        places[i] = *c->mails[i].name ? inbox_find(a, c->desk->inbox, str_of(c->mails[i].name)) : INBOX_WAITS;
    arena_free(a);
    if (mail_seek(&(struct mail_sought){.c = c}) < 0) return;
    for (int i = 0; i < c->count; i++) {
        struct under_way *m = &c->mails[i];
        m->taken |= places[i] == INBOX_FAILED;
        m->aside = places[i] == INBOX_ASIDE;
        if (m->taken || places[i] != INBOX_GONE) c->mails[left++] = *m;
    }
    c->count = left;
}

/* Waits until the desk has taken all mails that it does not put aside, at most TAKEN_MS. */
static void collect_await(struct collecting *c) {
    int64_t until = clock_monotonic() + TAKEN_MS;
    if (c->count) collect_look(c);
    while (taken_next(c) && !collect_stopping(c) && clock_monotonic() <= until) {
        collect_rest(LOOK_MS);
        collect_look(c);
    }
}

/* Returns IMAP_OK or a fault; *fault: its reason if the server is not the reason. */
static int collect_round(struct collecting *c, struct imap *s, struct str *fault) {
    if (imap_validity(s) != c->validity) c->count = c->removed_count = 0;
    c->validity = imap_validity(s);
    int rc = collect_new(c, s, fault);
    if (rc == IMAP_STOPPED) return rc;
    c->more = has_no_room(c);
    collect_await(c);
    int removed = collect_remove(c, s);
    return rc != IMAP_OK ? rc : removed;
}

/* ---- a session ------------------------------------------------------------------------------- */

static bool collect_may_go_on(struct collecting *c) { return !collect_stopping(c) && lease_held(c); }

/* Ends a wait at the next look, which is a time of the desk. */
static bool collect_tick(void *arg) {
    struct collecting *c = arg;
    return collect_may_go_on(c) && clock_now(&c->desk->clock) < c->next_look;
}

static void note_round(struct collecting *c) {
    char text[200];
    snprintf(text, sizeof text, "%" PRId64 " %s than %d MB and will stay in the folder.", c->too_large,
             c->too_large == 1 ? "mail is larger" : "mails are larger", LIMIT_MAIL >> 20);
    collect_note(c, c->too_large ? text : NULL);
}

static int collect_rounds(struct collecting *c, struct imap *s, struct str *fault) {
    TRY(imap_select(s, c->what.folder));
    if (c->what.after.p) TRY(imap_look(s, c->what.after));
    while (collect_may_go_on(c)) {
        TRY(collect_round(c, s, fault));
        note_round(c);
        c->failures = 0;
        if (c->more && !has_no_room(c)) continue;
        int64_t ms = c->count ? UNDER_WAY_MS : setting_int(c->desk, "mail.imap_seconds") * TIME_SECOND;
        c->next_look = clock_now(&c->desk->clock) + ms;
        TRY(imap_wait(s, ms, collect_tick, c));
    }
    return IMAP_STOPPED;
}

/* Opens the session with the access token of `account`. A token that the server refuses is renewed once, at
 * once: its consent may have ended before it expired. */
static int collect_open(struct collecting *c, struct work *w, const struct imap_account *account) {
    struct str fault = {0};
    enum imap_result result;
    struct imap *s = imap_open(account, &c->stopping, &result);
    bool refused = result == IMAP_DENIED && account->bearer.p, again = refused && !c->denied;
    if (refused) mail_token_refused(w, c->what.id, account->bearer);
    c->denied = refused;
    int rc = result == IMAP_OK ? collect_rounds(c, s, &fault) : again ? IMAP_STOPPED : (int)result;
    if (rc != IMAP_STOPPED && !collect_stopping(c)) collect_note(c, fault.p ? fault.p : imap_reason(s));
    imap_close(s);
    return rc;
}

/* Reads the mailbox until the connection ends. Returns the fault, and stores it. */
static int collect_session(struct collecting *c) {
    struct imap_account account = c->what.account;
    struct mail_token token = {0};
    struct work w;
    work_init(&w, c->desk, arena_new());
    enum mail_token_result result =
        c->what.by_oauth ? mail_token_await(&w, c->what.id, &c->stopping, &token) : MAIL_TOKEN_READY;
    int rc = result == MAIL_TOKEN_CONSENT ? IMAP_DENIED : IMAP_LATER;
    account.bearer = token.text;
    if (result == MAIL_TOKEN_READY) rc = collect_open(c, &w, &account);
    else if (!collect_stopping(c))
        collect_note(c, token.why.n ? token.why.p : "The mailbox logs in by a password now.");
    arena_free(w.arena);
    return rc;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static int64_t collect_delay(const struct collecting *c, int fault) {
    int64_t ms = setting_int(c->desk, "mail.imap_seconds") * TIME_SECOND;
    if (fault == IMAP_DENIED) return DENIED_MS;
    for (int i = 1; i < c->failures && ms < RETRY_MAX_MS; i++) ms *= 2;
    return ms < RETRY_MAX_MS ? ms : RETRY_MAX_MS;
}

/* Waits until the time of the desk has advanced by ms. */
static void collect_delay_by(struct collecting *c, int64_t ms) {
    int64_t began = clock_now(&c->desk->clock);
    for (int64_t now = began; !collect_stopping(c) && now >= began && now - began < ms;
         now = clock_now(&c->desk->clock))
        collect_rest(SLICE_MS);
}

static void *collect_main(void *arg) {
    struct collecting *c = arg;
    if (c->what.wrong) collect_note(c, c->what.wrong);
    while (!collect_stopping(c)) {
        if (c->what.wrong || !lease_held(c)) {
            collect_rest(SLICE_MS);
            continue;
        }
        int fault = collect_session(c);
        if (fault == IMAP_STOPPED) continue; /* the lease was lost, or the thread ends */
        c->failures++;
        collect_delay_by(c, collect_delay(c, fault));
    }
    if (c->leased_at) desk_write(c->desk, COLLECT_ACTOR, lease_drop, c);
    atomic_store(&c->ended, true);
    return NULL;
}

static void collecting_free(struct collecting *c) {
    arena_free(c->arena);
    free(c);
}

struct collecting *collect_start(struct desk *d, struct arena *a, const struct collected *what) {
    struct collecting *c = calloc(1, sizeof *c);
    if (c == NULL) abort();
    c->desk = d;
    c->arena = a;
    c->what = *what;
    if (pthread_create(&c->thread, NULL, collect_main, c) == 0) return c;
    collecting_free(c);
    return NULL;
}

void collect_stop(struct collecting *c) { atomic_store(&c->stopping, true); }
bool collect_ended(const struct collecting *c) { return atomic_load(&c->ended); }

void collect_join(struct collecting *c) {
    pthread_join(c->thread, NULL);
    collecting_free(c);
}
