/* Idempotency-Key: the first outcome of a POST is stored and replayed.
 *
 * Everything happens in the write's own transaction, so an outcome is stored exactly if its effects are. A
 * refusal is stored too; its effects are rolled back. Concurrent writes with one key wait for each other,
 * so no request finds the first one half done. The reply is stored encrypted, by a key that is derived
 * from the Idempotency-Key, without the session id and without secrets. */
#include "api/call/machine.h"
#include "api/rows/reply.h"

#include <inttypes.h>
#include <xxhash.h>

QUERY(idempotency_get, "SELECT request_hash, status, reply FROM idempotency "
                       "WHERE caller = :caller AND key_hash = :key AND created_at > :since");
QUERY(idempotency_put, "INSERT INTO idempotency (caller, key_hash, request_hash, status, reply, created_at) "
                       "VALUES (:caller, :key, :request, :status, :reply, :now) "
                       "ON CONFLICT (caller, key_hash) DO UPDATE "
                       "SET request_hash = excluded.request_hash, status = excluded.status, "
                       "reply = excluded.reply, created_at = excluded.created_at");

/* A hash that is equal for equal parameters, in any order of their members. */
static uint64_t digest(const struct json *j) {
    uint64_t h = XXH3_64bits_withSeed(j->text.p, j->text.n, (uint64_t)j->type + 1), place = 0;
    for (const struct json *item = j->first; item; item = item->next) {
        uint64_t seed = digest(item);
        if (j->type == JSON_ARRAY) h = XXH3_64bits_withSeed(&h, sizeof h, seed + ++place);
        else h += XXH3_64bits_withSeed(item->name.p, item->name.n, seed);
    }
    return h;
}

static struct str request_hash(struct call *c) {
    struct arena *a = c->work.arena;
    struct str text = str_fmt(a, "%.*s %016" PRIx64 " %016" PRIx64, (int)c->http->path.n, c->http->path.p,
                              digest(c->query), digest(c->body));
    for (const struct http_file *f = c->http->files; f; f = f->next)
        text = str_fmt(a, "%s %.*s:%s", text.p, (int)f->field.n, f->field.p,
                       str_hex(a, f->sha256, sizeof f->sha256).p);
    /* The scopes decide what the stored reply shows. */
    if (c->work.actor.kind == ACTOR_TOKEN)
        text = str_fmt(a, "%s scopes %" PRIx32, text.p, c->work.actor.scopes);
    return mac_hex(a, &c->work.desk->idempotency_key, text);
}

static bool key_valid(struct str key) {
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] < ' ' || key.p[i] > '~') return false;
    return key.n <= 255;
}

/* The body without its last member, session_id. */
static struct str without_session(struct call *c, struct str body) {
    if (c->session_id.p == NULL) return body;
    struct buf b = {0};
    name_in_case(&b, S("session_id"), c->options.name_case);
    struct str member = str_fmt(c->work.arena, "\"%.*s\"", (int)b.n, b.p);
    buf_free(&b);
    for (size_t at = body.n; at-- > member.n;) {
        if (memcmp(body.p + at - member.n, member.p, member.n) != 0) continue;
        size_t n = at - member.n;
        while (n && body.p[n - 1] != ',') n--;
        return n ? str_fmt(c->work.arena, "%.*s}", (int)n - 1, body.p) : body;
    }
    return body;
}

/* The reply to store: null instead of each secret. */
static struct str without_secrets(struct call *c) {
    struct str body = str_dup(c->work.arena, buf_view(&c->out));
    for (const struct span *s = c->secrets; s; s = s->next) {
        struct str rest = {body.p + s->at + s->n, body.n - s->at - s->n};
        body = str_fmt(c->work.arena, "%.*snull%.*s", (int)s->at, body.p, (int)rest.n, rest.p);
    }
    return without_session(c, body);
}

struct kept {
    struct str caller, key_hash, request;
    struct key seal;
};

static int replay(struct call *c, const struct kept *k, bool *found) {
    struct stmt *row;
    *found = false;
    int rc = db_row(c->work.conn, &idempotency_get,
                    BINDS(B_TEXT("caller", k->caller), B_TEXT("key", k->key_hash),
                          B_INT("since", c->work.now - IDEMPOTENCY_KEPT)),
                    &row);
    if (rc <= 0) return rc;
    bool same = str_eq(col_text(row, 0), k->request);
    int64_t status = col_int(row, 1);
    struct str sealed = str_dup(c->work.arena, col_text(row, 2));
    stmt_end(row);
    *found = true;
    if (!same)
        return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, S("Idempotency-Key"),
                          "The key was used before with another request. Send a new key.");
    struct str body = seal_open(c->work.arena, &k->seal, sealed);
    if (body.p == NULL) return fail(&c->work, ERR_INTERNAL_ERROR);
    c->status = (int)status;
    buf_str(&c->out, body);
    call_header(c, "Idempotent-Replayed", S("true"));
    return 0;
}

static int keep_reply(struct call *c, const struct kept *k) {
    if (c->status >= 500 || c->status == 429) return 0;
    return db_later(c->work.conn, &idempotency_put,
                    BINDS(B_TEXT("caller", k->caller), B_TEXT("key", k->key_hash),
                          B_TEXT("request", k->request), B_INT("status", c->status),
                          B_BLOB("reply", seal(c->work.arena, &k->seal, without_secrets(c))),
                          B_INT("now", c->work.now)));
}

/* The owner of the key; p NULL: none. */
static struct str caller_of(const struct call *c) {
    const struct actor *a = &c->work.actor;
    if (a->user_id) return str_fmt(c->work.arena, "user:%" PRId64, a->user_id);
    if (a->event_token_id) return str_fmt(c->work.arena, "webhook:%" PRId64, a->event_token_id);
    return a->fingerprint.p ? STR_CAT(c->work.arena, S("fingerprint:"), a->fingerprint) : (struct str){0};
}

int idempotent(struct call *c, int (*run)(struct call *c)) {
    struct arena *a = c->work.arena;
    struct str key = http_header(c->http, "Idempotency-Key");
    struct kept k;
    bool found;
    if (c->method != POST || key.n == 0) return run(c);
    if (!key_valid(key))
        return fail_field(&c->work, ERR_FIELD_INVALID, S("Idempotency-Key"),
                          "At most 255 printable characters are allowed.");
    k.caller = caller_of(c);
    if (k.caller.p == NULL) {
        notice(&c->work, "NOTICE",
               "Idempotency-Key was ignored, because the caller has neither a login, a webhook token nor a "
               "fingerprint.");
        return run(c);
    }
    struct str text = str_fmt(a, "%s|%.*s", k.caller.p, (int)key.n, key.p);
    k.key_hash = mac_hex(a, &c->work.desk->idempotency_key, text);
    mac(k.seal.bytes, &c->work.desk->idempotency_key, str_fmt(a, "seal|%s", text.p));
    k.request = request_hash(c);
    TRY(db_lock(c->work.conn, k.key_hash));
    int rc = replay(c, &k, &found);
    if (rc < 0 || found) return rc;
    TRY(db_savepoint(c->work.conn, "outcome"));
    struct header *before = c->headers;
    rc = run(c);
    if (rc < 0) {
        TRY(db_undo(c->work.conn, "outcome"));
        c->headers = before;
        reply_error(c, rc);
        work_forget(&c->work);
        if (c->status >= 500) return rc;
    } else {
        TRY(db_release(c->work.conn, "outcome"));
    }
    return keep_reply(c, &k);
}
