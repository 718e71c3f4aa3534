#include "res/mailbox_account.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/address.h"
#include "core/desk/setting.h"
#include "core/endpoints/endpoint.h"
#include "core/letters/letter.h"
#include "core/mail/mailbox.h"
#include "core/mail/mailbox_oauth.h"
#include "core/signin/provider.h"
#include "core/signin/url.h"

/* ---- members --------------------------------------------------------------------------------- */

/* The way to the servers is for admins and owners. */
static void render_account(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    if (v->c->work.actor.rank < ROLE_ADMIN || own->type == V_NULL) jw_null(&v->w);
    else if (own->type == V_INT) jw_int(&v->w, own->i);
    else jw_str(&v->w, own->s);
}

static void render_account_word(struct view *v, const struct row *row, const struct value *own,
                                const struct word *words) {
    struct value word = *own;
    if (own->type == V_INT) word = value_text(str_of(word_of(words, own->i)));
    render_account(v, row, &word);
}

static void render_account_security(struct view *v, const struct row *row, const struct value *own) {
    render_account_word(v, row, own, smtp_securities);
}

static void render_account_time(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    if (v->c->work.actor.rank < ROLE_ADMIN || own->type != V_INT) jw_null(&v->w);
    else jw_time(&v->w, own->i);
}

/* Only owners decide which server gets the password. */
static int check_account_role(struct call *c, struct in *in) {
    if (c->work.actor.rank >= ROLE_OWNER) return 0;
    struct str name = str_of(in->field->name);
    return fail_at(&c->work, ERR_PERMISSIONS_DENIED, in->name, in->pointer,
                   "Only an owner may change the %s of a mailbox, because it decides which server gets the "
                   "password.",
                   str_starts(name, S("smtp_"))    ? "relay"
                   : str_starts(name, S("oauth_")) ? "login by OAuth"
                                                   : "IMAP account");
}

/* The same rule as for endpoints. A name that leads to such an address is refused when the desk connects
 * (mail/imap.c). */
static int check_imap_host(struct call *c, struct in *in) {
    TRY(check_account_role(c, in));
    if (setting_bool(c->work.desk, "mail.imap_allow_private_addresses") ||
        !host_is_private(str_trim(in->value.s)))
        return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "The host is an address of this machine or of a private network. An owner can allow such "
                   "addresses by the setting mail.imap_allow_private_addresses.");
}

static void render_provider(struct view *v, const struct row *row, const struct value *own) {
    render_account_word(v, row, own, mail_provider_words);
}

static void render_consent(struct view *v, const struct row *row, const struct value *own) {
    render_account_word(v, row, own, consent_words);
}

static void render_consent_callback(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    render_account(
        v, row, &(struct value){V_TEXT, .s = consent_callback(v->c->work.desk, v->c->work.arena, row->id)});
}

/* The token endpoint gets the secret of the client, the other one the browser of the owner. */
static int check_provider_url(struct call *c, struct in *in) {
    TRY(check_account_role(c, in));
    bool private_allowed = setting_bool(c->work.desk, "mail.imap_allow_private_addresses");
    struct str url = in->value.s;
    if (url.n == 0) return 0;
    const char *why =
        !signin_url_allowed(url, private_allowed) ? "The address must begin with https://."
        : !private_allowed && host_is_private(url_host_part(c->work.arena, url))
            ? "The host is an address of this machine or of a private network. An owner can allow "
              "such addresses by the setting mail.imap_allow_private_addresses."
            : endpoint_url_wrong(c->work.arena, url, private_allowed);
    return why ? fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", why) : 0;
}

#define OWNERS " Only owners may change it."

const struct field mailbox_account_fields[] = {
    {"imap_host", F_TEXT, NULLABLE, .max = 253, .check = check_imap_host, .render = render_account,
     .doc = "Host name of the IMAP server that the desk reads mails from. Null: none." OWNERS,
     .example = "\"imap.example.com\""},
    {"imap_port", F_INT, NULLABLE, .min = 1, .max = 65535, .check = check_account_role,
     .render = render_account, .doc = "Port of the IMAP server. Null: 993 for TLS, otherwise 143." OWNERS,
     .example = "993"},
    {"imap_security", F_WORD, NULLABLE, .words = smtp_securities, .check = check_account_role,
     .render = render_account_security, .doc = "NONE, STARTTLS or TLS. Null: TLS." OWNERS,
     .example = "\"TLS\""},
    {"imap_user", F_TEXT, NULLABLE, .check = check_account_role, .render = render_account,
     .doc = "User name of the IMAP account. Null: the address of the mailbox." OWNERS,
     .example = "\"support\""},
    {"imap_password", F_PASSWORD, NULLABLE | INPUT_ONLY | BY_HANDLER, .column = "t.imap_password",
     .check = check_account_role,
     .doc = "Password of the IMAP account. It is never shown. A change of host, port, security or user "
            "deletes it, unless the same request sends it again." OWNERS,
     .example = "\"PASSWORD\""},
    {"imap_folder", F_TEXT, NULLABLE, .check = check_account_role, .render = render_account,
     .doc = "Folder to read. Null: INBOX." OWNERS, .example = "\"INBOX\""},
    {"imap_after", F_TEXT, NULLABLE, .check = check_account_role, .render = render_account,
     .doc = "Folder that a mail is moved to after it was stored. Null: it is deleted from the server." OWNERS,
     .example = "null"},
    {"imap_error", F_TEXT, READONLY, .render = render_account,
     .doc = "Error of the last attempt to read the account. Null: it succeeded, or the account was changed "
            "after it.",
     .example = "null"},
    {"imap_tried_at", F_TIME, READONLY, .render = render_account_time, .doc = "Time of the last attempt."},
    {"smtp_host", F_TEXT, NULLABLE, .max = 253, .check = check_account_role, .render = render_account,
     .doc = "Host name of the relay that takes the mails of this mailbox. Null: the relay of the desk "
            "(mail.smtp_host)." OWNERS,
     .example = "\"smtp.example.com\""},
    {"smtp_port", F_INT, NULLABLE, .min = 1, .max = 65535, .check = check_account_role,
     .render = render_account,
     .doc = "Port of the relay. Null: 465 for TLS, 587 for STARTTLS, otherwise 25." OWNERS, .example = "587"},
    {"smtp_security", F_WORD, NULLABLE, .words = smtp_securities, .check = check_account_role,
     .render = render_account_security,
     .doc = "NONE, STARTTLS or TLS. Null: STARTTLS. The certificate must be valid (mail.imap_ca)." OWNERS,
     .example = "\"STARTTLS\""},
    {"smtp_user", F_TEXT, NULLABLE, .check = check_account_role, .render = render_account,
     .doc = "User name at the relay. Null: no login." OWNERS, .example = "\"support@example.com\""},
    {"smtp_password", F_PASSWORD, NULLABLE | INPUT_ONLY | BY_HANDLER, .column = "t.smtp_password",
     .check = check_account_role,
     .doc = "Password at the relay. It is never shown. A change of host, port, security or user deletes it, "
            "unless the same request sends it again." OWNERS,
     .example = "\"PASSWORD\""},
    {"oauth_provider", F_WORD, NULLABLE, .words = mail_provider_words, .check = check_account_role,
     .render = render_provider,
     .doc = "Provider at which the mailbox logs in by OAuth 2, at its IMAP server and at its relay, in "
            "place of "
            "passwords: GOOGLE, MICROSOFT or GENERIC. Null: by passwords. GOOGLE and MICROSOFT set "
            "imap_host and "
            "smtp_host if these are null and not sent." OWNERS,
     .example = "\"GOOGLE\""},
    {"oauth_client_id", F_TEXT, NULLABLE, .max = 500, .check = check_account_role, .render = render_account,
     .doc = "Name of the desk at the provider. It is needed with a provider." OWNERS, .example = "\"desk\""},
    {"oauth_client_secret", F_PASSWORD, NULLABLE | INPUT_ONLY | BY_HANDLER, .column = "t.oauth_client_secret",
     .check = check_account_role,
     .doc = "Secret of the desk at the provider. It is never shown. A change of provider, client or "
            "address for "
            "tokens deletes it, unless the same request sends it again." OWNERS,
     .example = "\"SECRET\""},
    {"oauth_authorization_url", F_TEXT, NULLABLE, .max = 1000, .check = check_provider_url,
     .render = render_account,
     .doc = "Address at which an owner agrees. It may have arguments, such as prompt=consent. Null: that "
            "of the "
            "provider; GENERIC needs it." OWNERS,
     .example = "\"https://login.example.com/authorize\""},
    {"oauth_token_url", F_TEXT, NULLABLE, .max = 1000, .check = check_provider_url, .render = render_account,
     .doc = "Address for tokens. Null: that of the provider; GENERIC needs it." OWNERS,
     .example = "\"https://login.example.com/token\""},
    {"oauth_issuer", F_TEXT, NULLABLE, .max = 1000, .check = check_account_role, .render = render_account,
     .doc =
         "Issuer of the provider. If it is set, the provider must name itself so when the owner comes back "
         "(RFC 9207). Null: a provider that names itself otherwise than its preset is refused." OWNERS,
     .example = "\"https://login.example.com\""},
    {"oauth_scopes", F_TEXT, NULLABLE, .max = 1000, .check = check_account_role, .render = render_account,
     .doc = "Scopes, separated by blanks. Null: those of the provider; GENERIC needs them." OWNERS,
     .example = "\"mail offline_access\""},
    {"oauth_callback_url", F_COMPUTED, READONLY, .column = "", .render = render_consent_callback,
     .doc = "Address to register at the provider as redirect URI.",
     .example = "\"https://desk.example.com/mailboxes/1/oauth/callback\""},
    {"oauth_state", F_WORD, READONLY, .words = consent_words, .render = render_consent,
     .doc = "CONNECTED, or NEEDS_CONSENT: an owner must connect the mailbox (POST /mailboxes/:id/oauth), "
            "and its "
            "mails wait. Null: no provider.",
     .example = "\"CONNECTED\""},
    {"oauth_reason", F_TEXT, READONLY, .render = render_account,
     .doc = "Why the mailbox needs consent, or why its provider could not be asked the last time. Null: "
            "nothing failed.",
     .example = "null"},
    {"oauth_connected_at", F_TIME, READONLY, .render = render_account_time,
     .doc = "Time when an owner connected it last."},
    {0},
};

/* ---- changes --------------------------------------------------------------------------------- */

QUERY(mailbox_accounts, "SELECT imap_host, imap_port, imap_security, imap_user, imap_folder, imap_after, "
                        "smtp_host, smtp_port, smtp_security, smtp_user, oauth_provider, oauth_token_url, "
                        "oauth_client_id, oauth_authorization_url, oauth_scopes, oauth_issuer, oauth_state "
                        "FROM mailboxes WHERE id = :id");

/* An account: its members in the order of the columns, the host first. */
struct account {
    const char *members[6];
    int first, count; /* column of the host; number of members */
    const char *password, *without_host;
};
#define MEMBERS_OF_LOGIN 4 /* the first ones decide who gets the password */

static const struct account
    by_imap = {{"imap_host", "imap_port", "imap_security", "imap_user", "imap_folder", "imap_after"},
               0,
               6,
               "imap_password",
               "A password needs an IMAP server. Send imap_host in the same request."},
    by_relay = {{"smtp_host", "smtp_port", "smtp_security", "smtp_user"},
                6,
                4,
                "smtp_password",
                "A password needs a relay. Send smtp_host in the same request."};

/* The effects of a change on an account. */
struct account_change {
    bool is_stored; /* before */
    bool has_host;  /* afterwards */
    bool login;     /* the password would go to another server or user */
    bool any;       /* the next attempt may end differently */
};

/* True if the given member differs from the stored one. row NULL: nothing is stored. */
static bool differs(const struct in *in, struct stmt *row, int column) {
    bool none = in->value.type == V_NULL, had = row && !col_null(row, column);
    if (!in->given) return false;
    if (none || !had) return none == had;
    return in->value.type == V_INT ? col_int(row, column) != in->value.i
                                   : !str_eq(col_text(row, column), in->value.s);
}

static struct account_change account_compare(struct call *c, const struct account *x, struct stmt *row) {
    const struct in *host = in(c, x->members[0]);
    struct account_change out = {.is_stored = row != NULL, .any = given(c, x->password)};
    out.has_host = host->given ? host->value.s.n > 0 : row && !col_null(row, x->first);
    for (int i = 0; i < x->count; i++) {
        bool changed = differs(in(c, x->members[i]), row, x->first + i);
        out.login = out.login || (changed && i < MEMBERS_OF_LOGIN);
        out.any = out.any || changed;
    }
    return out;
}

/* A column of text; p NULL: cleared. */
static struct column *text_column_add(struct call *c, const char *name, struct str text, struct column *list,
                                      int *n) {
    struct column *column = &list[(*n)++];
    const char *bound = STR_CAT(c->work.arena, S(":"), str_of(name)).p;
    *column = (struct column){.name = name,
                              .value = {.name = bound, .type = text.p ? BIND_TEXT : BIND_NULL, .s = text}};
    return column;
}

static void add_secret(struct call *c, const char *name, struct str sealed, struct column *list, int *n) {
    struct column *column = text_column_add(c, name, sealed, list, n);
    column->property = name;
    column->secret = true;
}

/* Adds the column of the password if it changes. One that is not sent again after a change of the login is
 * deleted. */
static int add_password(struct call *c, const struct account *x, const struct account_change *change,
                        struct column *list, int *n) {
    const struct in *password = in(c, x->password);
    struct str text = password->given ? password->value.s : (struct str){0};
    if (!password->given && !(change->login && change->is_stored)) return 0;
    if (text.n && !change->has_host) return in_fail(c, x->password, ERR_FIELD_INVALID, "%s", x->without_host);
    add_secret(c, x->password, mailbox_password_seal(c->work.desk, c->work.arena, text), list, n);
    return 0;
}

/* ---- the login by OAuth ------------------------------------------------------------------------ */

/* Members of the provider, in the order of the columns. The first ones decide who gets the secret. */
static const char *const provider_members[] = {"oauth_provider",  "oauth_token_url",
                                               "oauth_client_id", "oauth_authorization_url",
                                               "oauth_scopes",    "oauth_issuer"};
enum { PROVIDER_FIRST = 10, PROVIDER_SECRET = 3, PROVIDER_MEMBERS = 6, PROVIDER_STATE = 16 };

struct provider_change {
    const struct mail_preset *preset; /* afterwards; NULL: none */
    bool is_new, had, secret_stays, consent_ends, lacks[PROVIDER_MEMBERS];
    bool hosts_null; /* no server is stored */
};

static struct provider_change provider_compare(struct call *c, struct stmt *row) {
    const struct in *provider = in(c, "oauth_provider");
    struct provider_change out = {.had = row && !col_null(row, PROVIDER_FIRST), .secret_stays = true};
    int64_t kind = provider->given ? (provider->value.type == V_NULL ? 0 : provider->value.i)
                   : out.had       ? col_int(row, PROVIDER_FIRST)
                                   : 0;
    out.preset = mail_preset_of((int)kind);
    out.hosts_null = row == NULL || (col_null(row, by_imap.first) && col_null(row, by_relay.first));
    for (int i = 0; i < PROVIDER_MEMBERS; i++) {
        const struct in *member = in(c, provider_members[i]);
        bool changed = differs(member, row, PROVIDER_FIRST + i);
        bool has = member->given ? member->value.type != V_NULL : row && !col_null(row, PROVIDER_FIRST + i);
        out.consent_ends = out.consent_ends || changed;
        out.secret_stays = out.secret_stays && !(changed && i < PROVIDER_SECRET);
        out.lacks[i] = !has;
    }
    out.is_new = differs(provider, row, PROVIDER_FIRST);
    out.consent_ends = out.consent_ends || given(c, "oauth_client_secret") ||
                       (row && col_null(row, PROVIDER_STATE)) || row == NULL;
    return out;
}

/* Names each member that the provider lacks. */
static void provider_lacks(struct call *c, const struct provider_change *change) {
    for (int i = 1; i < PROVIDER_MEMBERS - 1; i++) {
        bool needed = i == 2 || change->preset->kind == MAIL_GENERIC;
        if (needed && change->lacks[i])
            in_fail(c, provider_members[i], ERR_FIELD_INVALID, "A login by this provider needs it.");
    }
}

/* Ends the consent, if there was one. reason NULL: none is needed any more. */
static void add_consent(struct call *c, const struct provider_change *change, const char *reason,
                        struct column *list, int *n) {
    static const char *const others[] = {"oauth_refresh_token", "oauth_access_token", "oauth_access_until",
                                         "oauth_renew_at", "oauth_failed_at"};
    list[*n] = COLUMN_UNRECORDED(B_ID, "oauth_state", change->preset ? CONSENT_NEEDED : 0);
    list[*n].property = "oauth_state";
    list[*n].form = COLUMN_WORD;
    list[(*n)++].words = consent_words;
    text_column_add(c, "oauth_reason", reason ? str_of(reason) : (struct str){0}, list, n);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        text_column_add(c, others[i], (struct str){0}, list, n);
}

/* A new provider brings its servers, if the mailbox has none. */
static void add_servers(struct call *c, const struct provider_change *change, struct column *list, int *n) {
    static const char *const names[] = {"imap_host", "smtp_host"};
    const char *const hosts[] = {change->preset->imap_host, change->preset->smtp_host};
    for (int i = 0; i < 2; i++) {
        if (given(c, names[i]) || hosts[i] == NULL || !change->hosts_null) continue;
        text_column_add(c, names[i], str_of(hosts[i]), list, n)->property = names[i];
    }
}

/* login: a server of the mailbox changes, which would get the access token. */
static void oauth_columns(struct call *c, const struct provider_change *change, bool login,
                          struct column *list, int *n) {
    struct str secret =
        given(c, "oauth_client_secret") ? in(c, "oauth_client_secret")->value.s : (struct str){0};
    if (change->preset == NULL) {
        if (secret.n) in_fail(c, "oauth_client_secret", ERR_FIELD_INVALID, "A secret needs oauth_provider.");
        if (change->had) add_secret(c, "oauth_client_secret", (struct str){0}, list, n);
        if (change->had) add_consent(c, change, NULL, list, n);
        return;
    }
    provider_lacks(c, change);
    if (given(c, "oauth_client_secret") || (change->had && !change->secret_stays))
        add_secret(c, "oauth_client_secret", mailbox_password_seal(c->work.desk, c->work.arena, secret), list,
                   n);
    if (change->consent_ends || login)
        add_consent(c, change,
                    change->had ? "The account was changed. Connect it again."
                                : "The mailbox was not connected yet.",
                    list, n);
    if (change->is_new) add_servers(c, change, list, n);
}

int mailbox_account_columns(struct call *c, int64_t id, struct column *list, int *n) {
    struct stmt *row = NULL;
    int rc = id ? db_row(c->work.conn, &mailbox_accounts, BINDS(B_INT("id", id)), &row) : 0;
    TRY(rc);
    struct account_change imap = account_compare(c, &by_imap, row),
                          relay = account_compare(c, &by_relay, row);
    struct provider_change provider = provider_compare(c, row);
    if (row) stmt_end(row);
    oauth_columns(c, &provider, imap.login || relay.login, list, n);
    imap.any = imap.any || ((provider.preset || provider.had) && provider.consent_ends);
    add_password(c, &by_imap, &imap, list, n);
    add_password(c, &by_relay, &relay, list, n);
    if (id && imap.any) list[(*n)++] = COLUMN_UNRECORDED(B_TEXT, "imap_error", ((struct str){0}));
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

int mailbox_account_stored(struct call *c) {
    return in_text(c, "smtp_host").n || given(c, "oauth_provider") ? letters_release(&c->work) : 0;
}
