/* Measures the cost of the store alone: the statements of requests, without HTTP and without the API.
 *
 *   statements get  DIR AGENT SESSION ROUNDS TARGET ...         next to a server of DIR, which it only reads
 *   statements post DIR AGENT SESSION COUNT TARGET BODY         the server of DIR must be stopped
 *   statements lines DIR AGENT SESSION URL METHOD BODY TARGET ...   for a database: prints them as PostgreSQL prepares them
 *   statements log DIR AGENT SESSION COUNT GET POST BODY PUT     the server of DIR must be stopped
 *   statements login DIR AGENT AUTHORIZATION CLOCK               the server of DIR must be stopped
 *   statements guard DIR AGENT SESSION CLOCK METHOD BODY TARGET ...   the server of DIR must be stopped
 *   ... -v at the end prints the statements with their plans
 *
 * Each target is first requested from the API, as the server would do it, by a request made here. The
 * statements that it starts are recorded (recorder.h). `get` then runs the statements of all targets
 * ROUNDS times on one reader, writes the rows as JSON, and prints
 *     {"us": CPU microseconds a request, "statements": of a request, "bytes": of JSON a request}
 * `post` runs those of one write COUNT times with one COMMIT each, and prints
 *     {"writes_per_second", "us", "commits"}
 * `log` sends the API each of three requests COUNT times: GET, POST with BODY, PUT with a new subject each
 * time. Half of them run without the finisher that writes the change log. The linker wraps it, so the
 * product has no switch. For each method it prints
 *     {"with": CPU microseconds a request, "without": the same, "writes": calls of the finisher a request,
 *      "audit_ns": nanoseconds of the finisher of the audit log, which writes nothing for these requests; median}
 * `login` prints the id of a session. AUTHORIZATION is the value of the header.
 * `guard` sends the API one request for each target. The first WARM of them fill caches. Of the others it prints
 *     {"statements", "rows", "frames", "round_trips", "requests"}
 * each but the last a request: statements with BEGIN and COMMIT, changed rows with those inside of the full-text index, frames
 * of the log. Under callgrind it collects only these requests, in one dump. CLOCK is a file of the time (base/clock.h).
 * BENCH_KEPT_LOG names a file that gets their frames. With the URL of a database in BENCH_DATABASE, `login` and
 * `guard` use it, and DIR has the server key only.
 * `lines` runs nothing again. It prints one line for each statement: its text and its values separated by
 * tabs (NULL: \\N), and an empty line after each request (for pgbench, by bench/postgres.mjs, and for
 * bench/libpq.c). */
#include "recorder.h"

#include "api/call/machine.h"
#include "base/error.h"
#include "core/login/session.h"
#include "core/all/caches.h"
#include "core/all/cascades.h"
#include "core/desk/setting.h"
#include "core/desk/kept_value.h"
#include "core/helpcenter/generation.h"
#include "db/db_internal.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION (void)0
#define CALLGRIND_STOP_INSTRUMENTATION (void)0
#endif

/* ---- a request without HTTP: implements the functions of http.h that the API calls ----------- */

static struct {
    const char *agent, *session, *authorization;
    int status;
    struct buf *kept; /* the body of the last reply; NULL: not kept */
    sem_t replied;
} edge;

struct str http_header(const struct http_request *r, const char *name) {
    (void)r;
    if (strcmp(name, "User-Agent") == 0) return str_of(edge.agent);
    if (strcmp(name, "X-Session-ID") == 0 && edge.session) return str_of(edge.session);
    if (strcmp(name, "Authorization") == 0 && edge.authorization) return str_of(edge.authorization);
    if (strcmp(name, "X-CSRF") == 0) return S("false");
    if (strcmp(name, "Content-Type") == 0) return S("application/json");
    return (struct str){0};
}
struct str http_cookie(const struct http_request *r, const char *name) {
    (void)r, (void)name;
    return (struct str){0};
}
struct http_request *http_inner(struct http_request *outer, struct str method, struct str path,
                                struct str query) {
    (void)method, (void)path, (void)query;
    return outer;
}
struct http_request *http_alone(struct arena *a, struct str method, struct str path, struct str query,
                                struct str remote) {
    (void)a, (void)method, (void)path, (void)query, (void)remote;
    return NULL;
}
void http_header_set(struct http_request *r, const char *name, struct str value) {
    (void)r, (void)name, (void)value;
}
void http_give(struct http_request *r, int status, const struct http_taking *t) {
    (void)r, (void)status, (void)t;
}
void http_inner_header(struct http_request *inner, const char *name, struct str value) {
    (void)inner, (void)name, (void)value;
}
void http_defer(struct http_request *r) { (void)r; }
bool http_is_deferred(const struct http_request *r) { return (void)r, false; }
void http_begun(struct http_request *r, const struct http_plan *plan) { (void)r, (void)plan; }
void http_reply_shared(struct http_request *r, int status, struct shared *bytes) {
    (void)r, (void)status, (void)bytes;
}
bool http_hold(struct http_request *r, int64_t person, size_t n, bool always) {
    (void)r, (void)person, (void)n, (void)always;
    return true;
}
void http_add_header(struct http_request *r, const char *name, struct str value) {
    (void)r, (void)name, (void)value;
}
void http_close_after(struct http_request *r) { (void)r; }
void http_stats(const struct http_server *s, struct http_stats *out) { (void)s, (void)out; }
void http_reply(struct http_request *r, int status, struct buf *body) {
    (void)r;
    edge.status = status;
    if (edge.kept) buf_str(edge.kept, buf_view(body));
    buf_free(body);
    sem_post(&edge.replied);
}

void http_reply_file(struct http_request *r, int status, int fd, int64_t at, int64_t n) {
    (void)r, (void)status, (void)fd, (void)at, (void)n;
    abort(); /* downloads are not measured */
}
void http_reply_stream(struct http_request *r, int status, const struct http_stream *s) {
    (void)r, (void)status, (void)s;
    abort();
}

static void ask(struct api *api, const char *method, const char *target, const char *body) {
    struct arena *a = arena_new();
    struct str query = str_of(target), path = str_cut(&query, '?');
    struct http_request r = {.arena = a,
                             .method = str_of(method),
                             .path = path,
                             .query = query,
                             .remote = S("127.0.0.1"),
                             .body = body ? str_of(body) : S(""),
                             .started = clock_monotonic()};
    api_app()->handle(api, &r);
    while (sem_wait(&edge.replied) != 0) {}
    arena_free(a);
    if (edge.status / 100 == 2 || (edge.status == 404 && strcmp(method, "GET") == 0)) return;
    fprintf(stderr, "%s %s answered %d\n", method, target, edge.status);
    exit(1);
}

/* ---- a desk without a server ----------------------------------------------------------------- */

static void die(const char *what) {
    fprintf(stderr, "statements: %s\n", what);
    exit(1);
}

/* Derives the same keys as serve, so that its sessions are valid here, too. */
static void desk_open(struct desk *d, const char *dir, const char *url, bool write, struct arena *a) {
    struct key server;
    char err[512];
    FILE *f = fopen(str_fmt(a, "%s/secret.key", dir).p, "rb");
    if (f == NULL || fread(server.bytes, sizeof server.bytes, 1, f) != 1) die("no secret.key");
    fclose(f);
    /* one writer, so that its statements are prepared after the first write */
    struct db_config cfg = {.dir = dir,
                            .url = url,
                            .writers = 1,
                            .read_only = !write,
                            .keep_snapshots = write,
                            .tracked = help_center_tables,
                            .marked = kept_tables};
    if (db_open(&cfg, &d->db, err, sizeof err) < 0) die(err);
    key_derive(&d->session_key, &server, "session");
    key_derive(&d->csrf_key, &server, "csrf token");
    key_derive(&d->request_key, &server, "request token");
    d->installation = mac_hex(a, &server, S("installation"));
    d->process = random_uuid(a);
    d->base_url = S("http://127.0.0.1:8080");
    d->host = S("127.0.0.1");
    struct conn *reader = db_reader(d->db);
    d->settings = reader && db_read_begin(reader, 0) >= 0 ? settings_open(reader) : NULL;
    if (reader) db_read_end(reader);
    desk_caches_open(d);
    d->cascades = cascades;
    if (d->settings == NULL) die("the settings can't be read");
}

static void desk_close(struct desk *d) {
    desk_caches_close(d);
    settings_close(d->settings);
    db_close(d->db);
}

static double cpu_us(int who) {
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int count_statements(const struct recording *r) {
    int n = 0;
    for (const struct recorded *q = r->first; q; q = q->next) n++;
    return n;
}

/* ---- reads ----------------------------------------------------------------------------------- */

static void run_read(const struct recording *r, struct conn *c, struct buf *out) {
    out->n = 0;
    if (db_read_begin(c, 0) < 0 || recorded_run(r, c, out) < 0) die("a statement failed");
    db_read_end(c);
}

static void get(struct api *api, struct arena *a, const char *store, int rounds, char **targets, int n,
                bool verbose) {
    struct recording *all = arena_array(a, (size_t)n, sizeof *all);
    struct conn *c = db_reader(api->desk->db);
    struct buf out = {0};
    size_t bytes = 0;
    int statements = 0;
    for (int i = 0; i < n; i++) {
        ask(api, "GET", targets[i], NULL); /* fills what the process keeps in memory */
        record_begin(&all[i], a, true);
        ask(api, "GET", targets[i], NULL);
        record_end();
        recorded_columns(&all[i], store);
        run_read(&all[i], c, &out); /* also warms up */
        bytes += out.n;
        statements += count_statements(&all[i]);
    }
    double began = cpu_us(RUSAGE_THREAD);
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < n; i++) run_read(&all[i], c, &out);
    double us = (cpu_us(RUSAGE_THREAD) - began) / rounds / n;
    buf_free(&out);
    printf("{\"us\": %.3f, \"statements\": %.2f, \"bytes\": %zu}\n", us, (double)statements / n,
           bytes / (size_t)n);
    if (verbose) recorded_print(&all[0], c);
}

/* ---- writes ---------------------------------------------------------------------------------- */

static int run_write(struct conn *c, void *arg) {
    struct buf out = {0};
    int rc = recorded_run(arg, c, &out);
    buf_free(&out);
    return rc;
}

static void post(struct api *api, struct arena *a, const char *store, int count, const char *target,
                 const char *body, bool verbose) {
    struct db *db = api->desk->db;
    struct recording r;
    struct db_stats before, after;
    record_begin(&r, a, false);
    ask(api, "POST", target, body);
    record_end();
    recorded_columns(&r, store);
    db_stats(db, &before);
    int64_t began = clock_monotonic();
    double cpu = cpu_us(RUSAGE_SELF);
    for (int i = 0; i < count; i++)
        if (db_write(db, run_write, &r) < 0) die("a write failed");
    double ms = (double)(clock_monotonic() - began) + 0.5, us = (cpu_us(RUSAGE_SELF) - cpu) / count;
    db_stats(db, &after);
    printf("{\"writes_per_second\": %.0f, \"us\": %.3f, \"commits\": %lld}\n", count * 1000 / ms, us,
           (long long)(after.commits - before.commits));
    struct conn *c = verbose ? db_reader(db) : NULL;
    if (c && db_read_begin(c, 0) >= 0) {
        recorded_print(&r, c);
        db_read_end(c);
    }
}

/* ---- the change log -------------------------------------------------------------------------- */

static struct {
    bool off;
    int calls;
} change_log;

int __wrap_change_log_finish(struct work *w);
int __real_change_log_finish(struct work *w);
int __wrap_change_log_finish(struct work *w) {
    change_log.calls++;
    return change_log.off ? 0 : __real_change_log_finish(w);
}

/* Times of the finisher of the audit log, which has nothing to write in these requests. */
static struct {
    double *ns;
    size_t n, room;
} audit_times;

static double wall_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int __wrap_audit_finish(struct work *w);
int __real_audit_finish(struct work *w);
int __wrap_audit_finish(struct work *w) {
    double began = wall_ns();
    int rc = __real_audit_finish(w);
    if (audit_times.n < audit_times.room) audit_times.ns[audit_times.n++] = wall_ns() - began;
    return rc;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, size_t n) {
    if (n == 0) return 0;
    qsort(list, n, sizeof *list, by_value);
    return list[n / 2];
}

#define BLOCK \
    50 /* requests with the log, then as many without it, and so on: both see the same load and the same growing store */

static void cost_of_log(struct api *api, struct arena *a, const char *method, const char *target,
                        const char *body, int count) {
    size_t blocks = (size_t)count / BLOCK + 1;
    double *us[2] = {arena_array(a, blocks, sizeof(double)), arena_array(a, blocks, sizeof(double))};
    change_log.calls = 0;
    audit_times.room = 2 * blocks * BLOCK;
    audit_times.ns = arena_array(a, audit_times.room, sizeof(double));
    audit_times.n = 0;
    for (size_t i = 0; i < 2 * blocks; i++) {
        change_log.off = i % 2;
        double began = cpu_us(RUSAGE_SELF);
        for (int k = 0; k < BLOCK; k++) {
            char subject[64];
            snprintf(subject, sizeof subject, "{\"subject\": \"Subject %zu of %d\"}", i, k);
            ask(api, method, target, strcmp(method, "PUT") == 0 ? subject : body);
        }
        us[i % 2][i / 2] = (cpu_us(RUSAGE_SELF) - began) / BLOCK;
    }
    printf("{\"method\": \"%s\", \"with\": %.2f, \"without\": %.2f, \"writes\": %.2f, \"audit_ns\": %.0f}\n",
           method, median(us[0], blocks), median(us[1], blocks),
           (double)change_log.calls / (double)(2 * blocks * BLOCK), median(audit_times.ns, audit_times.n));
}

/* ---- the guard ------------------------------------------------------------------------------- */

static void print_session(struct api *api) {
    struct buf body = {0};
    edge.kept = &body;
    ask(api, "GET", "/api/v1/session", NULL);
    edge.kept = NULL;
    struct json *reply;
    struct json_error fault;
    struct arena *a = arena_new();
    if (json_parse(a, buf_view(&body), &reply, &fault) < 0) die("the reply to a login is no JSON");
    struct str id = json_scalar(json_member(reply, S("session_id")));
    printf("%.*s\n", (int)id.n, id.p);
    arena_free(a);
    buf_free(&body);
}

/* valgrind is slow. With the true clock a read would exceed its budget and run again, and snapshots would expire. */
static int64_t stopped_at; /* 0: the clock runs */
int64_t __wrap_clock_monotonic(void);
int64_t __real_clock_monotonic(void);
int64_t __wrap_clock_monotonic(void) { return stopped_at ? stopped_at : __real_clock_monotonic(); }

/* libpq calls this function in place of that of libc. It sends what waits before it waits for an answer, so a call is a round trip. */
static _Atomic long round_trips;
ssize_t send(int fd, const void *bytes, size_t n, int flags) {
    round_trips++;
    return sendto(fd, bytes, n, flags, NULL, 0);
}

#define WARM 13
#define FRAME (STORE_PAGE + 24) /* bytes of a page in the log, with its header */

/* Keeps the frames of the requests for bench/guard.mjs, because the close deletes the log. */
static void keep_log(const char *store, int64_t from) {
    const char *kept = getenv("BENCH_KEPT_LOG");
    if (kept == NULL || *kept == 0) return;
    char name[4096], bytes[FRAME];
    snprintf(name, sizeof name, "%s-wal", store);
    FILE *in = fopen(name, "rb"), *out = fopen(kept, "wb");
    if (in == NULL || out == NULL || fseek(in, (long)from, SEEK_SET) != 0) die("the log can't be kept");
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;) fwrite(bytes, 1, n, out);
    fclose(in), fclose(out);
}

static void guard(struct api *api, const char *store, const char *method, const char *body, char **targets,
                  int n) {
    struct db_stats before = {0}, after;
    int64_t rows = 0;
    long trips = 0;
    if (n <= WARM) die("too few targets");
    for (int i = 0; i < n; i++) {
        if (i == WARM) {
            db_stats(api->desk->db, &before);
            rows = recorded_rows();
            trips = round_trips;
            CALLGRIND_START_INSTRUMENTATION;
        }
        ask(api, method, targets[i], *body ? body : NULL);
    }
    CALLGRIND_STOP_INSTRUMENTATION;
    db_stats(api->desk->db, &after);
    keep_log(store, before.wal_bytes);
    double count = n - WARM;
    printf(
        "{\"statements\": %.2f, \"rows\": %.2f, \"frames\": %.2f, \"round_trips\": %.2f, \"requests\": %.0f}\n",
        (double)(after.statements - before.statements) / count, (double)(recorded_rows() - rows) / count,
        (double)(after.wal_bytes - before.wal_bytes) / FRAME / count, (double)(round_trips - trips) / count,
        count);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void print_value(const struct bind *binds, struct str name) {
    while (binds->name && !str_eq(str_of(binds->name), name)) binds++;
    if (binds->type == BIND_INT) printf("\t%lld", (long long)binds->i);
    else if (binds->type == BIND_BLOB || memchr(binds->s.p ? binds->s.p : "", '\t', binds->s.n))
        die("a value that is no line");
    else if (binds->s.p) printf("\t%.*s", (int)binds->s.n, binds->s.p);
    else printf("\t\\N");
}

static void lines(struct api *api, struct arena *a, const char *method, const char *body, char **targets,
                  int n) {
    for (int i = 0; i < n; i++) {
        struct recording r;
        record_begin(&r, a, false); /* the pool's thread or a writer's runs it */
        ask(api, method, targets[i], *body ? body : NULL);
        record_end();
        for (const struct recorded *s = r.first; s; s = s->next) {
            struct str names[128], text;
            size_t count = dialect_number(a, db_dialect(a, true, s->sql).p, names, 128, &text);
            for (const char *p = text.p; *p; p++) putchar(*p == '\n' || *p == '\t' ? ' ' : *p);
            for (size_t k = 0; k < count; k++) print_value(s->binds, names[k]);
            putchar('\n');
        }
        putchar('\n');
    }
}

static const char *database(void) {
    const char *url = getenv("BENCH_DATABASE");
    return url && *url ? url : NULL;
}

int main(int argc, char **argv) {
    bool verbose = argc > 1 && strcmp(argv[argc - 1], "-v") == 0,
         write = argc > 1 && strcmp(argv[1], "post") == 0;
    bool log = argc > 1 && strcmp(argv[1], "log") == 0;
    bool print = argc > 1 && strcmp(argv[1], "lines") == 0;
    bool login = argc > 1 && strcmp(argv[1], "login") == 0,
         guards = argc > 1 && strcmp(argv[1], "guard") == 0;
    if (verbose) argc--;
    if (argc < (login ? 6 : 7) || (write && argc != 8) || ((print || guards) && argc < 9) ||
        (log && argc != 10))
        die("see the head of bench/statements.c");
    struct arena *a = arena_new();
    struct desk desk = {0};
    char err[512];
    const char *store = str_fmt(a, "%s/desk.db", argv[2]).p;
    edge.agent = argv[3];
    if (login) edge.authorization = argv[4];
    else edge.session = argv[4];
    sem_init(&edge.replied, 0, 0);
    if (guards) stopped_at = clock_monotonic();
    desk.clock.file = login || guards ? argv[5] : NULL;
    desk_open(&desk, argv[2],
              print             ? argv[5]
              : login || guards ? database()
                                : NULL,
              write || print || log || login || guards, a);
    struct api *api = api_new(&desk, &(struct api_config){.pool_threads = 1}, err, sizeof err);
    if (api == NULL) die(err);
    if (log) {
        cost_of_log(api, a, "GET", argv[6], NULL, atoi(argv[5]));
        cost_of_log(api, a, "POST", argv[7], argv[8], atoi(argv[5]));
        cost_of_log(api, a, "PUT", argv[9], NULL, atoi(argv[5]));
    } else if (login) print_session(api);
    else if (guards) guard(api, store, argv[6], argv[7], argv + 8, argc - 8);
    else if (print) lines(api, a, argv[6], argv[7], argv + 8, argc - 8);
    else if (write) post(api, a, store, atoi(argv[5]), argv[6], argv[7], verbose);
    else get(api, a, store, atoi(argv[5]), argv + 6, argc - 6, verbose);
    api_free(api);
    desk_close(&desk);
    arena_free(a);
    return 0;
}
