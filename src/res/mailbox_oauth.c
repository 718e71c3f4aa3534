/* The way of an owner to the provider of a mailbox. The callback is a page: pages/consent_page.c. */
#include "core/mail/mailbox_oauth.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "core/signin/url.h"
#include "res/groups.h"

static void render_url(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_str(&v->w, own->s);
}

static const struct field consent_fields[] = {
    {"url", F_COMPUTED, READONLY | SECRET, .column = "", .render = render_url,
     .doc = "Address at the provider. Open it in the browser in which you are logged in at the desk. It "
            "works once, "
            "for ten minutes.",
     .example = "\"https://login.example.com/authorize?client_id=desk&state=...\""},
    {0},
};

QUERY(consent_login_hint, "SELECT COALESCE(imap_user, smtp_user, address, '') FROM mailboxes WHERE id = :id");

static int reply_consent(struct call *c, const struct mail_oauth *o) {
    struct work *w = &c->work;
    struct arena *a = w->arena;
    struct str hint = {0};
    TRY(db_text(w->conn, &consent_login_hint, BINDS(B_INT("id", o->mailbox_id)), a, &hint));
    struct consent_ticket t = {o->mailbox_id, w->actor.user_id, w->now + CONSENT_LIFE, random_hex(a, 32)};
    const struct url_pair pairs[] = {{"response_type", S("code")},
                                     {"client_id", o->client_id},
                                     {"redirect_uri", consent_callback(w->desk, a, o->mailbox_id)},
                                     {"scope", o->scopes},
                                     {"login_hint", hint.n ? hint : (struct str){0}},
                                     {"state", consent_ticket_seal(w->desk, a, &t)},
                                     {"code_challenge", pkce_challenge(a, t.verifier)},
                                     {"code_challenge_method", S("S256")},
                                     {NULL, {0}}};
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    struct str url = url_with(a, o->authorization_url, pairs);
    if (url.p == NULL) return fail_state(w, "The authorization address of the provider is not valid.");
    *row_cell(row, "url") = value_text(url);
    return envelope_row(v, row);
}

static int post_mailbox_oauth(struct call *c) {
    struct mail_oauth o;
    TRY(api_of(c));
    TRY(api_input(c));
    int found = mail_oauth_load(&c->work, c->vars[0].id, &o);
    TRY(found);
    if (found == 0) return fail_state(&c->work, "The mailbox has no provider. Set oauth_provider first.");
    return reply_consent(c, &o);
}

static const struct route consent_routes[] = {
    {POST, "/mailboxes/:id/oauth", OWNERS, "", ONE, post_mailbox_oauth, .of = "mailbox", .reads = true,
     .status = 200, .permission = "channels.manage", .errors = "RESOURCE_ACTION_NOT_AVAILABLE",
     .input = no_fields, .summary = "Begin to connect a mailbox",
     .doc = "Returns the address at the provider, where an owner agrees that the desk reads and sends the "
            "mails of the "
            "account. Only owners do this, and no token. The provider sends the browser back to the desk, "
            "which stores the consent: oauth_state of the mailbox is then CONNECTED.",
     .sample = {.refused = "RESOURCE_ACTION_NOT_AVAILABLE"}},
    {0},
};

const struct resource mailbox_consent_resource = {
    .type = "mailbox_consent",
    .scope = "configuration",
    .title = "Consents of mailboxes",
    .doc = "The way to the provider at which a mailbox logs in by OAuth 2.",
    .fields = consent_fields,
    .routes = consent_routes};
