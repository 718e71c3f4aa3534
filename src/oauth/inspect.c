/* Revocation (RFC 7009) and introspection (RFC 7662). A client sees and ends its own tokens only; others
 * are as unknown ones. */
#include "core/access/scope.h"
#include "oauth/exchange.h"

#include <inttypes.h>

static int known_in(struct exchange *x) {
    return token_is_known(&x->work, &x->client, exchange_text(x, "token"));
}
static int revoke_in(struct exchange *x) {
    return token_revoke(&x->work, &x->client, exchange_text(x, "token"));
}

int run_revoke(struct exchange *x) {
    if (exchange_text(x, "token").p == NULL)
        return exchange_refuse(x, 400, "invalid_request", "token is missing.");
    int rc = exchange_write_known(x, known_in, revoke_in);
    return rc < 0 ? rc : EXCHANGE_DONE;
}

static int introspect_in(struct exchange *x) {
    struct token_facts *f = x->own;
    return token_introspect(&x->work, &x->client, exchange_text(x, "token"), f);
}

static void write_facts(struct exchange *x, struct json_writer *w) {
    const struct token_facts *f = x->own;
    jw_key(w, S("scope"));
    jw_str(w, scopes_text(x->arena, f->scopes));
    jw_key(w, S("client_id"));
    jw_str(w, x->client.key);
    jw_key(w, S("token_type"));
    jw_str(w, f->is_refresh ? S("refresh_token") : S("Bearer"));
    jw_key(w, S("exp"));
    jw_int(w, f->expires_at / TIME_SECOND);
    jw_key(w, S("iat"));
    jw_int(w, f->created_at / TIME_SECOND);
    jw_key(w, S("sub"));
    jw_str(w, str_fmt(x->arena, "%" PRId64, f->user_id));
    jw_key(w, S("iss"));
    jw_str(w, x->api->desk->base_url);
}

int run_introspect(struct exchange *x) {
    struct json_writer w;
    if (x->client.is_public)
        return exchange_refuse(x, 401, "invalid_client",
                               "Only a client with a secret may look at its tokens.");
    if (exchange_text(x, "token").p == NULL)
        return exchange_refuse(x, 400, "invalid_request", "token is missing.");
    x->own = ARENA_NEW(x->arena, struct token_facts);
    int active = exchange_read(x, introspect_in);
    if (active < 0) return active;
    jw_init(&w, &x->out);
    jw_object(&w);
    jw_key(&w, S("active"));
    jw_bool(&w, active > 0);
    if (active) write_facts(x, &w);
    jw_end(&w);
    return EXCHANGE_DONE;
}
