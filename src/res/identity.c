/* Identities as references of people; their own operations are yet to come. */
#include "api/resource.h"
#include "core/words.h"

static const struct field email_fields[] = {
    {"email", F_TEXT, READONLY, .doc = "The address.", .example = "\"ada@example.com\""},
    {"is_primary", F_BOOL, READONLY, .doc = "Whether it is the one that is written to."},
    {"is_validated", F_BOOL, READONLY, .doc = "Whether it was proven to be the person's."},
    {"is_notification_enabled", F_BOOL, READONLY, .doc = "Whether notifications are sent to it."},
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at", F_TIME, READONLY, .doc = "When it last changed."},
    {0},
};
static const struct field phone_fields[] = {
    {"number", F_TEXT, READONLY, .doc = "The number.", .example = "\"+49 30 1234567\""},
    {"type", F_WORD, READONLY, .words = phone_types, .doc = "What kind of phone it is."},
    {"is_primary", F_BOOL, READONLY, .doc = "Whether it is the one that is called."},
    {"is_validated", F_BOOL, READONLY, .doc = "Whether it was proven to be the person's."},
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at", F_TIME, READONLY, .doc = "When it last changed."},
    {0},
};

/* Of others only staff see addresses; one's own everybody. */
static void visible(struct work *w, struct branches *out) {
    if (w->actor.rank >= ROLE_COLLABORATOR) {
        out->all = true;
        return;
    }
    branch_add(out, "t.user_id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

const struct resource identity_email_resource = {.type = "identity_email", .title = "E-mail addresses", .doc = "Addresses people are known by.",
                                                 .url = "identities/emails/:id", .table = "identity_emails", .fields = email_fields, .visible = visible};
const struct resource identity_phone_resource = {.type = "identity_phone", .title = "Phone numbers", .doc = "Numbers people are known by.",
                                                 .url = "identities/phones/:id", .table = "identity_phones", .fields = phone_fields, .visible = visible};
