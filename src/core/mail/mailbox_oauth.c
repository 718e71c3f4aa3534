#include "core/mail/mailbox_oauth.h"

#include "core/change/change.h"
#include "core/desk/setting.h"
#include "core/letters/letter.h"
#include "core/login/session.h"
#include "core/mail/mailbox.h"

#include <inttypes.h>

const struct word mail_provider_words[] = {
    {MAIL_GOOGLE, "GOOGLE"}, {MAIL_MICROSOFT, "MICROSOFT"}, {MAIL_GENERIC, "GENERIC"}, {0}};
const struct word consent_words[] = {
    {CONSENT_NEEDED, "NEEDS_CONSENT"}, {CONSENT_CONNECTED, "CONNECTED"}, {0}};

static const struct mail_preset presets[] = {
    {.kind = MAIL_GOOGLE,
     .authorization_url = "https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&prompt=consent",
     .token_url = "https://oauth2.googleapis.com/token",
     .issuer = "https://accounts.google.com",
     .scopes = "https://mail.google.com/",
     .imap_host = "imap.gmail.com",
     .smtp_host = "smtp.gmail.com",
     .secret_in_body = true},
    {.kind = MAIL_MICROSOFT,
     .authorization_url = "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
     .token_url = "https://login.microsoftonline.com/common/oauth2/v2.0/token",
     .scopes = "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send "
               "offline_access",
     .imap_host = "outlook.office365.com",
     .smtp_host = "smtp.office365.com",
     .secret_in_body = true},
    {.kind = MAIL_GENERIC},
};

const struct mail_preset *mail_preset_of(int kind) {
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if ((int)presets[i].kind == kind) return &presets[i];
    return NULL;
}

/* ---- the row --------------------------------------------------------------------------------- */

QUERY(mail_oauth_row,
      "SELECT oauth_provider, oauth_authorization_url, oauth_token_url, oauth_issuer, oauth_scopes, "
      "oauth_client_id, oauth_client_secret, COALESCE(oauth_state, 1), oauth_reason, oauth_refresh_token, "
      "oauth_access_token, COALESCE(oauth_access_until, 0), COALESCE(oauth_renew_at, 0), "
      "COALESCE(oauth_failed_at, 0) FROM mailboxes "
      "WHERE id = :id AND oauth_provider IS NOT NULL AND deleted_at IS NULL");

static struct str own_or(struct arena *a, struct stmt *row, int column, const char *preset) {
    if (!col_null(row, column)) return str_dup(a, col_text(row, column));
    return preset ? str_of(preset) : (struct str){0};
}

static struct str opened(struct work *w, struct stmt *row, int column) {
    return mailbox_password_open(w->desk, w->arena, str_dup(w->arena, col_text(row, column)));
}

int mail_oauth_load(struct work *w, int64_t mailbox_id, struct mail_oauth *out) {
    struct arena *a = w->arena;
    struct stmt *row;
    int rc = db_row(w->conn, &mail_oauth_row, BINDS(B_INT("id", mailbox_id)), &row);
    if (rc <= 0) return rc;
    const struct mail_preset *p = mail_preset_of((int)col_int(row, 0));
    if (p == NULL) p = mail_preset_of(MAIL_GENERIC);
    *out = (struct mail_oauth){.mailbox_id = mailbox_id,
                               .preset = p,
                               .authorization_url = own_or(a, row, 1, p->authorization_url),
                               .token_url = own_or(a, row, 2, p->token_url),
                               .issuer = own_or(a, row, 3, p->issuer),
                               .issuer_named = !col_null(row, 3),
                               .scopes = own_or(a, row, 4, p->scopes),
                               .client_id = own_or(a, row, 5, NULL),
                               .secret = opened(w, row, 6),
                               .state = (enum consent)col_int(row, 7),
                               .reason = own_or(a, row, 8, NULL),
                               .refresh_token = opened(w, row, 9),
                               .sealed = own_or(a, row, 9, NULL),
                               .access_token = opened(w, row, 10),
                               .access_until = col_int(row, 11),
                               .renew_at = col_int(row, 12),
                               .failed_at = col_int(row, 13)};
    stmt_end(row);
    return 1;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

#define RENEW_EARLY (5 * TIME_MINUTE)

#define NEW_TOKENS                                                                         \
    "oauth_access_token = :access, oauth_access_until = :until, oauth_renew_at = :renew, " \
    "oauth_refresh_token = COALESCE(:refresh, oauth_refresh_token), oauth_reason = NULL, " \
    "oauth_failed_at = NULL "
QUERY(mail_oauth_set, "UPDATE mailboxes SET " NEW_TOKENS
                      ", oauth_state = 2, oauth_connected_at = :now, imap_error = NULL, updated_at = :now "
                      "WHERE id = :id AND oauth_provider IS NOT NULL AND deleted_at IS NULL");
#define THIS_CONSENT "WHERE id = :id AND oauth_state = 2 AND oauth_refresh_token = :was"
QUERY(mail_oauth_renew, "UPDATE mailboxes SET " NEW_TOKENS THIS_CONSENT);
QUERY(mail_oauth_fail, "UPDATE mailboxes SET oauth_reason = :reason, oauth_failed_at = :now " THIS_CONSENT);
QUERY(mail_oauth_lose,
      "UPDATE mailboxes SET oauth_state = 1, oauth_reason = :reason, oauth_failed_at = NULL, "
      "oauth_refresh_token = NULL, oauth_access_token = NULL, oauth_access_until = NULL, "
      "oauth_renew_at = NULL, updated_at = :now " THIS_CONSENT);
QUERY(mail_oauth_expire,
      "UPDATE mailboxes SET oauth_access_until = 0, oauth_renew_at = 0 WHERE id = :id AND oauth_state = 2");
QUERY(mail_oauth_state,
      "SELECT COALESCE(oauth_state, 1) FROM mailboxes WHERE id = :id AND deleted_at IS NULL");
QUERY(consent_admins, "SELECT u.id, e.email FROM users u JOIN roles r ON r.id = u.role_id "
                      "JOIN identity_emails e ON e.user_id = u.id AND e.is_primary = 1 "
                      "WHERE r.type >= :admin AND " MAY_LOG_IN " ORDER BY u.id LIMIT 50");
QUERY(consent_address, "SELECT COALESCE(m.address, (SELECT s.value FROM settings s "
                       "WHERE s.name = 'mail.from_address'), '') FROM mailboxes m WHERE m.id = :id");

static struct changed_value consent_value(enum consent state) {
    return changed_text(str_of(word_of(consent_words, state)));
}

static void consent_changed(struct work *w, int64_t id, enum consent before, enum consent after) {
    if (before != after)
        change_property(w, (struct changed){"mailbox", id, 0}, "oauth_state", consent_value(before),
                        consent_value(after));
}

/* Milliseconds after which a token is renewed: five minutes before its end, or after half of a short life.
 * */
static int64_t renew_after(int64_t life) {
    return life - RENEW_EARLY > life / 2 ? life - RENEW_EARLY : life / 2;
}

static int tokens_store(struct work *w, const struct query *q, int64_t id, struct str was,
                        const struct mail_grant *g) {
    const struct desk *d = w->desk;
    struct str refresh = mailbox_password_seal(d, w->arena, g->refresh);
    return db_exec(w->conn, q,
                   BINDS(B_INT("id", id), B_TEXT("was", was),
                         B_TEXT("access", mailbox_password_seal(d, w->arena, g->access)),
                         B_TEXT("refresh", refresh), B_INT("until", w->now + g->life),
                         B_INT("renew", w->now + renew_after(g->life)), B_INT("now", w->now)));
}

int mail_oauth_connect(struct work *w, int64_t mailbox_id, const struct mail_grant *g) {
    int64_t before = 0;
    TRY(db_int(w->conn, &mail_oauth_state, BINDS(B_INT("id", mailbox_id)), &before));
    int set = tokens_store(w, &mail_oauth_set, mailbox_id, (struct str){0}, g);
    if (set <= 0) return set;
    consent_changed(w, mailbox_id, (enum consent)before, CONSENT_CONNECTED);
    TRY(letters_release(w));
    return 1;
}

int mail_oauth_renewed(struct work *w, const struct mail_oauth *o, const struct mail_grant *g) {
    return tokens_store(w, &mail_oauth_renew, o->mailbox_id, o->sealed, g);
}

int mail_oauth_failed(struct work *w, const struct mail_oauth *o, struct str reason) {
    return db_exec(w->conn, &mail_oauth_fail,
                   BINDS(B_INT("id", o->mailbox_id), B_TEXT("was", o->sealed), B_TEXT("reason", reason),
                         B_INT("now", w->now)));
}

/* Mails to all admins and owners. If they leave by the mailbox itself, they wait with its other mails. */
static int tell_admins(struct work *w, int64_t id, struct str reason) {
    struct str address = {0};
    int rc;
    TRY(db_text(w->conn, &consent_address, BINDS(B_INT("id", id)), w->arena, &address));
    struct str subject = STR_CAT(w->arena, S("The mailbox "), address, S(" must be connected again"));
    struct str text =
        str_fmt(w->arena,
                "The desk can't log in to the mailbox %s any more: %s Until an owner connects it again, "
                "its mails wait. "
                "None is lost.\n\nConnect it in the settings: %s/agent/settings/mailboxes/%" PRId64,
                address.p, reason.p, w->desk->base_url.p, id);
    struct letter_to to[50];
    int n = 0;
    DB_ROWS(rc, w->conn, &consent_admins, BINDS(B_INT("admin", ROLE_ADMIN)), row)
    to[n++] = (struct letter_to){0, col_int(row, 0), str_dup(w->arena, col_text(row, 1))};
    TRY(rc);
    for (int i = 0; i < n; i++) TRY(letter_notice(w, to[i], subject, text));
    return 0;
}

int mail_oauth_lost(struct work *w, const struct mail_oauth *o, struct str reason) {
    int set = db_exec(w->conn, &mail_oauth_lose,
                      BINDS(B_INT("id", o->mailbox_id), B_TEXT("was", o->sealed), B_TEXT("reason", reason),
                            B_INT("now", w->now)));
    if (set <= 0) return set;
    consent_changed(w, o->mailbox_id, CONSENT_CONNECTED, CONSENT_NEEDED);
    return tell_admins(w, o->mailbox_id, reason);
}

int mail_oauth_refused(struct work *w, int64_t mailbox_id, struct str access) {
    struct mail_oauth now;
    int rc = mail_oauth_load(w, mailbox_id, &now);
    if (rc <= 0 || !str_eq(now.access_token, access)) return rc;
    return db_exec(w->conn, &mail_oauth_expire, BINDS(B_INT("id", mailbox_id)));
}

/* ---- the state ------------------------------------------------------------------------------- */

static struct key consent_key(const struct desk *d) {
    struct key k;
    key_derive(&k, &d->program_key, "consents of mailboxes");
    return k;
}

struct str consent_ticket_seal(const struct desk *d, struct arena *a, const struct consent_ticket *t) {
    struct key k = consent_key(d);
    return seal_text(a, &k,
                     str_fmt(a, "%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n%s", t->mailbox_id, t->user_id,
                             t->until, t->verifier.p));
}

bool consent_ticket_open(const struct desk *d, struct arena *a, struct str state, int64_t now,
                         struct consent_ticket *out) {
    struct key k = consent_key(d);
    struct str rest = state.n && state.n < 1024 ? seal_text_open(a, &k, state) : (struct str){0};
    *out = (struct consent_ticket){0};
    if (rest.p == NULL || !str_to_int(str_cut(&rest, '\n'), &out->mailbox_id) ||
        !str_to_int(str_cut(&rest, '\n'), &out->user_id) || !str_to_int(str_cut(&rest, '\n'), &out->until))
        return false;
    out->verifier = rest;
    return rest.p && out->until > now;
}

struct str consent_callback(const struct desk *d, struct arena *a, int64_t mailbox_id) {
    return str_fmt(a, "%.*s/mailboxes/%" PRId64 "/oauth/callback", (int)d->base_url.n, d->base_url.p,
                   mailbox_id);
}
