/* The caller's own person: the same row as their user, with the members that api.md gives a profile. */
#include "api/generic.h"
#include "core/user.h"
#include "res/person.h"

static const struct field profile_fields[] = {
    {"full_name", F_TEXT, BY_HANDLER, .doc = "One's name.", .example = "\"Ada Byron\""},
    {"designation", F_TEXT, NULLABLE, .doc = "What one does.", .example = "\"Support engineer\""},
    {"is_otp_enabled", F_BOOL, READONLY, .column = "t.is_mfa_enabled", .doc = "Whether a second factor is asked for."},
    PERSON_AVATAR,
    {"organization", F_REF, READONLY, .ref = "organization", .doc = "Whom one works for."},
    PERSON_TEAMS,
    PERSON_EMAILS,
    PERSON_PHONES,
    PERSON_TWITTER,
    PERSON_FACEBOOK,
    PERSON_EXTERNAL_IDENTIFIERS,
    PERSON_ADDRESSES,
    PERSON_WEBSITES,
    PERSON_CUSTOM_FIELDS,
    {"locale", F_REF, NULLABLE, .ref = "locale", .doc = "The language one is written to in."},
    PERSON_TIME_ZONE,
    PERSON_TIME_ZONE_OFFSET,
    {"greeting", F_TEXT, READONLY, .doc = "How one greets."},
    {"signature", F_LONG, NULLABLE, .max = 4000, .doc = "What stands under one's replies."},
    {"status_message", F_TEXT, READONLY, .doc = "What one is up to."},
    PERSON_LAST_SEEN_USER_AGENT,
    PERSON_LAST_SEEN_IP,
    {"last_login_at", F_TIME, READONLY, .column = "t.last_logged_in_at", .doc = "When one last logged in."},
    {"agent_case_access", F_WORD, READONLY, .words = case_accesses, .doc = "Which conversations one sees; null: as the role says."},
    {"organization_case_access", F_WORD, READONLY, .words = organization_accesses,
     .doc = "Whether a customer sees the organization's conversations too, when it is shared."},
    {"created_at", F_TIME, READONLY, .doc = "When it was made."},
    {"updated_at", F_TIME, READONLY, .doc = "When it last changed."},
    {0},
};

/* The path names nobody: the row is the caller's. */
static void own_row(struct call *c) {
    c->vars[0] = (struct path_var){.bind = ":id", .id = c->work.actor.user_id};
    c->var_count = 1;
}

static int read_own(struct call *c) {
    own_row(c);
    return api_get(c);
}

static int update_own(struct call *c) {
    own_row(c);
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    if (given(c, "full_name")) TRY(user_set_name(&c->work, c->id, in_text(c, "full_name")));
    return api_reply(c);
}

static const struct route profile_routes[] = {
    {GET, "/profile", ALL, "", ONE, read_own, .summary = "Read one's profile"},
    {PUT, "/profile", ALL, "", ONE, update_own, .summary = "Change one's profile"},
    {0},
};

const struct resource profile_resource = {.type = "profile", .title = "Profile", .doc = "The caller's own person.", .url = "profile",
                                          .table = "users", .fields = profile_fields, .routes = profile_routes, .is_person = true,
                                          .changes_unseen = true};
