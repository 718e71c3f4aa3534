#include "live/live.h"

#include "api/caller/cross_site.h"
#include "api/rows/cursor.h"
#include "base/limits.h"
#include "core/change/log.h"
#include "core/change/outbox.h"
#include "live/hub.h"
#include "live/subscriptions.h"

#include <glib.h>
#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

struct live {
    struct api *api;
    struct hub_thread *hub;
    struct peers peers;
};

/* ---- giving a connection ---------------------------------------------------------------------- */

struct given {
    struct live *live;
    struct peer *peer;
};

static void given_take(void *given, int fd, struct str head) {
    const struct given *g = given;
    g->peer->fd = fd;
    buf_str(&g->peer->out, head);
    hub_open(g->live->hub, g->peer);
    peer_drop(g->peer);
}

static void given_drop(void *given) { peer_drop(((const struct given *)given)->peer); }

static int give(struct call *c, struct live *l, struct peer *p, int status) {
    struct http_taking *t = ARENA_NEW(c->http->arena, struct http_taking);
    struct given *g = ARENA_NEW(c->http->arena, struct given);
    *g = (struct given){l, p};
    *t = (struct http_taking){given_take, given_drop, g};
    c->taking = t;
    c->status = status;
    c->raw = true;
    return 0;
}

/* Browsers add the cookie of a person to a handshake that a page of another site begins, and such a page may
 * read what a socket says. */
static int same_site(struct call *c) {
    int foreign = c->ambient || c->by_cookie ? is_cross_site(&c->work, c->http) : 0;
    TRY(foreign);
    if (foreign == 0) return 0;
    return fail_field(&c->work, ERR_CSRF_FAILED, (struct str){0},
                      "A browser sent these credentials for a page of another site. Send a session_id or a "
                      "bearer token instead.");
}

/* live: of the whole request. The server may stop meanwhile, which clears api->live, but does not free it. */
static int identify(struct call *c, struct who *who, struct live **live) {
    TRY(same_site(c));
    int rc = who_of_call(c, who);
    if (rc == 0) return fail(&c->work, ERR_AUTHORIZATION_REQUIRED);
    if (rc < 0) return rc;
    *live = atomic_load(&c->api->live);
    return *live ? 0 : fail(&c->work, ERR_SERVICE_UNAVAILABLE); /* the server stops */
}

static int too_many(struct call *c) {
    TRY(call_wait(c, 10));
    return 0;
}

/* ---- sockets --------------------------------------------------------------------------------- */

/* RFC 6455 section 4.2.2: the hash of the key and this text. */
#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

static struct str accept_key(struct arena *a, struct str key) {
    unsigned char hash[20];
    gsize n = sizeof hash;
    struct str text = STR_CAT(a, key, S(GUID));
    char *out = arena_alloc(a, sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL));
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA1);
    g_checksum_update(sum, (const guchar *)text.p, (gssize)text.n);
    g_checksum_get_digest(sum, hash, &n);
    g_checksum_free(sum);
    sodium_bin2base64(out, sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL), hash,
                      sizeof hash, sodium_base64_VARIANT_ORIGINAL);
    return str_of(out);
}

static bool lists_token(struct str list, struct str token) {
    for (struct str rest = list; rest.p;)
        if (str_eqi(str_trim(str_cut(&rest, ',')), token)) return true;
    return false;
}

/* A key is 16 bytes in Base64. */
static bool key_is_good(struct str key) {
    unsigned char bytes[18];
    size_t n;
    return sodium_base642bin(bytes, sizeof bytes, key.p, key.n, NULL, &n, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           n == 16;
}

static int handshake(struct call *c, struct str *key) {
    *key = str_trim(http_header(c->http, "Sec-WebSocket-Key"));
    if (c->head || !lists_token(http_header(c->http, "Upgrade"), S("websocket")) ||
        !lists_token(http_header(c->http, "Connection"), S("upgrade"))) {
        call_header(c, "Upgrade", S("websocket"));
        return fail_field(&c->work, ERR_FIELD_INVALID, S("Upgrade"),
                          "This is the address of a WebSocket (RFC 6455). Send Upgrade: websocket and "
                          "Connection: Upgrade, or use GET /realtime.");
    }
    if (!str_eq(str_trim(http_header(c->http, "Sec-WebSocket-Version")), S("13"))) {
        call_header(c, "Sec-WebSocket-Version", S("13"));
        return fail_field(&c->work, ERR_FIELD_INVALID, S("Sec-WebSocket-Version"), "The only version is 13.");
    }
    if (key->p == NULL || !key_is_good(*key))
        return fail_field(&c->work, ERR_FIELD_INVALID, S("Sec-WebSocket-Key"),
                          "16 bytes in Base64 are expected.");
    return 0;
}

int live_open_socket(struct call *c, int version) {
    struct live *live;
    struct who who;
    struct str key;
    TRY(handshake(c, &key));
    TRY(identify(c, &who, &live));
    struct peer *p = peer_new(&live->peers, &who, PEER_SOCKET, version);
    if (p == NULL) return too_many(c);
    call_header(c, "Upgrade", S("websocket"));
    call_header(c, "Connection", S("Upgrade"));
    call_header(c, "Sec-WebSocket-Accept", accept_key(c->work.arena, key));
    return give(c, live, p, 101);
}

/* ---- streams --------------------------------------------------------------------------------- */

static int channel_refused(struct call *c, struct str name) {
    return fail_field(&c->work, ERR_FIELD_INVALID, S("channels"),
                      "There is no channel %.*s, or you may not see its object.",
                      (int)(name.n < 200 ? name.n : 200), name.p);
}

static int channels_check(struct call *c, const struct who *who, struct str channels) {
    struct live_name name;
    int n = 0;
    for (struct str rest = channels; rest.p; n++) {
        struct str text = str_trim(str_cut(&rest, ','));
        int rc = topic_parse(&c->work, who, text, &name);
        if (rc == 1) rc = topic_is_heard(c->api, &c->work, who, name);
        TRY(rc);
        if (rc == 0) channel_refused(c, text);
        if (n == LIMIT_STREAM_TOPICS)
            return fail_field(&c->work, ERR_FIELD_INVALID, S("channels"), "At most %d channels are followed.",
                              LIMIT_STREAM_TOPICS);
    }
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

static int after_check(struct call *c, struct str after) {
    struct live_place place;
    if (after.n == 0 || place_given(&c->work, after, &place)) return 0;
    return fail_field(&c->work, ERR_FIELD_INVALID, S("Last-Event-ID"),
                      "This is not an id of this desk's events.");
}

int live_open_stream(struct call *c, struct str channels, struct str after) {
    struct live *live;
    struct who who;
    TRY(identify(c, &who, &live));
    if (channels.n == 0) return fail_field(&c->work, ERR_FIELD_REQUIRED, S("channels"), NULL);
    TRY(channels_check(c, &who, channels));
    TRY(after_check(c, after));
    call_header(c, "Content-Type", S("text/event-stream"));
    call_header(c, "Cache-Control", S("no-store"));
    call_header(c, "X-Accel-Buffering", S("no")); /* nginx passes each event on at once */
    call_header(c, "Connection", S("close"));
    if (c->head) return c->raw = true, 0;
    struct peer *p = peer_new(&live->peers, &who, PEER_STREAM, 0);
    if (p == NULL) return too_many(c);
    p->texts = malloc(channels.n + after.n + 1);
    if (p->texts == NULL) abort();
    memcpy(p->texts, channels.p, channels.n);
    if (after.n) memcpy(p->texts + channels.n, after.p, after.n);
    p->asked = (struct str){p->texts, channels.n};
    p->after = (struct str){p->texts + channels.n, after.n};
    return give(c, live, p, 200);
}

/* ---- other processes ------------------------------------------------------------------------- */

static void presence_told(struct desk *d, struct str payload) {
    if (payload.p && atomic_load(&d->wake_live)) hub_hear(((struct live *)d->wake_live_arg)->hub, payload);
}
TOPIC_CODE(PRESENCE) = presence_told;

/* ---- start and stop -------------------------------------------------------------------------- */

static void committed(void *live) { hub_wake(((struct live *)live)->hub); }

struct live *live_start(struct api *api) {
    struct live *l = calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    l->api = api;
    pthread_mutex_init(&l->peers.lock, NULL);
    l->hub = hub_start(api);
    if (l->hub == NULL) return free(l), NULL;
    api->desk->wake_live_arg = l;
    atomic_store(&api->desk->wake_live, committed);
    atomic_store(&api->live, l);
    return l;
}

void live_stop(struct live *l, int64_t ms) {
    if (l == NULL) return;
    atomic_store(&l->api->live, NULL);
    atomic_store(&l->api->desk->wake_live, NULL);
    hub_stop(l->hub, ms);
}

void live_free(struct live *l) {
    if (l == NULL) return;
    hub_free(l->hub);
    pthread_mutex_destroy(&l->peers.lock);
    free(l);
}

int64_t live_connections(const struct live *l) { return l ? hub_peers(l->hub) : 0; }
