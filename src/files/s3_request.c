#include "files/s3_request.h"

#include "base/clock.h"
#include "base/random.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SHORT_MOST (1024 * 1024) /* bytes of a reply that is kept in memory: a page of a list has 400 KB */
#define CONNECT_MS 5000L
#define SLOW_BYTES 4096L /* fewer bytes a second for SLOW_SECONDS end a request */
#define SLOW_SECONDS 10L

struct exchange_of_s3 {
    struct s3 *s3;
    const struct s3_asking *q;
    struct s3_answered *r;
    CURL *curl;
    int64_t sent;
};

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
    bool kept = c && s->idle_count < S3_IDLE_HANDLES;
    if (kept) s->idle[s->idle_count++] = c;
    pthread_mutex_unlock(&s->lock);
    if (!kept) curl_easy_cleanup(c);
}

/* ---- one request ----------------------------------------------------------------------------- */

static size_t s3_give_body(char *room, size_t size, size_t count, void *arg) {
    struct exchange_of_s3 *x = arg;
    const struct s3_asking *q = x->q;
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
    struct s3_answered *r = x->r;
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

static struct curl_slist *heads_of(struct s3 *s, struct arena *a, const struct s3_asking *q) {
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
static void ask_once(struct s3 *s, struct arena *a, const struct s3_asking *q, struct s3_answered *r) {
    struct exchange_of_s3 x = {s, q, r, handle_take(s), 0};
    struct str url = STR_CAT(a, s->place.endpoint, q->path, q->query.n ? S("?") : S(""), q->query);
    struct curl_slist *heads = heads_of(s, a, q);
    *r = (struct s3_answered){.arena = a};
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
}

/* ---- trying again ---------------------------------------------------------------------------- */

static bool may_pass(const struct s3_answered *r) {
    return r->broken || r->status >= 500 || r->status == 429 || r->status == 408;
}

/* 100 ms and 400 ms, and up to half more, so that processes do not ask in step. */
static void wait_before(int tried) {
    int64_t ms = tried == 1 ? 100 : 400;
    ms += randombytes_uniform((uint32_t)(ms / 2));
    nanosleep(&(struct timespec){0, (long)(ms * 1000000)}, NULL);
}

const int s3_bounds[S3_BOUNDS] = {5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000};

static enum s3_result result_of(const struct s3_answered *r) {
    if (r->broken) return S3_RESULT_BROKEN;
    if (may_pass(r)) return S3_RESULT_FAILED;
    if (status_is_good(r->status)) return S3_RESULT_OK;
    return r->status == 404 ? S3_RESULT_ABSENT : S3_RESULT_REFUSED;
}

static void count_request(struct s3_counts *c, enum s3_operation o, enum s3_result result, int64_t ms) {
    int i = 0;
    while (i < S3_BOUNDS && ms > s3_bounds[i]) i++;
    atomic_fetch_add(&c->requests[o][result], 1);
    atomic_fetch_add(&c->buckets[o][i], 1);
    atomic_fetch_add(&c->ms[o], ms);
}

void s3_ask(struct s3 *s, struct arena *a, const struct s3_asking *q, struct s3_answered *r,
            const char *(*right)(const struct s3_asking *q, struct s3_answered *r)) {
    for (int tried = 1;; tried++) {
        if (atomic_load(&s->stopping)) {
            *r = (struct s3_answered){.arena = a, .broken = "the server is stopping"};
            return;
        }
        int64_t began = clock_monotonic();
        ask_once(s, a, q, r);
        if (r->broken == NULL && status_is_good(r->status) && right) r->broken = right(q, r);
        count_request(&s->counts, q->operation, result_of(r), clock_monotonic() - began);
        if (!may_pass(r) || tried == S3_TRIES) break;
        atomic_fetch_add(&s->counts.retries, 1);
        buf_free(&r->body);
        wait_before(tried);
    }
    enum s3_result result = result_of(r);
    if (result != S3_RESULT_OK && result != S3_RESULT_ABSENT) atomic_fetch_add(&s->counts.given_up, 1);
}

enum s3_outcome s3_outcome_of(struct s3_answered *r, struct why why) {
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

struct s3_asking s3_asking_new(struct s3 *s, struct arena *a, const char *method, struct str name) {
    enum s3_operation operation = strcmp(method, "PUT") == 0 || strcmp(method, "POST") == 0 ? S3_WRITES
                                  : strcmp(method, "DELETE") == 0                           ? S3_DELETES
                                                                                            : S3_READS;
    return (struct s3_asking){.method = method,
                              .operation = operation,
                              .path = object_path(s, a, name),
                              .query = S(""),
                              .sha256 = S(S3_EMPTY_SHA256),
                              .text = S(""),
                              .from = -1,
                              .to = -1};
}

const char *s3_reply_ends_with(const struct s3_answered *r, const char *end) {
    size_t n = strlen(end), length = r->body.n;
    while (length && *end == '<' && in_set(r->body.p[length - 1], " \r\n")) length--;
    bool whole = length >= n && memcmp(r->body.p + length - n, end, n) == 0;
    return whole ? NULL : "it sent half a body";
}
