/* Identities of people, of four kinds: for staff under /identities, for everyone under
 * /profile/identities. All kinds and both sides share handlers. api_target finds the rows that `.where` of
 * the route admits. The rows then decide whom the actor may change. */
#include "core/people/identity.h"

#include "api/rows/generic.h"
#include "api/rows/visible.h"
#include "core/letters/letter.h"
#include "core/people/authority.h"
#include "core/people/people_total.h"
#include "core/people/user.h"
#include "res/groups.h"

/* ---- members --------------------------------------------------------------------------------- */

#define STATE(use)                                                                                       \
    {"is_primary", F_BOOL, READONLY, .doc = "True for the primary one, which is " use " by default."}, { \
        "is_validated", F_BOOL, READONLY, .doc = "True if the person has proven to own it."              \
    }

static const struct field email_fields[] = {
    {"email", F_TEXT, READONLY, .doc = "The address.", .example = "\"ada@example.com\""},
    STATE("written to"),
    {"is_notification_enabled", F_BOOL, READONLY, .doc = "True if notifications are sent to it."},
    {"*", .group = row_times},
    {0},
};
static const struct field phone_fields[] = {
    {"number", F_TEXT, READONLY, .doc = "The number.", .example = "\"+49 30 1234567\""},
    {"type", F_WORD, READONLY, .words = phone_types, .doc = "Kind of phone."},
    STATE("called"),
    {"*", .group = row_times},
    {0},
};
static const struct field twitter_fields[] = {
    {"twitter_id", F_TEXT, READONLY, .doc = "Id of the account at Twitter."},
    {"full_name", F_TEXT, READONLY, .doc = "Display name at Twitter."},
    {"screen_name", F_TEXT, READONLY, .doc = "Name of the account, without the @.",
     .example = "\"ada_byron\""},
    {"follower_count", F_INT, READONLY, .doc = "Number of followers."},
    {"description", F_LONG, READONLY, .doc = "Description at Twitter."},
    {"url", F_TEXT, READONLY, .doc = "Address of a web site."},
    {"location", F_TEXT, READONLY, .doc = "Location at Twitter."},
    {"profile_image_url", F_TEXT, READONLY, .doc = "Address of the picture."},
    {"locale", F_TEXT, READONLY, .doc = "Language of the account."},
    {"is_verified", F_BOOL, READONLY, .doc = "True if Twitter has verified the account."},
    STATE("written to"),
    {"*", .group = row_times},
    {0},
};
static const struct field facebook_fields[] = {
    {"facebook_id", F_TEXT, READONLY, .doc = "Id of the account at Facebook.", .example = "\"100004\""},
    {"user_name", F_TEXT, READONLY, .doc = "Name of the account in addresses."},
    {"full_name", F_TEXT, READONLY, .doc = "Display name at Facebook."},
    {"email", F_TEXT, READONLY, .doc = "E-mail address at Facebook.", .example = "\"ada@example.com\""},
    {"bio", F_LONG, READONLY, .doc = "Description at Facebook."},
    {"birth_date", F_TIME, READONLY, .doc = "Birthday at Facebook."},
    {"website", F_TEXT, READONLY, .doc = "Address of a web site."},
    {"profile_url", F_TEXT, READONLY, .doc = "Address of the Facebook page."},
    {"locale", F_TEXT, READONLY, .doc = "Language of the account."},
    {"is_verified", F_BOOL, READONLY, .doc = "True if Facebook has verified the account."},
    STATE("written to"),
    {"*", .group = row_times},
    {0},
};

/* ---- parameters ------------------------------------------------------------------------------ */

#define VERIFICATION_SENT "We have sent a verification e-mail to this address."
#define VERIFICATION "The verification e-mail to this address"

static enum identity_kind identity_kind_of_call(const struct call *c) {
    return identity_kind_of(c->home->table);
}

QUERY(person_there, "SELECT id FROM users WHERE id = :user AND deleted_at IS NULL");

static int check_person(struct call *c, struct in *in) {
    int64_t id;
    int rc = db_int(c->work.conn, &person_there, BINDS(B_INT("user", in->value.i)), &id);
    if (rc < 0) return fail(&c->work, error_of_result(rc));
    return rc ? 0 : fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", api_absent(c, "user"));
}

/* Returns true if the route takes this parameter and it was sent as true. */
static bool said(struct call *c, const char *name) {
    for (int i = 0; i < c->input_count; i++)
        if (strcmp(c->input[i].field->name, name) == 0) return c->input[i].given && c->input[i].value.i != 0;
    return false;
}

/* Returns the id of the person who gets the identity, or 0. For staff it is the given person, else the
 * caller. It is a claim if (1) people add it to themselves on their own side, or (2) a collaborator adds
 * it, because collaborators can't set is_validated. */
static int64_t person_of(struct call *c, enum claim *claim) {
    const struct actor *me = &c->work.actor;
    bool own_side = true;
    int64_t user = me->user_id;
    /* in a .check: the parameters read so far */
    for (int i = 0; i < c->input_count && c->input[i].field; i++) {
        if (strcmp(c->input[i].field->name, "user") != 0) continue;
        own_side = false;
        user = c->input[i].value.i;
    }
    *claim = !own_side && me->rank >= ROLE_AGENT ? CLAIM_NONE
             : user == me->user_id               ? CLAIM_OWN
                                                 : CLAIM_FOREIGN;
    return user;
}

/* The person is read before the value: see the tables below. */
static int identity_check_address(struct call *c, struct in *in) {
    enum claim claim;
    int64_t user = person_of(c, &claim);
    int held = identity_held(&c->work, identity_kind_of_call(c), in->value.s, user, claim != CLAIM_NONE);
    if (held < 0) return fail(&c->work, error_of_result(held));
    return held ? fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in->pointer, NULL) : 0;
}

static int check_number(struct call *c, struct in *in) {
    in->value.s = str_trim(in->value.s);
    if (phone_key(&c->work, in->value.s).p) return identity_check_address(c, in);
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "A phone number is expected.");
}

static int check_screen_name(struct call *c, struct in *in) {
    struct str s = in->value.s = str_trim(in->value.s);
    if (identity_key(&c->work, IDENTITY_TWITTER, s).p) {
        if (s.p[0] == '@') in->value.s = (struct str){s.p + 1, s.n - 1};
        return identity_check_address(c, in);
    }
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "At most 15 letters, digits and underscores are expected.");
}

#define PERSON                                                                            \
    {                                                                                     \
        "user", F_REF, REQUIRED | BY_HANDLER, .ref = "user", .check = check_person,       \
                                              .doc = "Person who has it.", .example = "2" \
    }
#define EMAIL                                                                                            \
    {                                                                                                    \
        "email", F_EMAIL, REQUIRED | BY_HANDLER, .check = identity_check_address, .doc = "The address.", \
                                                 .example = "\"ada@example.org\""                        \
    }
#define NUMBER                                                                                \
    {                                                                                         \
        "number", F_TEXT, REQUIRED | BY_HANDLER, .check = check_number, .doc = "The number.", \
                                                 .example = "\"+49 30 1234567\""              \
    }
#define PRIMARY \
    { "is_primary", F_BOOL, BY_HANDLER, .doc = "True makes it the primary one, in place of the one before." }
#define VALIDATED                                                                     \
    {                                                                                 \
        "is_validated", F_BOOL, BY_HANDLER,                                           \
            .doc = "True if it is known to belong to the person. Agents, admins and " \
                   "owners may set it."                                               \
    }
#define NOTIFIED \
    { "is_notification_enabled", F_BOOL, 0, .doc = "True if notifications are sent to it." }

static const struct field email_create[] = {PERSON, EMAIL, PRIMARY, VALIDATED, NOTIFIED, {0}};
static const struct field email_update[] = {PRIMARY, VALIDATED, NOTIFIED, {0}};
static const struct field email_own[] = {EMAIL, PRIMARY, NOTIFIED, {0}};
static const struct field phone_create[] = {PERSON, NUMBER, PRIMARY, VALIDATED, {0}};
static const struct field phone_own[] = {
    NUMBER, {"type", F_WORD, 0, .words = phone_types, .doc = "Kind of phone. Default: NONE."}, PRIMARY, {0}};
static const struct field twitter_create[] = {
    PERSON,
    {"screen_name", F_TEXT, REQUIRED | BY_HANDLER, .check = check_screen_name,
     .doc = "Name of the account. A leading @ is removed.", .example = "\"ada_byron\""},
    VALIDATED,
    {0},
};
static const struct field state_update[] = {PRIMARY, VALIDATED, {0}};
static const struct field identity_list_args[] = {
    {"user_id", F_INT, .filter = "t.user_id = :user_id", .doc = "Only those of this person."},
    {0},
};

/* Staff see all identities. */
static int count_identities(struct call *c, int64_t *total) {
    return arg(c, "user_id")->given ? 0 : identities_total(&c->work, identity_kind_of_call(c), total);
}

static void ignore_validated(struct call *c) {
    if (c->work.actor.rank < ROLE_AGENT)
        in_ignore(c, "is_validated", "only agents, admins and owners may set it");
}

/* ---- handlers -------------------------------------------------------------------------------- */

/* The checks of person and identity: 404, 412, 403. */
static int identity_target(struct call *c) {
    TRY(api_target(c));
    return identities_may_change(&c->work, identity_kind_of_call(c), api_ids(c));
}

static void notice_primary(struct call *c, enum claim claim) {
    const char *when = claim == CLAIM_FOREIGN
                           ? "an agent confirms it, or the person opens its link in their own session"
                           : "it is verified";
    notice(&c->work, "NOTICE", "is_primary was ignored: it can be primary once %s.", when);
}

/* A verification link is sent to an address that people add to themselves. */
static int verify_own(struct call *c, const struct identity_new *n) {
    if (n->user_id != c->work.actor.user_id || n->is_validated) return 0;
    int sent = letter_first_verification(&c->work, c->id);
    TRY(sent);
    if (sent) call_mailed(c, VERIFICATION_SENT, VERIFICATION);
    else
        notice(&c->work, "NOTICE",
               "No verification e-mail was sent, because too many were sent in the "
               "last hour. Request one later.");
    return 0;
}

/* The columns that the functions above do not set. */
static int identity_change_given(struct call *c) {
    struct column list[RECORD_COLUMNS];
    if (!api_given(c)) return 0;
    return identity_change(&c->work, identity_kind_of_call(c), c->id, list, api_columns(c, list));
}

static int identity_add_given(struct call *c) {
    struct identity_new n = {.value = in_text(c, identity_parameter(identity_kind_of_call(c))),
                             .is_primary = said(c, "is_primary"),
                             .is_validated = said(c, "is_validated")};
    n.user_id = person_of(c, &n.claim);
    if (n.is_primary && !identity_leads(identity_kind_of_call(c), n.claim)) notice_primary(c, n.claim);
    TRY(identity_add(&c->work, identity_kind_of_call(c), &n, &c->id));
    c->ids = &c->id;
    c->id_count = 1;
    TRY(identity_change_given(c));
    if (identity_kind_of_call(c) == IDENTITY_EMAIL) {
        TRY(verify_own(c, &n));
        TRY(letter_address_added(&c->work, c->id));
    }
    return api_reply(c);
}

static int post_identity(struct call *c) {
    ignore_validated(c);
    TRY(api_input(c));
    TRY(user_may_change(&c->work, in_int(c, "user")));
    return identity_add_given(c);
}

static int post_own_identity(struct call *c) {
    TRY(api_input(c));
    return identity_add_given(c);
}

/* is_primary of a foreign claim is ignored with a notice. */
static int identity_put_primary(struct call *c) {
    enum claim claim;
    TRY(identity_claim(&c->work, identity_kind_of_call(c), c->id, &claim));
    if (claim == CLAIM_FOREIGN) {
        notice_primary(c, claim);
        return 0;
    }
    return identity_set_primary(&c->work, identity_kind_of_call(c), c->id, in_int(c, "is_primary") != 0);
}

static int put_identity(struct call *c) {
    struct work *w = &c->work;
    TRY(identity_target(c));
    ignore_validated(c);
    TRY(api_input(c));
    if (given(c, "is_validated"))
        TRY(identity_set_validated(w, identity_kind_of_call(c), c->id, in_int(c, "is_validated") != 0));
    if (given(c, "is_primary")) TRY(identity_put_primary(c));
    TRY(identity_change_given(c));
    return api_reply(c);
}

static int put_identity_primary(struct call *c) {
    TRY(identity_target(c));
    TRY(api_input(c));
    TRY(identity_set_primary(&c->work, identity_kind_of_call(c), c->id, true));
    return api_reply(c);
}

static int put_identity_verification(struct call *c) {
    TRY(identity_target(c));
    TRY(api_input(c));
    TRY(email_unvalidated(&c->work, c->id));
    TRY(letter_verification(&c->work, c->id));
    call_mailed(c, VERIFICATION_SENT, VERIFICATION);
    return api_reply(c);
}

static int delete_identities(struct call *c) {
    TRY(identity_target(c));
    TRY(api_input(c));
    TRY(identities_remove(&c->work, identity_kind_of_call(c), c->ids, c->id_count, c->route->shape == COUNT));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define ORDER \
    { .key = "t.is_primary", .descending = true, .then = "t.updated_at" }
#define OWN "t.user_id = :me"
#define UNAVAILABLE .errors = "RESOURCE_ACTION_NOT_AVAILABLE"

/* Routes of every kind of identity. many: the roles that may delete several identities of other people at
 * once. */
#define LISTS(path, some)                                                    \
    {GET,                                                                    \
     "/identities/" path,                                                    \
     COL_PLUS,                                                               \
     "users",                                                                \
     LIST,                                                                   \
     api_list,                                                               \
     .args = identity_list_args,                                             \
     .count = count_identities,                                              \
     .order = ORDER,                                                         \
     .summary = "List " some,                                                \
     .doc = "The primary ones first, then by time of the last change."},     \
    {                                                                        \
        GET, "/profile/identities/" path, ALL, "", LIST, api_list,           \
            .where = OWN, .order = ORDER, .summary = "List your " some,      \
            .doc = "The primary one first, then by time of the last change." \
    }
#define READ(path, one, some)                                                                              \
    {GET, "/identities/" path "/:id", COL_PLUS, "users", ONE, api_get, .summary = "Get " one}, {           \
        GET, "/profile/identities/" path "/:id", ALL, "", ONE, api_get, .where = OWN,                      \
                                                                        .summary = "Get one of your " some \
    }
#define CHANGE(path, one, name, who, parameters, refusal)                                             \
    {PUT,                                                                                             \
     "/identities/" path "/:id",                                                                      \
     who,                                                                                             \
     "users",                                                                                         \
     ONE,                                                                                             \
     put_identity,                                                                                    \
     .permission = "users.update",                                                                    \
     .input = parameters,                                                                             \
     .summary = "Update " one,                                                                        \
     .doc = "is_primary can't be unset: a person always has a primary one. Make another one primary " \
            "instead.",                                                                               \
     UNAVAILABLE},                                                                                    \
    {                                                                                                 \
        PUT, "/profile/identities/" path "/:id/primary", ALL, "", ONE, put_identity_primary,          \
            .where = OWN, .input = no_fields, .sample = {.refused = refusal},                         \
            .summary = "Set your primary " name, .doc = "An e-mail address must be verified first.",  \
            UNAVAILABLE                                                                               \
    }
/* at, ats: sample of one identity, of several. own, owns: the same for the caller's own identities.
 * NULL: the command makes the sample. */
#define REMOVE(kind, one, some, many, at, ats, own, owns)                                                  \
    {DELETE,                                                                                               \
     "/identities/" kind "/:id",                                                                           \
     COL_PLUS,                                                                                             \
     "users",                                                                                              \
     NONE,                                                                                                 \
     delete_identities,                                                                                    \
     .permission = "users.update",                                                                         \
     .sample = {.path = at},                                                                               \
     .summary = "Delete " one,                                                                             \
     UNAVAILABLE},                                                                                         \
        {DELETE,                                                                                           \
         "/identities/" kind,                                                                              \
         many,                                                                                             \
         "users",                                                                                          \
         COUNT,                                                                                            \
         delete_identities,                                                                                \
         .permission = "users.update",                                                                     \
         .sample = {.path = ats},                                                                          \
         .summary = "Delete several " some,                                                                \
         UNAVAILABLE},                                                                                     \
        {DELETE,                                                                                           \
         "/profile/identities/" kind "/:id",                                                               \
         ALL,                                                                                              \
         "",                                                                                               \
         NONE,                                                                                             \
         delete_identities,                                                                                \
         .where = OWN,                                                                                     \
         .sample = {.path = own},                                                                          \
         .summary = "Delete one of your " some,                                                            \
         UNAVAILABLE},                                                                                     \
    {                                                                                                      \
        DELETE, "/profile/identities/" kind, ALL, "", COUNT, delete_identities,                            \
            .where = OWN, .sample = {.path = owns}, .summary = "Delete several of your " some, UNAVAILABLE \
    }

#define CLAIMED                                                                                \
    "It is not used until it is verified: it is not a login, it matches no e-mail, and other " \
    "people may have it, too. "
#define FOREIGN "If a collaborator adds it to another person, it is not used until an agent confirms it."

static const struct route email_routes[] = {
    LISTS("emails", "e-mail addresses"),
    {POST, "/identities/emails", COL_PLUS, "users", ONE, post_identity, .permission = "users.update",
     .input = email_create, .summary = "Add an e-mail address to a user",
     .doc = FOREIGN " It is also verified if its link is opened in a session of that "
                    "person.",
     UNAVAILABLE},
    {POST, "/profile/identities/emails", ALL, "", ONE, post_own_identity, .input = email_own,
     .summary = "Add an e-mail address to the current user",
     .doc = CLAIMED "It can't be primary until then. The server sends a verification e-mail to it.",
     UNAVAILABLE, .sample = {.body = "{\"email\":\"owner@example.org\"}"}},
    READ("emails", "an e-mail address", "e-mail addresses"),
    CHANGE("emails", "an e-mail address", "e-mail address", COL_PLUS, email_update,
           "RESOURCE_ACTION_NOT_AVAILABLE"),
    {PUT, "/identities/emails/:id/send_verification_email", COL_PLUS, "users", NONE,
     put_identity_verification, .permission = "users.update", .input = no_fields,
     .summary = "Send a verification e-mail to an e-mail address", UNAVAILABLE},
    {PUT, "/profile/identities/emails/:id/verification", ALL, "", ONE, put_identity_verification,
     .where = OWN, .input = no_fields,
     .summary = "Send a verification e-mail to an e-mail address of your own", UNAVAILABLE},
    REMOVE("emails", "an e-mail address", "e-mail addresses", AD, NULL, NULL, NULL, NULL),
    {0},
};

static const struct route phone_routes[] = {
    LISTS("phones", "phone numbers"),
    {POST, "/identities/phones", COL_PLUS, "users", ONE, post_identity, .permission = "users.update",
     .input = phone_create, .summary = "Add a phone number to a user", .doc = FOREIGN, UNAVAILABLE},
    {POST, "/profile/identities/phones", ALL, "", ONE, post_own_identity, .input = phone_own,
     .summary = "Add a phone number to the current user", .doc = CLAIMED, UNAVAILABLE,
     .sample = {.body = "{\"number\":\"+49 30 7654321\"}"}},
    READ("phones", "a phone number", "phone numbers"),
    CHANGE("phones", "a phone number", "phone number", COL_PLUS, state_update, NULL),
    REMOVE("phones", "a phone number", "phone numbers", AD, NULL, NULL, NULL, NULL),
    {0},
};

static const struct route twitter_routes[] = {
    LISTS("twitter", "Twitter accounts"),
    {POST, "/identities/twitter", COL_PLUS, "users", ONE, post_identity, .permission = "users.update",
     .status = 200, .input = twitter_create, .summary = "Add a Twitter account to a user", .doc = FOREIGN,
     UNAVAILABLE},
    READ("twitter", "a Twitter account", "Twitter accounts"),
    CHANGE("twitter", "a Twitter account", "Twitter account", COL_PLUS, state_update, NULL),
    REMOVE("twitter", "a Twitter account", "Twitter accounts", AD, NULL, NULL, "2", "1"),
    {0},
};

static const struct route facebook_routes[] = {
    LISTS("facebook", "Facebook accounts"),
    READ("facebook", "a Facebook account", "Facebook accounts"),
    CHANGE("facebook", "a Facebook account", "Facebook account", AD, state_update, NULL),
    REMOVE("facebook", "a Facebook account", "Facebook accounts", COL_PLUS, "3", "4", "2", "1"),
    {0},
};

const struct resource identity_email_resource = {.type = "identity_email",
                                                 .scope = "users",
                                                 .title = "E-mail addresses",
                                                 .doc = "E-mail addresses of people.",
                                                 .url = "identities/emails/:id",
                                                 .table = "identity_emails",
                                                 .fields = email_fields,
                                                 .routes = email_routes,
                                                 .visible = access_of_person};
static const struct field phone_items[] = {{ITEM_TEXT, F_TEXT, .doc = "The number."}, {0}};

const struct resource identity_phone_resource = {.type = "identity_phone",
                                                 .items = phone_items,
                                                 .sample = "",
                                                 .scope = "users",
                                                 .title = "Phone numbers",
                                                 .doc = "Phone numbers of people.",
                                                 .url = "identities/phones/:id",
                                                 .table = "identity_phones",
                                                 .fields = phone_fields,
                                                 .routes = phone_routes,
                                                 .visible = access_of_person};
const struct resource identity_twitter_resource = {.type = "identity_twitter",
                                                   .scope = "users",
                                                   .title = "Twitter accounts",
                                                   .doc = "Twitter accounts of people.",
                                                   .url = "identities/twitter/:id",
                                                   .table = "identity_twitter",
                                                   .fields = twitter_fields,
                                                   .routes = twitter_routes,
                                                   .visible = access_of_person};
const struct resource identity_facebook_resource = {.type = "identity_facebook",
                                                    .scope = "users",
                                                    .title = "Facebook accounts",
                                                    .doc = "Facebook accounts of people.",
                                                    .url = "identities/facebook/:id",
                                                    .table = "identity_facebook",
                                                    .fields = facebook_fields,
                                                    .routes = facebook_routes,
                                                    .visible = access_of_person};
