/* Measures the cost of HTTP alone: src/http sends captured replies, with the same header fields and the
 * same bytes.
 *
 *   fixed FILE ...      GET /N answers file N (from 0): "Name: value" lines, an empty line, the body
 *
 * Prints "port N" on 127.0.0.1. SIGTERM ends it. Two event loops, the default of deskd. */
#include "base/arena.h"
#include "http/http.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reply {
    struct str head, body;
};
struct replies {
    struct reply *at;
    int64_t count;
};

static struct str read_file(struct arena *a, const char *path) {
    struct buf b = {0};
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    for (size_t got = 1; got; b.n += got) {
        buf_reserve(&b, 65536);
        got = fread(b.p + b.n, 1, 65536, f);
    }
    fclose(f);
    struct str s = str_dup(a, buf_view(&b));
    buf_free(&b);
    return s;
}

static struct reply reply_of(struct str file) {
    const char *blank = strstr(file.p, "\n\n");
    size_t head = blank ? (size_t)(blank - file.p) : 0, body = blank ? head + 2 : 0;
    return (struct reply){{file.p, head}, {file.p + body, file.n - body}};
}

static void begin(void *ctx, struct http_request *r, struct http_plan *plan) {
    (void)ctx, (void)r, (void)plan;
}
static void end(void *ctx, struct http_request *r) { (void)ctx, (void)r; }

static void handle(void *ctx, struct http_request *r) {
    const struct replies *all = ctx;
    struct buf out = {0};
    int64_t i;
    if (!str_to_int((struct str){r->path.p + 1, r->path.n - 1}, &i) || i < 0 || i >= all->count) {
        http_reply(r, 404, &out);
        return;
    }
    for (struct str rest = all->at[i].head; rest.p;) {
        struct str value = str_cut(&rest, '\n'), name = str_cut(&value, ':');
        http_add_header(r, str_dup(r->arena, name).p, str_trim(value));
    }
    buf_str(&out, all->at[i].body);
    http_reply(r, 200, &out);
}

int main(int argc, char **argv) {
    static const struct http_app app = {.begin = begin, .handle = handle, .end = end};
    struct arena *a = arena_new();
    struct replies all = {arena_array(a, (size_t)argc, sizeof *all.at), argc - 1};
    char err[256];
    int got;
    sigset_t set;
    for (int i = 1; i < argc; i++) all.at[i - 1] = reply_of(read_file(a, argv[i]));
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL); /* before the first thread, so that all threads inherit it */
    struct http_server *s =
        http_start(&(struct http_config){.address = "127.0.0.1", .loops = 2, .tmp_dir = "/tmp"}, &app, &all,
                   err, sizeof err);
    if (s == NULL) {
        fprintf(stderr, "%s\n", err);
        return 1;
    }
    printf("port %d\n", http_port(s));
    fflush(stdout);
    sigwait(&set, &got);
    http_stop(s, 1000);
    arena_free(a);
    return 0;
}
