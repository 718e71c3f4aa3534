/* serve: starts the parts of the process in this order, and stops them in the reverse order:
 *
 *     store -> key -> (new desk: its owner) -> new permissions -> settings -> folder of files -> inbox -> api -> port
 *     -> jobs -> sender -> reader of mailboxes -> listener -> http -> LMTP -> "listening" -> signals
 *
 * Signals are blocked in every thread. sigwait takes them here, one at a time, so there are no handlers
 * and no interrupted calls. */
#include "commands/commands.h"

#include "api/call/api.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "core/change/audit.h"
#include "core/all/caches.h"
#include "core/all/cascades.h"
#include "core/all/desk.h"
#include "core/access/permission.h"
#include "core/desk/kept_value.h"
#include "core/helpcenter/generation.h"
#include "core/desk/gather.h"
#include "core/desk/processes.h"
#include "core/desk/setting.h"
#include "core/desk/widget.h"
#include "files/content.h"
#include "files/remote.h"
#include "jobs/periodic.h"
#include "jobs/listener.h"
#include "live/address.h"
#include "live/live.h"
#include "mail/recipients.h"
#include "jobs/runner.h"
#include "commands/listen.h"
#include "mail/collector.h"
#include "mail/inbox.h"
#include "mail/lmtp.h"
#include "mail/unstored.h"
#include "console/console.h"
#include "console/widget.h"
#include "oauth/oauth.h"
#include "outgoing/sender.h"
#include "pages/outside.h"
#include "signin/metadata.h"
#include "signin/signin.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

struct server {
    const struct command_line *options;
    struct arena *memory;
    struct listen listen;
    struct desk desk;
    struct pages pages;
    struct signin_memory *signin;
    struct api *api;
    struct runner *jobs;
    struct sender *sender;
    struct content_sweeper *sweeper;
    struct collector *collector;
    bool listens;
    struct listener *listener;
    struct http_server *http;
    struct live *live;
    struct lmtp *lmtp;
    struct lmtp_counts mails;
    bool is_new;     /* this run has made the desk */
    bool others_run; /* other processes serve the desk with the key that this one replaces */
    bool joined;     /* this process serves the desk with the others, if there are any */
};

/* Descriptors besides the connections: the store, its log and readers, temporary files, the standard
 * three. */
#define OTHER_FILES 512

/* Default numbers of pool threads. Threads of a database that blocks mostly wait, so there are more. */
enum { WORKERS = 2, WORKERS_BLOCKING = 8 };

/* The end of a message about other processes: see PROCESS_LEASE. */
#define CRASHED " (one that has crashed counts for 15 seconds)"

/* ---- the store ------------------------------------------------------------------------------- */

/* The hashes of the audit log have another key from here on. */
static int key_replaced(struct conn *c, void *arg) {
    struct server *s = arg;
    struct work w;
    work_init(&w, &s->desk, s->memory);
    w.conn = c;
    w.actor = (struct actor){.kind = ACTOR_SYSTEM, .cause = S("deskd serve")};
    if (db_shared(s->desk.db)) {
        int run = processes_run(c, w.now);
        s->others_run = run > 0;
        if (run) return run < 0 ? run : -ERR_SERVICE_UNAVAILABLE;
    }
    return audit_rekey(&w);
}

/* A mistyped --data would otherwise make a second desk, and its owner would not notice. */
static void say_new_desk(const struct command_line *o, struct arena *a) {
    char *folder = option_text(o, OPT_DATABASE).p ? NULL : realpath(option_text(o, OPT_DATA).p, NULL);
    complain(
        "there is no desk in %s, so serve makes a new one there. If you expected a desk, stop this one and "
        "name its folder with --data",
        folder ? str_dup(a, str_of(folder)).p : store_name(o));
    free(folder);
}

/* Processes of one database must have the same key. The process of a folder is the only one, so its key
 * may have been replaced. */
static int know_key(struct server *s, const struct key *server) {
    bool renew = !db_shared(s->desk.db) || option_int(s->options, OPT_NEW_KEY);
    int known = desk_key_known(s->desk.db, clock_now(&s->desk.clock), key_proof(s->memory, server), renew,
                               key_replaced, s);
    if (known < 0 && s->others_run)
        return complain("other processes serve %s with its present key: stop them before --new-key" CRASHED,
                        store_name(s->options)),
               -1;
    if (known < 0) return complain("%s can't be written", store_name(s->options)), -1;
    if (known == 0 && !renew)
        return complain("the other processes of %s have a different server key: give this one a copy of "
                        "their secret.key (--secret-file); if it is lost, serve once with --new-key",
                        store_name(s->options)),
               -1;
    if (known == 0) log_warn("the server key has changed: all sessions have ended");
    return 0;
}

static int open_keys(struct server *s, bool fresh) {
    struct desk *d = &s->desk;
    struct key server;
    bool elsewhere = option_text(s->options, OPT_SECRET_FILE).p != NULL;
    int rc = secret_key(s->options, fresh || !elsewhere, &server);
    if (rc < 0) return -1;
    audit_key_derive(&d->audit_key, &server);
    if (know_key(s, &server) < 0) return -1;
    if (rc == 1 && !fresh) log_warn("there was no server key: a new one was made");
    key_derive(&d->session_key, &server, "session");
    key_derive(&d->csrf_key, &server, "csrf token");
    key_derive(&d->request_key, &server, "request token");
    key_derive(&d->account_key, &server, "account");
    key_derive(&d->idempotency_key, &server, "idempotency");
    key_derive(&d->link_key, &server, "link");
    key_derive(&d->mail_key, &server, "mail");
    key_derive(&d->setting_key, &server, "setting");
    key_derive(&d->endpoint_key, &server, "endpoint");
    key_derive(&d->factor_key, &server, "second factor");
    key_derive(&d->remember_key, &server, "remember-me");
    key_derive(&d->fingerprint_key, &server, "fingerprint");
    key_derive(&d->pseudonym_key, &server, "pseudonym");
    key_derive(&d->picture_key, &server, "picture");
    key_derive(&d->token_key, &server, "mail token");
    key_derive(&d->cursor_key, &server, "cursor");
    key_derive(&d->program_key, &server, "tokens of programs");
    key_derive(&d->widget_key, &server, "widget");
    d->installation = mac_hex(s->memory, &server, S("installation"));
    random_bytes(&d->credential_key, sizeof d->credential_key);
    d->process = random_uuid(s->memory);
    explicit_bzero(&server, sizeof server);
    return 0;
}

static int open_store(struct server *s) {
    struct db_config cfg = store_config(s->options);
    char err[USAGE_MAX];
    store_may_begin(s->options, s->memory, &cfg);
    cfg.keep_snapshots = true;
    cfg.replica = option_text(s->options, OPT_REPLICA_URL).p;
    cfg.clock = &s->desk.clock;
    cfg.tracked = help_center_tables;
    cfg.marked = kept_tables;
    cfg.on_change = help_center_change();
    if (cfg.replica && !cfg.url) return complain("--replica-url needs --database"), -1;
    cfg.cache_kb = (int)option_int(s->options, OPT_CACHE);
    cfg.mmap_mb = (int)option_int(s->options, OPT_MMAP);
    cfg.writers = (int)option_int(s->options, OPT_WRITERS);
    cfg.statement_ms = (int)option_int(s->options, OPT_STATEMENT_TIMEOUT);
    if (db_open(&cfg, &s->desk.db, err, sizeof err) < 0) return complain("%s", err), -1;
    struct conn *c = db_reader(s->desk.db);
    int state = c && db_read_begin(c, 0) >= 0 ? desk_state(c) : -1;
    if (c) db_read_end(c);
    if (state < 0) return complain("%s can't be read", store_name(s->options)), -1;
    if (state == DESK_UNFINISHED)
        return complain("the desk in %s is incomplete (an interrupted demo?): remove it",
                        store_name(s->options)),
               -1;
    bool fresh = state == DESK_EMPTY;
    if (open_keys(s, fresh) < 0) return -1; /* before the owner, so that a desk always has its key */
    if (fresh) say_new_desk(s->options, s->memory);
    int made = fresh ? owner_create(s->options, s->desk.db, clock_now(&s->desk.clock), stderr) : 0;
    if (made < 0 && made != -ERR_FIELD_DUPLICATE) return -1;
    s->is_new = fresh && made >= 0;
    int added = permissions_complete(s->desk.db, clock_now(&s->desk.clock));
    if (added < 0) return complain("%s can't be written", store_name(s->options)), -1;
    if (added) log_info("roles got the permissions that are new in this version");
    s->desk.settings = db_read_begin(c, 0) < 0 ? NULL : settings_open(c);
    db_read_end(c);
    desk_caches_open(&s->desk);
    s->desk.unstored = unstored_new();
    widgets_notified(&s->desk, (struct str){0});
    s->desk.cascades = cascades;
    s->desk.cascade_rows = (int)option_int(s->options, OPT_CASCADE_ROWS);
    atomic_store(&s->desk.unindexed, 1); /* the last run may have left some */
    s->desk.search_texts = (int)option_int(s->options, OPT_SEARCH_TEXTS);
    s->desk.exact_durations = (int)option_int(s->options, OPT_EXACT_DURATIONS);
    return s->desk.settings ? 0 : (complain("%s can't be read", store_name(s->options)), -1);
}

static void look_at_folder(const struct server *s) {
    struct stat st;
    const char *dir = option_text(s->options, OPT_DATA).p;
    if (stat(dir, &st) == 0 && (st.st_mode & S_IRWXO))
        log_warn("the data folder %s is open to all users of this machine (mode %o): chmod 700 %s", dir,
                 (unsigned)st.st_mode & 0777, dir);
}

static void open_inbox(struct server *s) {
    struct str data = option_text(s->options, OPT_DATA);
    s->desk.inbox = inbox_open(s->memory, data);
    if (s->desk.inbox.p == NULL)
        log_warn("mail can't come in, because %s/mail can't be made: %s", data.p, strerror(errno));
    recipients_refresh(&s->desk);
}

/* The port is opened here, so that a desk without it does not start, and served when the desk is ready. */
static int open_lmtp(struct server *s) {
    if (option_text(s->options, OPT_LMTP).p == NULL) return 0;
    if (s->desk.inbox.p == NULL) return complain("LMTP needs the inbox, which can't be made"), -1;
    s->lmtp = lmtp_from_options(s->options, s->memory, s->desk.inbox, &s->mails);
    s->desk.mails = &s->mails;
    return s->lmtp ? 0 : -1;
}

static int start_lmtp(struct server *s) {
    if (s->lmtp == NULL) return 0;
    if (!lmtp_start(s->lmtp)) return complain("LMTP can't be started"), -1;
    log_info("LMTP listens on %s", lmtp_name(s->options, s->memory, s->lmtp).p);
    return 0;
}

/* ---- the outside ----------------------------------------------------------------------------- */

static void set_base_url(struct server *s, int port) {
    struct desk *d = &s->desk;
    struct str given = option_text(s->options, OPT_BASE_URL);
    d->base_url = given.p ? given : listen_url(s->memory, &s->listen, port);
    while (d->base_url.n && d->base_url.p[d->base_url.n - 1] == '/') d->base_url.n--;
    d->base_url = str_dup(s->memory, d->base_url);
    d->host = url_host(d->base_url);
}

static int open_outside(struct server *s) {
    s->listen = listen_of(option_text(s->options, OPT_LISTEN), s->memory);
    set_base_url(s, s->listen.port);
    s->desk.clock.file = option_text(s->options, OPT_CLOCK).p;
    if (s->desk.clock.file == NULL) return 0;
    if (!listen_is_loopback(&s->listen)) {
        complain("--clock is for tests and needs a loopback address: --listen 127.0.0.1:8080");
        return EXIT_USAGE;
    }
    log_warn("the time is read from %s: this is a test", s->desk.clock.file);
    return 0;
}

/* Refuses to serve beside a process that writes other links, or that is another program. */
static bool join_processes(struct server *s) {
    struct other_process other = {0};
    if (!db_shared(s->desk.db)) return true;
    int joined = processes_join(&s->desk, s->memory, &other);
    if (joined > 0) return true;
    if (joined < 0) complain("%s can't be written", store_name(s->options));
    else if (!str_eq(other.version, S(DESKD_VERSION)))
        complain(
            "another process that serves %s is deskd %s, this one is %s: stop it, and start all with one "
            "version" CRASHED,
            store_name(s->options), other.version.n ? other.version.p : "of an older version", DESKD_VERSION);
    else
        complain("another process that serves %s has the base URL %s, this one %s: start all with one "
                 "--base-url" CRASHED,
                 store_name(s->options), other.base_url.p, s->desk.base_url.p);
    return false;
}

/* Called when the port is known. Jobs write links, so they start when the base URL is known, and before a
 * request can need one. */
static void on_bound(void *arg, int port) {
    struct server *s = arg;
    set_base_url(s, port);
    s->joined = join_processes(s);
    if (!s->joined) return;
    s->jobs = jobs_start(&s->desk, s->api);
    s->sender = sender_start(&s->desk);
    s->collector = collector_start(&s->desk);
    s->listens = s->jobs && listener_start(&s->desk, &s->listener) >= 0;
}

static int start_http(struct server *s) {
    const struct command_line *o = s->options;
    char err[USAGE_MAX];
    struct http_config cfg = {
        .address = s->listen.host.p,
        .port = s->listen.port,
        .proxies = proxies_of(option_text(o, OPT_PROXIES), s->memory),
        .bound = on_bound,
        .bound_arg = s,
        .loops = (int)option_int(o, OPT_THREADS),
        .tmp_dir = contents_tmp(s->memory, s->desk.files).p,
        .max_connections = (int)option_int(o, OPT_MAX_CONNECTIONS),
        .max_per_address = (int)option_int(o, OPT_MAX_PER_ADDRESS),
        .head_deadline_ms = (int)option_int(o, OPT_HEAD_DEADLINE),
        .body_deadline_ms = (int)option_int(o, OPT_BODY_DEADLINE),
        .idle_s = (int)option_int(o, OPT_IDLE),
    };
    raise_file_limit(cfg.max_connections,
                     OTHER_FILES + LIMIT_LIVE +
                         (s->lmtp ? LMTP_FILES * option_int(o, OPT_LMTP_CONNECTIONS) : 0));
    s->http = http_start(&cfg, api_app(), s->api, err, sizeof err);
    if (s->http == NULL) return complain("%s", err), -1;
    if (!s->joined) return -1;
    if (s->jobs == NULL) return complain("the job runner can't be started"), -1;
    if (content_sweeper_start(&s->desk, &s->sweeper) < 0)
        return complain("the thread that removes contents can't be started"), -1;
    if (s->sender == NULL) return complain("the sender of deliveries can't be started"), -1;
    if (s->collector == NULL) return complain("the reader of mailboxes can't be started"), -1;
    if (!s->listens) return complain("the listener can't be started"), -1;
    api_attach(s->api, s->http);
    s->live = live_start(s->api);
    if (s->live == NULL) return complain("realtime can't be started"), -1;
    return 0;
}

static const struct outside outside[] = {{.handle = socket_handle},
                                         {.handle = link_page_handle},
                                         {.handle = oauth_handle},
                                         {.handle = signin_handle},
                                         {.handle = consent_page_handle},
                                         {.handle = console_handle},
                                         {.handle = widget_handle},
                                         {.handle = site_handle, .takes_files = site_takes_files},
                                         {.handle = service_handle},
                                         {.handle = site_missing},
                                         {0}};

static int start(struct server *s) {
    char err[USAGE_MAX];
    s->desk.files = contents_chosen(s->options, s->memory, &s->desk.clock);
    if (s->desk.files == NULL) return -1;
    s->desk.folder = store_config(s->options).url ? NULL : option_text(s->options, OPT_DATA).p;
    s->desk.audit_mark = audit_mark_path(s->options, s->memory);
    if (open_store(s) < 0) return -1;
    if (contents_open(s->desk.files, err, sizeof err) < 0) return complain("%s", err), -1;
    if (s->desk.files->remote && remote_claim(&s->desk, (struct why){err, sizeof err}) < 0)
        return complain("%s", err), -1;
    look_at_folder(s);
    open_inbox(s);
    if (open_lmtp(s) < 0) return -1;
    int workers = (int)option_int(s->options, OPT_WORKERS);
    struct api_config cfg = {
        .pool_threads = workers                 ? workers
                        : db_blocks(s->desk.db) ? WORKERS_BLOCKING
                                                : WORKERS,
        .public_writes_a_minute = (int)option_int(s->options, OPT_PUBLIC_WRITES),
        .access_log = option_int(s->options, OPT_ACCESS_LOG) != 0,
        .console = option_int(s->options, OPT_NO_CONSOLE) == 0,
        .outside = outside,
        .pages = &s->pages,
        .signin = s->signin = signin_memory_new(),
    };
    pages_open(&s->pages);
    s->api = api_new(&s->desk, &cfg, err, sizeof err);
    if (s->api == NULL) return complain("%s", err), -1;
    if (start_http(s) < 0) return -1;
    db_reader_end(s->desk.db); /* this thread only waits from now on */
    return start_lmtp(s);
}

/* A thread may wake any other one until it ends, so all have ended before the first is freed. */
static void stop(struct server *s) {
    lmtp_drain(s->lmtp);
    if (s->http) {
        api_draining(s->api);
        live_stop(s->live, LIVE_SPREAD_MS);
        http_stop(s->http, (int)option_int(s->options, OPT_DRAIN));
    }
    lmtp_stop(s->lmtp, (int)option_int(s->options, OPT_DRAIN));
    listener_stop(s->listener);
    jobs_stop(s->jobs);
    sender_stop(s->sender);
    content_sweeper_stop(s->sweeper);
    collector_stop(s->collector);
    live_free(s->live);
    jobs_free(s->jobs);
    sender_free(s->sender);
    unstored_free(s->desk.unstored);
    if (s->api) api_free(s->api);
    pages_close(&s->pages);
    signin_memory_free(s->signin);
    gathering_flush(&s->desk); /* the last ones, before the store closes */
    desk_caches_close(&s->desk);
    settings_close(s->desk.settings);
    db_close(s->desk.db);
    contents_let_go(s->desk.files);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Reads all sources again. Applies the changes that need no restart, and logs the names of the others. */
static void server_reload(struct server *s) {
    const struct command_line *o = s->options;
    struct arena *a = arena_new();
    struct command_line now;
    char err[USAGE_MAX];
    if (options_read(&now, a, o->commands, o->argc, o->argv, err) < 0) {
        log_error("settings were not changed: %s", err);
        arena_free(a);
        return;
    }
    for (int i = 0; i < OPT_COUNT; i++)
        if (!(option_table[i].flags & LIVE) && !str_eq(o->values[i], now.values[i]))
            log_warn("%s has changed: it takes effect at the next start", option_table[i].name);
    log_level_set((enum log_level)option_int(&now, OPT_LOG_LEVEL));
    log_format_set((enum log_format)option_int(&now, OPT_LOG_FORMAT));
    api_access_log(s->api, option_int(&now, OPT_ACCESS_LOG) != 0);
    log_info("settings were read again");
    arena_free(a);
}

static sigset_t signals_of_ours(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    return set;
}

static void serve_until_told(struct server *s) {
    sigset_t set = signals_of_ours();
    for (int got = 0; sigwait(&set, &got) == 0 && got == SIGHUP;) server_reload(s);
}

static void say_first_step(struct str base_url) {
    complain("open %s/agent in a browser and log in: it leads through the first steps", base_url.p);
}

int command_serve(const struct command_line *o) {
    struct server s = {.options = o, .memory = arena_new()};
    memory_undumped(&s, sizeof s); /* it has the keys */
    sigset_t set = signals_of_ours();
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* before the first thread, so that all threads inherit it */
    int wrong = open_outside(&s);
    if (wrong) {
        arena_free(s.memory);
        return wrong;
    }
    int rc = start(&s);
    if (rc == 0) {
        printf("deskd: listening on %s\n", listen_url(s.memory, &s.listen, http_port(s.http)).p);
        fflush(stdout);
        if (s.is_new && !option_int(o, OPT_NO_CONSOLE)) say_first_step(s.desk.base_url);
        serve_until_told(&s);
        log_info("stopping: waiting for requests in progress");
    }
    stop(&s);
    log_flush();
    arena_free(s.memory);
    return rc < 0 ? EXIT_FAULT : 0;
}
