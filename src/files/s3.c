#include "files/s3.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "base/random.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define IDLE_HANDLES 16          /* connections that wait for the next request */
#define SHORT_MOST (1024 * 1024) /* bytes of a reply that is kept in memory: a page of a list has 400 KB */
#define CONNECT_MS 5000L
#define SLOW_BYTES 4096L /* fewer bytes a second for SLOW_SECONDS end a request */
#define SLOW_SECONDS 10L

struct s3 {
    struct arena *memory;
    struct s3_place place;
    struct str host, base; /* base: path of the bucket, with the prefix and a slash at its end */
    atomic_bool stopping;
    struct s3_counts counts;
    pthread_mutex_t lock; /* protects the handles */
    CURL *idle[IDLE_HANDLES];
    int idle_count;
};

/* One request. */
struct asking {
    const char *method;
    struct str path, query; /* percent-encoded; query: in the order of its names */
    struct str sha256;      /* of the body */
    struct str text;        /* the body, or: */
    int from;               /* the file that has it; -1: none */
    int64_t at, n;          /* its place there, and its bytes */
    int to;                 /* file for the body of the reply; -1: the memory */
    int64_t most;           /* bytes that are taken of the reply; less means that it is wrong */
    bool hashed;            /* the body of the reply is hashed, and kept only in `to` */
    int tries;
};

/* Its reply. */
struct answered {
    struct arena *arena;
    long status;     /* 0: there was none */
    struct buf body; /* of a refusal, or of a reply that is kept in memory */
    int64_t length;  /* bytes of the body of a 2xx */
    struct str date, region, tag;
    crypto_hash_sha256_state sum;
    const char *broken; /* why there was no reply, or only a part of one; NULL: it is complete */
    char said[CURL_ERROR_SIZE];
};

struct exchange_of_s3 {
    struct s3 *s3;
    const struct asking *q;
    struct answered *r;
    CURL *curl;
    int64_t sent;
};

/* ---- the bucket ------------------------------------------------------------------------------ */

static bool is_bucket_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

/* Returns true for a part of a prefix. An HTTP client would take "." and ".." out of an address. */
static bool is_prefix_part(struct str part) {
    bool valid = part.n > 0 && !str_eq(part, S(".")) && !str_eq(part, S(".."));
    for (size_t i = 0; valid && i < part.n; i++)
        valid = is_bucket_char(part.p[i]) || part.p[i] == '_' || (part.p[i] >= 'A' && part.p[i] <= 'Z');
    return valid;
}

bool s3_url_read(struct str text, struct str *bucket, struct str *prefix) {
    struct str scheme = S("s3://"), rest;
    if (!str_starts(text, scheme)) return false;
    rest = (struct str){text.p + scheme.n, text.n - scheme.n};
    while (rest.n && rest.p[rest.n - 1] == '/') rest.n--;
    *bucket = str_cut(&rest, '/');
    *prefix = rest.p ? rest : S("");
    bool valid = bucket->n >= 3 && bucket->n <= 63;
    for (size_t i = 0; valid && i < bucket->n; i++) valid = is_bucket_char(bucket->p[i]);
    while (valid && rest.n) valid = is_prefix_part(str_cut(&rest, '/'));
    return valid && prefix->n <= 200;
}

struct s3 *s3_new(const struct s3_place *p) {
    struct s3 *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    struct arena *a = s->memory = arena_new();
    struct str rest = p->endpoint;
    s->place =
        (struct s3_place){str_dup(a, p->endpoint),
                          str_dup(a, p->bucket),
                          str_dup(a, p->prefix),
                          {str_dup(a, p->key.id), str_dup(a, p->key.secret), str_dup(a, p->key.region)}};
    str_cut(&rest, '/');
    str_cut(&rest, '/');
    s->host = str_dup(a, str_cut(&rest, '/'));
    s->base =
        STR_CAT(a, S("/"), s->place.bucket, S("/"), s->place.prefix, s->place.prefix.n ? S("/") : S(""));
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void s3_stop(struct s3 *s) {
    if (s) atomic_store(&s->stopping, true);
}

void s3_free(struct s3 *s) {
    if (s == NULL) return;
    while (s->idle_count) curl_easy_cleanup(s->idle[--s->idle_count]);
    pthread_mutex_destroy(&s->lock);
    explicit_bzero((char *)(uintptr_t)s->place.key.secret.p, s->place.key.secret.n);
    arena_free(s->memory);
    free(s);
}

struct str s3_name(struct arena *a, const struct s3 *s) {
    return STR_CAT(a, S("s3://"), s->place.bucket, s->place.prefix.n ? S("/") : S(""), s->place.prefix);
}

const struct s3_counts *s3_counts(const struct s3 *s) { return &s->counts; }

static CURL *handle_take(struct s3 *s) {
    pthread_mutex_lock(&s->lock);
    CURL *c = s->idle_count ? s->idle[--s->idle_count] : NULL;
    pthread_mutex_unlock(&s->lock);
    return c ? c : curl_easy_init();
}

/* A handle keeps its connection, which saves the next request a handshake. */
static void handle_give_back(struct s3 *s, CURL *c) {
    if (c) curl_easy_reset(c);
    pthread_mutex_lock(&s->lock);
    bool kept = c && s->idle_count < IDLE_HANDLES;
    if (kept) s->idle[s->idle_count++] = c;
    pthread_mutex_unlock(&s->lock);
    if (!kept) curl_easy_cleanup(c);
}

/* ---- one request ----------------------------------------------------------------------------- */

static size_t s3_give_body(char *room, size_t size, size_t count, void *arg) {
    struct exchange_of_s3 *x = arg;
    const struct asking *q = x->q;
    int64_t left = q->n - x->sent;
    size_t n = (int64_t)(size * count) < left ? size * count : (size_t)left;
    ssize_t got = (ssize_t)n;
    if (q->from < 0) memcpy(room, q->text.p + x->sent, n);
    else got = pread(q->from, room, n, (off_t)(q->at + x->sent));
    if (got < 0) return CURL_READFUNC_ABORT;
    x->sent += got;
    return (size_t)got;
}

/* libcurl sends the body again on a new connection if the old one was closed meanwhile. */
static int s3_seek_body(void *arg, curl_off_t offset, int origin) {
    struct exchange_of_s3 *x = arg;
    if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
    x->sent = offset;
    return CURL_SEEKFUNC_OK;
}

static bool status_is_good(long status) { return status >= 200 && status < 300; }

static bool reply_write(int to, const char *bytes, size_t n, int64_t at) {
    while (n) {
        ssize_t done = pwrite(to, bytes, n, (off_t)at);
        if (done <= 0) return false;
        bytes += done;
        n -= (size_t)done;
        at += done;
    }
    return true;
}

static size_t s3_take_body(char *bytes, size_t size, size_t count, void *arg) {
    struct exchange_of_s3 *x = arg;
    struct answered *r = x->r;
    size_t n = size * count;
    curl_easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &r->status);
    if (!status_is_good(r->status) || !x->q->hashed) {
        if (r->body.n + n > SHORT_MOST) return r->broken = "its reply is too long", (size_t)0;
        buf_add(&r->body, bytes, n);
        return n;
    }
    if (r->length + (int64_t)n > x->q->most) return r->broken = "it sent too many bytes", (size_t)0;
    if (x->q->to >= 0 && !reply_write(x->q->to, bytes, n, r->length))
        return r->broken = "the disk here is full or can't be written", (size_t)0;
    crypto_hash_sha256_update(&r->sum, (const unsigned char *)bytes, n);
    r->length += (int64_t)n;
    return n;
}

static size_t s3_take_head(char *line, size_t size, size_t count, void *arg) {
    struct exchange_of_s3 *x = arg;
    struct str value = {line, size * count}, name = str_cut(&value, ':');
    struct str *kept = str_eqi(name, S("Date"))                  ? &x->r->date
                       : str_eqi(name, S("x-amz-bucket-region")) ? &x->r->region
                       : str_eqi(name, S("ETag"))                ? &x->r->tag
                                                                 : NULL;
    if (kept && value.p && value.n < 200) *kept = str_dup(x->r->arena, str_trim(value));
    return size * count;
}

static int goes_on(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    const struct exchange_of_s3 *x = arg;
    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(&x->s3->stopping);
}

static struct curl_slist *line_added(struct curl_slist *list, struct str line) {
    struct curl_slist *longer = curl_slist_append(list, line.p);
    return longer ? longer : list;
}

static struct curl_slist *heads_of(struct s3 *s, struct arena *a, const struct asking *q) {
    int64_t now = clock_now(&(struct clock){0}); /* the time of the machine, because the store compares it */
    char at[S3_TIME_SIZE];
    struct s3_signing what = {str_of(q->method), s->host, q->path, q->query, q->sha256, now};
    s3_time(at, now);
    struct curl_slist *list = line_added(NULL, S("Expect:")); /* no 100-continue, which costs a round trip */
    list = line_added(list, S("Content-Type: application/octet-stream"));
    list = line_added(list, STR_CAT(a, S("x-amz-date: "), str_of(at)));
    list = line_added(list, STR_CAT(a, S("x-amz-content-sha256: "), q->sha256));
    return line_added(list, STR_CAT(a, S("Authorization: "), s3_authorization(a, &s->place.key, &what)));
}

static void set_sending(struct exchange_of_s3 *x) {
    CURL *c = x->curl;
    if (strcmp(x->q->method, "HEAD") == 0) curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
    else if (strcmp(x->q->method, "GET") != 0) curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, x->q->method);
    if (strcmp(x->q->method, "PUT") != 0 && strcmp(x->q->method, "POST") != 0) return;
    curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)x->q->n);
    curl_easy_setopt(c, CURLOPT_READFUNCTION, s3_give_body);
    curl_easy_setopt(c, CURLOPT_READDATA, x);
    curl_easy_setopt(c, CURLOPT_SEEKFUNCTION, s3_seek_body);
    curl_easy_setopt(c, CURLOPT_SEEKDATA, x);
}

static void set_rest(struct exchange_of_s3 *x) {
    CURL *c = x->curl;
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(c, CURLOPT_PROXY, ""); /* ignore proxies from the environment */
    curl_easy_setopt(c, CURLOPT_USERAGENT, "deskd/" DESKD_VERSION);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, x->r->said);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, SLOW_SECONDS);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, s3_take_head);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, s3_take_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, goes_on);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, x);
}

/* Sends the request once. */
static void ask_once(struct s3 *s, struct arena *a, const struct asking *q, struct answered *r) {
    struct exchange_of_s3 x = {s, q, r, handle_take(s), 0};
    struct str url = STR_CAT(a, s->place.endpoint, q->path, q->query.n ? S("?") : S(""), q->query);
    struct curl_slist *heads = heads_of(s, a, q);
    *r = (struct answered){.arena = a};
    crypto_hash_sha256_init(&r->sum);
    if (x.curl == NULL) {
        r->broken = "the memory is short";
        curl_slist_free_all(heads);
        return;
    }
    curl_easy_setopt(x.curl, CURLOPT_URL, url.p);
    curl_easy_setopt(x.curl, CURLOPT_HTTPHEADER, heads);
    set_sending(&x);
    set_rest(&x);
    CURLcode rc = curl_easy_perform(x.curl);
    curl_easy_getinfo(x.curl, CURLINFO_RESPONSE_CODE, &r->status);
    curl_off_t length = -1;
    if (q->method[0] == 'H' && curl_easy_getinfo(x.curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length) == 0)
        r->length = length;
    if (rc != CURLE_OK && r->broken == NULL)
        r->broken = str_fmt(a, "%s",
                            rc == CURLE_OPERATION_TIMEDOUT ? "it is too slow"
                            : *r->said                     ? r->said
                                                           : curl_easy_strerror(rc))
                        .p;
    handle_give_back(s, x.curl);
    curl_slist_free_all(heads);
    atomic_fetch_add(&s->counts.requests, 1);
}

/* ---- trying again ---------------------------------------------------------------------------- */

static bool may_pass(const struct answered *r) {
    return r->broken || r->status >= 500 || r->status == 429 || r->status == 408;
}

/* 100 ms and 400 ms, and up to half more, so that processes do not ask in step. */
static void wait_before(int tried) {
    int64_t ms = tried == 1 ? 100 : 400;
    ms += randombytes_uniform((uint32_t)(ms / 2));
    nanosleep(&(struct timespec){0, (long)(ms * 1000000)}, NULL);
}

/* Sends the request until its reply is final and `right` accepts it. The caller frees r->body. */
static void ask(struct s3 *s, struct arena *a, const struct asking *q, struct answered *r,
                const char *(*right)(const struct asking *q, struct answered *r)) {
    for (int tried = 1;; tried++) {
        if (atomic_load(&s->stopping)) {
            *r = (struct answered){.arena = a, .broken = "the server is stopping"};
            return;
        }
        ask_once(s, a, q, r);
        if (r->broken == NULL && status_is_good(r->status) && right) r->broken = right(q, r);
        if (!may_pass(r) || tried == S3_TRIES) break;
        atomic_fetch_add(&s->counts.retries, 1);
        buf_free(&r->body);
        wait_before(tried);
    }
    if (r->broken || !status_is_good(r->status)) atomic_fetch_add(&s->counts.failures, 1);
}

static enum s3_outcome outcome_of_reply(struct answered *r, struct why why) {
    struct str code = s3_code(buf_view(&r->body));
    enum s3_outcome outcome = S3_FAILED;
    if (r->broken == NULL && status_is_good(r->status)) outcome = S3_DONE;
    else if (r->broken == NULL && r->status == 404 && !str_eq(code, S("NoSuchBucket"))) outcome = S3_ABSENT;
    if (r->broken) db_refuse(why, "%s", r->broken);
    else if (outcome != S3_DONE)
        db_refuse(why, "status %ld%s%.*s", r->status, code.n ? " " : "", (int)code.n, code.p);
    buf_free(&r->body);
    return outcome;
}

static struct str object_path(struct s3 *s, struct arena *a, struct str name) {
    return STR_CAT(a, s->base, name);
}

static struct asking asking_new(struct s3 *s, struct arena *a, const char *method, struct str name) {
    return (struct asking){.method = method,
                           .path = object_path(s, a, name),
                           .query = S(""),
                           .sha256 = S(S3_EMPTY_SHA256),
                           .text = S(""),
                           .from = -1,
                           .to = -1};
}

/* ---- objects --------------------------------------------------------------------------------- */

enum s3_outcome s3_put(struct s3 *s, struct str name, struct str sha256, const char *path, int64_t size,
                       struct why why) {
    struct arena *a = arena_new();
    struct asking q = asking_new(s, a, "PUT", name);
    struct answered r = {0};
    enum s3_outcome outcome = S3_FAILED;
    FILE *f = fopen(path, "re");
    q.sha256 = sha256;
    q.n = size;
    if (f) q.from = fileno(f), ask(s, a, &q, &r, NULL), outcome = outcome_of_reply(&r, why);
    else db_refuse(why, "%s can't be read", path);
    if (f) fclose(f);
    arena_free(a);
    return outcome;
}

enum s3_outcome s3_put_text(struct s3 *s, struct str name, struct str text, struct why why) {
    struct arena *a = arena_new();
    struct asking q = asking_new(s, a, "PUT", name);
    struct answered r;
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(sum, (const unsigned char *)text.p, text.n);
    q.sha256 = str_hex(a, sum, sizeof sum);
    q.text = text;
    q.n = (int64_t)text.n;
    ask(s, a, &q, &r, NULL);
    enum s3_outcome outcome = outcome_of_reply(&r, why);
    arena_free(a);
    return outcome;
}

/* q->text: the SHA-256 that the bytes should have. */
static const char *content_is_right(const struct asking *q, struct answered *r) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    if (r->length != q->most) return "it sent too few bytes";
    crypto_hash_sha256_final(&r->sum, sum);
    return str_eq(str_hex(r->arena, sum, sizeof sum), q->text) ? NULL : "it sent other bytes";
}

enum s3_outcome s3_get(struct s3 *s, struct str name, struct str sha256, int64_t size, int to,
                       struct why why) {
    struct arena *a = arena_new();
    struct asking q = asking_new(s, a, "GET", name);
    struct answered r;
    q.text = sha256;
    q.most = size;
    q.to = to;
    q.hashed = true;
    ask(s, a, &q, &r, content_is_right);
    enum s3_outcome outcome = outcome_of_reply(&r, why);
    arena_free(a);
    return outcome;
}

static const char *reply_ends_with(const struct answered *r, const char *end) {
    size_t n = strlen(end);
    bool whole = r->body.n >= n && memmem(r->body.p + r->body.n - n, n, end, n);
    return whole ? NULL : "it sent half a body";
}

static const char *text_is_whole(const struct asking *q, struct answered *r) {
    (void)q;
    return reply_ends_with(r, "\n");
}

enum s3_outcome s3_get_text(struct s3 *s, struct str name, struct arena *a, struct str *text,
                            struct why why) {
    struct asking q = asking_new(s, a, "GET", name);
    struct answered r;
    ask(s, a, &q, &r, text_is_whole);
    *text = str_dup(a, buf_view(&r.body));
    return outcome_of_reply(&r, why);
}

/* Sends a request whose reply has no body. */
static enum s3_outcome ask_briefly(struct s3 *s, const char *method, struct str name, int64_t *length,
                                   struct why why) {
    struct arena *a = arena_new();
    struct asking q = asking_new(s, a, method, name);
    struct answered r;
    ask(s, a, &q, &r, NULL);
    *length = r.length;
    enum s3_outcome outcome = outcome_of_reply(&r, why);
    arena_free(a);
    return outcome;
}

enum s3_outcome s3_head(struct s3 *s, struct str name, int64_t *size, struct why why) {
    return ask_briefly(s, "HEAD", name, size, why);
}

enum s3_outcome s3_delete(struct s3 *s, struct str name, struct why why) {
    int64_t none;
    enum s3_outcome outcome = ask_briefly(s, "DELETE", name, &none, why);
    return outcome == S3_ABSENT ? S3_DONE : outcome;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Half a list would be a list of fewer objects. */
static const char *list_is_whole(const struct asking *q, struct answered *r) {
    (void)q;
    while (r->body.n && in_set(r->body.p[r->body.n - 1], " \r\n")) r->body.n--;
    return reply_ends_with(r, "</ListBucketResult>");
}

/* A page of a list. after n 0: the first one. */
static void ask_list(struct s3 *s, struct arena *a, struct str beginning, struct str after, int most,
                     struct answered *r) {
    struct asking q = asking_new(s, a, "GET", S(""));
    struct str prefix = s->place.prefix, slash = prefix.n ? S("/") : S("");
    q.path = STR_CAT(a, S("/"), s->place.bucket);
    q.query =
        STR_CAT(a, S("list-type=2&max-keys="), str_fmt(a, "%d", most), S("&prefix="),
                url_encoded(a, STR_CAT(a, prefix, slash, beginning)), after.n ? S("&start-after=") : S(""),
                after.n ? url_encoded(a, STR_CAT(a, prefix, slash, after)) : S(""));
    ask(s, a, &q, r, list_is_whole);
}

int s3_page(struct s3 *s, struct arena *a, struct str beginning, struct str after, struct s3_object **objects,
            bool *more, struct why why) {
    struct s3_found found = {.arena = a, .skipped = s->place.prefix.n ? s->place.prefix.n + 1 : 0};
    struct answered r;
    ask_list(s, a, beginning, after, 1000, &r);
    *more =
        r.broken == NULL && r.status == 200 && s3_found_add(&found, buf_view(&r.body), r.date) && found.count;
    *objects = found.list;
    return outcome_of_reply(&r, why) == S3_DONE ? found.count : -1;
}

/* ---- the look at the start ------------------------------------------------------------------- */

static int64_t skew_of(const struct answered *r) {
    time_t there = r->date.n ? curl_getdate(r->date.p, NULL) : -1;
    return there < 0 ? 0 : clock_now(&(struct clock){0}) / TIME_SECOND - (int64_t)there;
}

static int say_refusal(struct s3 *s, struct arena *a, const struct answered *r, struct why why) {
    struct str code = s3_code(buf_view(&r->body)), at = s->place.endpoint, bucket = s->place.bucket;
    const char *region = r->region.n ? r->region.p : s3_member(a, buf_view(&r->body), "Region").p;
    int64_t skew = skew_of(r);
    bool skewed = skew > 300 || skew < -300;
    if (r->broken) return db_refuse(why, "the object store %s can't be reached: %s", at.p, r->broken);
    if (str_eq(code, S("RequestTimeTooSkewed")) || (r->status == 403 && skewed))
        return db_refuse(
            why, "the clock of this machine is %" PRId64 " seconds %s that of the object store %s: set it",
            skew < 0 ? -skew : skew, skew < 0 ? "behind" : "ahead of", at.p);
    if (r->status == 404)
        return db_refuse(why, "there is no bucket %s at %s: make it, or correct --files", bucket.p, at.p);
    if (region && !str_eq(str_of(region), s->place.key.region))
        return db_refuse(why, "the bucket %s is in the region %s: give --s3-region %s", bucket.p, region,
                         region);
    if (str_eq(code, S("InvalidAccessKeyId")) || str_eq(code, S("SignatureDoesNotMatch")))
        return db_refuse(why,
                         "the object store %s refuses the key (%.*s): correct --s3-key-file or "
                         "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                         at.p, (int)code.n, code.p);
    if (r->status == 403)
        return db_refuse(why,
                         "the key may not list the bucket %s (%.*s): give it the rights to list, read, "
                         "write and delete its objects",
                         bucket.p, (int)code.n, code.p);
    return db_refuse(why, "the object store %s answers status %ld %.*s", at.p, r->status, (int)code.n,
                     code.p);
}

int s3_look(struct s3 *s, struct why why) {
    struct arena *a = arena_new();
    struct answered r;
    ask_list(s, a, S(""), S(""), 1, &r);
    int rc = r.broken || r.status != 200 ? say_refusal(s, a, &r, why) : 0;
    buf_free(&r.body);
    arena_free(a);
    return rc;
}
