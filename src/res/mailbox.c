/* Mailboxes. */
#include "core/mail/mailbox.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/address.h"
#include "base/fold.h"
#include "core/desk/cascade.h"
#include "core/change/change.h"
#include "core/desk/setting.h"
#include "core/letters/token.h"
#include "core/letters/letter.h"
#include "res/groups.h"

#define MANAGE_CHANNELS "channels.manage"

/* ---- members --------------------------------------------------------------------------------- */

/* The way to the IMAP server is for admins and owners. */
static void render_imap(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    if (v->c->work.actor.rank < ROLE_ADMIN || own->type == V_NULL) jw_null(&v->w);
    else if (own->type == V_INT) jw_int(&v->w, own->i);
    else jw_str(&v->w, own->s);
}

static void render_imap_security(struct view *v, const struct row *row, const struct value *own) {
    struct value word = *own;
    if (own->type == V_INT) word = value_text(str_of(word_of(smtp_securities, own->i)));
    render_imap(v, row, &word);
}

static void render_imap_time(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    if (v->c->work.actor.rank < ROLE_ADMIN || own->type != V_INT) jw_null(&v->w);
    else jw_time(&v->w, own->i);
}

/* Programs take a mailbox without an address for a broken one. The desk takes no mail for this address. */
static void render_mailbox_address(struct view *v, const struct row *row, const struct value *own) {
    struct call *c = v->c;
    (void)row;
    jw_str(&v->w, own->type == V_TEXT
                      ? own->s
                      : STR_CAT(c->work.arena, S("support@"), letter_host(c->work.desk, c->work.arena)));
}

/* Only owners decide which server gets the password. */
static int check_imap_role(struct call *c, struct in *in) {
    if (c->work.actor.rank >= ROLE_OWNER) return 0;
    return fail_at(&c->work, ERR_PERMISSIONS_DENIED, in->name, in->pointer,
                   "Only an owner may change the IMAP account of a mailbox, because it decides which server "
                   "gets the password.");
}

static int check_mailbox_address(struct call *c, struct in *in) {
    struct str token, address = str_trim(in->value.s);
    if (!email_valid(address))
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "This is not an e-mail address.");
    address_without_plus(c->work.arena, address, &token);
    if (token.p)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                       "The address has a plus sign. Leave out the part after it: such addresses belong to "
                       "the mailbox without it.");
    in->value.s = address;
    return 0;
}

/* The same rule as for endpoints. A name that leads to such an address is refused when the desk connects
 * (mail/imap.c). */
static int check_imap_host(struct call *c, struct in *in) {
    TRY(check_imap_role(c, in));
    if (setting_bool(c->work.desk, "mail.imap_allow_private_addresses") ||
        !host_is_private(str_trim(in->value.s)))
        return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "The host is an address of this machine or of a private network. An owner can allow such "
                   "addresses by the setting mail.imap_allow_private_addresses.");
}

#define SYSTEM_ADDRESS "(SELECT NULLIF(s.value, '') FROM settings s WHERE s.name = 'mail.from_address')"
#define IMAP_CHANGE " Only owners may change it."

static const struct field mailbox_fields[] = {
    {"uuid", F_TEXT, READONLY, .doc = "UUID of the mailbox.",
     .example = "\"7b5ad54e-0b0c-4c5c-9d0e-6f6d61696c31\""},
    {"address", F_TEXT, REQUIRED | CREATE_ONLY,
     .column = "COALESCE(t.address, CASE WHEN t.is_system = 1 THEN " SYSTEM_ADDRESS " END)", .max = 254,
     .check = check_mailbox_address, .render = render_mailbox_address,
     .doc =
         "Address, without a plus sign. It can't be changed, because mails on their way have it. The "
         "address of the system mailbox is the setting mail.from_address. While the setting is empty, it is "
         "support@ and the host name of the desk, which takes no mail for it.",
     .example = "\"support@example.com\""},
    {"name", F_TEXT, NULLABLE,
     .doc = "Sender name of its mails. Null: the setting mail.from_name, else the "
            "name of the brand.",
     .example = "\"Support\""},
    {"brand", F_REF, 0, .ref = "brand",
     .doc = "Brand of conversations that begin with a mail to it. Default: the "
            "default brand."},
    {"team", F_REF, NULLABLE, .ref = "team", .column = UNLESS_GONE("t.team_id", GONE_TEAMS),
     .doc = "Team that such conversations are assigned to. Null: none."},
    {"is_system", F_BOOL, READONLY, .doc = "True for the mailbox that every desk has. It can't be deleted."},
    {"is_custom", F_BOOL, READONLY, .column = "1 - t.is_system", .doc = "True for every other mailbox."},
    {"is_verified", F_BOOL, READONLY, .column = "CASE WHEN t.verified_at IS NULL THEN 0 ELSE 1 END",
     .doc = "True if the link in its verification e-mail was followed. Only verified mailboxes send."},
    {"is_default", F_BOOL, READONLY,
     .doc = "True for the mailbox that sends where the conversation and its "
            "brand have none."},
    {"is_enabled", F_BOOL, 0, .initial = "1",
     .doc = "False: it takes no mail and sends none. The default is always "
            "enabled."},
    {"is_deleted", F_BOOL, READONLY, .column = "CASE WHEN t.deleted_at IS NULL THEN 0 ELSE 1 END",
     .doc = "True if the mailbox is deleted. Conversations and mails still refer to it."},
    {"verified_at", F_TIME, READONLY, .doc = "Time of the verification."},
    {"imap_host", F_TEXT, NULLABLE, .max = 253, .check = check_imap_host, .render = render_imap,
     .doc = "Host name of the IMAP server that the desk reads mails from. Null: none." IMAP_CHANGE,
     .example = "\"imap.example.com\""},
    {"imap_port", F_INT, NULLABLE, .min = 1, .max = 65535, .check = check_imap_role, .render = render_imap,
     .doc = "Port of the IMAP server. Null: 993 for TLS, otherwise 143." IMAP_CHANGE, .example = "993"},
    {"imap_security", F_WORD, NULLABLE, .words = smtp_securities, .check = check_imap_role,
     .render = render_imap_security, .doc = "NONE, STARTTLS or TLS. Null: TLS." IMAP_CHANGE,
     .example = "\"TLS\""},
    {"imap_user", F_TEXT, NULLABLE, .check = check_imap_role, .render = render_imap,
     .doc = "User name of the IMAP account." IMAP_CHANGE, .example = "\"support\""},
    {"imap_password", F_PASSWORD, NULLABLE | INPUT_ONLY | BY_HANDLER, .column = "t.imap_password",
     .check = check_imap_role,
     .doc = "Password of the IMAP account. It is never shown. A change of host, port, security or user "
            "deletes it, unless the same request sends it again." IMAP_CHANGE,
     .example = "\"PASSWORD\""},
    {"imap_folder", F_TEXT, NULLABLE, .check = check_imap_role, .render = render_imap,
     .doc = "Folder to read. Null: INBOX." IMAP_CHANGE, .example = "\"INBOX\""},
    {"imap_after", F_TEXT, NULLABLE, .check = check_imap_role, .render = render_imap,
     .doc =
         "Folder that a mail is moved to after it was stored. Null: it is deleted from the server." IMAP_CHANGE,
     .example = "null"},
    {"imap_error", F_TEXT, READONLY, .render = render_imap,
     .doc = "Error of the last attempt to read the account. Null: it succeeded, or the account was changed "
            "after it.",
     .example = "null"},
    {"imap_tried_at", F_TIME, READONLY, .render = render_imap_time, .doc = "Time of the last attempt."},
    {"*", .group = row_times},
    {0},
};

static const struct field mailbox_list_args[] = {
    {"brand_id", F_INT, .min = 1, .max = INT64_MAX, .filter = "t.brand_id = :brand_id",
     .doc = "Only mailboxes of this brand."},
    {"is_enabled", F_BOOL, .filter = "t.is_enabled = :is_enabled",
     .doc = "Only enabled, or only disabled mailboxes."},
    {0},
};

/* ---- create ---------------------------------------------------------------------------------- */

QUERY(default_brand, "SELECT id FROM brands WHERE is_default = 1");
QUERY(person_of_address,
      "SELECT user_id FROM identity_emails WHERE email_key = :key AND is_claim = 0 LIMIT 1");

/* An address of a person is allowed, because it may have written before it became a mailbox. Its mails are
 * then suspended as SOURCE_IS_MAILBOX. */
static int refuse_address(struct call *c, struct str address, struct str key) {
    int64_t person;
    struct str system = setting_text(c->work.desk, "mail.from_address", c->work.arena);
    int taken =
        system.n && str_eq(mailbox_key(c->work.arena, system), key) ? 1 : mailbox_has(&c->work, address);
    TRY(taken);
    if (taken) return in_fail(c, "address", ERR_FIELD_DUPLICATE, "Another mailbox has this address.");
    int known = db_int(c->work.conn, &person_of_address, BINDS(B_TEXT("key", key)), &person);
    if (known == 1)
        call_warn(c, str_fmt(c->work.arena,
                             "User %lld has the address of this mailbox. Mails from it are suspended from "
                             "now on (SOURCE_IS_MAILBOX).",
                             (long long)person));
    return known < 0 ? known : 0;
}

/* Adds the column of the password if it changes. forget: a password that is not sent again is deleted. */
static int add_password(struct call *c, bool has_host, bool forget, struct column *out, int *n) {
    const struct in *password = in(c, "imap_password");
    struct str text = password->given ? password->value.s : (struct str){0};
    if (!password->given && !forget) return 0;
    if (text.n && !has_host)
        return in_fail(c, "imap_password", ERR_FIELD_INVALID,
                       "A password needs an IMAP server. Send imap_host in the same "
                       "request.");
    struct column *column = &out[(*n)++];
    *column =
        COLUMN_UNRECORDED(B_TEXT, "imap_password", mailbox_password_seal(c->work.desk, c->work.arena, text));
    column->property = "imap_password";
    column->secret = true;
    return 0;
}

static int post_mailbox(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct arena *a = c->work.arena;
    int64_t brand = 0;
    TRY(api_input(c));
    struct str address = in_text(c, "address"), key = mailbox_key(a, address);
    TRY(db_lock(c->work.conn, S(MAILBOX_ADDRESSES)));
    TRY(refuse_address(c, address, key));
    int n = api_columns(c, list);
    list[n++] = COLUMN_UNRECORDED(B_TEXT, "address", address);
    list[n++] = COLUMN_UNRECORDED(B_TEXT, "address_key", key);
    list[n++] = COLUMN_UNRECORDED(B_TEXT, "uuid", random_uuid(a));
    if (!given(c, "brand")) {
        TRY(db_int(c->work.conn, &default_brand, NULL, &brand));
        list[n++] = COLUMN_UNRECORDED(B_INT, "brand_id", brand);
    }
    TRY(add_password(c, in_text(c, "imap_host").n > 0, false, list, &n));
    TRY(record_insert(&c->work, (struct record){"mailbox", "mailboxes", NULL}, list, n, &c->id));
    TRY(mailbox_send_verification(&c->work, c->id));
    return api_reply(c);
}

/* ---- change ---------------------------------------------------------------------------------- */

QUERY(mailbox_account, "SELECT imap_host, imap_port, imap_security, imap_user, imap_folder, imap_after "
                       "FROM mailboxes WHERE id = :id");
static const char *const account_members[] = {"imap_host", "imap_port",   "imap_security",
                                              "imap_user", "imap_folder", "imap_after"};
#define ACCOUNT_MEMBERS (int)(sizeof account_members / sizeof *account_members)
#define MEMBERS_OF_LOGIN 4 /* the first ones decide who gets the password */

/* True if the given member differs from the stored one. */
static bool differs(const struct in *in, struct stmt *row, int column) {
    bool none = in->value.type == V_NULL;
    if (!in->given) return false;
    if (none || col_null(row, column)) return none != col_null(row, column);
    return in->value.type == V_INT ? col_int(row, column) != in->value.i
                                   : !str_eq(col_text(row, column), in->value.s);
}

/* The effects of a change on the account of IMAP. */
struct account_change {
    bool has_host; /* afterwards */
    bool login;    /* the password would go to another server or user */
    bool any;      /* the next attempt may end differently */
};

static int account_look(struct call *c, struct account_change *out) {
    const struct in *host = in(c, "imap_host");
    struct stmt *row;
    *out = (struct account_change){.any = given(c, "imap_password")};
    int rc = db_row(c->work.conn, &mailbox_account, BINDS(B_INT("id", c->id)), &row);
    if (rc <= 0) return rc;
    out->has_host = host->given ? host->value.s.n > 0 : !col_null(row, 0);
    for (int i = 0; i < ACCOUNT_MEMBERS; i++) {
        bool changed = differs(in(c, account_members[i]), row, i);
        out->login = out->login || (changed && i < MEMBERS_OF_LOGIN);
        out->any = out->any || changed;
    }
    stmt_end(row);
    return 0;
}

static int put_mailbox(struct call *c) {
    struct column list[RECORD_COLUMNS];
    struct account_change account;
    TRY(api_target(c));
    TRY(api_input(c));
    if (given(c, "is_enabled") && in_int(c, "is_enabled") == 0)
        TRY(api_refuse(c, "t.is_default = 1",
                       "The default mailbox can't be disabled. Make another one the "
                       "default first."));
    TRY(account_look(c, &account));
    int n = api_columns(c, list);
    TRY(add_password(c, account.has_host, account.login, list, &n));
    if (account.any) list[n++] = COLUMN_UNRECORDED(B_TEXT, "imap_error", ((struct str){0}));
    TRY(record_update(&c->work, (struct record){"mailbox", "mailboxes", NULL}, &c->id, 1, list, n));
    return api_reply(c);
}

static int delete_mailboxes(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, "t.is_system = 1", "The system mailbox can't be deleted. Disable it instead."));
    TRY(api_refuse(c, "t.is_default = 1",
                   "The default mailbox can't be deleted. Make another one the default "
                   "first."));
    TRY(mailboxes_delete(&c->work, c->ids, c->id_count));
    return api_reply(c);
}

/* ---- the default and the verification -------------------------------------------------------- */

static const struct field default_input[] = {
    {"mailbox", F_REF, PRESENT, .ref = "mailbox", .doc = "The new default."}, {0}};

static int put_default_mailbox(struct call *c) {
    TRY(api_input(c));
    TRY(mailbox_set_default(&c->work, in_int(c, "mailbox")));
    return api_reply_one(c, in_int(c, "mailbox"));
}

static const struct field code_input[] = {{"code", F_TEXT, PRESENT,
                                           .doc = "The hash of the link in the verification e-mail.",
                                           .example = "\"5f1d0a\""},
                                          {0}};
static int put_mailbox_verification(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_refuse(c, "t.verified_at IS NOT NULL",
                   "The mailbox is verified already. Create another one for another "
                   "address."));
    int rc = mailbox_verify(&c->work, c->id, str_trim(in_text(c, "code")));
    TRY(rc);
    if (rc == 0)
        return in_fail(c, "code", ERR_FIELD_INVALID,
                       "This code was used or replaced, or it has expired. Send a new "
                       "verification e-mail.");
    return api_reply(c);
}

static int put_mailbox_send_verification(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(mailbox_send_verification(&c->work, c->id));
    call_mailed(c, "We have sent a verification e-mail to the address of this mailbox.",
                "The verification e-mail to the address of this mailbox");
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define WRITTEN .permission = MANAGE_CHANNELS, .errors = "RESOURCE_ACTION_NOT_AVAILABLE"

static const struct route mailbox_routes[] = {
    {GET, "/mailboxes", COL_PLUS, "configuration", LIST, api_list, .args = mailbox_list_args,
     .summary = "List mailboxes"},
    {GET, "/mailboxes/:id", COL_PLUS, "configuration", ONE, api_get, .summary = "Get a mailbox"},
    {POST, "/mailboxes", AD, "configuration", ONE, post_mailbox, WRITTEN, .summary = "Create a mailbox",
     .doc = "Sends a verification e-mail to the address. The mailbox takes mail at once. It sends after its "
            "verification."},
    {PUT, "/mailboxes/default", AD, "configuration", ONE, put_default_mailbox, WRITTEN,
     .input = default_input, .summary = "Set the default mailbox", .doc = "It must be verified and enabled."},
    {PUT, "/mailboxes/:id", AD, "configuration", ONE, put_mailbox, WRITTEN, .summary = "Update a mailbox"},
    {PUT, "/mailboxes/:id/verification", AD, "configuration", ONE, put_mailbox_verification, WRITTEN,
     .input = code_input, .summary = "Verify a mailbox",
     .doc = "The same as opening the link and pressing its button.", .sample = {.refused = "FIELD_INVALID"}},
    {PUT, "/mailboxes/:id/send_verification_email", AD, "configuration", NONE, put_mailbox_send_verification,
     WRITTEN, .input = no_fields, .summary = "Send the verification e-mail of a mailbox again",
     .doc = "At most once a minute. Earlier links end.",
     .sample = {.refused = "RESOURCE_ACTION_NOT_AVAILABLE"}},
    {DELETE, "/mailboxes/:id", AD, "configuration", NONE, delete_mailboxes, WRITTEN,
     .summary = "Delete a mailbox", .doc = "Conversations and mails still refer to it."},
    {DELETE, "/mailboxes", AD, "configuration", COUNT, delete_mailboxes, WRITTEN,
     .summary = "Delete several mailboxes"},
    {0},
};

const struct resource mailbox_resource = {.type = "mailbox",
                                          .scope = "configuration",
                                          .title = "Mailboxes",
                                          .doc = "Addresses by which mail comes in and replies leave.",
                                          .url = "mailboxes/:id",
                                          .table = "mailboxes",
                                          .texts_kept = CONFIGURATION_TEXTS,
                                          .alive = "t.deleted_at IS NULL",
                                          .fields = mailbox_fields,
                                          .routes = mailbox_routes,
                                          .visible = access_staff,
                                          .changes_unseen = true};
