/* The profile of the caller: the same row as the user, with the members of a profile. */
#include "api/rows/generic.h"
#include "api/call/machine.h"
#include "base/limits.h"
#include "core/change/object_diff.h"
#include "core/login/auth_token.h"
#include "core/people/avatar.h"
#include "core/login/password.h"
#include "core/people/proof.h"
#include "core/login/session.h"
#include "core/people/user.h"
#include "res/avatar.h"
#include "res/person.h"
#include "res/groups.h"

static const struct field profile_fields[] = {
    {"full_name", F_TEXT, REQUIRED | BY_HANDLER, .doc = "Your name.", .example = "\"Ada Byron\""},
    {"designation", F_TEXT, NULLABLE, .fold = "designation_key", .doc = "Your job title.",
     .example = "\"Support engineer\""},
    {"is_otp_enabled", F_BOOL, READONLY, .column = "t.is_mfa_enabled",
     .doc = "True if logins ask for a second factor."},
    AVATAR_PART,
    AVATAR_FILE,
    PERSON_AVATAR,
    {"organization", F_REF, READONLY, PERSON_ORGANIZATION, .ref = "organization",
     .doc = "Your organization."},
    {"*", .group = person_identities},
    PERSON_EXTERNAL_IDENTIFIERS(READONLY),
    PERSON_ADDRESSES(READONLY),
    PERSON_WEBSITES(READONLY),
    {"*", .group = person_values},
    {"locale", F_REF, NULLABLE, .ref = "locale", .doc = "Language of e-mails to you."},
    {"*", .group = person_zone},
    {"greeting", F_TEXT, READONLY, .doc = "Your greeting."},
    {"signature", F_LONG, NULLABLE, .max = 4000, .doc = "Signature under your replies."},
    {"status_message", F_TEXT, READONLY, .doc = "Your status message."},
    {"*", .group = person_program},
    {"last_login_at", F_TIME, READONLY, .column = "t.last_logged_in_at", .doc = "Time of your last login."},
    {"agent_case_access", F_WORD, READONLY, .column = PERSON_CASE_ACCESS, .words = case_accesses,
     .doc = "Conversations that a staff member sees. Null for customers."},
    {"organization_case_access", F_WORD, READONLY, .words = organization_accesses,
     .doc = "True if a customer also sees the conversations of a shared organization."},
    {"*", .group = row_times},
    {0},
};

/* The path has no id: the row is the caller's. */
static void profile_target(struct call *c) {
    c->vars[0] = (struct path_var){.bind = ":id", .id = c->work.actor.user_id};
    c->var_count = 1;
}

static int get_profile(struct call *c) {
    profile_target(c);
    return api_get(c);
}

static int put_profile(struct call *c) {
    struct column list[RECORD_COLUMNS];
    profile_target(c);
    TRY(api_target(c));
    TRY(api_input(c));
    struct user_change wanted = {.columns = list,
                                 .column_count = api_columns(c, list),
                                 .set = given(c, "full_name") ? USER_NAME : 0U,
                                 .full_name = in_text(c, "full_name")};
    if (api_given(c)) TRY(user_change(&c->work, c->id, &wanted));
    TRY(api_keep(c));
    TRY(avatar_store(c, c->id));
    return api_reply(c);
}

static int delete_profile_avatar(struct call *c) {
    TRY(api_input(c));
    TRY(avatar_clear(&c->work, c->work.actor.user_id));
    return api_reply(c);
}

/* ---- the password ---------------------------------------------------------------------------- */

struct checked { /* the result of the checks of the passwords in the pool */
    bool right, used_before;
    int64_t version; /* password_updated_at at that time */
    struct str hash;
};

QUERY(own_password, "SELECT password_hash, COALESCE(password_updated_at, 0) FROM users WHERE id = :user");

static struct str sent_password(const struct call *c, const char *name) {
    const struct json *j = json_named(c->body, str_of(name));
    bool fits = j && (j->type == JSON_STRING || j->type == JSON_NUMBER) && j->text.n > 0 &&
                j->text.n <= LIMIT_PASSWORD;
    return fits ? j->text : (struct str){0};
}

/* Callers with a token or a mailed link need not send the current password. */
static bool excused(const struct call *c) { return c->auth_token_id || c->password_link.p; }

/* Runs in the pool, because it computes three or more hashes. It hashes nothing for callers who may not
 * change the password. */
static int check_passwords(struct call *c) {
    struct work *w = &c->work;
    struct checked *found = ARENA_NEW(w->arena, struct checked);
    struct str given = sent_password(c, "password"), wanted = sent_password(c, "new_password"), hash;
    struct stmt *row;
    int64_t least;
    c->prepared = found;
    int rc = db_row(w->conn, &own_password, BINDS(B_INT("user", w->actor.user_id)), &row);
    if (rc <= 0) return rc;
    hash = str_dup(w->arena, col_text(row, 0));
    found->version = col_int(row, 1);
    stmt_end(row);
    if (!excused(c) && given.p) TRY(auth_guess(c, hash, given, &found->right));
    bool go_on = wanted.p && (excused(c) || found->right) &&
                 password_rule(w->desk, w->actor.rank, wanted, &least) == 0;
    if (!go_on) return 0;
    pthread_mutex_lock(&c->api->hashing);
    rc = password_used_before(w, w->actor.user_id, wanted);
    pthread_mutex_unlock(&c->api->hashing);
    found->used_before = rc == 1;
    return rc == 0 ? auth_hash(c, wanted, &found->hash) : rc < 0 ? rc : 0;
}

/* Reports the problems of both passwords at once. */
static void judge_passwords(struct call *c, const struct checked *found, int64_t version) {
    const struct in *wanted = in(c, "new_password");
    int64_t least;
    bool short_one = wanted->value.type == V_TEXT &&
                     password_rule(c->work.desk, c->work.actor.rank, wanted->value.s, &least) < 0;
    bool right = excused(c) || (found->right && found->version == version);
    if (!right && in(c, "password")->value.type == V_TEXT)
        in_fail(c, "password", ERR_FIELD_INVALID, "This is not the current password.");
    if (short_one)
        in_fail(c, "new_password", ERR_FIELD_INVALID, "At least %d characters are needed.", (int)least);
    if (found->used_before)
        in_fail(c, "new_password", ERR_FIELD_INVALID, "You used this password before. Choose another one.");
}

/* Returns 1, or 0 if the token or link of the caller was used in the meantime. */
static int store_password(struct call *c, struct str hash) {
    struct work *w = &c->work;
    if (c->password_link.p) return password_reset_complete(w, c->password_link, hash);
    int rc = c->auth_token_id ? auth_token_use(w, c->auth_token_id) : 1;
    if (rc == 1) TRY(password_set(w, w->actor.user_id, hash));
    return rc;
}

static int put_profile_password(struct call *c) {
    struct work *w = &c->work;
    const struct checked *found = c->prepared;
    struct stmt *row;
    if (excused(c)) in_ignore(c, "password", "X-Token replaces it");
    api_input(c);
    TRY(db_lock_row(w->conn, "users", w->actor.user_id));
    TRY_FOUND(w, db_row(w->conn, &own_password, BINDS(B_INT("user", w->actor.user_id)), &row));
    int64_t version = col_int(row, 1);
    stmt_end(row);
    judge_passwords(c, found, version);
    if (failed(w)) return -(int)failure(w);
    int rc = store_password(c, found->hash);
    return rc < 0 ? rc : rc ? api_reply(c) : fail(w, ERR_AUTHENTICATION_FAILED);
}

static const struct field password_input[] = {
    {"password", F_PASSWORD, PRESENT, .doc = "Current password. Not needed with X-Token.",
     .example = "\"PASSWORD\""},
    {"new_password", F_PASSWORD, PRESENT, .doc = "At least 8 characters for staff, 5 for customers.",
     .example = "\"battery staple\""},
    {0},
};

static void profile_visible(struct work *w, struct branches *out) {
    branch_add(out, "t.id = :me");
    branch_bind_int(out, ":me", w->actor.user_id);
}

static const struct route profile_routes[] = {
    {GET, "/profile", ALL, "", ONE, get_profile, .bearer = BEARER_ANY, .summary = "Get your profile"},
    {PUT, "/profile", ALL, "", ONE, put_profile, .prepare = avatar_prepare, .lane = LANE_PICTURE,
     .lane_for = "avatar,avatar_file_id", .body = FILES_TAKEN, .summary = "Update your profile"},
    {DELETE, "/profile/avatar", ALL, "", NONE, delete_profile_avatar, .summary = "Delete your picture",
     .doc = "A drawing of your initials takes its place."},
    {PUT, "/profile/password", ALL | NEW_PASSWORD, "", NONE, put_profile_password, .prepare = check_passwords,
     .lane = LANE_HASH, .input = password_input, .summary = "Change your password",
     .doc = "Ends your other sessions, remember-me tokens and bearer tokens. After CREDENTIAL_EXPIRED, send "
            "the `auth_token` in the header X-Token and only `new_password` in the body.",
     .errors = "AUTHENTICATION_LOCKED", .sample = {.refused = "FIELD_INVALID"}},
    {0},
};

const struct resource profile_resource = {.type = "profile",
                                          .scope = "",
                                          .title = "Profile",
                                          .doc = "The profile of the current user.",
                                          .url = "profile",
                                          .table = "users",
                                          .fields = profile_fields,
                                          .routes = profile_routes,
                                          .visible = profile_visible,
                                          .is_person = true,
                                          .diffed = DIFFED_USER,
                                          .changes_unseen = true,
                                          .changed = PERSON_CHANGED,
                                          .shows_fields = true};
