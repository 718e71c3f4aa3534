/* The page to which a provider sends the browser of an owner who connects a mailbox
 * (core/mail/mailbox_oauth.h).
 *
 *     GET /mailboxes/3/oauth/callback?code&state ─▸ state, session of the same owner ─▸ issuer ─▸ tokens
 *         ─▸ one write ─▸ 303 settings
 *
 * Each mailbox has a callback of its own, so that the code of one provider is never sent to another. A page
 * of another site can't connect an account of its own, because the state is made for the person whose
 * session the browser has, and is used once. The request to the provider runs in LANE_OUTSIDE. */
#include "api/caller/auth.h"
#include "api/caller/rate.h"
#include "api/table/describe.h"
#include "base/log.h"
#include "core/access/permission.h"
#include "core/mail/mailbox_oauth.h"
#include "core/signin/login.h"
#include "mail/mail_token.h"
#include "pages/outside.h"
#include "pages/template_page.h"

#include <inttypes.h>

struct consenting {
    int64_t mailbox_id; /* of the path */
    struct consent_ticket ticket;
    struct mail_oauth oauth;
    struct mail_grant grant;
    bool is_owner;
};

/* In the language of the owner, or of the browser where the owner is not known. */
static void consent_note(struct visit *v, int status, enum site_word title, const char *text) {
    const struct consenting *m = v->prepared;
    visit_notes(v, status, SAY(v, title), text);
    if (!v->api->cfg.console) return;
    v->link = str_fmt(v->arena, "%s/agent/settings/mailboxes/%" PRId64, url_path(v->api->desk->base_url).p,
                      m->mailbox_id);
    v->link_text = SAY(v, WORD_BACK_TO_MAILBOX);
}

QUERY(owner_locale, "SELECT l.locale FROM users u JOIN locales l ON l.id = u.locale_id WHERE u.id = :id");

static int owner_speaks(struct visit *v) {
    struct str code = {0};
    TRY(db_text(v->work.conn, &owner_locale, BINDS(B_INT("id", v->work.actor.user_id)), v->arena, &code));
    if (code.n) v->language = language_of_locale(code, str_of(language_code(v->language)));
    return 0;
}

static int read_owner(struct visit *v) {
    struct consenting *m = v->prepared;
    int known = auth_cookie(&v->work, v->http);
    if (known <= 0) return known;
    TRY(owner_speaks(v));
    m->is_owner = v->work.actor.rank >= ROLE_OWNER && v->work.actor.user_id == m->ticket.user_id &&
                  permitted(&v->work.actor, "channels.manage");
    return m->is_owner ? mail_oauth_load(&v->work, m->mailbox_id, &m->oauth) : 0;
}

/* The provider names itself otherwise than it must (RFC 9207). */
static bool issuer_differs(const struct visit *v, const struct mail_oauth *o) {
    struct str iss = visit_text(v, "iss");
    if (iss.n == 0) return o->issuer_named;
    return o->issuer.p && !str_eq(iss, o->issuer);
}

/* Before the request to the provider, because a second code would end the tokens of the first one. */
static int write_state(struct visit *v) {
    const struct consenting *m = v->prepared;
    return signin_state_take(&v->work, visit_text(v, "state"), m->ticket.until);
}

static int write_mail_consent(struct visit *v) {
    const struct consenting *m = v->prepared;
    return mail_oauth_connect(&v->work, m->mailbox_id, &m->grant);
}

static void consent_refused(struct visit *v) {
    struct str error = visit_text(v, "error");
    bool plain = error.n > 0 && error.n <= 60;
    for (size_t i = 0; i < error.n && plain; i++) plain = in_set(error.p[i], "abcdefghijklmnopqrstuvwxyz_");
    const char *text = SAY(v, WORD_PROVIDER_DISAGREES);
    consent_note(v, 403, WORD_MAILBOX_NOT_CONNECTED,
                 plain ? str_fmt(v->arena, "%s (%.*s)", text, (int)error.n, error.p).p : text);
}

static void consent_store(struct visit *v) {
    const struct consenting *m = v->prepared;
    if (visit_write(v, write_mail_consent) < 0) visit_failed(v);
    else if (v->api->cfg.console)
        v->location = STR_CAT(v->arena, url_path(v->api->desk->base_url), S("/agent/settings/mailboxes/"),
                              str_fmt(v->arena, "%" PRId64, m->mailbox_id));
    else consent_note(v, 200, WORD_MAILBOX_CONNECTED, SAY(v, WORD_CLOSE_PAGE));
}

static void consent_exchange(struct visit *v) {
    struct consenting *m = v->prepared;
    struct str why;
    int fresh = visit_write(v, write_state);
    if (fresh < 0) {
        visit_failed(v);
    } else if (fresh == 0) {
        consent_note(v, 400, WORD_ANSWER_USED, SAY(v, WORD_MAILBOX_AGAIN));
    } else if (mail_token_of_code(&v->work, &m->oauth, visit_text(v, "code"), m->ticket.verifier,
                                  &v->api->draining, &m->grant, &why)) {
        consent_store(v);
    } else {
        log_often(LOG_WARN, "consents of mailboxes", "mailbox %" PRId64 ": %.*s", m->mailbox_id, (int)why.n,
                  why.p);
        /* the reason is that of the API, in English */
        consent_note(v, 502, WORD_MAILBOX_NOT_CONNECTED,
                     str_fmt(v->arena, "%s (%.*s)", SAY(v, WORD_PROVIDER_NO_ACCESS), (int)why.n, why.p).p);
    }
}

static void consent_finish(struct visit *v) {
    const struct consenting *m = v->prepared;
    if (issuer_differs(v, &m->oauth)) {
        log_often(LOG_WARN, "consents of mailboxes", "mailbox %" PRId64 ": the reply names another issuer",
                  m->mailbox_id);
        consent_note(v, 403, WORD_MAILBOX_NOT_CONNECTED, SAY(v, WORD_OTHER_PROVIDER));
    } else if (visit_text(v, "error").n || visit_text(v, "code").n == 0) {
        consent_refused(v);
    } else {
        consent_exchange(v);
    }
}

/* Returns the id in "/mailboxes/3/oauth/callback", or 0. */
static int64_t consent_path(struct str path) {
    struct str start = S("/mailboxes/"), end = S("/oauth/callback");
    int64_t id;
    if (!str_starts(path, start) || path.n <= start.n + end.n ||
        memcmp(path.p + path.n - end.n, end.p, end.n) != 0)
        return 0;
    return str_to_int((struct str){path.p + start.n, path.n - start.n - end.n}, &id) && id > 0 ? id : 0;
}

static void show_consent(struct visit *v) {
    struct consenting *m = ARENA_NEW(v->arena, struct consenting);
    *m = (struct consenting){.mailbox_id = consent_path(v->http->path)};
    v->prepared = m;
    if (!consent_ticket_open(v->api->desk, v->arena, visit_text(v, "state"), v->work.now, &m->ticket) ||
        m->ticket.mailbox_id != m->mailbox_id) {
        consent_note(v, 400, WORD_ANSWER_OLD, SAY(v, WORD_MAILBOX_AGAIN));
        return;
    }
    int64_t wait = rate_form(v->api, v->http->remote, v->work.now);
    int rc = wait ? 0 : visit_read(v, read_owner);
    if (wait < 0 || rc < 0) visit_failed(v);
    else if (wait) consent_note(v, 429, WORD_TOO_MANY, SAY(v, WORD_TRY_IN_A_MINUTE));
    else if (!m->is_owner) consent_note(v, 403, WORD_LOG_IN_FIRST, SAY(v, WORD_LOG_IN_FIRST_TEXT));
    else if (rc == 0) consent_note(v, 404, WORD_NO_PROVIDER, SAY(v, WORD_NO_PROVIDER_TEXT));
    else consent_finish(v);
}

static const struct page consent_page = {
    .path = "/mailboxes/", .show = show_consent, .outside = true, .translated = true};

bool consent_page_handle(struct api *api, struct http_request *r) {
    if (!str_eq(r->method, S("GET")) || consent_path(r->path) == 0) return false;
    visit_begin(api, r, &consent_page, false);
    return true;
}
