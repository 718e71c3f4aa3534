#include "core/people/user.h"

#include "base/fold.h"
#include "core/change/audit.h"
#include "core/change/object_diff.h"
#include "core/people/authority.h"
#include "core/people/avatar.h"
#include "core/people/contact.h"
#include "core/fields/field_value.h"
#include "core/desk/file.h"
#include "core/desk/rekey.h"
#include "core/people/identity.h"
#include "core/letters/letter.h"
#include "core/letters/link.h"
#include "core/people/name_index.h"
#include "core/people/organization.h"
#include "core/login/password.h"
#include "core/login/remember.h"
#include "core/login/session.h"
#include "core/login/bearer.h"
#include "core/words.h"
#include "json/json.h"

#include <inttypes.h>

#define USER_COLUMNS                                                                         \
    "uuid, full_name, name_key, legacy_id, designation, designation_key, is_enabled, "       \
    "is_mfa_enabled, role_id, role_type, agent_case_access, organization_case_access, "      \
    "organization_id, locale_id, time_zone, signature, password_hash, password_updated_at, " \
    "created_at, updated_at) VALUES ("
#define USER_VALUES                                                                         \
    ":uuid, :name, :key, :legacy, :designation, :designation_key, :enabled, 0, :role, "     \
    "(SELECT type FROM roles WHERE id = :role), CAST(:case_access AS BIGINT), "             \
    ":organization_access, CAST(:organization AS BIGINT), CAST(:locale AS BIGINT), :zone, " \
    ":signature, :hash, CAST(:password_at AS BIGINT), :now, :now) RETURNING id"
QUERY(user_insert, "INSERT INTO users (" USER_COLUMNS USER_VALUES);
QUERY(user_insert_as, "INSERT INTO users (id, " USER_COLUMNS ":id, " USER_VALUES);

/* The first identities of a person count at once, from any source. */
static int add_identity(struct work *w, enum identity_kind kind, const struct identity_new *n) {
    int64_t id;
    return n->value.p ? identity_add(w, kind, n, &id) : 0;
}

/* New staff are entries of the audit log. Customers are not, because mails create them. */
static int audit_staff(struct work *w, int64_t user_id, int64_t role_id) {
    int64_t type = ROLE_CUSTOMER;
    if (role_id != ROLE_OF_CUSTOMERS) TRY(role_type_of(w, role_id, &type));
    if (type <= ROLE_CUSTOMER) return 0;
    return audit_add(
        w, &(struct audit_entry){.action = AUDIT_STAFF_CREATED,
                                 .object_type = "user",
                                 .object_id = user_id,
                                 .details = str_fmt(w->arena, "{\"role_id\":%" PRId64 "}", role_id)});
}

int user_create(struct work *w, const struct user_new *n, bool by_staff, int64_t *id) {
    int access = n->organization_case_access ? n->organization_case_access : ORGANIZATION_REQUESTED;
    int64_t organization = n->organization_id;
    if (organization == 0 && n->email.p) TRY(organization_of_address(w, n->email, &organization));
    TRY(organization_hold(w, organization));
    TRY(db_insert(w->conn, n->id ? &user_insert_as : &user_insert,
                  BINDS(B_INT("id", n->id), B_TEXT("uuid", random_uuid(w->arena)),
                        B_TEXT("name", n->full_name), B_TEXT("key", fold_key(w->arena, n->full_name)),
                        B_TEXT("legacy", n->legacy_id), B_TEXT("designation", n->designation),
                        B_TEXT("designation_key", fold_key(w->arena, n->designation)),
                        B_INT("enabled", !n->is_disabled), B_INT("role", n->role_id),
                        B_ID("case_access", n->agent_case_access), B_INT("organization_access", access),
                        B_ID("organization", organization), B_INT("locale", n->locale_id ? n->locale_id : 1),
                        B_TEXT("zone", n->time_zone), B_TEXT("signature", n->signature),
                        B_TEXT("hash", n->password_hash),
                        B_ID("password_at", n->password_hash.p ? w->now : 0), B_INT("now", w->now)),
                  id));
    TRY(object_diff_created(w, DIFFED_USER, *id));
    TRY(audit_staff(w, *id, n->role_id));
    TRY(name_indexed(w->conn, NAME_USER, *id, (struct str){0}, fold_key(w->arena, n->full_name)));
    int rc =
        add_identity(w, IDENTITY_EMAIL,
                     &(struct identity_new){.user_id = *id, .value = n->email, .is_validated = by_staff});
    int rc2 =
        add_identity(w, IDENTITY_PHONE,
                     &(struct identity_new){
                         .user_id = *id, .value = n->phone, .is_validated = by_staff, .parameter = "phone"});
    return rc < 0 ? rc : rc2 < 0 ? rc2 : 0;
}

/* ---- changes --------------------------------------------------------------------------------- */

QUERY(teams_leave, "DELETE FROM team_members WHERE user_id = :user AND team_id NOT IN @LIST(:teams)");
QUERY(teams_changed,
      "UPDATE teams SET updated_at = :now "
      "WHERE id IN (SELECT team_id FROM team_members WHERE user_id = :user) OR id IN @LIST(:teams)");
QUERY(teams_join, "INSERT INTO team_members (team_id, user_id, created_at) "
                  "SELECT id, CAST(:user AS BIGINT), CAST(:now AS BIGINT) "
                  "FROM teams WHERE id IN @LIST(:teams) AND deleted_at IS NULL "
                  "ON CONFLICT (team_id, user_id) DO NOTHING");
QUERY(user_role_set,
      "UPDATE users "
      "SET role_id = :role, role_type = (SELECT type FROM roles WHERE id = :role), updated_at = :now "
      "WHERE id = :user");
QUERY(user_name_set,
      "UPDATE users SET full_name = :name, name_key = :key, updated_at = :now WHERE id = :user");
QUERY(user_organization_set,
      "UPDATE users SET organization_id = CAST(:organization AS BIGINT), updated_at = :now "
      "WHERE id = :user AND COALESCE(organization_id, 0) <> COALESCE(CAST(:organization AS BIGINT), 0)");
QUERY(users_mark_deleted,
      "UPDATE users SET is_enabled = 0, deleted_at = :now, leaving_at = :now, updated_at = :now, "
      "role_id = (SELECT MIN(r.id) FROM roles r WHERE r.is_system = 1 AND r.type = users.role_type) "
      "WHERE id IN @LIST(:users) AND deleted_at IS NULL");
QUERY(users_teams_changed, "UPDATE teams SET updated_at = :now "
                           "WHERE id IN (SELECT team_id FROM team_members WHERE user_id IN @LIST(:users))");
QUERY(users_teams_leave, "DELETE FROM team_members WHERE user_id IN @LIST(:users)");
QUERY(users_links_drop, "DELETE FROM signin_links WHERE user_id IN @LIST(:users)");
QUERY(users_passkeys_drop, "DELETE FROM passkeys WHERE user_id IN @LIST(:users)");
QUERY(users_visitors_drop, "DELETE FROM widget_visitors WHERE user_id IN @LIST(:users)");
QUERY(users_names, "SELECT id, name_key FROM users WHERE id IN @LIST(:users) AND deleted_at IS NULL");

int user_join_teams(struct work *w, int64_t user_id, struct str teams) {
    const struct bind *binds = BINDS(B_INT("user", user_id), B_TEXT("teams", teams), B_INT("now", w->now));
    TRY(object_diff_begin(w, DIFFED_USER, user_id));
    TRY(db_exec(w->conn, &teams_changed, binds));
    TRY(db_exec(w->conn, &teams_leave, binds));
    return db_exec(w->conn, &teams_join, binds);
}

static int set_role(struct work *w, int64_t user_id, int64_t role_id) {
    return db_exec(w->conn, &user_role_set,
                   BINDS(B_INT("user", user_id), B_INT("role", role_id), B_INT("now", w->now)));
}

QUERY(user_name_key, "SELECT name_key FROM users WHERE id = :user");

static int index_name(struct work *w, int64_t user_id, struct str key) {
    struct str before = {0};
    TRY(db_text(w->conn, &user_name_key, BINDS(B_INT("user", user_id)), w->arena, &before));
    return name_indexed(w->conn, NAME_USER, user_id, before, key);
}

static int set_name(struct work *w, int64_t user_id, struct str name) {
    TRY(index_name(w, user_id, fold_key(w->arena, name)));
    return db_exec(w->conn, &user_name_set,
                   BINDS(B_INT("user", user_id), B_TEXT("name", name),
                         B_TEXT("key", fold_key(w->arena, name)), B_INT("now", w->now)));
}

static int set_organization(struct work *w, int64_t user_id, int64_t organization_id) {
    TRY(organization_hold(w, organization_id));
    int moved =
        db_exec(w->conn, &user_organization_set,
                BINDS(B_INT("user", user_id), B_ID("organization", organization_id), B_INT("now", w->now)));
    return moved <= 0 ? moved : cascade(w, CASCADE_REQUESTER, json_ids(w->arena, &user_id, 1));
}

static int end_logins(struct work *w, int64_t user_id) {
    TRY(remember_end(w, user_id));
    TRY(tokens_end(w, user_id));
    return sessions_end(w, user_id, 0);
}

int user_change(struct work *w, int64_t user_id, const struct user_change *wanted) {
    unsigned set = wanted->set;
    TRY(object_diff_begin(w, DIFFED_USER, user_id));
    TRY(record_update(w, (struct record){NULL, "users", NULL}, &user_id, 1, wanted->columns,
                      wanted->column_count));
    if (set & USER_ROLE) TRY(set_role(w, user_id, wanted->role_id));
    if (set & USER_NAME) TRY(set_name(w, user_id, wanted->full_name));
    if (set & USER_PASSWORD) TRY(password_set(w, user_id, wanted->password_hash));
    if (set & USER_ORGANIZATION) TRY(set_organization(w, user_id, wanted->organization_id));
    if (set & USER_TEAMS) TRY(user_join_teams(w, user_id, wanted->team_ids));
    return set & USER_ENABLED && !wanted->is_enabled ? end_logins(w, user_id) : 0;
}

struct named {
    int64_t id;
    struct str key;
};

static int unindex_names(struct work *w, struct str users, int count) {
    struct named *list = arena_array(w->arena, (size_t)count, sizeof *list);
    int rc, n = 0;
    DB_ROWS(rc, w->conn, &users_names, BINDS(B_TEXT("users", users)), row)
    if (n < count) list[n++] = (struct named){col_int(row, 0), str_dup(w->arena, col_text(row, 1))};
    for (int i = 0; rc >= 0 && i < n; i++)
        rc = name_indexed(w->conn, NAME_USER, list[i].id, list[i].key, (struct str){0});
    return rc;
}

/* Deletes people, without the consequences for conversations. People who were deleted before stay deleted. */
static int leave(struct work *w, const int64_t *ids, int count, struct str users) {
    const struct bind *binds = BINDS(B_TEXT("users", users), B_INT("now", w->now));
    for (int i = 0; i < count; i++) TRY(object_diff_deleted(w, DIFFED_USER, ids[i]));
    TRY(unindex_names(w, users, count));
    TRY(db_exec(w->conn, &users_mark_deleted, binds));
    TRY(identities_free(w, users));
    TRY(db_exec(w->conn, &users_links_drop, binds));
    TRY(db_exec(w->conn, &users_passkeys_drop, binds));
    TRY(db_exec(w->conn, &users_visitors_drop, binds));
    TRY(contacts_free(w, users));
    for (int i = 0; i < count; i++) TRY(field_files_drop(w, AREA_USERS, ids[i]));
    TRY(db_exec(w->conn, &users_teams_changed, binds));
    TRY(db_exec(w->conn, &users_teams_leave, binds));
    TRY(tokens_end_all(w, users));
    return sessions_end_all(w, users);
}

int users_delete(struct work *w, const int64_t *ids, int count) {
    struct str users = json_ids(w->arena, ids, (size_t)count);
    TRY(leave(w, ids, count, users));
    return cascade(w, CASCADE_AGENT, users);
}

QUERY(user_erase,
      "UPDATE users SET full_name = 'Deleted user', name_key = 'deleted user', legacy_id = NULL, "
      "designation = NULL, designation_key = NULL, organization_id = NULL, time_zone = NULL, "
      "greeting = NULL, signature = NULL, status_message = NULL, password_hash = NULL, "
      "avatar_updated_at = NULL, pinned_notes_count = 0, last_seen_user_agent = NULL, "
      "last_seen_ip = NULL, is_mfa_enabled = 0, totp_secret = NULL, totp_step = NULL, purged_at = :now "
      "WHERE id IN @LIST(:users)");
QUERY(user_erase_passwords, "DELETE FROM password_history WHERE user_id IN @LIST(:users)");
QUERY(user_erase_codes, "DELETE FROM recovery_codes WHERE user_id IN @LIST(:users)");

QUERY(user_erase_notifications, "DELETE FROM notifications WHERE user_id IN @LIST(:users)");
QUERY(user_erase_preferences, "DELETE FROM notification_preferences WHERE user_id IN @LIST(:users)");

/* Mails from their addresses that found no sender, such as suspended ones: the cascade erases the mails of
 * a sender. */
QUERY(user_claim_mails,
      "UPDATE mails "
      "SET sender_id = (SELECT e.user_id FROM identity_emails e WHERE e.email_key = mails.from_key "
      "AND e.is_claim = 0 AND e.user_id IN @LIST(:users)) "
      "WHERE sender_id IS NULL AND from_key IN (SELECT e.email_key FROM identity_emails e "
      "WHERE e.user_id IN @LIST(:users) AND e.is_claim = 0)");

/* Only the deleted person used them. */
QUERY(user_erase_views, "DELETE FROM views WHERE agent_id IN @LIST(:users) AND visibility_type = 2");
QUERY(user_erase_drafts, "DELETE FROM drafts WHERE user_id IN @LIST(:users)");
QUERY(user_erase_new_case_drafts, "DELETE FROM new_case_drafts WHERE user_id IN @LIST(:users)");
QUERY(user_erase_macros, "DELETE FROM macros WHERE agent_id IN @LIST(:users) AND visibility_type = 1");

/* Steps of logins that were begun have the user agent. Replies to Idempotency-Keys are sealed, but they
 * are the person's. */
QUERY(user_erase_steps, "DELETE FROM auth_tokens WHERE user_id IN @LIST(:users)");
QUERY(user_erase_links, "DELETE FROM links WHERE user_id IN @LIST(:users)");
QUERY(user_erase_grants, "DELETE FROM oauth_grants WHERE user_id IN @LIST(:users)");
QUERY(user_erase_replies,
      "DELETE FROM idempotency "
      "WHERE caller IN (SELECT 'user:' || CAST(u.id AS TEXT) FROM users u WHERE u.id IN @LIST(:users))");

int users_purge_by(struct work *w, const int64_t *ids, int count, enum cascade what) {
    static const struct query *const erase[] = {&user_erase,
                                                &user_erase_passwords,
                                                &user_erase_codes,
                                                &user_erase_views,
                                                &user_erase_macros,
                                                &user_erase_preferences,
                                                &user_erase_steps,
                                                &user_erase_links,
                                                &user_erase_grants,
                                                &user_erase_replies,
                                                &user_erase_drafts,
                                                &user_erase_notifications,
                                                &user_erase_new_case_drafts};
    struct str users = json_ids(w->arena, ids, (size_t)count);
    const struct bind *binds = BINDS(B_TEXT("users", users), B_INT("now", w->now));
    TRY(db_exec(w->conn, &user_claim_mails, binds));
    TRY(leave(w, ids, count, users));
    for (int i = 0; i < count; i++) {
        TRY(avatar_clear(w, ids[i]));
        TRY(files_forget(w, ids[i]));
    }
    TRY(contacts_forget(w, users));
    for (size_t i = 0; i < sizeof erase / sizeof *erase; i++) TRY(db_exec(w->conn, erase[i], binds));
    enum audit_action action = what == CASCADE_PURGED ? AUDIT_USER_PURGED : AUDIT_PERSON_ERASED;
    TRY(audit_values_erase(w, users));
    for (int i = 0; i < count; i++)
        TRY(audit_add(w,
                      &(struct audit_entry){.action = action, .object_type = "user", .object_id = ids[i]}));
    return cascade(w, what, users);
}

int users_purge(struct work *w, const int64_t *ids, int count) {
    return users_purge_by(w, ids, count, CASCADE_PURGED);
}

/* ---- rebuilding keys ------------------------------------------------------------------------- */

QUERY(designations, "SELECT id, designation FROM users WHERE id > :after AND designation IS NOT NULL "
                    "ORDER BY id LIMIT :most");
QUERY(designation_key_set, "UPDATE users SET designation_key = :key WHERE id = :id");

int users_rekey(struct work *w, int64_t *after) {
    return texts_rekey(w, &designations, &designation_key_set, after);
}

/* ---- people who are known by an e-mail address alone ----------------------------------------- */

int customer_lock(struct work *w, struct str key) {
    return db_lock(w->conn, str_fmt(w->arena, "email:%.*s", (int)key.n, key.p));
}

int customer_of_address(struct work *w, struct str name, struct str address, int64_t *user_id) {
    TRY(customer_lock(w, email_key(w->arena, address)));
    int rc = identity_owner(w, IDENTITY_EMAIL, address, user_id);
    if (rc) return rc;
    return user_create(w,
                       &(struct user_new){.full_name = name, .email = address, .role_id = ROLE_OF_CUSTOMERS},
                       false, user_id);
}
