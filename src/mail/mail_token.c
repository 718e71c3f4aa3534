#include "mail/mail_token.h"

#include "base/encoding.h"
#include "base/log.h"
#include "core/all/finish.h"
#include "core/change/lease.h"
#include "core/desk/setting.h"
#include "core/signin/provider.h"
#include "core/signin/url.h"
#include "json/json.h"
#include "mail/unstored.h"
#include "outgoing/fetch.h"

#include <inttypes.h>
#include <time.h>

#define REPLY_MAX (64 * 1024)
#define TOKEN_MAX 16384
#define LEASE_MS (2 * TIME_MINUTE)
#define FAILED_KEPT (15 * TIME_SECOND)
#define USUAL_LIFE TIME_HOUR /* of a token without expires_in */
#define LONGEST_LIFE (24 * TIME_HOUR)
#define READ_MS 10000
#define AWAIT_MS 5000 /* and the timeout of a request */
#define LOOK_MS 100

static int64_t request_ms(const struct desk *d) {
    return setting_int(d, "mail.oauth_timeout_seconds") * TIME_SECOND;
}

/* ---- one request ----------------------------------------------------------------------------- */

enum answer { ANSWER_GRANT, ANSWER_REFUSED /* by the provider, for good */, ANSWER_FAILED };

/* A word of the provider in a sentence: only the characters of RFC 6749, section 5.2, and not many. */
static struct str error_word(struct arena *a, const struct json *reply) {
    struct str word = json_member_text(reply, "error");
    bool plain = word.n > 0 && word.n <= 60;
    for (size_t i = 0; i < word.n && plain; i++)
        plain = word.p[i] > ' ' && word.p[i] < 0x7F && word.p[i] != '"' && word.p[i] != '\\';
    return plain ? str_dup(a, word) : S("an error without a name");
}

static int64_t life_of(const struct json *reply) {
    const struct json *j = json_member(reply, S("expires_in"));
    int64_t seconds;
    if (j == NULL || (j->type != JSON_NUMBER && j->type != JSON_STRING) || !str_to_int(j->text, &seconds))
        return USUAL_LIFE;
    int64_t most = LONGEST_LIFE / TIME_SECOND;
    return (seconds < 1 ? 1 : seconds < most ? seconds : most) * TIME_SECOND;
}

/* A token goes into a line of SMTP and IMAP. */
static bool token_is_plain(struct str t) {
    for (size_t i = 0; i < t.n; i++)
        if (t.p[i] <= ' ' || t.p[i] >= 0x7F) return false;
    return t.n > 0 && t.n <= TOKEN_MAX;
}

static bool is_bearer(const struct json *reply) {
    struct str type = json_member_text(reply, "token_type");
    return type.p == NULL || (type.n == 6 && strncasecmp(type.p, "bearer", 6) == 0);
}

/* These errors come again at each attempt (RFC 6749, section 5.2), all others may pass. */
static bool is_final(struct str error) {
    static const char *const words[] = {"invalid_grant",    "invalid_client",         "unauthorized_client",
                                        "invalid_scope",    "unsupported_grant_type", "access_denied",
                                        "consent_required", "interaction_required",   "login_required"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(error, str_of(words[i]))) return true;
    return false;
}

static enum answer grant_read(struct arena *a, const struct fetched *got, struct mail_grant *out,
                              struct str *why) {
    struct json *reply;
    struct json_error err;
    if (json_parse(a, got->body, &reply, &err) < 0 || reply->type != JSON_OBJECT) {
        *why = str_fmt(a, "The provider answered %d, without a JSON object.", got->status);
        return ANSWER_FAILED;
    }
    *out = (struct mail_grant){.access = json_member_text(reply, "access_token"),
                               .refresh = json_member_text(reply, "refresh_token"),
                               .life = life_of(reply)};
    if (got->status == 200 && token_is_plain(out->access) && is_bearer(reply)) {
        if (!token_is_plain(out->refresh)) out->refresh = (struct str){0};
        return ANSWER_GRANT;
    }
    if (got->status == 200) {
        *why = S("The provider answered without an access token for mail.");
        return ANSWER_FAILED;
    }
    struct str error = error_word(a, reply);
    bool final = got->status >= 400 && got->status < 500 && is_final(error);
    *why = final && str_eq(error, S("invalid_grant"))
               ? S("The consent has ended at the provider (invalid_grant).")
               : str_fmt(a, "The provider answered %d with %.*s.", got->status, (int)error.n, error.p);
    return final ? ANSWER_REFUSED : ANSWER_FAILED;
}

static enum answer token_ask(struct work *w, const struct mail_oauth *o, const struct url_pair *grant,
                             const atomic_bool *stopping, struct mail_grant *out, struct str *why) {
    struct arena *a = w->arena;
    bool private_allowed = setting_bool(w->desk, "mail.imap_allow_private_addresses");
    bool in_body = o->secret.n && o->preset->secret_in_body, in_head = o->secret.n && !in_body;
    const struct url_pair client[] = {{"client_id", in_head ? (struct str){0} : o->client_id},
                                      {"client_secret", in_body ? o->secret : (struct str){0}},
                                      {NULL, {0}}};
    struct str own = url_form(a, grant), form = url_form(a, client);
    struct fetch f = {.url = o->token_url,
                      .form = form.n ? STR_CAT(a, own, S("&"), form) : own,
                      .authorization = in_head ? basic_credentials(a, url_encoded(a, o->client_id),
                                                                   url_encoded(a, o->secret))
                                               : (struct str){0},
                      .private_allowed = private_allowed,
                      .timeout_ms = request_ms(w->desk),
                      .most = REPLY_MAX,
                      .stopping = stopping};
    struct fetched got;
    if (!signin_url_allowed(o->token_url, private_allowed)) {
        *why = S("The address for tokens does not begin with https://.");
        return ANSWER_FAILED;
    }
    fetch_run(a, &f, &got);
    if (got.status) return grant_read(a, &got, out, why);
    *why = STR_CAT(a, S("The provider failed: "), got.why);
    return ANSWER_FAILED;
}

bool mail_token_of_code(struct work *w, const struct mail_oauth *o, struct str code, struct str verifier,
                        const atomic_bool *stopping, struct mail_grant *out, struct str *why) {
    const struct url_pair grant[] = {{"grant_type", S("authorization_code")},
                                     {"code", code},
                                     {"redirect_uri", consent_callback(w->desk, w->arena, o->mailbox_id)},
                                     {"code_verifier", verifier},
                                     {NULL, {0}}};
    if (token_ask(w, o, grant, stopping, out, why) != ANSWER_GRANT) return false;
    if (out->refresh.n) return true;
    *why = S("The provider gave no refresh token. Compare the scopes and the authorization address: most "
             "providers give one for the scope offline_access, some for an argument of the address.");
    return false;
}

/* ---- the store ------------------------------------------------------------------------------- */

struct renewal {
    int64_t mailbox_id;
    struct str holder;
    struct mail_oauth oauth;
    struct mail_grant grant;
    enum answer answer;
    struct str why;
    bool leased;
};

static struct str token_lease(struct work *w, const struct renewal *r) {
    return mail_token_lease(w->arena, r->mailbox_id);
}

static int renewal_read(struct work *w, void *arg) {
    struct renewal *r = arg;
    return mail_oauth_load(w, r->mailbox_id, &r->oauth);
}

/* The token is read again behind the lease, because another thread may just have renewed it. */
static int renewal_begin(struct work *w, void *arg) {
    struct renewal *r = arg;
    int held = lease_take(w, token_lease(w, r), r->holder, LEASE_MS);
    TRY(held);
    r->leased = held;
    return held ? mail_oauth_load(w, r->mailbox_id, &r->oauth) : 0;
}

static int renewal_end(struct work *w, void *arg) {
    struct renewal *r = arg;
    int rc = r->answer == ANSWER_GRANT     ? mail_oauth_renewed(w, &r->oauth, &r->grant)
             : r->answer == ANSWER_REFUSED ? mail_oauth_lost(w, &r->oauth, r->why)
                                           : mail_oauth_failed(w, &r->oauth, r->why);
    TRY(rc);
    return lease_release(w, token_lease(w, r), r->holder);
}

static int renewal_drop(struct work *w, void *arg) {
    const struct renewal *r = arg;
    return lease_release(w, token_lease(w, r), r->holder);
}

/* Runs `run` in a write of its own actor. The arena stays that of w. */
static int renewal_write(struct work *w, int (*run)(struct work *w, void *arg), struct renewal *r) {
    struct work own;
    work_init(&own, w->desk, w->arena);
    own.actor = MAIL_TOKEN_ACTOR;
    return work_write(&own, run, r);
}

/* A reader is a connection on PostgreSQL, and threads of mailboxes have none of their own. */
static int renewal_load(struct work *w, struct renewal *r) {
    struct work own;
    if (db_blocks(w->desk->db)) return renewal_write(w, renewal_read, r);
    work_init(&own, w->desk, w->arena);
    return work_read(&own, READ_MS, renewal_read, r);
}

/* ---- the token ------------------------------------------------------------------------------- */

/* Looks what is stored. Returns true if that is the result. */
static bool token_stored(const struct renewal *r, int64_t now, enum mail_token_result *result,
                         struct mail_token *out) {
    const struct mail_oauth *o = &r->oauth;
    bool is_valid = o->access_token.n && now < o->access_until;
    bool failed_lately = o->failed_at && now >= o->failed_at && now - o->failed_at < FAILED_KEPT;
    *out = (struct mail_token){.text = o->access_token};
    if (o->state != CONSENT_CONNECTED) {
        out->why = o->reason.n ? o->reason : S("The mailbox must be connected at its provider.");
        *result = MAIL_TOKEN_CONSENT;
    } else if (o->refresh_token.n == 0) {
        out->why = S("The tokens were encrypted with another server key. Connect the mailbox again.");
        *result = MAIL_TOKEN_CONSENT;
    } else if (is_valid && (now < o->renew_at || failed_lately)) {
        *result = MAIL_TOKEN_READY;
    } else if (failed_lately) {
        out->why = o->reason;
        *result = MAIL_TOKEN_LATER;
    } else return false;
    return true;
}

/* The lease is held: asks the provider, and stores the answer. */
static enum mail_token_result token_renew(struct work *w, struct renewal *r, int64_t now,
                                          const atomic_bool *stopping, struct mail_token *out) {
    struct mail_oauth *o = &r->oauth;
    const struct url_pair grant[] = {
        {"grant_type", S("refresh_token")}, {"refresh_token", o->refresh_token}, {NULL, {0}}};
    r->answer = token_ask(w, o, grant, stopping, &r->grant, &r->why);
    if (stopping && atomic_load(stopping) && r->answer != ANSWER_GRANT) {
        renewal_write(w, renewal_drop, r);
        return MAIL_TOKEN_LATER;
    }
    bool is_stored = renewal_write(w, renewal_end, r) >= 0;
    *out = (struct mail_token){.text = r->grant.access, .why = r->why};
    if (r->answer == ANSWER_GRANT && is_stored) return MAIL_TOKEN_READY;
    if (r->answer == ANSWER_REFUSED) {
        log_warn("the mailbox %" PRId64 " must be connected again: %.*s", o->mailbox_id, (int)r->why.n,
                 r->why.p);
        return MAIL_TOKEN_CONSENT;
    }
    if (r->answer == ANSWER_GRANT) {
        unstored_keep(w->desk, o, &r->grant, r->holder);
        out->why = S("The store can't be written.");
        return MAIL_TOKEN_LATER;
    }
    if (!o->access_token.n || now >= o->access_until) return MAIL_TOKEN_LATER;
    out->text = o->access_token;
    return MAIL_TOKEN_READY;
}

enum mail_token_result mail_token_get(struct work *w, int64_t mailbox_id, const atomic_bool *stopping,
                                      struct mail_token *out) {
    struct renewal r = {.mailbox_id = mailbox_id,
                        .holder = STR_CAT(w->arena, w->desk->process, S(" "), random_hex(w->arena, 8))};
    enum mail_token_result result;
    *out = (struct mail_token){.why = S("The store can't be written.")};
    if (unstored_write(w->desk, mailbox_id)) return MAIL_TOKEN_LATER;
    int found = renewal_load(w, &r);
    int64_t now = clock_now(&w->desk->clock);
    *out = (struct mail_token){.why = S("The store can't be read.")};
    if (found < 0) return MAIL_TOKEN_LATER;
    if (found == 0) return MAIL_TOKEN_NONE;
    if (token_stored(&r, now, &result, out)) return result;
    found = renewal_write(w, renewal_begin, &r);
    if (found < 0) return MAIL_TOKEN_LATER;
    if (!r.leased) return MAIL_TOKEN_BUSY;
    if (found == 0 || token_stored(&r, now, &result, out)) {
        renewal_write(w, renewal_drop, &r);
        return found ? result : MAIL_TOKEN_NONE;
    }
    return token_renew(w, &r, now, stopping, out);
}

enum mail_token_result mail_token_await(struct work *w, int64_t mailbox_id, const atomic_bool *stopping,
                                        struct mail_token *out) {
    int64_t until = clock_monotonic() + AWAIT_MS + request_ms(w->desk);
    for (;;) {
        enum mail_token_result result = mail_token_get(w, mailbox_id, stopping, out);
        if (result != MAIL_TOKEN_BUSY) return result;
        if (atomic_load(stopping) || clock_monotonic() > until) break;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    }
    out->why = S("Another thread renews the access token.");
    return MAIL_TOKEN_LATER;
}

struct refusal {
    int64_t mailbox_id;
    struct str token;
};

static int refusal_note(struct work *w, void *arg) {
    const struct refusal *r = arg;
    return mail_oauth_refused(w, r->mailbox_id, r->token);
}

void mail_token_refused(struct work *w, int64_t mailbox_id, struct str token) {
    desk_write(w->desk, MAIL_TOKEN_ACTOR, refusal_note, &(struct refusal){mailbox_id, token});
}
