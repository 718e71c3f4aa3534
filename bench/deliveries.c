/* Measures deliveries to endpoints: the CPU time of an action in the write of the change, and the sender
 * with a local server.
 *
 *   deliveries [CONVERSATIONS]    2,000, on a demo desk in a temporary folder; one delivery for each, and then again */
#include "core/all/finish.h"
#include "core/desk/setting.h"
#include "core/endpoints/delivery.h"
#include "demo/demo.h"
#include "outgoing/sender.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PART 500 /* deliveries that one write adds */

QUERY(bench_endpoint,
      "INSERT INTO endpoints (id, title, type, url, method, content_type, secret, created_at, updated_at) "
      "VALUES (1, 'x', 3, :url, 2, 1, :secret, 0, 0)");
QUERY(bench_allow,
      "INSERT INTO settings (name, value, updated_at) VALUES ('endpoints.allow_private_addresses', '1', 0)");
QUERY(bench_cases, "SELECT id FROM cases WHERE state = 1 ORDER BY id LIMIT :most");
QUERY(bench_bytes, "SELECT AVG(LENGTH(body)) FROM endpoint_deliveries");

/* ---- a server that answers 200 to each request ----------------------------------------------- */

static void *serve_connection(void *arg) {
    static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    int fd = (int)(intptr_t)arg;
    char text[65536];
    size_t n = 0;
    for (ssize_t got; (got = recv(fd, text + n, sizeof text - 1 - n, 0)) > 0;) {
        n += (size_t)got;
        text[n] = 0;
        const char *end = strstr(text, "\r\n\r\n"), *length = strcasestr(text, "Content-Length:");
        if (end == NULL || n < (size_t)(end + 4 - text) + (length ? (size_t)atoi(length + 15) : 0)) continue;
        n = 0;
        if (send(fd, reply, sizeof reply - 1, MSG_NOSIGNAL) < 0) break;
    }
    close(fd);
    return NULL;
}

/* Starts the server in a process of its own, so that its CPU time is not counted. Returns its pid. */
static pid_t start_server(int *port) {
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof in;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&in, size) < 0 || listen(fd, 64) < 0 ||
        getsockname(fd, (struct sockaddr *)&in, &size) < 0)
        exit(1);
    *port = ntohs(in.sin_port);
    pid_t pid = fork();
    if (pid != 0) return close(fd), pid;
    for (int c; (c = accept(fd, NULL, NULL)) >= 0;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve_connection, (void *)(intptr_t)c) == 0) pthread_detach(thread);
    }
    _exit(0);
}

/* ---- the measurement ------------------------------------------------------------------------- */

struct bench {
    struct desk desk;
    struct arena *arena;
    int64_t *cases;
    int count, at;
    double thread_us;
};

static double time_us(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int add_endpoint(struct conn *c, void *arg) {
    struct bench *b = arg;
    struct str secret = seal_text(b->arena, &b->desk.endpoint_key, S("secret"));
    TRY(db_exec(
        c, &bench_endpoint,
        BINDS(B_TEXT("url", str_fmt(b->arena, "http://127.0.0.1:%d/", b->at)), B_TEXT("secret", secret))));
    return db_exec(c, &bench_allow, NULL);
}

static int add_part(struct conn *c, void *arg) {
    struct bench *b = arg;
    struct work w;
    double before = time_us(CLOCK_THREAD_CPUTIME_ID);
    work_init(&w, &b->desk, b->arena);
    w.conn = c;
    w.actor = (struct actor){.kind = ACTOR_RULE, .cause = S("Trigger: Escalate")};
    for (int i = 0; i < PART && b->at < b->count; i++)
        TRY(delivery_add(&w, 1, b->cases[b->at++], S("Look at this")));
    b->thread_us += time_us(CLOCK_THREAD_CPUTIME_ID) - before;
    return work_finish(&w);
}

static int64_t number(struct bench *b, const struct query *q) {
    int64_t n = -1;
    struct conn *c = db_reader(b->desk.db);
    if (db_read_begin(c, 0) < 0 || db_int(c, q, NULL, &n) < 0) exit(1);
    db_read_end(c);
    return n;
}

static void send_all(struct bench *b, const char *what) {
    const struct timespec moment = {0, 1000000};
    b->at = 0;
    b->thread_us = 0;
    while (b->at < b->count)
        if (db_write(b->desk.db, add_part, b) < 0) exit(1);
    printf("%-18s %8.1f us of CPU for each action, in the write of the change\n", what,
           b->thread_us / b->count);
    double cpu = time_us(CLOCK_PROCESS_CPUTIME_ID), wall = time_us(CLOCK_MONOTONIC);
    struct sender *s = sender_start(&b->desk);
    if (s == NULL) exit(1);
    while (atomic_load(&b->desk.sent->succeeded) < b->count) nanosleep(&moment, NULL);
    cpu = time_us(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = time_us(CLOCK_MONOTONIC) - wall;
    sender_stop(s);
    sender_free(s);
    printf("%-18s %8.1f us of CPU for each delivery, %.0f a second, to one endpoint\n", what, cpu / b->count,
           b->count / wall * 1e6);
}

int main(int argc, char **argv) {
    int port, most = argc > 1 ? atoi(argv[1]) : 2000;
    char dir[] = "/tmp/deskd-bench-XXXXXX", err[256], command[64];
    pid_t server = start_server(&port);
    struct demo demo = {.seed = 1, .conversations = most};
    for (int i = 0; i < DEMO_LOGINS; i++) demo.password_hashes[i] = S("x");
    struct db_config bulk = {.dir = mkdtemp(dir), .create = true, .bulk = true}, cfg = {.dir = dir};
    struct bench b = {.arena = arena_new(), .at = port};
    b.desk.base_url = S("https://desk.example");
    b.desk.process = S("bench");
    if (db_open(&bulk, &b.desk.db, err, sizeof err) < 0 || demo_fill(b.desk.db, &demo) < 0 ||
        db_close(b.desk.db) < 0)
        return 1;
    if (db_open(&cfg, &b.desk.db, err, sizeof err) < 0 || db_write(b.desk.db, add_endpoint, &b) < 0) return 1;
    struct conn *c = db_reader(b.desk.db);
    if (db_read_begin(c, 0) < 0) return 1;
    b.desk.settings = settings_open(c);
    b.count = db_ids(c, &bench_cases, BINDS(B_INT("most", most)), b.arena, &b.cases);
    db_read_end(c);
    if (b.count <= 0 || b.desk.settings == NULL) return 1;
    printf("%d conversations\n", b.count);
    send_all(&b, "many conversations");
    for (int i = 0; i < b.count; i++) b.cases[i] = b.cases[0];
    send_all(&b, "one conversation");
    printf("average body      %9lld bytes\n", (long long)number(&b, &bench_bytes));
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
    db_close(b.desk.db);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}
