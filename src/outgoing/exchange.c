#include "outgoing/exchange.h"

#include "base/clock.h"
#include "base/encoding.h"
#include "core/words.h"
#include "outgoing/reach.h"

#include <inttypes.h>
#include <sodium.h>

/* ---- X-Desk-Signature: docs/guides describe how a server verifies it ------------------------- */

static struct str signature_by(struct arena *a, struct str secret, struct str seconds, struct str body) {
    crypto_auth_hmacsha256_state s;
    unsigned char out[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_init(&s, (const unsigned char *)secret.p, secret.n);
    crypto_auth_hmacsha256_update(&s, (const unsigned char *)seconds.p, seconds.n);
    crypto_auth_hmacsha256_update(&s, (const unsigned char *)".", 1);
    crypto_auth_hmacsha256_update(&s, (const unsigned char *)body.p, body.n);
    crypto_auth_hmacsha256_final(&s, out);
    return str_hex(a, out, sizeof out);
}

/* Returns "t=SECONDS,v1=HEX" with a v1 for each secret that has a p: HMAC-SHA256 of "SECONDS.BODY", keyed
 * by the text of the secret. seconds: since 1970. p NULL if there is no secret. */
static struct str signature(struct arena *a, int64_t seconds, struct str body, const struct str *secrets,
                            int count) {
    struct str t = str_fmt(a, "%" PRId64, seconds), line = STR_CAT(a, S("t="), t);
    bool any = false;
    for (int i = 0; i < count; i++)
        if (secrets[i].p) {
            line = STR_CAT(a, line, S(",v1="), signature_by(a, secrets[i], t, body));
            any = true;
        }
    return any ? line : (struct str){0};
}

struct exchange {
    struct arena *arena;
    const struct target *target;
    const struct delivery *delivery;
    struct exchange_rules rules;
    CURL *curl;
    struct curl_slist *headers;
    int64_t began; /* clock_monotonic */
    size_t head, body;
    struct reach reach;
};

/* ---- the request ----------------------------------------------------------------------------- */

static const char *delivery_method(const struct target *t) {
    return t->type == ENDPOINT_SLACK ? "POST" : word_of(endpoint_methods, t->method);
}

static const char *delivery_content(const struct target *t) {
    return word_of(endpoint_contents, t->type == ENDPOINT_SLACK ? CONTENT_JSON : t->content);
}

static void header_add(struct exchange *x, const char *name, struct str value) {
    struct str line = str_fmt(x->arena, "%s: %.*s", name, (int)value.n, value.p);
    struct curl_slist *longer = curl_slist_append(x->headers, line.p);
    if (longer) x->headers = longer;
}

static void add_request_headers(struct exchange *x) {
    const struct target *t = x->target;
    const struct str secrets[] = {t->secret, t->former_secret};
    bool has_body = !str_eq(str_of(delivery_method(t)), S("GET"));
    if (has_body) header_add(x, "Content-Type", str_of(delivery_content(t)));
    header_add(x, "X-Desk-Event", x->delivery->event_id);
    header_add(x, "Expect", S("")); /* no 100-continue, which costs a round trip */
    if (t->type != ENDPOINT_HTTP) return;
    struct str signed_by =
        signature(x->arena, x->rules.now / TIME_SECOND, has_body ? x->delivery->body : S(""), secrets, 2);
    if (signed_by.p) header_add(x, "X-Desk-Signature", signed_by);
    if (t->use_auth) header_add(x, "Authorization", basic_credentials(x->arena, t->user, t->password));
}

/* ---- the reply ------------------------------------------------------------------------------- */

static size_t take_head(char *line, size_t size, size_t count, void *arg) {
    struct exchange *x = arg;
    (void)line;
    x->head += size * count;
    return x->head > EXCHANGE_HEAD_MAX ? 0 : size * count;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *arg) {
    struct exchange *x = arg;
    (void)bytes;
    x->body += size * count;
    return x->body > EXCHANGE_BODY_MAX ? 0 : size * count;
}

static void set_reply(struct exchange *x) {
    CURL *c = x->curl;
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_head);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)x->rules.timeout_ms);
}

static void set_request(struct exchange *x) {
    CURL *c = x->curl;
    struct str body = x->delivery->body;
    const char *method = delivery_method(x->target);
    curl_easy_setopt(c, CURLOPT_URL, x->target->url.p);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "deskd/" DESKD_VERSION);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, x->headers);
    if (strcmp(method, "GET") == 0) return;
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, body.p);
    curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, method);
}

struct exchange *exchange_new(struct arena *a, const struct target *t, const struct delivery *d,
                              const struct exchange_rules *rules) {
    struct exchange *x = ARENA_NEW(a, struct exchange);
    *x = (struct exchange){.arena = a,
                           .target = t,
                           .delivery = d,
                           .rules = *rules,
                           .curl = curl_easy_init(),
                           .began = clock_monotonic()};
    if (x->curl == NULL) return NULL;
    add_request_headers(x);
    x->reach.private_allowed = rules->private_allowed;
    reach_set(x->curl, &x->reach);
    set_reply(x);
    set_request(x);
    return x;
}

CURL *exchange_handle(const struct exchange *x) { return x->curl; }

void exchange_free(struct exchange *x) {
    curl_easy_cleanup(x->curl);
    curl_slist_free_all(x->headers);
}

/* ---- the result ------------------------------------------------------------------------------ */

static struct str reply_message(struct exchange *x, long code) {
    if (code >= 300 && code < 400)
        return str_fmt(x->arena,
                       "The server answered %ld. Redirects are not followed: set the url to the "
                       "new address.",
                       code);
    return str_fmt(x->arena,
                   code < 300 ? "The server answered %ld."
                              : "The server answered %ld. A status from 200 to 299 is expected.",
                   code);
}

static struct str failure_message(struct exchange *x, CURLcode rc) {
    if (*x->reach.refused)
        return str_fmt(x->arena,
                       "%s is an address of this machine or of a private network. An owner can allow such "
                       "addresses by the setting endpoints.allow_private_addresses.",
                       x->reach.refused);
    if (x->reach.refused_port)
        return S("The port is one of a service that does not speak HTTP. Change the "
                 "address of the endpoint.");
    if (rc == CURLE_OPERATION_TIMEDOUT)
        return str_fmt(x->arena, "There was no complete reply within %" PRId64 " s.",
                       x->rules.timeout_ms / TIME_SECOND);
    if (x->head > EXCHANGE_HEAD_MAX)
        return str_fmt(x->arena, "The head of the reply is longer than %d KiB.", EXCHANGE_HEAD_MAX / 1024);
    return str_fmt(x->arena, "%s.", curl_easy_strerror(rc));
}

struct attempt exchange_result(struct exchange *x, CURLcode rc) {
    long code = 0;
    curl_off_t after = 0;
    curl_easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &code);
    curl_easy_getinfo(x->curl, CURLINFO_RETRY_AFTER, &after);
    /* seconds; a day is longer than any delay, and libcurl 8.14 returns six hours at most */
    curl_off_t wait = after < 0 ? 0 : after < 86400 ? after : 86400;
    /* the rest of a long reply makes no difference */
    bool replied = rc == CURLE_OK || x->body > EXCHANGE_BODY_MAX;
    return (struct attempt){.delivery = x->delivery,
                            .target = x->target,
                            .success = replied && code >= 200 && code < 300,
                            .status_code = replied ? (int)code : 0,
                            .message = replied ? reply_message(x, code) : failure_message(x, rc),
                            .duration = clock_monotonic() - x->began,
                            .retry_after = wait * TIME_SECOND};
}
