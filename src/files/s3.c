#include "files/s3.h"

#include "base/clock.h"
#include "base/encoding.h"
#include "files/s3_parts.h"
#include "files/s3_request.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

/* ---- objects --------------------------------------------------------------------------------- */

static enum s3_outcome put_whole(struct s3 *s, struct arena *a, struct str name, struct str sha256, int from,
                                 int64_t size, struct why why) {
    struct s3_asking q = s3_asking_new(s, a, "PUT", name);
    struct s3_answered r;
    q.sha256 = sha256;
    q.from = from;
    q.n = size;
    s3_ask(s, a, &q, &r, NULL);
    return s3_outcome_of(&r, why);
}

enum s3_outcome s3_put(struct s3 *s, struct str name, struct str sha256, const char *path, int64_t size,
                       struct why why) {
    FILE *f = fopen(path, "re");
    if (f == NULL) return db_refuse(why, "%s can't be read", path), S3_FAILED;
    struct arena *a = arena_new();
    enum s3_outcome outcome = size > S3_PART ? s3_put_parts(s, a, name, sha256, fileno(f), size, why)
                                             : put_whole(s, a, name, sha256, fileno(f), size, why);
    fclose(f);
    arena_free(a);
    return outcome;
}

enum s3_outcome s3_put_text(struct s3 *s, struct str name, struct str text, struct why why) {
    struct arena *a = arena_new();
    struct s3_asking q = s3_asking_new(s, a, "PUT", name);
    struct s3_answered r;
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(sum, (const unsigned char *)text.p, text.n);
    q.sha256 = str_hex(a, sum, sizeof sum);
    q.text = text;
    q.n = (int64_t)text.n;
    s3_ask(s, a, &q, &r, NULL);
    enum s3_outcome outcome = s3_outcome_of(&r, why);
    arena_free(a);
    return outcome;
}

/* q->text: the SHA-256 that the bytes should have. */
static const char *content_is_right(const struct s3_asking *q, struct s3_answered *r) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    if (r->length != q->most) return "it sent too few bytes";
    crypto_hash_sha256_final(&r->sum, sum);
    return str_eq(str_hex(r->arena, sum, sizeof sum), q->text) ? NULL : "it sent other bytes";
}

enum s3_outcome s3_get(struct s3 *s, struct str name, struct str sha256, int64_t size, int to,
                       struct why why) {
    struct arena *a = arena_new();
    struct s3_asking q = s3_asking_new(s, a, "GET", name);
    struct s3_answered r;
    q.text = sha256;
    q.most = size;
    q.to = to;
    q.hashed = true;
    s3_ask(s, a, &q, &r, content_is_right);
    enum s3_outcome outcome = s3_outcome_of(&r, why);
    arena_free(a);
    return outcome;
}

static const char *text_is_whole(const struct s3_asking *q, struct s3_answered *r) {
    (void)q;
    return s3_reply_ends_with(r, "\n");
}

enum s3_outcome s3_get_text(struct s3 *s, struct str name, struct arena *a, struct str *text,
                            struct why why) {
    struct s3_asking q = s3_asking_new(s, a, "GET", name);
    struct s3_answered r;
    s3_ask(s, a, &q, &r, text_is_whole);
    *text = str_dup(a, buf_view(&r.body));
    return s3_outcome_of(&r, why);
}

struct str s3_address(struct s3 *s, struct arena *a, struct str name, const struct s3_shown *as,
                      int64_t seconds) {
    struct s3_signing what = {.method = S("GET"), .host = s->host, .now = clock_now(&(struct clock){0})};
    what.path = STR_CAT(a, s->base, name);
    what.query = STR_CAT(a, S("response-cache-control="), url_encoded(a, as->caching),
                         S("&response-content-disposition="), url_encoded(a, as->disposition),
                         S("&response-content-type="), url_encoded(a, as->type));
    return STR_CAT(a, s->place.endpoint, what.path, S("?"),
                   s3_presigned_query(a, &s->place.key, &what, seconds));
}

/* Sends a request whose reply has no body. */
static enum s3_outcome ask_briefly(struct s3 *s, const char *method, struct str name, int64_t *length,
                                   struct why why) {
    struct arena *a = arena_new();
    struct s3_asking q = s3_asking_new(s, a, method, name);
    struct s3_answered r;
    s3_ask(s, a, &q, &r, NULL);
    *length = r.length;
    enum s3_outcome outcome = s3_outcome_of(&r, why);
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
static const char *list_is_whole(const struct s3_asking *q, struct s3_answered *r) {
    (void)q;
    return s3_reply_ends_with(r, "</ListBucketResult>");
}

/* A page of a list. after n 0: the first one. */
static void ask_list(struct s3 *s, struct arena *a, struct str beginning, struct str after, int most,
                     struct s3_answered *r) {
    struct s3_asking q = s3_asking_new(s, a, "GET", S(""));
    struct str prefix = s->place.prefix, slash = prefix.n ? S("/") : S("");
    q.operation = S3_LISTS;
    q.path = STR_CAT(a, S("/"), s->place.bucket);
    q.query =
        STR_CAT(a, S("list-type=2&max-keys="), str_fmt(a, "%d", most), S("&prefix="),
                url_encoded(a, STR_CAT(a, prefix, slash, beginning)), after.n ? S("&start-after=") : S(""),
                after.n ? url_encoded(a, STR_CAT(a, prefix, slash, after)) : S(""));
    s3_ask(s, a, &q, r, list_is_whole);
}

int s3_page(struct s3 *s, struct arena *a, struct str beginning, struct str after, struct s3_object **objects,
            bool *more, struct why why) {
    struct s3_found found = {.arena = a, .skipped = s->place.prefix.n ? s->place.prefix.n + 1 : 0};
    struct s3_answered r;
    ask_list(s, a, beginning, after, 1000, &r);
    *more =
        r.broken == NULL && r.status == 200 && s3_found_add(&found, buf_view(&r.body), r.date) && found.count;
    *objects = found.list;
    return s3_outcome_of(&r, why) == S3_DONE ? found.count : -1;
}

static const char *uploads_are_whole(const struct s3_asking *q, struct s3_answered *r) {
    (void)q;
    return s3_reply_ends_with(r, "</ListMultipartUploadsResult>");
}

int s3_uploads_left(struct s3 *s, int64_t age) {
    struct arena *a = arena_new();
    struct str prefix = s->place.prefix, slash = prefix.n ? S("/") : S("");
    struct s3_asking q = s3_asking_new(s, a, "GET", S(""));
    struct s3_answered r;
    char unsaid[300];
    q.operation = S3_LISTS;
    q.path = STR_CAT(a, S("/"), s->place.bucket);
    q.query =
        STR_CAT(a, S("max-uploads=1000&prefix="), url_encoded(a, STR_CAT(a, prefix, slash)), S("&uploads="));
    s3_ask(s, a, &q, &r, uploads_are_whole);
    int n = s3_uploads_older(buf_view(&r.body), r.date, age);
    if (s3_outcome_of(&r, (struct why){unsaid, sizeof unsaid}) != S3_DONE) n = -1;
    arena_free(a);
    return n;
}

/* ---- the look at the start ------------------------------------------------------------------- */

static int64_t skew_of(const struct s3_answered *r) {
    time_t there = r->date.n ? curl_getdate(r->date.p, NULL) : -1;
    return there < 0 ? 0 : clock_now(&(struct clock){0}) / TIME_SECOND - (int64_t)there;
}

static int say_refusal(struct s3 *s, struct arena *a, const struct s3_answered *r, struct why why) {
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
    struct s3_answered r;
    ask_list(s, a, S(""), S(""), 1, &r);
    int rc = r.broken || r.status != 200 ? say_refusal(s, a, &r, why) : 0;
    buf_free(&r.body);
    arena_free(a);
    return rc;
}
