#include "signin/metadata.h"

#include "outgoing/fetch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define KEPT TIME_HOUR
#define FAILED_KEPT (15 * TIME_SECOND)
#define UNKNOWN_KID TIME_MINUTE
#define REQUEST_MS 5000
#define DOCUMENT_MAX (128 * 1024)
#define PLACES 16

/* A text that was read, or the failure to read it; the newest replaces the oldest. */
struct published {
    int64_t provider_id, read_at, again_at; /* again_at: when an unknown kid last had it read */
    int64_t failed_at;                      /* 0: the last request did not fail */
    bool is_keys;
    char *text; /* NULL: it was never read */
    size_t n;
    char why[240]; /* of the failure */
};

struct signin_memory {
    pthread_mutex_t lock;
    struct published places[2 * PLACES];
};

struct signin_memory *signin_memory_new(void) {
    struct signin_memory *m = calloc(1, sizeof *m);
    if (m) pthread_mutex_init(&m->lock, NULL);
    return m;
}

void signin_memory_free(struct signin_memory *m) {
    if (m == NULL) return;
    for (int i = 0; i < 2 * PLACES; i++) free(m->places[i].text);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static int64_t published_used(const struct published *p) {
    return p->read_at > p->failed_at ? p->read_at : p->failed_at;
}

/* The place of the text, else the oldest one. The lock is held. */
static struct published *published_place(struct signin_memory *m, int64_t provider_id, bool keys) {
    struct published *oldest = m->places;
    for (struct published *p = m->places; p < m->places + 2 * PLACES; p++) {
        if (p->provider_id == provider_id && p->is_keys == keys) return p;
        if (published_used(p) < published_used(oldest)) oldest = p;
    }
    return oldest;
}

enum published_state { PUBLISHED_NOT, PUBLISHED_TEXT, PUBLISHED_FAILURE /* r->why is set */ };

static enum published_state published_find(struct reading *r, bool keys, bool again, struct str *text) {
    int64_t now = r->work->now, id = r->provider->id;
    enum published_state found = PUBLISHED_NOT;
    pthread_mutex_lock(&r->memory->lock);
    struct published *p = published_place(r->memory, id, keys);
    bool own = p->provider_id == id && p->is_keys == keys, known = own && p->text;
    bool fresh = known && p->read_at <= now && now - p->read_at < KEPT;
    bool lately = known && p->again_at <= now && now - p->again_at < UNKNOWN_KID;
    bool failed = own && p->failed_at && p->failed_at <= now && now - p->failed_at < FAILED_KEPT;
    if (fresh && (!again || lately)) {
        *text = str_dup(r->work->arena, (struct str){p->text, p->n});
        found = PUBLISHED_TEXT;
    } else if (failed) {
        r->why = str_dup(r->work->arena, str_of(p->why));
        found = PUBLISHED_FAILURE;
    }
    if (again && known && !lately) p->again_at = now;
    pthread_mutex_unlock(&r->memory->lock);
    return found;
}

/* Keeps the failure r->why. A text that is fresh stays. */
static void publish_failure(struct reading *r, bool keys) {
    pthread_mutex_lock(&r->memory->lock);
    struct published *p = published_place(r->memory, r->provider->id, keys);
    if (p->provider_id != r->provider->id || p->is_keys != keys) {
        free(p->text);
        *p = (struct published){.provider_id = r->provider->id, .is_keys = keys};
    }
    p->failed_at = r->work->now;
    snprintf(p->why, sizeof p->why, "%.*s", (int)r->why.n, r->why.p);
    pthread_mutex_unlock(&r->memory->lock);
}

static void publish(struct reading *r, bool keys, struct str text) {
    char *copy = malloc(text.n + 1);
    if (copy == NULL) return;
    memcpy(copy, text.p, text.n);
    pthread_mutex_lock(&r->memory->lock);
    struct published *p = published_place(r->memory, r->provider->id, keys);
    bool known = p->provider_id == r->provider->id && p->is_keys == keys;
    free(p->text);
    *p = (struct published){.provider_id = r->provider->id,
                            .is_keys = keys,
                            .read_at = r->work->now,
                            .again_at = known ? p->again_at : 0,
                            .text = copy,
                            .n = text.n};
    pthread_mutex_unlock(&r->memory->lock);
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool reading_failed(struct reading *r, struct str url, struct str why) {
    r->why = STR_CAT(r->work->arena, url, S(": "), why);
    return false;
}

static bool reading_text(struct reading *r, struct str url, struct str form, struct str authorization,
                         struct fetched *got) {
    int64_t left = r->until - clock_monotonic();
    if (!signin_url_allowed(url, r->private_allowed))
        return reading_failed(r, url, S("The address does not begin with https://."));
    if (left <= 0) return reading_failed(r, url, S("The provider took too long."));
    r->asked = true;
    struct fetch f = {.url = url,
                      .form = form,
                      .authorization = authorization,
                      .private_allowed = r->private_allowed,
                      .timeout_ms = left < REQUEST_MS ? left : REQUEST_MS,
                      .most = DOCUMENT_MAX,
                      .stopping = r->stopping};
    fetch_run(r->work->arena, &f, got);
    return got->status ? true : reading_failed(r, url, got->why);
}

static bool reading_object(struct reading *r, struct str url, struct str text, const struct json **out) {
    struct json *tree;
    struct json_error err;
    if (json_parse(r->work->arena, text, &tree, &err) < 0 || tree->type != JSON_OBJECT)
        return reading_failed(r, url, S("The reply is not a JSON object."));
    *out = tree;
    return true;
}

bool reading_fetch(struct reading *r, struct str url, struct str form, struct str authorization, int *status,
                   const struct json **out) {
    struct fetched got;
    if (!reading_text(r, url, form, authorization, &got)) return false;
    *status = got.status;
    return reading_object(r, url, got.body, out);
}

/* A document that is kept: from memory, else from the provider. *fresh: its text, for `publish` when it has
 * been checked; p NULL: it is from memory. */
static bool reading_document(struct reading *r, struct str url, bool keys, bool again,
                             const struct json **out, struct str *fresh) {
    struct fetched got;
    struct str text;
    *fresh = (struct str){0};
    enum published_state found = published_find(r, keys, again, &text);
    if (found == PUBLISHED_FAILURE) return false;
    if (found == PUBLISHED_TEXT) return reading_object(r, url, text, out);
    if (!reading_text(r, url, (struct str){0}, (struct str){0}, &got)) return false;
    if (got.status != 200)
        return reading_failed(r, url,
                              str_fmt(r->work->arena, "The server answered %d, not 200.", got.status));
    *fresh = got.body;
    return reading_object(r, url, got.body, out);
}

/* ---- documents ------------------------------------------------------------------------------- */

static struct str document_text(const struct json *doc, const char *name) {
    struct str text = json_member_text(doc, name);
    return text.n && text.n < 2048 ? text : (struct str){0};
}

static bool document_lists(const struct json *doc, const char *name, const char *value) {
    const struct json *list = json_member(doc, str_of(name));
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (j->type == JSON_STRING && str_eq(j->text, str_of(value))) return true;
    return false;
}

static bool metadata_checked(struct reading *r, struct metadata *out) {
    struct arena *a = r->work->arena;
    struct str issuer = r->provider->issuer, base = issuer;
    const struct json *doc, *iss;
    while (base.n && base.p[base.n - 1] == '/') base.n--;
    struct str url = STR_CAT(a, base, S("/.well-known/openid-configuration"));
    struct str fresh;
    if (!reading_document(r, url, false, false, &doc, &fresh)) return false;
    if (!str_eq(document_text(doc, "issuer"), issuer))
        return reading_failed(r, url, S("The document names another issuer."));
    *out = (struct metadata){.authorization = document_text(doc, "authorization_endpoint"),
                             .token = document_text(doc, "token_endpoint"),
                             .userinfo = document_text(doc, "userinfo_endpoint"),
                             .end_session = document_text(doc, "end_session_endpoint"),
                             .jwks = document_text(doc, "jwks_uri")};
    const char *methods = "token_endpoint_auth_methods_supported";
    out->secret_in_body = document_lists(doc, methods, "client_secret_post") &&
                          !document_lists(doc, methods, "client_secret_basic");
    iss = json_member(doc, S("authorization_response_iss_parameter_supported"));
    out->names_itself = iss && iss->type == JSON_TRUE;
    if (!signin_url_allowed(out->end_session, r->private_allowed)) out->end_session = (struct str){0};
    if (!out->authorization.p || !out->token.p || !out->jwks.p ||
        !signin_url_allowed(out->authorization, r->private_allowed))
        return reading_failed(
            r, url, S("authorization_endpoint, token_endpoint or jwks_uri is missing, or no https address."));
    if (fresh.p) publish(r, false, fresh);
    return true;
}

/* A failure to ask says nothing about the provider, nor does one while the server ends. */
static bool kept_failure(struct reading *r, bool keys) {
    if (r->asked && !atomic_load(r->stopping)) publish_failure(r, keys);
    return false;
}

bool metadata_read(struct reading *r, struct metadata *out) {
    r->asked = false;
    return metadata_checked(r, out) || kept_failure(r, false);
}

static bool keys_checked(struct reading *r, const struct metadata *m, bool again, const struct json **jwks) {
    struct str fresh;
    if (!reading_document(r, m->jwks, true, again, jwks, &fresh)) return false;
    const struct json *keys = json_member(*jwks, S("keys"));
    if (keys == NULL || keys->type != JSON_ARRAY)
        return reading_failed(r, m->jwks, S("The document has no list of keys."));
    if (fresh.p) publish(r, true, fresh);
    return true;
}

bool metadata_keys(struct reading *r, const struct metadata *m, bool again, const struct json **jwks) {
    r->asked = false;
    return keys_checked(r, m, again, jwks) || kept_failure(r, true);
}
