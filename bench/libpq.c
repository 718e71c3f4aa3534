/* Three ways of a client to wait for PostgreSQL, with the statements of requests (from `statements
 * lines`).
 *
 *   libpq URL threads|events|pipeline CONNECTIONS SECONDS < LINES
 *
 * threads    one thread for each connection, blocking: sends a statement, waits for the result, sends the next. deskd
 *            works like this.
 * events     one thread, non-blocking connections under epoll, one statement at a time, as an asynchronous engine would do.
 * pipeline   like threads, but sends all statements of a request before it reads the first result. No handler can do that,
 *            because it decides by the rows it reads. So it shows the largest possible cost of round trips. */
#include <assert.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

enum { STATEMENTS = 4096, VALUES = 64, CONNECTIONS = 128 };

struct statement {
    char name[16];
    const char *text, *values[VALUES];
    int count;
    bool first, last; /* statement of its request */
};
static struct statement all[STATEMENTS + 2];
static int count;
static const char *url;
static double until;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what) {
    fprintf(stderr, "libpq: %s\n", what);
    exit(1);
}

static void read_lines(void) {
    char *line = NULL;
    size_t size = 0;
    bool first = true;
    for (ssize_t n; (n = getline(&line, &size, stdin)) > 0;) {
        if (n == 1) {
            if (count) all[count - 1].last = true;
            first = true;
            continue;
        }
        if (count == STATEMENTS) die("too many statements");
        line[n - 1] = 0;
        struct statement *s = &all[count++];
        char *copy = strdup(line), *rest = copy;
        s->text = strsep(&rest, "\t");
        for (char *v; (v = strsep(&rest, "\t")) != NULL && s->count < VALUES;)
            s->values[s->count++] = strcmp(v, "\\N") == 0 ? NULL : v;
        s->first = first;
        first = false;
        int same = 0; /* one name for each text */
        while (all[same].text && strcmp(all[same].text, s->text) != 0) same++;
        snprintf(s->name, sizeof s->name, "s%d", same);
    }
    free(line);
    if (count == 0) die("no statements");
    all[count - 1].last = true;
}

static void done(PGresult *r) {
    ExecStatusType s = PQresultStatus(r);
    if (s != PGRES_TUPLES_OK && s != PGRES_COMMAND_OK && s != PGRES_PIPELINE_SYNC)
        die(PQresultErrorMessage(r));
    PQclear(r);
}

static PGconn *open_one(void) {
    PGconn *c = PQconnectdb(url);
    if (PQstatus(c) != CONNECTION_OK) die(PQerrorMessage(c));
    done(PQprepare(c, "begin", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", 0, NULL));
    done(PQprepare(c, "commit", "COMMIT", 0, NULL));
    for (int i = 0; i < count; i++) {
        int same = atoi(all[i].name + 1);
        if (same == i) done(PQprepare(c, all[i].name, all[i].text, 0, NULL));
    }
    return c;
}

/* ---- threads, pipeline ----------------------------------------------------------------------- */

static bool in_pipeline;
static _Atomic long requests;

static int one_request(PGconn *c, int at) {
    int sent = 2;
    if (!in_pipeline) done(PQexecPrepared(c, "begin", 0, NULL, NULL, NULL, 0));
    else PQsendQueryPrepared(c, "begin", 0, NULL, NULL, NULL, 0);
    for (bool last = false; !last; at++) {
        struct statement *s = &all[at];
        if (!in_pipeline) done(PQexecPrepared(c, s->name, s->count, s->values, NULL, NULL, 0));
        else PQsendQueryPrepared(c, s->name, s->count, s->values, NULL, NULL, 0);
        last = s->last;
        sent++;
    }
    if (!in_pipeline) {
        done(PQexecPrepared(c, "commit", 0, NULL, NULL, NULL, 0));
    } else {
        PQsendQueryPrepared(c, "commit", 0, NULL, NULL, NULL, 0);
        PQpipelineSync(c);
        for (int i = 0; i < sent; i++) {
            done(PQgetResult(c));
            if (PQgetResult(c) != NULL) die("more than one result");
        }
        done(PQgetResult(c));
    }
    return at == count ? 0 : at;
}

static void *worker(void *arg) {
    PGconn *c = arg;
    int at = 0;
    if (in_pipeline) PQenterPipelineMode(c);
    while (now() < until) {
        at = one_request(c, at);
        atomic_fetch_add(&requests, 1);
    }
    return NULL;
}

static void run_threads(PGconn **c, int n) {
    pthread_t threads[CONNECTIONS];
    for (int i = 0; i < n; i++) pthread_create(&threads[i], NULL, worker, c[i]);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
}

/* ---- events ---------------------------------------------------------------------------------- */

enum step { BEGIN, STATEMENT, COMMIT };
struct task {
    PGconn *c;
    int at;
    enum step step;
};

static void send_next(struct task *t) {
    struct statement *s = &all[t->at];
    if (t->step == STATEMENT) PQsendQueryPrepared(t->c, s->name, s->count, s->values, NULL, NULL, 0);
    else PQsendQueryPrepared(t->c, t->step == BEGIN ? "begin" : "commit", 0, NULL, NULL, NULL, 0);
    if (PQflush(t->c) != 0) die("a statement that does not fit into the socket");
}

static void answered(struct task *t) {
    if (t->step == COMMIT) {
        atomic_fetch_add(&requests, 1);
        t->step = BEGIN;
    } else if (t->step == BEGIN) {
        t->step = STATEMENT;
    } else {
        if (all[t->at].last) t->step = COMMIT;
        t->at = t->at + 1 == count ? 0 : t->at + 1;
    }
    send_next(t);
}

static void run_events(PGconn **c, int n) {
    struct task tasks[CONNECTIONS] = {0};
    struct epoll_event ready[CONNECTIONS];
    int poll = epoll_create1(0);
    for (int i = 0; i < n; i++) {
        tasks[i].c = c[i];
        PQsetnonblocking(c[i], 1);
        epoll_ctl(poll, EPOLL_CTL_ADD, PQsocket(c[i]),
                  &(struct epoll_event){.events = EPOLLIN, .data.ptr = &tasks[i]});
        send_next(&tasks[i]);
    }
    while (now() < until) {
        int got = epoll_wait(poll, ready, n, 1000);
        for (int i = 0; i < got; i++) {
            struct task *t = ready[i].data.ptr;
            if (!PQconsumeInput(t->c)) die(PQerrorMessage(t->c));
            while (!PQisBusy(t->c)) {
                PGresult *r = PQgetResult(t->c);
                if (r == NULL) {
                    answered(t);
                    break;
                }
                done(r);
            }
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 5) die("see the head of bench/libpq.c");
    url = argv[1];
    int n = atoi(argv[3]);
    PGconn *c[CONNECTIONS];
    assert(n > 0 && n <= CONNECTIONS);
    read_lines();
    for (int i = 0; i < n; i++) c[i] = open_one();
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    double began = now();
    until = began + atof(argv[4]);
    in_pipeline = strcmp(argv[2], "pipeline") == 0;
    if (strcmp(argv[2], "events") == 0) run_events(c, n);
    else run_threads(c, n);
    double took = now() - began;
    getrusage(RUSAGE_SELF, &after);
    double us = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec -
                         before.ru_stime.tv_sec) *
                    1e6 +
                (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
                         before.ru_stime.tv_usec);
    printf("{\"rate\": %.1f, \"us\": %.2f}\n", (double)requests / took, us / (double)requests);
    return 0;
}
