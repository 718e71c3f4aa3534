/* The token endpoint (RFC 6749 section 3.2): one function for each grant. */
#include "base/log.h"
#include "core/access/scope.h"
#include "core/login/session.h"
#include "core/programs/code.h"
#include "oauth/exchange.h"

#include <inttypes.h>

/* One token request: the terms that it asks for, and the tokens that it gets. */
struct granting {
    struct token_terms terms;
    struct tokens tokens;
    uint32_t wanted;    /* scopes of the request; 0: none named */
    struct str session; /* session of the password grant */
};

static const char stale[] = "It is not known, has expired, was used before, or belongs to another client.";

static int refuse_grant(struct exchange *x, const char *why) {
    return exchange_refuse(x, 400, "invalid_grant", why);
}
static int refuse_scope(struct exchange *x) {
    return exchange_refuse(x, 400, "invalid_scope",
                           "A scope is not known, or is more than may be asked for here, or the client has "
                           "no scopes.");
}

/* ---- the reply ------------------------------------------------------------------------------- */

static int reply_tokens(struct exchange *x) {
    const struct tokens *t = &((struct granting *)x->own)->tokens;
    struct json_writer w;
    jw_init(&w, &x->out);
    jw_object(&w);
    jw_key(&w, S("access_token"));
    jw_str(&w, t->access);
    jw_key(&w, S("token_type"));
    jw_str(&w, S("Bearer"));
    jw_key(&w, S("expires_in"));
    jw_int(&w, ACCESS_LIFE / TIME_SECOND);
    if (t->refresh.p) {
        jw_key(&w, S("refresh_token"));
        jw_str(&w, t->refresh);
    }
    jw_key(&w, S("scope"));
    jw_str(&w, scopes_text(x->arena, t->scopes));
    jw_end(&w);
    client_used(&x->work, x->client.id);
    return EXCHANGE_DONE;
}

/* The reply to the result of a write that issues tokens: an enum taken, or a negative error. */
static int reply_taken(struct exchange *x, int rc) {
    if (rc == -ERR_FIELD_INVALID) rc = TAKEN_NOT; /* the grant or the client was deleted meanwhile */
    if (rc < 0) return rc;
    if (rc == TAKEN_AGAIN)
        log_often(LOG_WARN, "tokens used twice",
                  "a code or refresh token of OAuth client %" PRId64
                  " was used twice: the tokens of its family have ended",
                  x->client.id);
    if (rc == TAKEN_SCOPES) return refuse_scope(x);
    return rc == TAKEN ? reply_tokens(x) : refuse_grant(x, stale);
}

/* ---- authorization_code ---------------------------------------------------------------------- */

static int issue_for_code(struct exchange *x) {
    struct granting *g = x->own;
    struct code_shown shown = {exchange_text(x, "code"), exchange_text(x, "redirect_uri"),
                               exchange_text(x, "code_verifier")};
    int rc = code_take(&x->work, &x->client, &shown, &g->terms);
    if (rc != TAKEN) return rc;
    TRY(tokens_issue(&x->work, &g->terms, &g->tokens));
    return TAKEN;
}

static int code_known_in(struct exchange *x) {
    return code_is_known(&x->work, &x->client, exchange_text(x, "code"));
}

static int grant_by_code(struct exchange *x) {
    if (exchange_text(x, "code").p == NULL)
        return exchange_refuse(x, 400, "invalid_request", "code is missing.");
    return reply_taken(x, exchange_write_known(x, code_known_in, issue_for_code));
}

/* ---- refresh_token --------------------------------------------------------------------------- */

static int issue_for_refresh(struct exchange *x) {
    struct granting *g = x->own;
    return refresh_take(&x->work, &x->client, exchange_text(x, "refresh_token"), g->wanted, &g->tokens);
}

static int refresh_known_in(struct exchange *x) {
    return token_is_known(&x->work, &x->client, exchange_text(x, "refresh_token"));
}

static int grant_by_refresh(struct exchange *x) {
    if (exchange_text(x, "refresh_token").p == NULL)
        return exchange_refuse(x, 400, "invalid_request", "refresh_token is missing.");
    return reply_taken(x, exchange_write_known(x, refresh_known_in, issue_for_refresh));
}

/* ---- client_credentials ---------------------------------------------------------------------- */

static int issue_for_client(struct exchange *x) {
    struct granting *g = x->own;
    TRY(token_lock(&x->work, x->client.creator_id));
    int rc = client_creator_may_log_in(&x->work, &x->client);
    if (rc <= 0) return rc < 0 ? rc : TAKEN_NOT;
    TRY(tokens_issue(&x->work, &g->terms, &g->tokens));
    return TAKEN;
}

static int grant_by_client(struct exchange *x) {
    struct granting *g = x->own;
    const struct client *c = &x->client;
    if (c->is_public)
        return exchange_refuse(x, 400, "unauthorized_client",
                               "A client without a secret can't act for itself.");
    if (c->creator_id == 0) return refuse_grant(x, "This client has no creator for whom it could act.");
    g->terms = (struct token_terms){
        .client_id = c->id, .user_id = c->creator_id, .scopes = g->wanted ? g->wanted : c->scopes};
    return reply_taken(x, exchange_write(x, issue_for_client));
}

/* ---- password -------------------------------------------------------------------------------- */

/* The session of the login proves that the password has not changed since it was verified. */
static int issue_for_password(struct exchange *x) {
    struct granting *g = x->own;
    struct session s;
    struct grant had;
    uint32_t mask = g->wanted ? g->wanted : x->client.scopes;
    TRY(token_lock(&x->work, g->terms.user_id));
    int rc = session_load(&x->work, session_token_id(g->session), &s);
    if (rc <= 0 || s.user_id != g->terms.user_id) return rc < 0 ? rc : TAKEN_NOT;
    rc = grant_find(&x->work, s.user_id, x->client.id, &had);
    TRY(rc);
    g->terms.grant_id = rc ? had.id : 0;
    if (rc == 0 || scopes_within(mask, had.scopes) != mask)
        TRY(grant_give(&x->work, s.user_id, &x->client, rc ? mask | had.scopes : mask, &g->terms.grant_id));
    g->terms.client_id = x->client.id;
    g->terms.scopes = mask;
    TRY(tokens_issue(&x->work, &g->terms, &g->tokens));
    return TAKEN;
}

static int login_locked_reply(struct exchange *x) {
    http_add_header(x->http, "Retry-After", x->subcall.retry_after);
    return exchange_refuse(x, 429, "invalid_grant", str_dup(x->arena, subcall_message(x->subcall.reply)).p);
}

static int password_outcome(struct exchange *x) {
    struct granting *g = x->own;
    const struct subcall *call = &x->subcall;
    struct str code = subcall_code(call->reply);
    if (call->crowded || call->status >= 500) return -ERR_SERVICE_UNAVAILABLE;
    if (call->status == 429) return login_locked_reply(x);
    if (str_eq(code, S("OTP_EXPECTED")))
        return refuse_grant(x, "This account has a second factor. Send a code as otp, or use the grant "
                               "authorization_code.");
    if (str_eq(code, S("CREDENTIAL_EXPIRED")))
        return refuse_grant(x, "The password has expired. Its owner must set a new one.");
    if (call->status != 200) return refuse_grant(x, "Wrong e-mail address, password or code.");
    const struct json *data = subcall_data(call->reply);
    g->session = json_member_text(data, "id");
    g->terms.user_id = tree_int(json_member(data, S("user")), "id");
    return reply_taken(x, exchange_write(x, issue_for_password));
}

static void password_called(struct subcall *call) {
    struct exchange *x = (struct exchange *)(void *)call; /* the call is its first member */
    exchange_end(x, password_outcome(x));
}

/* Calls GET /session. X-CSRF: false, so that nobody can use its session as a cookie. */
static int grant_by_password(struct exchange *x) {
    struct subcall *call = &x->subcall;
    struct str name = exchange_text(x, "username"), password = exchange_text(x, "password"),
               code = exchange_text(x, "otp");
    if (!x->client.is_password_grant_enabled)
        return exchange_refuse(x, 400, "unauthorized_client",
                               "The password grant is not enabled for this client. Use "
                               "authorization_code.");
    if (name.p == NULL || password.p == NULL)
        return exchange_refuse(x, 400, "invalid_request", "username or password is missing.");
    *call = (struct subcall){.api = x->api,
                             .http = x->http,
                             .method = GET,
                             .path = S("/session"),
                             .stranger = true,
                             .done = password_called};
    subcall_header(call, "Accept", S("application/json"));
    subcall_header(call, "X-CSRF", S("false"));
    subcall_header(call, "X-OTP", code.p ? code : http_header(x->http, "X-OTP"));
    if (!subcall_login(call, name, password))
        return refuse_grant(x, "Wrong e-mail address, password or code.");
    subcall_call(call);
    return EXCHANGE_LATER;
}

/* ---- the endpoint ---------------------------------------------------------------------------- */

/* Scopes of the request that the client may ask for. Returns false for others, and if the client has none. */
static bool read_wanted(struct exchange *x, struct granting *g) {
    for (struct str rest = exchange_text(x, "scope"); rest.p;) {
        struct str name = str_cut(&rest, ' ');
        if (name.n && !scope_parse(name, &g->wanted)) return false;
    }
    return x->client.scopes && scopes_within(g->wanted, x->client.scopes) == g->wanted;
}

int run_token(struct exchange *x) {
    static const struct {
        const char *type;
        int (*run)(struct exchange *x);
    } grants[] = {{"authorization_code", grant_by_code},
                  {"refresh_token", grant_by_refresh},
                  {"client_credentials", grant_by_client},
                  {"password", grant_by_password}};
    struct granting *g = ARENA_NEW(x->arena, struct granting);
    struct str type = exchange_text(x, "grant_type");
    x->own = g;
    if (type.p == NULL) return exchange_refuse(x, 400, "invalid_request", "grant_type is missing.");
    if (!read_wanted(x, g)) return refuse_scope(x);
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++)
        if (str_eq(type, str_of(grants[i].type))) return grants[i].run(x);
    return exchange_refuse(x, 400, "unsupported_grant_type",
                           "Send authorization_code, refresh_token, client_credentials or password as "
                           "grant_type.");
}

/* ---- revocation and introspection ------------------------------------------------------------ */

/* Revocation (RFC 7009) and introspection (RFC 7662). A client sees and ends its own tokens only; others
 * are as unknown ones. */

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
