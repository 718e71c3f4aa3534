#include "core/all/desk.h"

#include "base/fold.h"
#include "core/people/name_index.h"
#include "core/access/permission.h"
#include "core/words.h"

#define OWNER_ROLE 5

QUERY(desk_finished, "SELECT 1 FROM settings WHERE name = 'desk.created_at'");
QUERY(desk_anybody, "SELECT id FROM users ORDER BY id LIMIT 1");
QUERY(desk_setting, "INSERT INTO settings (name, value, updated_at) VALUES (:name, :value, :now)");

int desk_state(struct conn *c) {
    int64_t found;
    int rc = db_int(c, &desk_finished, NULL, &found);
    if (rc != 0) return rc < 0 ? rc : DESK_READY;
    rc = db_int(c, &desk_anybody, NULL, &found);
    return rc < 0 ? rc : rc == 1 ? DESK_UNFINISHED : DESK_EMPTY;
}

/* ---- a new desk ------------------------------------------------------------------------------ */

QUERY(seed_roles, "UPDATE roles SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_statuses, "UPDATE case_statuses SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_priorities,
      "UPDATE case_priorities SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_types, "UPDATE case_types SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_hours, "UPDATE business_hours SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_locales, "UPDATE locales SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_mailboxes,
      "UPDATE mailboxes SET created_at = :now, updated_at = :now, verified_at = :now WHERE created_at = 0");
QUERY(seed_brands, "UPDATE brands SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_categories, "UPDATE categories SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_fields, "UPDATE custom_fields SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_titles, "UPDATE locale_fields SET created_at = :now, updated_at = :now WHERE created_at = 0");
QUERY(seed_views, "UPDATE views SET created_at = :now, updated_at = :now WHERE created_at = 0");
static const struct query *const seed_times[] = {
    &seed_views,   &seed_roles,  &seed_statuses,  &seed_priorities, &seed_types,  &seed_hours,
    &seed_locales, &seed_brands, &seed_mailboxes, &seed_fields,     &seed_titles, &seed_categories};

#define OWNER_COLUMNS                                                                        \
    "uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, role_type, locale_id, " \
    "password_hash, password_updated_at, created_at, updated_at) VALUES ("
#define OWNER_VALUES ":uuid, :name, :key, 1, 0, :role, :role_type, 1, :hash, :now, :now, :now) RETURNING id"
QUERY(owner_insert, "INSERT INTO users (" OWNER_COLUMNS OWNER_VALUES);
QUERY(owner_insert_as, "INSERT INTO users (id, " OWNER_COLUMNS ":id, " OWNER_VALUES);
QUERY(owner_email_insert, "INSERT INTO identity_emails (user_id, email, email_key, is_primary, "
                          "is_validated, is_notification_enabled, is_claim, created_at, updated_at) "
                          "VALUES (:user, :email, :key, 1, 1, 1, 0, :now, :now)");

static int seed_rows(struct conn *c, const struct new_desk *n) {
    for (size_t i = 0; i < sizeof seed_times / sizeof *seed_times; i++)
        TRY(db_exec(c, seed_times[i], BINDS(B_INT("now", n->now))));
    return permissions_fill(c, permissions, n->now);
}

static int owner_rows(struct conn *c, struct arena *a, const struct new_desk *n) {
    struct str uuid = n->owner_uuid.p ? n->owner_uuid : random_uuid(a);
    int64_t user;
    TRY(db_insert(c, n->owner_id ? &owner_insert_as : &owner_insert,
                  BINDS(B_INT("id", n->owner_id), B_TEXT("uuid", uuid), B_TEXT("name", n->owner_name),
                        B_TEXT("key", fold_key(a, n->owner_name)), B_INT("role", OWNER_ROLE),
                        B_INT("role_type", ROLE_OWNER), B_TEXT("hash", n->password_hash),
                        B_INT("now", n->now)),
                  &user));
    TRY(name_indexed(c, NAME_USER, user, (struct str){0}, fold_key(a, n->owner_name)));
    return db_exec(c, &owner_email_insert,
                   BINDS(B_INT("user", user), B_TEXT("email", n->owner_email),
                         B_TEXT("key", email_key(a, n->owner_email)), B_INT("now", n->now)));
}

int desk_begin(struct conn *c, const struct new_desk *n) {
    int state = desk_state(c);
    if (state < 0) return state;
    if (state != DESK_EMPTY) return -ERR_FIELD_DUPLICATE;
    TRY(seed_rows(c, n));
    struct arena *a = arena_new();
    int rc = owner_rows(c, a, n);
    arena_free(a);
    return rc < 0 ? rc : 0;
}

int desk_finish(struct conn *c, const struct new_desk *n) {
    struct arena *a = arena_new();
    struct str created = str_fmt(a, "%lld", (long long)n->now);
    int rc =
        db_exec(c, &desk_setting,
                BINDS(B_TEXT("name", S("desk.created_at")), B_TEXT("value", created), B_INT("now", n->now)));
    arena_free(a);
    return rc < 0 ? rc : 0;
}

static int init_run(struct conn *c, void *arg) {
    const struct new_desk *n = arg;
    TRY(desk_begin(c, n));
    return desk_finish(c, n);
}

int desk_init(struct db *db, const struct new_desk *n) {
    struct new_desk copy = *n;
    return db_write(db, init_run, &copy);
}

/* ---- passwords ------------------------------------------------------------------------------- */

QUERY(desk_key,
      "SELECT CASE WHEN value = :proof THEN 1 ELSE 0 END FROM settings WHERE name = 'desk.key_proof'");
QUERY(desk_key_put,
      "INSERT INTO settings (name, value, updated_at) "
      "VALUES ('desk.key_proof', :proof, :now) "
      "ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at");

struct seen_key {
    int64_t now, same;
    struct str proof;
    bool renew;
    int (*replaced)(struct conn *c, void *arg);
    void *arg;
};

static int key_run(struct conn *c, void *arg) {
    struct seen_key *k = arg;
    /* If two processes start together, the second one sees the proof of the first. */
    TRY(db_lock(c, S("server key")));
    int there = db_int(c, &desk_key, BINDS(B_TEXT("proof", k->proof)), &k->same);
    TRY(there);
    if (!there) k->same = 1;
    if (there && (k->same || !k->renew)) return 0;
    TRY(db_exec(c, &desk_key_put, BINDS(B_TEXT("proof", k->proof), B_INT("now", k->now))));
    return k->same ? 0 : k->replaced(c, k->arg);
}

int desk_key_is(struct conn *c, struct str proof) {
    int64_t same = 1;
    TRY(db_int(c, &desk_key, BINDS(B_TEXT("proof", proof)), &same));
    return same != 0;
}

int desk_key_known(struct db *db, int64_t now, struct str proof, bool renew,
                   int (*replaced)(struct conn *c, void *arg), void *arg) {
    struct seen_key k = {.now = now, .proof = proof, .renew = renew, .replaced = replaced, .arg = arg};
    int rc = db_write(db, key_run, &k);
    return rc < 0 ? rc : (int)k.same;
}

struct str password_generate(struct arena *a) {
    static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789"; /* 32 characters, without l, o, 0, 1 */
    unsigned char chance[20];
    char *text = arena_alloc(a, 24), *at = text;
    random_bytes(chance, sizeof chance);
    for (size_t i = 0; i < sizeof chance; i++) {
        if (i && i % 5 == 0) *at++ = '-';
        *at++ = letters[chance[i] % 32];
    }
    return (struct str){text, (size_t)(at - text)};
}

QUERY(account_by_email, "SELECT u.id, u.role_type FROM identity_emails e "
                        "JOIN users u ON u.id = e.user_id "
                        "WHERE e.email_key = :key AND e.is_claim = 0 AND u.deleted_at IS NULL");
int account_find(struct conn *c, struct str email, int64_t *user_id, int64_t *role_type) {
    struct arena *a = arena_new();
    struct stmt *row;
    int rc = db_row(c, &account_by_email, BINDS(B_TEXT("key", email_key(a, email))), &row);
    if (rc == 1) {
        *user_id = col_int(row, 0);
        *role_type = col_int(row, 1);
        stmt_end(row);
    }
    arena_free(a);
    return rc;
}
