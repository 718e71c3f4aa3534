#include "core/desk/channel_name.h"
#include "core/people/authority.h"
#include "core/people/people_total.h"
#include "core/people/user.h"

#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/visible.h"
#include "api/rows/view.h"
#include "base/fold.h"
#include "core/change/object_diff.h"
#include "core/predicates/definition.h"
#include "core/login/factor.h"
#include "core/people/identity.h"
#include "core/letters/letter.h"
#include "core/login/password.h"
#include "core/login/remember.h"
#include "core/login/session.h"
#include "core/desk/setting.h"
#include "res/avatar.h"
#include "res/people_csv.h"
#include "res/person.h"
#include "res/tag.h"

#include <inttypes.h>

/* ---- members of the current user only -------------------------------------------------------- */

static bool is_self(struct view *v, const struct row *row) {
    if (row->id == v->c->work.actor.user_id) return true;
    jw_null(&v->w);
    return false;
}

/* Settings that every logged-in caller may read. */
static int own_settings(struct call *c, int64_t owner_id, int64_t **ids) {
    int n = 0, count = 0;
    while (setting_table[count].name) count++;
    *ids = arena_array(c->work.arena, (size_t)count + 1, sizeof **ids);
    for (const struct setting *s = setting_table; s->name && owner_id == c->work.actor.user_id; s++)
        if (s->everyone) (*ids)[n++] = s->id;
    return n;
}

static void own_channel(struct view *v, const struct row *row, const struct value *own) {
    if (is_self(v, row)) jw_str(&v->w, channel_of_own(v->c->work.desk, v->c->work.arena, own->s));
}

/* Reported with all other problems. identity_add makes the final check. */
static int user_check_address(struct call *c, struct in *in, enum identity_kind kind) {
    int64_t holder;
    int rc = identity_owner(&c->work, kind, in->value.s, &holder);
    if (rc < 0) return fail(&c->work, error_of_result(rc));
    return rc ? fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in->pointer, NULL) : 0;
}

static int check_email(struct call *c, struct in *in) { return user_check_address(c, in, IDENTITY_EMAIL); }

static int check_phone(struct call *c, struct in *in) {
    if (phone_key(&c->work, in->value.s).p) return user_check_address(c, in, IDENTITY_PHONE);
    return fail_at(&c->work, ERR_FIELD_INVALID, S("phone"), in->pointer, "A phone number is expected.");
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define OWN_PERMISSIONS                                                                \
    "SELECT u.id, p.id FROM users u JOIN role_permissions p ON p.role_id = u.role_id " \
    "WHERE u.id IN @LIST(:ids) AND u.id = :me "                                        \
    "ORDER BY u.id, p.id"

static const struct field user_fields[] = {
    {"uuid", F_TEXT, READONLY, .to = TO_STAFF, .doc = "UUID of the person."},
    {"full_name", F_TEXT, REQUIRED | BY_HANDLER, .render = person_name, .doc = "Name of the person.",
     .example = "\"Ada Byron\""},
    {"email", F_EMAIL, CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .check = check_email,
     .doc = "E-mail address. No other person may have it. Send email or phone.",
     .example = "\"ada.byron@example.com\""},
    {"phone", F_TEXT, CREATE_ONLY | INPUT_ONLY | BY_HANDLER, .check = check_phone,
     .doc = "Phone number. No other person may have it.", .example = "\"+49 30 1234567\""},
    {"password", F_PASSWORD, INPUT_ONLY | BY_HANDLER,
     .doc = "At least 8 characters for staff, 5 for customers.", .example = "\"correct horse\""},
    {"team_ids", F_IDS, INPUT_ONLY | BY_HANDLER, .doc = "Teams of a staff member.", .example = "[1]"},
    {"legacy_id", F_TEXT, NULLABLE | UNIQUE, .to = TO_STAFF,
     .doc = "Id in the system that the person was imported from."},
    {"designation", F_TEXT, NULLABLE, .fold = "designation_key", .to = TO_CUSTOMERS,
     .doc = "Job title of the person.", .example = "\"Support engineer\""},
    {"is_enabled", F_BOOL, UPDATE_ONLY, .to = TO_STAFF, .doc = "True if the person may log in."},
    {"is_mfa_enabled", F_BOOL, READONLY, .to = TO_STAFF,
     .doc = "True if logins of the person ask for a second factor."},
    {"role", F_REF, BY_HANDLER, .ref = "role", .initial = "4", .to = TO_STAFF,
     .doc = "Role of the person. Default: customer."},
    PERSON_AVATAR,
    {"agent_case_access", F_WORD, NULLABLE, .column = PERSON_CASE_ACCESS, .words = case_accesses,
     .to = TO_STAFF,
     .doc = "Conversations that a staff member sees. Default: those of the role. Null for customers."},
    {"organization_case_access", F_WORD, 0, .words = organization_accesses, .initial = "REQUESTED",
     .to = TO_STAFF, .doc = "True if a customer also sees the conversations of a shared organization."},
    {"organization", F_REF, NULLABLE | BY_HANDLER, PERSON_ORGANIZATION, .ref = "organization", .to = TO_STAFF,
     .doc = "Organization of the person."},
    {"*", .group = person_identities},
    PERSON_EXTERNAL_IDENTIFIERS(NULLABLE),
    PERSON_ADDRESSES(NULLABLE),
    PERSON_WEBSITES(NULLABLE),
    {"*", .group = person_values},
    USER_TAGS,
    TAG_NAMES_MEMBER,
    {"pinned_notes_count", F_INT, READONLY, .to = TO_STAFF_ALONE,
     .doc = "Number of notes pinned to the person."},
    {"locale", F_REF, NULLABLE, .ref = "locale", .to = TO_STAFF, .doc = "Language of e-mails to the person."},
    {"*", .group = person_zone},
    {"greeting", F_TEXT, NULLABLE | UPDATE_ONLY, .to = TO_CUSTOMERS, .doc = "Greeting of the person."},
    {"signature", F_LONG, NULLABLE, .max = 4000, .to = TO_STAFF,
     .doc = "Signature under the person's replies."},
    {"status_message", F_TEXT, NULLABLE | UPDATE_ONLY, .to = TO_CUSTOMERS,
     .doc = "Status message of the person."},
    {"*", .group = person_program},
    {"last_seen_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time at which the person was last seen."},
    {"last_active_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of the person's last activity."},
    {"realtime_channel", F_COMPUTED, READONLY, .render = person_realtime_channel, .to = TO_STAFF,
     .doc = "Realtime channel of changes.", .example = "\"presence-0f@v1_users_2\""},
    PERSON_PRESENCE_CHANNEL,
    {"password_updated_at", F_TIME, READONLY, .to = TO_STAFF,
     .doc = "Time of the last change of the password."},
    {"avatar_updated_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of the last change of the picture."},
    {"last_logged_in_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of the last login."},
    {"last_activity_at", F_TIME, READONLY, .to = TO_STAFF,
     .doc = "Time of the last activity, up to a minute late."},
    {"created_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of creation."},
    {"updated_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of the last change."},
    {"permissions", F_MANY, READONLY | ON_DEMAND, .ref = "permission", .many = OWN_PERMISSIONS,
     .to = TO_STAFF, .doc = "Permissions of the current user. Null for other people."},
    {"settings", F_MANY, READONLY | ON_DEMAND, .ref = "setting", .made = own_settings, .to = TO_STAFF,
     .doc = "Settings that clients of the current user need. Null for other people."},
    {"notification_channel", F_COMPUTED, READONLY | ON_DEMAND, .column = "t.uuid", .render = own_channel,
     .to = TO_STAFF, .doc = "Realtime channel of notifications of the current user. Null for other people.",
     .example = "\"user_notifications-0f@0f\""},
    {0},
};

/* ---- handlers -------------------------------------------------------------------------------- */

/* Runs in the pool, because Argon2id takes 20 ms and 19 MiB. */
static int hash_password(struct call *c) {
    const struct json *j = json_named(c->body, S("password"));
    if (j == NULL || (j->type != JSON_STRING && j->type != JSON_NUMBER) || j->text.n == 0 || j->text.n > 1024)
        return 0;
    struct str *hash = ARENA_NEW(c->work.arena, struct str);
    TRY(auth_hash(c, j->text, hash));
    c->prepared = hash;
    return 0;
}

static struct str prepared_hash(const struct call *c) {
    return c->prepared ? *(const struct str *)c->prepared : (struct str){0};
}

static int check_password(struct call *c, int64_t role_type) {
    int64_t least;
    const struct in *p = in(c, "password");
    if (p->value.type != V_TEXT || password_rule(c->work.desk, (int)role_type, p->value.s, &least) == 0)
        return 0;
    return in_fail(c, "password", ERR_FIELD_INVALID, "At least %d characters are needed.", (int)least);
}

static struct str team_ids(struct call *c) {
    const struct value *v = &in(c, "team_ids")->value;
    return json_ids(c->work.arena, v->ids, (size_t)v->i);
}

static int check_teams(struct call *c, int64_t role_type) {
    const struct in *teams = in(c, "team_ids");
    if (!teams->given || teams->value.type != V_IDS) return 0;
    if (role_type < ROLE_COLLABORATOR && teams->value.i)
        return in_fail(c, "team_ids", ERR_FIELD_INVALID, "Customers are in no team.");
    TRY(api_visible_ids(c, resource_of("team"), teams, NULL));
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

static int either_address(struct call *c) {
    static const char *const names[] = {"email", "phone", NULL};
    if (in(c, "email")->value.type == V_TEXT || in(c, "phone")->value.type == V_TEXT) return 0;
    if (given(c, "email") || given(c, "phone")) {
        if (failed(&c->work)) return 0; /* it was given, and its problem is already reported */
    }
    return fail_any(&c->work, (struct str){0}, names);
}

/* Only admins and owners may change members that decide which conversations a person sees, even their own. */
static void user_ignore_access(struct call *c) {
    if (c->work.actor.rank >= ROLE_ADMIN) return;
    in_ignore(c, "agent_case_access", "only admins and owners may set it");
    in_ignore(c, "team_ids", "only admins and owners may set it");
}

static int email_to_invite(struct call *c) {
    const struct in *email = in(c, "email");
    /* or its problem is already reported */
    if (email->value.type == V_TEXT || (email->given && failed(&c->work))) return 0;
    return in_fail(c, "email", ERR_FIELD_REQUIRED, NULL);
}

static int make_person(struct call *c, bool invited) {
    int64_t type = ROLE_CUSTOMER;
    user_ignore_access(c);
    api_input(c);
    if (invited) email_to_invite(c);
    else either_address(c);
    if (in(c, "role")->value.type == V_INT) {
        user_may_grant(&c->work, in_int(c, "role"));
        TRY(role_type_of(&c->work, in_int(c, "role"), &type));
    }
    check_password(c, type);
    check_teams(c, type);
    if (failed(&c->work)) return -(int)failure(&c->work);
    struct user_new n = {.full_name = in_text(c, "full_name"),
                         .email = in_text(c, "email"),
                         .phone = in_text(c, "phone"),
                         .password_hash = prepared_hash(c),
                         .designation = in_text(c, "designation"),
                         .signature = in_text(c, "signature"),
                         .time_zone = in_text(c, "time_zone"),
                         .legacy_id = in_text(c, "legacy_id"),
                         .role_id = in_int(c, "role"),
                         .organization_id = in_int(c, "organization"),
                         .locale_id = in_int(c, "locale"),
                         .agent_case_access = (int)in_int(c, "agent_case_access"),
                         .organization_case_access = (int)in_int(c, "organization_case_access")};
    TRY(user_create(&c->work, &n, !invited && c->work.actor.rank >= ROLE_AGENT, &c->id));
    if (given(c, "team_ids")) TRY(user_join_teams(&c->work, c->id, team_ids(c)));
    return api_keep(c);
}

static int post_user(struct call *c) {
    TRY(make_person(c, false));
    return api_reply(c);
}

QUERY(user_first_email, "SELECT id FROM identity_emails WHERE user_id = :id ORDER BY id LIMIT 1");

/* The new person has no password yet. A click on the mailed link proves the address. */
static int post_user_invite(struct call *c) {
    int64_t email = 0;
    in_ignore(c, "password", "the invited person chooses it");
    TRY(make_person(c, true));
    TRY(db_int(c->work.conn, &user_first_email, BINDS(B_INT("id", c->id)), &email));
    TRY(letter_invitation(&c->work, email));
    call_mailed(c, NULL, "The invitation");
    return api_reply(c);
}

QUERY(user_role, "SELECT role_id FROM users WHERE id = :id");
QUERY(user_role_type, "SELECT role_type FROM users WHERE id = :id");

/* The requested changes, in the form of core. type: that of the person's new role. */
static int change_person(struct call *c, int64_t type) {
    struct column list[RECORD_COLUMNS];
    bool role = given(c, "role") && in_int(c, "role"), teams = given(c, "team_ids") || type == ROLE_CUSTOMER;
    bool password = given(c, "password") && prepared_hash(c).p;
    struct user_change wanted = {
        .columns = list,
        .column_count = api_columns(c, list),
        .set = (role ? USER_ROLE : 0U) | (given(c, "full_name") ? USER_NAME : 0U) |
               (password ? USER_PASSWORD : 0U) | (given(c, "organization") ? USER_ORGANIZATION : 0U) |
               (teams ? USER_TEAMS : 0U) | (given(c, "is_enabled") ? USER_ENABLED : 0U),
        .full_name = in_text(c, "full_name"),
        .password_hash = prepared_hash(c),
        .team_ids = given(c, "team_ids") ? team_ids(c) : S("[]"),
        .role_id = in_int(c, "role"),
        .organization_id = in_int(c, "organization"),
        .is_enabled = in_int(c, "is_enabled") != 0,
    };
    return user_change(&c->work, c->id, &wanted);
}

static int put_user(struct call *c) {
    int64_t type = 0, role = 0;
    TRY(api_target(c));
    TRY(user_may_change(&c->work, c->id));
    user_ignore_access(c);
    if (c->id == c->work.actor.user_id)
        in_ignore(c, "password", "use PUT /profile/password to change your own");
    api_input(c);
    TRY(db_int(c->work.conn, &user_role_type, BINDS(B_INT("id", c->id)), &type));
    TRY(db_int(c->work.conn, &user_role, BINDS(B_INT("id", c->id)), &role));
    if (given(c, "role") && in(c, "role")->value.type == V_INT && in_int(c, "role") != role) {
        user_may_grant(&c->work, in_int(c, "role"));
        TRY(role_type_of(&c->work, in_int(c, "role"), &type));
    }
    check_password(c, type);
    check_teams(c, type);
    if (failed(&c->work)) return -(int)failure(&c->work);
    bool disabled = given(c, "is_enabled") && !in_int(c, "is_enabled");
    if (disabled || type != ROLE_OWNER) TRY(users_leave_an_owner(&c->work, &c->id, 1, false));
    if (api_given(c)) TRY(change_person(c, type));
    TRY(api_keep(c));
    return api_reply(c);
}

/* Admins and owners find deleted people, in order to purge them. */
static void find_deleted(struct call *c) {
    const struct json *j = json_named(c->query, S("purge"));
    bool purge = j && (str_eq(j->text, S("1")) || str_eqi(j->text, S("true")));
    if (purge && c->work.actor.rank >= ROLE_ADMIN) c->alive = "t.purged_at IS NULL";
}

static int delete_users(struct call *c) {
    struct work *w = &c->work;
    bool listed = c->route->shape == COUNT;
    find_deleted(c);
    TRY(api_target(c));
    TRY(users_may_change(w, c->ids, c->id_count, listed));
    TRY(api_input(c));
    bool purge = arg(c, "purge")->value.i != 0;
    if (purge && w->actor.rank < ROLE_ADMIN) return fail(w, ERR_PERMISSIONS_DENIED);
    TRY(users_leave_an_owner(w, c->ids, c->id_count, listed));
    TRY(purge ? users_purge(w, c->ids, c->id_count) : users_delete(w, c->ids, c->id_count));
    return api_reply(c);
}

static int delete_user_twofactor(struct call *c) {
    TRY(api_target(c));
    TRY(user_may_change(&c->work, c->id));
    TRY(api_input(c));
    TRY(factor_remove(&c->work, c->id));
    return api_reply(c);
}

static int put_user_avatar(struct call *c) {
    TRY(api_target(c));
    TRY(user_may_change(&c->work, c->id));
    api_input(c);
    if (!avatar_given(c))
        in_fail(c, "avatar", ERR_FIELD_REQUIRED,
                "Send the picture as a part of multipart/form-data, or send its id "
                "as avatar_file_id.");
    if (failed(&c->work)) return -(int)failure(&c->work);
    TRY(avatar_store(c, c->id));
    return api_reply(c);
}

static int fold_email(struct call *c, struct in *in) {
    in->value.s = email_key(c->work.arena, in->value.s);
    return 0;
}

static const struct field user_list_args[] = {
    {"role", F_WORDS, .words = role_types, .filter = "t.role_type IN @LIST(:role)",
     .doc = "Only people with these roles."},
    {"is_enabled", F_BOOL, .filter = "t.is_enabled = :is_enabled",
     .doc = "Only people who may log in (true), or who may not (false)."},
    {"organization_id", F_INT,
     .filter = "t.organization_id = :organization_id AND t.organization_id NOT IN " GONE_ORGANIZATIONS,
     .doc = "Only people of this organization."},
    {"email", F_EMAIL, .check = fold_email,
     .filter = "t.id IN (SELECT e.user_id FROM identity_emails e WHERE e.email_key = :email "
               "AND e.is_claim = 0)",
     .doc = "Only the person with this e-mail address."},
    {"*", .group = csv_args},
    {0},
};

static const struct field avatar_input[] = {AVATAR_PART, AVATAR_FILE, {0}};

static const struct field delete_args[] = {
    {"purge", F_BOOL,
     .doc = "True also erases personal data, even of people who were deleted before. Only for admins and "
            "owners. The conversations stay."},
    {0},
};

/* A caller without login asks for the pseudonym that it was shown. */
static int get_user(struct call *c) {
    struct path_var *asked = &c->vars[0];
    bool nobody = c->work.actor.rank == ROLE_PUBLIC;
    int seen = nobody ? stranger_find(&c->work, asked->id, &c->conversation, &asked->id)
                      : access_person(&c->work, asked->id);
    if (seen <= 0) return seen < 0 ? seen : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    return api_get(c);
}

/* The current user, with the members that only the current user sees. */
static int get_me(struct call *c) {
    c->vars[0] = (struct path_var){.bind = ":id", .id = c->work.actor.user_id};
    c->var_count = 1;
    c->options.also = "+permissions,+settings,+notification_channel";
    call_header(
        c, "Content-Location",
        str_fmt(c->work.arena, "%s/api/v1/users/%" PRId64, c->work.desk->base_url.p, c->work.actor.user_id));
    return api_get(c);
}

/* Numbers are kept for these two filters. */
static int count_users(struct call *c, int64_t *total) {
    const struct in *enabled = arg(c, "is_enabled"), *role = arg(c, "role");
    struct people_filter f = {0};
    if (arg(c, "organization_id")->given || arg(c, "email")->given) return 0;
    if (enabled->given) f.enabled = enabled->value.i ? 1 : 2;
    for (int64_t i = 0; role->given && i < role->value.i; i++) f.roles |= 1U << role->value.ids[i];
    if (role->given && f.roles == 0) return 0;
    return people_total(&c->work, f, total);
}

static const struct route user_routes[] = {
    {GET, "/me", ALL, "", ONE, get_me, .bearer = BEARER_ANY, .content = "", .headers = "Content-Location",
     .summary = "Get the current user",
     .doc = "The user, with permissions, settings and notification_channel."},
    {GET, "/users", COL_PLUS, "users", LIST, get_users, .args = user_list_args, .order = {.descending = true},
     .count = count_users, .has_csv = true, .summary = "List users",
     .doc = "As CSV, each line is a user; a cell with several values has commas between them. Continue with "
            "`after_id`, the id of the last line."},
    {GET, "/users/definitions", COL_PLUS, "users", LIST_COUNT, api_list, .reply = "definition",
     .label = "definition", .summary = "List the definitions for filters of users",
     .doc = "The fields of custom fields are called userfields.<key>."},
    {POST, "/users/filter", COL_PLUS, "users", LIST, api_filter, .input = filter_input,
     .order = {.descending = true}, .reads = true, .summary = "Find users by a predicate",
     .doc = "The pointer of an error locates it: predicates/collections/0/propositions/1/operator."},
    {GET, "/users/:id", ALL | FINGERPRINT, "users", ONE, get_user, .summary = "Get a user",
     .doc = "Staff get all users. Customers and fingerprints get the people of the conversations that they "
            "see, with fewer members."},
    {GET, "/users/:id/avatar", PUBLIC, "", ONE, get_user_avatar, .args = avatar_args, .is_download = true,
     .label = "-", .summary = "Get the picture of a user",
     .doc = "If the user has no picture, the reply is a drawing of the "
            "initials."},
    {POST, "/users", AG_PLUS, "users", ONE, post_user, .prepare = hash_password, .lane = LANE_HASH,
     .lane_for = "password", .permission = "users.update", .summary = "Create a user",
     .doc = "An e-mail address or a phone number is required."},
    {POST, "/users/invite", AG_PLUS, "users", ONE, post_user_invite, .permission = "users.update",
     .summary = "Invite a user",
     .doc = "Creates a user with an e-mail address and without a password. The server mails a link to set "
            "the password. It works for seven days. If the desk has no mail relay, a notification says so, "
            "and the mail waits.",
     .sample = {.body = "{\"full_name\":\"Grace Murray\",\"email\":\"grace@example.com\"}"}},
    {PUT, "/users/:id/avatar", AG_PLUS, "users", ONE, put_user_avatar, .prepare = avatar_prepare,
     .lane = LANE_PICTURE, .input = avatar_input, .body = FILES_TAKEN, .permission = "users.update",
     .summary = "Set the picture of a user",
     .doc = "Send the picture as a part of the body, or the id of an uploaded file. One of them is "
            "required.",
     .errors = "FIELD_REQUIRED"},
    {PUT, "/users/:id", AG_PLUS, "users", ONE, put_user, .prepare = hash_password, .lane = LANE_HASH,
     .lane_for = "password", .permission = "users.update", .summary = "Update a user",
     .doc = "Agents change customers and themselves. Admins and owners change anyone of equal or lower "
            "rank. Your own password is ignored here: use PUT /profile/password.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/users/:id/twofactor", AD, "users", NONE, delete_user_twofactor, .permission = "users.update",
     .summary = "Remove the second factor of a user",
     .doc = "For a user who lost the authenticator and the recovery codes.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.refused = "RESOURCE_ACTION_NOT_AVAILABLE"}},
    {DELETE, "/users/:id", AG_PLUS, "users", NONE, delete_users, .args = delete_args,
     .permission = "users.delete", .summary = "Delete a user",
     .doc = "The user can no longer log in and loses all addresses. "
            "Conversations keep the name.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {DELETE, "/users", AG_PLUS, "users", COUNT, delete_users, .args = delete_args,
     .permission = "users.delete", .summary = "Delete several users", .doc = "Deletes all of them or none.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {0},
};

const struct resource user_resource = {
    .type = "user",
    .sample = "3",
    .scope = "users",
    .title = "People",
    .doc = "Users: staff and customers.",
    .url = "users/:id",
    .table = "users",
    /* Customers get the people of their conversations. Other people are shown as references, by .to of the
     * fields. */
    .fields = user_fields,
    .routes = user_routes,
    .visible = access_everyone,
    .subject = &user_subject,
    .keyset = true,
    .is_person = true,
    .diffed = DIFFED_USER,
    .alive = "t.deleted_at IS NULL",
    .unique_among = "t.deleted_at IS NULL",
    .changes_unseen = true,
    .changed = PERSON_CHANGED,
    .shows_fields = true};
