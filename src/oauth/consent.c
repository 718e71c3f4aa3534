/* The forms of the authorize page: login, second step, consent. */
#include "core/access/scope.h"
#include "oauth/authorize.h"

/* The scheme of the redirect may follow the post. A whole host would break callbacks that lead on to
 * another host, because browsers apply form-action to each redirect. */
static struct str consent_policy(struct asking *m) {
    struct str rest = m->request.redirect_uri, scheme = str_cut(&rest, ':');
    for (size_t i = 0; i < scheme.n; i++)
        if (!in_set(scheme.p[i] | 0x20, "abcdefghijklmnopqrstuvwxyz0123456789+.-")) scheme = S("https");
    return STR_CAT(m->visit->arena,
                   S("default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; "
                     "form-action 'self' https: "),
                   scheme, S(":; frame-ancestors 'none'"));
}

static void consent_form_begin(struct asking *m, const struct ticket *t) {
    struct visit *v = m->visit;
    struct ticket full = *t;
    full.until = v->work.now + TICKET_LIFE;
    full.browser = m->browser;
    full.query = authorization_query(v->arena, &m->request);
    if (full.auth_token.p == NULL) full.auth_token = S("");
    full.error = str_of(m->request.error ? m->request.error : "");
    full.description = str_of(m->request.error && m->request.description ? m->request.description : "");
    if (m->request.error) v->policy = consent_policy(m); /* the login leads to the client */
    html(
        &v->form,
        "<form method=\"post\" action=\"authorize\">\n<input type=\"hidden\" name=\"ticket\" value=\"%s\">\n",
        ticket_seal(v->api->desk, v->arena, &full).p);
}

static const char *wrong_marks(const char *wrong) {
    return wrong ? " aria-describedby=\"wrong\" aria-invalid=\"true\"" : "";
}

static void write_purpose(struct asking *m) {
    struct buf *out = &m->visit->form;
    const char *name = m->request.client.name.p;
    if (m->request.error)
        html(
            out,
            "<p>The request of <strong><bdi>%s</bdi></strong> has an error: %s Log in to return to the app.</p>\n",
            name, m->request.description);
    else html(out, "<p>Log in to let <strong><bdi>%s</bdi></strong> act for you.</p>\n", name);
}

void ask_login(struct asking *m, const char *wrong) {
    struct visit *v = m->visit;
    struct str hint =
        m->request.login_hint.n && m->request.login_hint.n < 255 ? m->request.login_hint : S("");
    struct str typed = wrong ? visit_text(v, "email") : hint;
    visit_says(v, "page_authorize_login");
    consent_form_begin(m, &(struct ticket){.step = TICKET_LOGIN});
    write_purpose(m);
    visit_wrong(v, wrong);
    html(&v->form,
         "<label for=\"email\">E-mail</label>\n<input id=\"email\" name=\"email\" type=\"email\" required "
         "autocomplete=\"username\" value=\"%s\"%h>\n",
         typed.p, wrong_marks(wrong));
    html(&v->form,
         "<label for=\"password\">Password</label>\n<input id=\"password\" name=\"password\" "
         "type=\"password\" required autocomplete=\"current-password\"%h>\n<button>Log "
         "in</button>\n</form>\n",
         wrong_marks(wrong));
}

void ask_code(struct asking *m, struct str auth_token, const char *wrong) {
    struct visit *v = m->visit;
    visit_says(v, "page_authorize_login");
    consent_form_begin(m, &(struct ticket){.step = TICKET_CODE, .auth_token = auth_token});
    visit_asks_code(v, wrong);
}

/* ---- consent --------------------------------------------------------------------------------- */

static bool is_web(struct str url) { return str_starts(url, S("https://")) || str_starts(url, S("http://")); }

/* bdi, because a row of an older version or of an import may change the direction of the text. */
static void write_client_link(struct buf *out, struct str url, const char *text) {
    buf_text(out, "<bdi>");
    if (is_web(url))
        html(out,
             "<a href=\"%s\" rel=\"noopener noreferrer nofollow\" "
             "target=\"_blank\">%s</a>",
             url.p, text);
    else html(out, "%s", text);
    buf_text(out, "</bdi>");
}

static void write_client(struct asking *m) {
    struct buf *out = &m->visit->form;
    const struct client *c = &m->request.client;
    struct str logo = client_logo_url(m->visit->api->desk, m->visit->arena, c->id, c->logo_at);
    if (logo.p) html(out, "<img src=\"%s\" alt=\"\" style=\"max-width:100px;max-height:100px\">\n", logo.p);
    buf_text(out, "<p><strong>");
    write_client_link(out, c->url, c->name.p);
    buf_text(out, "</strong>");
    if (c->author.n) {
        buf_text(out, " by ");
        write_client_link(out, c->author_url, c->author.p);
    }
    buf_text(out, " asks for access to your account.</p>\n");
    if (c->description.n) html(out, "<p>%s</p>\n", c->description.p);
}

static void write_person(struct asking *m) {
    struct buf *out = &m->visit->form;
    html(out, "<p>You are logged in as <strong>%s</strong>", m->name.p);
    if (m->email.n) html(out, " (%s)", m->email.p);
    buf_text(out, ".</p>\n");
}

static void write_scopes(struct buf *out, uint32_t mask) {
    buf_text(out, "<p>It could, as far as you may yourself:</p>\n<ul>\n");
    for (const struct scope *s = scopes; s->name; s++) {
        uint32_t writes = scope_bit(str_of(s->name), true), reads = scope_bit(str_of(s->name), false);
        if (mask & (writes | reads)) html(out, "<li>%s</li>\n", mask & writes ? s->writes : s->reads);
    }
    buf_text(out, "</ul>\n");
}

/* The host of the redirect, or its scheme: the person sees where the code goes. */
static struct str destination(struct str url) {
    const char *mark = memmem(url.p, url.n, "://", 3);
    struct str rest = mark ? (struct str){mark + 3, url.n - (size_t)(mark + 3 - url.p)} : url, host;
    if (!is_web(url)) return str_cut(&url, ':');
    host = str_cut(&rest, '/');
    return str_cut(&host, '?');
}

void ask_consent(struct asking *m) {
    struct visit *v = m->visit;
    struct str to = destination(m->request.redirect_uri);
    visit_says(v, "page_authorize");
    v->policy = consent_policy(m);
    consent_form_begin(
        m, &(struct ticket){.step = TICKET_CONSENT, .user_id = m->user_id, .session_id = m->session_id});
    write_client(m);
    write_scopes(&v->form, m->request.scopes);
    html(&v->form, "<p>Allow it only if you trust it. %s Afterwards you return to <strong>%s</strong>.</p>\n",
         m->is_staff ? "You can end its access in your profile."
                     : "To end its access, change your password or ask us.",
         str_dup(v->arena, to).p);
    write_person(m);
    buf_text(&v->form, "<p class=\"buttons\"><button name=\"do\" value=\"allow\">Allow</button>\n<button "
                       "class=\"quiet\" name=\"do\" value=\"deny\">Deny</button></p>\n<p><button "
                       "class=\"quiet\" name=\"do\" value=\"switch\">Not you?</button></p>\n</form>\n");
}
