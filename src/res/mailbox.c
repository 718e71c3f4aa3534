/* Mailboxes. */
#include "core/mail/mailbox.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/fold.h"
#include "core/desk/cascade.h"
#include "core/change/change.h"
#include "core/desk/setting.h"
#include "core/letters/token.h"
#include "core/letters/letter.h"
#include "res/groups.h"
#include "res/mailbox_account.h"

#define MANAGE_CHANNELS "channels.manage"

/* ---- members --------------------------------------------------------------------------------- */

/* Programs take a mailbox without an address for a broken one. The desk takes no mail for this address. */
static void render_mailbox_address(struct view *v, const struct row *row, const struct value *own) {
    struct call *c = v->c;
    (void)row;
    jw_str(&v->w, own->type == V_TEXT
                      ? own->s
                      : STR_CAT(c->work.arena, S("support@"), letter_host(c->work.desk, c->work.arena)));
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

#define SYSTEM_ADDRESS "(SELECT NULLIF(s.value, '') FROM settings s WHERE s.name = 'mail.from_address')"

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
    {"team", F_REF, NULLABLE, .ref = "team", COLUMN_UNLESS_GONE("t.team_id", GONE_TEAMS),
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
    {"*", .group = mailbox_account_fields},
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
    TRY(mailbox_account_columns(c, 0, list, &n));
    TRY(record_insert(&c->work, (struct record){"mailbox", "mailboxes", NULL}, list, n, &c->id));
    TRY(mailbox_relays_changed(&c->work));
    TRY(mailbox_send_verification(&c->work, c->id));
    return api_reply(c);
}

/* ---- change ---------------------------------------------------------------------------------- */

static int put_mailbox(struct call *c) {
    struct column list[RECORD_COLUMNS];
    TRY(api_target(c));
    TRY(api_input(c));
    if (given(c, "is_enabled") && in_int(c, "is_enabled") == 0)
        TRY(api_refuse(c, "t.is_default = 1",
                       "The default mailbox can't be disabled. Make another one the "
                       "default first."));
    int n = api_columns(c, list);
    TRY(mailbox_account_columns(c, c->id, list, &n));
    TRY(record_update(&c->work, (struct record){"mailbox", "mailboxes", NULL}, &c->id, 1, list, n));
    TRY(mailbox_relays_changed(&c->work));
    TRY(mailbox_account_stored(c));
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
