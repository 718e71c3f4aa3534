#include "transfer/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/address.h"
#include "base/error.h"

enum {
    SOURCE_WIDTH = 16,
    PAGE_MOST = 64 << 20,
    FAILURES_MOST = 10,    /* rounds in which no request succeeds */
    FAILURES_AT_FIRST = 4, /* the same, before the source has answered once */
    PAUSE_FIRST_MS = 100,
    PAUSE_LONGEST_MS = 30 * 1000,
    WAIT_LONGEST_MS = 15 * 60 * 1000, /* of Retry-After */
    FILES_AT_ONCE = 64,
    PICTURE_MOST = 4 << 20, /* of a file whose size is not known */
    PAUSE_LOOK_MS = 200,    /* a pause ends so soon after the source is unwanted */
    SHORTER_MOST = 5, /* a proxy may have cut a whole reply; after so many the file is of another size */
};

/* ---- opening --------------------------------------------------------------------------------- */

static struct str source_host(struct str url) {
    struct str rest = url;
    str_cut(&rest, '/');
    str_cut(&rest, '/');
    struct str authority = rest.p ? str_cut(&rest, '/') : S("");
    if (authority.n && *authority.p == '[') {
        size_t n = 1;
        while (n < authority.n && authority.p[n] != ']') n++;
        return (struct str){authority.p + 1, n - 1};
    }
    return str_cut(&authority, ':');
}

static bool is_this_machine(struct str host) {
    struct address a;
    return str_eqi(host, S("localhost")) || (address_parse(host, &a) && address_is_loopback(&a));
}

static int check_source_url(struct api_source *s, struct str url, bool any_http) {
    bool secure = str_starts(url, S("https://"));
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] == 0x7F || in_set(url.p[i], "?#@\\\""))
            return db_refuse(s->why, "the address of the source may have no blank and none of ? # @");
    if (!source_host(url).n || !(secure || str_starts(url, S("http://"))))
        return db_refuse(s->why, "the source needs an address as https://desk.example.com");
    if (secure || any_http || is_this_machine(source_host(url))) return 0;
    return db_refuse(s->why, "http shows the credentials and the data to the network: use https, or allow "
                             "it with --insecure");
}

static int authorization(struct api_source *s, struct arena *a, struct str credentials, const char **out) {
    struct str given = str_trim(credentials);
    for (size_t i = 0; i < given.n; i++)
        if ((unsigned char)given.p[i] < ' ') return db_refuse(s->why, "the credentials have several lines");
    if (str_starts(given, S("Bearer "))) {
        *out = STR_CAT(a, S("Authorization: "), given).p;
        return 0;
    }
    if (!given.n || !memchr(given.p, ':', given.n))
        return db_refuse(s->why, "the credentials are neither EMAIL:PASSWORD nor Bearer TOKEN");
    size_t room = sodium_base64_encoded_len(given.n, sodium_base64_VARIANT_ORIGINAL);
    char *text = arena_bytes(a, room);
    sodium_bin2base64(text, room, (const unsigned char *)given.p, given.n, sodium_base64_VARIANT_ORIGINAL);
    *out = STR_CAT(a, S("Authorization: Basic "), str_of(text)).p;
    return 0;
}

int source_open(struct api_source *s, struct arena *a, struct str url, struct str credentials,
                bool any_http) {
    const char *header = NULL;
    while (url.n && url.p[url.n - 1] == '/') url.n--;
    TRY(check_source_url(s, url, any_http));
    TRY(authorization(s, a, credentials, &header));
    bool whole = url.n > 7 && str_eq((struct str){url.p + url.n - 7, 7}, S("/api/v1"));
    s->base = STR_CAT(a, url, whole ? S("") : S("/api/v1")).p;
    s->readers = readers_open(header, SOURCE_WIDTH);
    return s->readers ? 0 : db_refuse(s->why, "the memory is short");
}

void source_close(struct api_source *s) {
    readers_close(s->readers);
    s->readers = NULL;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static bool is_unwanted(const struct api_source *s) { return s->unwanted && atomic_load(s->unwanted); }

static void pause_for(const struct api_source *s, int64_t ms) {
    for (int64_t part; ms > 0 && !is_unwanted(s); ms -= part) {
        part = ms < PAUSE_LOOK_MS ? ms : PAUSE_LOOK_MS;
        struct timespec t = {0, part * 1000000};
        while (nanosleep(&t, &t) != 0 && errno == EINTR) continue;
    }
}

static bool is_passing(const struct reading *r) {
    return !r->too_long && (r->status == 0 || r->status == 429 || r->status == 408 || r->status >= 500);
}

static int refuse_reading(struct api_source *s, const struct reading *r) {
    if (r->status == 401)
        return db_refuse(s->why, "the source refuses the credentials (401): the account must be that of an "
                                 "administrator or owner, without a second factor");
    if (r->status && r->status != 200)
        return db_refuse(s->why,
                         "the source answers %d to %s: run the command again, it goes on where it stopped",
                         r->status, r->url);
    return db_refuse(s->why, "%s can't be read (%s): run the command again, it goes on where it stopped",
                     r->url, *r->why ? r->why : "the reply is no JSON");
}

/* A batch of requests. `take` returns whether the reply is whole; another one is asked for again. */
struct round {
    struct api_source *s;
    struct reading *list;
    int count;
    bool (*take)(void *arg, int place, struct reading *r);
    void *arg;
};

/* Runs the requests once, and moves those that failed to the front. Returns their number, the longest time
 * to wait, or a negative error. */
static int run_once(struct round *x, int *places, int waiting, int64_t *wait_ms) {
    int left = 0;
    readers_run(x->s->readers, x->list, waiting);
    x->s->requests += waiting;
    for (int i = 0; i < waiting; i++) {
        struct reading *r = &x->list[i];
        if (r->status == 401) return refuse_reading(x->s, r);
        x->s->limited += r->status == 429;
        if (!is_passing(r) && x->take(x->arg, places[i], r)) continue;
        if (r->retry_after_ms > *wait_ms) *wait_ms = r->retry_after_ms;
        struct reading other = x->list[left];
        int place = places[left];
        x->list[left] = *r, places[left] = places[i];
        x->list[i] = other, places[i] = place;
        left++;
    }
    x->s->repeated += left;
    return left;
}

static int source_rounds(struct round *x, int *places) {
    int waiting = x->count, failures = 0;
    for (int64_t pause = PAUSE_FIRST_MS; waiting > 0;) {
        int64_t wait_ms = -1;
        if (is_unwanted(x->s)) return x->s->ended = true, -ERR_SERVICE_UNAVAILABLE;
        int left = run_once(x, places, waiting, &wait_ms);
        if (left == 0) x->s->answered = true;
        if (left <= 0) return left;
        if (left < waiting) x->s->answered = true;
        failures = left < waiting ? 0 : failures + 1;
        if (failures == 0) pause = PAUSE_FIRST_MS;
        if (failures == (x->s->answered ? FAILURES_MOST : FAILURES_AT_FIRST))
            return refuse_reading(x->s, &x->list[0]);
        if (wait_ms > WAIT_LONGEST_MS)
            return db_refuse(x->s->why,
                             "the source asks for a pause of %lld minutes: run the command again "
                             "after it",
                             (long long)(wait_ms / 60000));
        pause_for(x->s, wait_ms >= 0 ? wait_ms : pause);
        if (failures) pause = pause * 2 > PAUSE_LONGEST_MS ? PAUSE_LONGEST_MS : pause * 2;
        waiting = left;
    }
    return 0;
}

static int run_all(struct round *x, struct arena *a) {
    int *places = arena_array(a, (size_t)x->count + 1, sizeof *places);
    for (int i = 0; i < x->count; i++) places[i] = i;
    int rc = source_rounds(x, places);
    for (int i = 0; i < x->count; i++) buf_free(&x->list[i].body);
    return rc;
}

/* ---- pages ----------------------------------------------------------------------------------- */

struct taken_pages {
    struct arena *a;
    struct source_page *list;
};

static bool take_page(void *arg, int place, struct reading *r) {
    struct taken_pages *t = arg;
    struct source_page *p = &t->list[place];
    struct json_error wrong;
    p->status = r->too_long ? 413 : r->status;
    p->reply = NULL;
    if (p->status != 200) return true;
    struct arena_mark mark = arena_mark(t->a);
    if (json_parse(t->a, buf_view(&r->body), &p->reply, &wrong) == 0 && p->reply->type == JSON_OBJECT &&
        json_member(p->reply, S("data")))
        return true;
    arena_return(t->a, mark);
    p->reply = NULL;
    return false;
}

int source_pages(struct api_source *s, struct arena *a, struct source_page *list, int count) {
    struct taken_pages t = {a, list};
    struct reading *all = arena_array(a, (size_t)count + 1, sizeof *all);
    for (int i = 0; i < count; i++)
        all[i] = (struct reading){
            .url = STR_CAT(a, str_of(s->base), list[i].path).p, .file = -1, .most = PAGE_MOST};
    return run_all(&(struct round){s, all, count, take_page, &t}, a);
}

int source_page(struct api_source *s, struct arena *a, struct str path, struct json **out) {
    struct source_page p = {.path = path};
    TRY(source_pages(s, a, &p, 1));
    *out = p.reply;
    if (p.status == 200) return 0;
    if (p.status == 413) return db_refuse(s->why, "the reply to %s%s is too long", s->base, path.p);
    if (p.status == 403)
        return db_refuse(s->why,
                         "the account of the credentials may not read %s%s: it must be that of an "
                         "administrator or owner",
                         s->base, path.p);
    return db_refuse(s->why, "the source answers %d to %s%s: it does not speak this API", p.status, s->base,
                     path.p);
}

/* ---- contents of files ----------------------------------------------------------------------- */

struct taken_files {
    struct source_file *list;
    int descriptors[FILES_AT_ONCE];
    const char *drafts[FILES_AT_ONCE];
    int shorter[FILES_AT_ONCE]; /* number of whole replies of another size */
};

static bool take_file(void *arg, int place, struct reading *r) {
    struct taken_files *t = arg;
    struct source_file *f = &t->list[place];
    bool whole = r->status == 200 && (r->size == f->size || (f->size < 0 && r->size > 0));
    if (r->status == 200 && !whole && !r->too_long && ++t->shorter[place] < SHORTER_MOST) return false;
    f->missing = !whole || rename(t->drafts[place], f->to) != 0;
    return true;
}

static bool is_there(const struct source_file *f) {
    struct stat st;
    return lstat(f->to, &st) == 0 && S_ISREG(st.st_mode) && (st.st_size == f->size || f->size < 0);
}

static int files_batch(struct api_source *s, struct arena *a, struct source_file *list, int count) {
    struct taken_files t = {.list = list};
    struct reading *all = arena_array(a, (size_t)count + 1, sizeof *all);
    int rc = 0;
    for (int i = 0; i < count; i++) {
        t.drafts[i] = str_fmt(a, "%s.draft", list[i].to).p;
        t.descriptors[i] = open(t.drafts[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (t.descriptors[i] < 0)
            rc = db_refuse(s->why, "%s can't be written: %s", t.drafts[i], strerror(errno));
        all[i] = (struct reading){.url = STR_CAT(a, str_of(s->base), list[i].path).p,
                                  .file = t.descriptors[i],
                                  .most = list[i].size < 0 ? PICTURE_MOST : list[i].size};
    }
    if (rc == 0) rc = run_all(&(struct round){s, all, count, take_file, &t}, a);
    for (int i = 0; i < count; i++) {
        if (t.descriptors[i] >= 0) close(t.descriptors[i]);
        unlink(t.drafts[i]);
    }
    return rc;
}

int source_files(struct api_source *s, struct arena *a, struct source_file *list, int count) {
    struct source_file *batch = arena_array(a, FILES_AT_ONCE, sizeof *batch);
    int *from = arena_array(a, FILES_AT_ONCE, sizeof *from);
    for (int i = 0, n = 0; i <= count; i++) {
        if (i < count && !is_there(&list[i])) from[n] = i, batch[n++] = list[i];
        if (n == 0 || (n < FILES_AT_ONCE && i < count)) continue;
        TRY(files_batch(s, a, batch, n));
        for (int k = 0; k < n; k++) list[from[k]].missing = batch[k].missing;
        n = 0;
    }
    return 0;
}
