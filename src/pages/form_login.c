/* Login, its further steps, logout, and the request of a mailed link for a new password. The checks are
 * those of GET /session: lock-out, delay, second factor, expired password. No reply differs by whether an
 * address has an account. */
#include "core/all/finish.h"
#include "base/encoding.h"
#include "core/signin/provider.h"
#include "core/signin/url.h"
#include "pages/handlers.h"

static const struct form_field login_fields[] = {
    {"email", WORD_EMAIL, .type = "email", .autocomplete = "username", .max = 255, .required = true},
    {"password", WORD_PASSWORD, .type = "password", .autocomplete = "current-password", .required = true},
    {0},
};
static const struct form_field code_fields[] = {
    {"code", WORD_CODE, .hint = WORD_CODE_HINT, .autocomplete = "one-time-code", .max = 40, .required = true},
    {0},
};
static const struct form_field new_password_fields[] = {
    {"new_password", WORD_NEW_PASSWORD, .type = "password", .hint = WORD_PASSWORD_EXPIRED,
     .autocomplete = "new-password", .required = true},
    {0},
};
static const struct form_field reset_fields[] = {
    {"email", WORD_EMAIL, .type = "email", .autocomplete = "username", .max = 255, .required = true},
    {0},
};

struct login {
    struct str next;  /* path behind the locale of the page after the login; empty: the conversations */
    struct str token; /* continues a login with several steps; empty: none */
};

/* Only a path behind the locale, so that a link can't lead from the login to another site. */
static struct str login_next(struct form_page *a) {
    struct str to = a->posted ? form_typed(a, "to") : site_query(a->visit, "to");
    bool plain = to.n && to.n < 500 && to.p[0] == '/';
    for (size_t i = 0; i < to.n && plain; i++)
        plain = to.p[i] > ' ' && to.p[i] < 127 && !in_set(to.p[i], "\\\"'<>");
    return plain ? to : S("");
}

static int login_leave(struct form_page *a) {
    const struct login *mine = a->own;
    return form_redirect(a, "%s", mine->next.n ? mine->next.p : "/conversations");
}

/* ---- ways to log in beside the password ------------------------------------------------------ */

struct ways {
    struct signin_button *list;
    int count;
};

static int ways_read(struct work *w, void *arg) {
    struct ways *out = arg;
    out->count = signin_buttons_of_customers(w, &out->list);
    return out->count < 0 ? out->count : 0;
}

/* The session is a cookie of the host of the base URL, so a brand with another host has no buttons. */
static bool brand_has_ways(const struct site_visit *v) {
    struct str base = v->api->desk->base_url;
    bool same = str_starts(base, v->origin);
    return same && (base.n == v->origin.n || base.p[v->origin.n] == '/');
}

static void login_ways(struct form_page *a) {
    struct site_visit *v = a->visit;
    const struct login *mine = a->own;
    struct ways ways = {0};
    if (!brand_has_ways(v) || a->subcall.crowded) return;
    int rc = a->posted ? work_read(&v->work, BUDGET_POOL_MS, ways_read, &ways) : ways_read(&v->work, &ways);
    struct str next = mine->next.n ? mine->next : S("/conversations");
    struct str to = url_encoded(a->arena, STR_CAT(a->arena, S("/helpcenter/"), v->locale, next));
    for (int i = 0; rc >= 0 && i < ways.count; i++)
        html(form_out(a),
             "<p class=\"way\"><a class=\"button quiet\" href=\"%s/signin/%d?to=%s\">%s</a></p>\n",
             str_dup(a->arena, v->prefix).p, (int)ways.list[i].id, to.p, ways.list[i].label.p);
}

/* One step of the login. */
static int login_step(struct form_page *a, enum site_word title, const struct form_field *fields,
                      enum site_word button) {
    const struct login *mine = a->own;
    a->kind = "small";
    html(form_out(a), "<h1>%s</h1>\n", form_say(a, title));
    form_problems(a, fields);
    form_open(a, form_path(a, "/login"), NULL);
    if (mine->next.n) form_hidden(a, "to", mine->next);
    if (mine->token.n) form_hidden(a, "_continue", mine->token);
    for (const struct form_field *f = fields; f->name; f++) form_field(a, f);
    form_close(a, button);
    if (fields == login_fields) login_ways(a);
    if (fields == login_fields)
        html(form_out(a), "<p><a href=\"%s\">%s</a></p>\n", form_path(a, "/reset").p,
             form_say(a, WORD_FORGOTTEN));
    return form_show(a, str_of(form_say(a, title)));
}

static int show_login(struct form_page *a) {
    struct login *mine = a->own;
    mine->token = S("");
    return login_step(a, WORD_LOG_IN, login_fields, WORD_LOG_IN);
}
static int show_code(struct form_page *a) {
    return login_step(a, WORD_SECOND_STEP, code_fields, WORD_CONTINUE);
}
static int show_new_password(struct form_page *a) {
    return login_step(a, WORD_NEW_PASSWORD, new_password_fields, WORD_SET_PASSWORD);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static int login_wrong(struct form_page *a, enum site_word wrong, int (*show)(struct form_page *a)) {
    a->wrong = wrong;
    a->status = a->subcall.status;
    return show(a);
}

static int login_locked_out(struct form_page *a) {
    int64_t seconds;
    if (str_to_int(a->subcall.retry_after, &seconds)) a->wrong_number = (int)((seconds + 59) / 60);
    http_add_header(a->visit->http, "Retry-After", a->subcall.retry_after);
    return login_wrong(a, WORD_LOCKED, show_login);
}

static int login_done(struct form_page *a) {
    struct login *mine = a->own;
    struct str code = subcall_code(a->subcall.reply);
    bool stepped = mine->token.n > 0;
    if (form_ok(a)) {
        a->visit->cookies[0] = a->subcall.set_cookie;
        return login_leave(a);
    }
    if (str_eq(code, S("AUTHENTICATION_LOCKED"))) return login_locked_out(a);
    if (str_eq(code, S("OTP_EXPECTED")) || str_eq(code, S("CREDENTIAL_EXPIRED"))) {
        mine->token = json_member_text(a->subcall.reply, "auth_token");
        return str_eq(code, S("OTP_EXPECTED")) ? show_code(a) : show_new_password(a);
    }
    if (str_eq(code, S("AUTHENTICATION_FAILED")))
        return login_wrong(a, stepped ? WORD_WRONG_CODE : WORD_WRONG_LOGIN, stepped ? show_code : show_login);
    return form_refused(a);
}

static int login_password_set(struct form_page *a) {
    if (str_eq(subcall_code(a->subcall.reply), S("AUTHENTICATION_FAILED")))
        return login_wrong(a, WORD_FORM_EXPIRED, show_login);
    if (!form_ok(a)) return form_refused(a);
    html(form_out(a), "<h1>%s</h1>\n<p role=\"status\">%s</p>\n<p><a href=\"%s\">%s</a></p>\n",
         form_say(a, WORD_NEW_PASSWORD), form_say(a, WORD_PASSWORD_SET), form_path(a, "/login").p,
         form_say(a, WORD_LOG_IN));
    return form_show(a, str_of(form_say(a, WORD_NEW_PASSWORD)));
}

/* The second step: a code, or a new password in place of an expired one. */
static int login_go_on(struct form_page *a, struct str token) {
    subcall_header(&a->subcall, "X-Token", token);
    if (json_member(a->visit->form, S("new_password"))) {
        struct json *body = json_new(a->arena, JSON_OBJECT);
        form_add(a, body, "new_password", form_typed(a, "new_password"));
        a->show = show_new_password;
        return form_call(a, PUT, body, login_password_set, "/profile/password");
    }
    subcall_header(&a->subcall, "X-OTP", str_trim(form_typed(a, "code")));
    return form_call(a, GET, NULL, login_done, "/session");
}

static int login_post(struct form_page *a) {
    struct login *mine = a->own;
    struct str login = str_trim(form_typed(a, "email"));
    mine->token = form_typed(a, "_continue");
    if (mine->token.n) return login_go_on(a, mine->token);
    a->subcall.http = a->visit->http;
    if (!subcall_login(&a->subcall, login, form_typed(a, "password"))) {
        a->subcall.status = 401;
        return login_wrong(a, WORD_WRONG_LOGIN, show_login);
    }
    return form_call(a, GET, NULL, login_done, "/session");
}

int page_login(struct site_visit *v) {
    struct form_page *a = form_begin(v, show_login);
    struct login *mine = a->own = ARENA_NEW(a->arena, struct login);
    mine->next = login_next(a);
    mine->token = S("");
    a->subcall.stranger = true; /* a session of this browser does not count */
    if (form_forged(a)) return form_expired(a);
    if (a->posted) return login_post(a);
    return site_logged_in(v) ? login_leave(a) : show_login(a);
}

/* ---- logout ---------------------------------------------------------------------------------- */

static int show_logout(struct form_page *a) {
    a->kind = "small";
    html(form_out(a), "<h1>%s</h1>\n", form_say(a, WORD_LOG_OUT));
    form_problems(a, NULL);
    form_open(a, form_path(a, "/logout"), NULL);
    form_close(a, WORD_LOG_OUT);
    return form_show(a, str_of(form_say(a, WORD_LOG_OUT)));
}

/* The login at the provider ends, too. The page leads there by itself, because browsers apply form-action of
 * the policy to a redirect after a form. The provider returns the state to /signin/out. */
static int logout_goes_on(struct form_page *a) {
    struct site_visit *v = a->visit;
    struct str login = STR_CAT(a->arena, S("/helpcenter/"), v->locale, S("/login"));
    const struct url_pair pairs[] = {{"state", login}, {NULL, {0}}};
    struct str url = url_with(a->arena, a->subcall.logout_url, pairs);
    if (url.p == NULL) return form_redirect(a, "%s", "");
    http_add_header(v->http, "Refresh", STR_CAT(a->arena, S("0; url="), url));
    v->work.actor = (struct actor){.remote = v->work.actor.remote};
    v->csrf = (struct str){0};
    a->kind = "small";
    html(form_out(a), "<h1>%s</h1>\n<p role=\"status\">%s</p>\n<p><a href=\"%s\">%s</a></p>\n",
         form_say(a, WORD_SIGNED_OUT), form_say(a, WORD_SIGNING_OUT_TEXT), url.p,
         form_say(a, WORD_OUT_AT_PROVIDER));
    return form_show(a, str_of(form_say(a, WORD_SIGNED_OUT)));
}

static int logout_done(struct form_page *a) {
    if (!form_ok(a)) return form_refused(a);
    bool secure = str_starts(a->visit->api->desk->base_url, S("https:"));
    a->visit->cookies[0] = secure ? S("desk_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure")
                                  : S("desk_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    if (a->subcall.logout_url.n) return logout_goes_on(a);
    return form_redirect(a, "%s", "");
}

int page_logout(struct site_visit *v) {
    struct form_page *a = form_begin(v, show_logout);
    if (!site_logged_in(v)) return form_redirect(a, "%s", "");
    if (form_forged(a)) return form_expired(a);
    return a->posted ? form_call(a, DELETE, NULL, logout_done, "/session") : show_logout(a);
}

/* ---- a new password -------------------------------------------------------------------------- */

static int show_reset(struct form_page *a) {
    a->kind = "small";
    html(form_out(a), "<h1>%s</h1>\n<p>%s</p>\n", form_say(a, WORD_SET_PASSWORD),
         form_say(a, WORD_RESET_TEXT));
    form_problems(a, reset_fields);
    form_open(a, form_path(a, "/reset"), NULL);
    form_field(a, reset_fields);
    form_close(a, WORD_SEND_LINK);
    return form_show(a, str_of(form_say(a, WORD_SET_PASSWORD)));
}

static int reset_done(struct form_page *a) {
    return form_ok(a) ? form_redirect(a, "/reset?done=sent") : form_refused(a);
}

static int reset_sent(struct form_page *a) {
    a->kind = "small";
    html(form_out(a), "<h1>%s</h1>\n<p role=\"status\">%s</p>\n", form_say(a, WORD_LOOK_INTO_MAIL),
         form_say(a, WORD_LINK_SENT));
    return form_show(a, str_of(form_say(a, WORD_LOOK_INTO_MAIL)));
}

int page_reset(struct site_visit *v) {
    struct form_page *a = form_begin(v, show_reset);
    struct json *body = json_new(a->arena, JSON_OBJECT);
    a->subcall.stranger = true;
    if (form_forged(a)) return form_expired(a);
    if (!a->posted) return str_eq(site_query(v, "done"), S("sent")) ? reset_sent(a) : show_reset(a);
    form_add(a, body, "email", str_trim(form_typed(a, "email")));
    return form_call(a, POST, body, reset_done, "/password/reset");
}
