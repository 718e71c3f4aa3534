/* One implementation for the four kinds. Their differences are a row of the table `kinds`. Statements take
 * people as a JSON array (:users).
 *
 * The store decides races. Unique indexes cover a value that counts, a value of one person, and the
 * primary identity (schema/0003). The losing write is run again and then fails with FIELD_DUPLICATE. */
#include "core/people/identity.h"

#include "base/fold.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/phone.h"
#include "core/change/object_diff.h"
#include "core/letters/letter.h"
#include "core/desk/setting.h"
#include "core/people/authority.h"
#include "json/json.h"

#include <assert.h>
#include <stdlib.h>

/* ---- keys ------------------------------------------------------------------------------------ */

/* The region decides which key is stored. So a write reads it in its transaction and holds it: the job
 * that follows a change of the region then meets every key that was computed with the former one. */
static struct str phone_region(struct work *w) {
    static const char name[] = "desk.phone_region";
    if (w->phone_region.p) return w->phone_region;
    bool stored = db_writes(w->conn) && setting_stored(w, name, &w->phone_region) >= 0;
    if (!stored) w->phone_region = setting_text(w->desk, name, w->arena);
    return w->phone_region;
}

struct str phone_key(struct work *w, struct str number) {
    char plain[24] = {0}, found[PHONE_SIZE];
    size_t n = 0;
    number = str_trim(number);
    for (size_t i = 0; i < number.n; i++) {
        char c = number.p[i];
        bool kept = (c >= '0' && c <= '9') || (c == '+' && i == 0);
        if (!kept && !in_set(c, " -./()")) return (struct str){0};
        if (kept && n == sizeof plain - 1) return (struct str){0};
        if (kept) plain[n++] = c;
    }
    int known = phone_parse(plain, phone_region(w).p, found);
    if (known == 1) return str_dup(w->arena, str_of(found));
    return known < 0 && n >= 3 && n <= 15 ? str_dup(w->arena, (struct str){plain, n}) : (struct str){0};
}

static struct str key_of_phone(struct work *w, struct str value) { return phone_key(w, value); }
static struct str key_of_email(struct work *w, struct str value) { return email_key(w->arena, value); }

/* Twitter's rule: at most 15 letters, digits and underscores. A leading @ is skipped. */
static struct str key_of_twitter(struct work *w, struct str value) {
    if (value.n && value.p[0] == '@') value.p++, value.n--;
    if (value.n == 0 || value.n > 15) return (struct str){0};
    for (size_t i = 0; i < value.n; i++) {
        char c = value.p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'))
            return (struct str){0};
    }
    return fold_key(w->arena, value);
}

static struct str key_of_facebook(struct work *w, struct str value) {
    (void)w;
    return value.n ? value : (struct str){0};
}

/* ---- the kinds ------------------------------------------------------------------------------- */

struct kind {
    const char *type, *table, *parameter; /* type: the resource_type; parameter: the API name of a value */
    enum claim leads;                     /* the weakest claim that may be primary */
    struct str (*key)(struct work *w, struct str value);
    const struct query *owner, *holders, *add, *load, *demote, *lead, *promote, *set_validated, *take,
        *owners, *remove, *free, *count, *stored, *set_key;
};

#define REKEYED "200" /* rows of one part of identity_rekey */

/* The statements of a kind. columns, values: what an insert sets besides the columns of all kinds. */
#define STATEMENTS(kind, table, value, key, leads, columns, values)                                          \
    QUERY(kind##_owner,                                                                                      \
          "SELECT user_id FROM " table " WHERE " key " = :key AND is_claim = 0 AND user_id IS NOT NULL");    \
    QUERY(kind##_holders, "SELECT id, user_id, is_claim, is_validated, is_primary FROM " table " WHERE " key \
                          " = :key AND user_id IS NOT NULL AND id <> :id");                                  \
    QUERY(kind##_add, "INSERT INTO " table " (user_id, " columns                                             \
                      ", is_primary, is_validated, is_claim, created_at, updated_at) "                       \
                      "VALUES (:user, " values ", 0, :validated, :claim, :now, :now) RETURNING id");         \
    QUERY(kind##_load, "SELECT user_id, " key ", is_primary, is_validated, is_claim FROM " table             \
                       " WHERE id = :id AND user_id IS NOT NULL @LOCK@");                                    \
    QUERY(kind##_demote, "UPDATE " table " SET is_primary = 0, updated_at = :now "                           \
                         "WHERE user_id = :user AND is_primary = 1");                                        \
    QUERY(kind##_lead, "UPDATE " table " SET is_primary = 1, updated_at = :now WHERE id = :id");             \
    QUERY(kind##_promote,                                                                                    \
          "UPDATE " table " SET is_primary = 1, updated_at = :now "                                          \
          "WHERE id IN (SELECT b.id FROM (SELECT i.id, "                                                     \
          "MAX(i.is_primary) OVER (PARTITION BY i.user_id) AS led, "                                         \
          "ROW_NUMBER() OVER (PARTITION BY i.user_id ORDER BY i.is_validated DESC, "                         \
          "i.is_claim, i.created_at DESC, i.id DESC) AS place FROM " table                                   \
          " i WHERE i.user_id IN @LIST(:users) AND i." leads ") b WHERE b.place = 1 AND b.led = 0)");        \
    QUERY(kind##_set_validated,                                                                              \
          "UPDATE " table " SET is_validated = :validated, is_claim = 0, updated_at = :now "                 \
          "WHERE id = :id");                                                                                 \
    QUERY(kind##_take, "DELETE FROM " table " WHERE " key                                                    \
                       " = :key AND id <> :id AND user_id IS NOT NULL AND is_validated = "                   \
                       "0");                                                                                 \
    QUERY(kind##_owners,                                                                                     \
          "SELECT t.user_id, u.role_type FROM " table " t LEFT JOIN users u ON u.id = t.user_id "            \
          "WHERE t.id IN @LIST(:ids) ORDER BY t.user_id");                                                   \
    QUERY(kind##_remove, "DELETE FROM " table " WHERE id IN @LIST(:ids)");                                   \
    QUERY(kind##_free, "DELETE FROM " table " WHERE user_id IN @LIST(:users)");                              \
    QUERY(kind##_count, "SELECT COUNT(*) FROM " table " WHERE user_id = :user");                             \
    QUERY(kind##_stored, "SELECT id, COALESCE(user_id, 0), " value ", " key                                  \
                         ", is_primary, is_validated, is_claim FROM " table                                  \
                         " WHERE id > :after ORDER BY id LIMIT " REKEYED);                                   \
    QUERY(kind##_set_key, "UPDATE " table " SET " key " = :key, is_primary = :primary, "                     \
                          "is_validated = :validated, is_claim = :claim "                                    \
                          "WHERE id = :id")

STATEMENTS(email, "identity_emails", "email", "email_key", EMAIL_LEADS,
           "email, email_key, is_notification_enabled", ":value, :key, 0");
STATEMENTS(phone, "identity_phones", "number", "number_key", OTHERS_LEAD, "number, number_key, type",
           ":value, :key, 1");
STATEMENTS(twitter, "identity_twitter", "screen_name", "screen_name_key", OTHERS_LEAD,
           "screen_name, screen_name_key", ":value, :key");
STATEMENTS(facebook, "identity_facebook", "facebook_id", "facebook_id", OTHERS_LEAD, "facebook_id", ":key");

#define KIND(kind, table, parameter, leads)                                                                  \
    {                                                                                                        \
        "identity_" #kind, table, parameter, leads, key_of_##kind, &kind##_owner, &kind##_holders,           \
            &kind##_add, &kind##_load, &kind##_demote, &kind##_lead, &kind##_promote, &kind##_set_validated, \
            &kind##_take, &kind##_owners, &kind##_remove, &kind##_free, &kind##_count, &kind##_stored,       \
            &kind##_set_key                                                                                  \
    }

static const struct kind kinds[IDENTITY_KINDS] = {
    [IDENTITY_EMAIL] = KIND(email, "identity_emails", "email", CLAIM_NONE),
    [IDENTITY_PHONE] = KIND(phone, "identity_phones", "number", CLAIM_OWN),
    [IDENTITY_TWITTER] = KIND(twitter, "identity_twitter", "screen_name", CLAIM_OWN),
    [IDENTITY_FACEBOOK] = KIND(facebook, "identity_facebook", "facebook_id", CLAIM_OWN),
};

enum identity_kind identity_kind_of(const char *table) {
    int kind = 0;
    while (kind < IDENTITY_KINDS && strcmp(kinds[kind].table, table) != 0) kind++;
    assert(kind < IDENTITY_KINDS);
    return (enum identity_kind)kind;
}

bool identity_leads(enum identity_kind kind, enum claim claim) { return claim <= kinds[kind].leads; }

const char *identity_parameter(enum identity_kind kind) { return kinds[kind].parameter; }

struct str identity_key(struct work *w, enum identity_kind kind, struct str value) {
    return kinds[kind].key(w, value);
}

/* ---- owners ---------------------------------------------------------------------------------- */

int identity_owner(struct work *w, enum identity_kind kind, struct str value, int64_t *user_id) {
    struct str key = identity_key(w, kind, value);
    return key.p ? db_int(w->conn, kinds[kind].owner, BINDS(B_TEXT("key", key)), user_id) : 0;
}

/* ---- rows and their people ------------------------------------------------------------------- */

struct identity {
    int64_t id, user_id;
    struct str key;
    bool is_primary, is_validated;
    enum claim claim;
};

QUERY(people_lock,
      "SELECT id FROM users WHERE id IN @LIST(:users) AND deleted_at IS NULL ORDER BY id @LOCK@");
/* Increments logins_version, so that remembered Basic logins are verified again: their address may be
 * gone. */
QUERY(people_changed,
      "UPDATE users SET updated_at = :now, logins_version = logins_version + 1 WHERE id IN @LIST(:users)");

static struct str ids_of_one(struct work *w, int64_t id) { return json_ids(w->arena, &id, 1); }

/* Locks the people before their identities change: of two concurrent changes, the later sees the result of
 * the former. Returns the number of people. */
static int lock_people(struct work *w, struct str users) {
    int rc, n = 0;
    DB_ROWS(rc, w->conn, &people_lock, BINDS(B_TEXT("users", users)), row) n++;
    TRY(rc);
    TRY(object_diff_begin_all(w, DIFFED_USER, users));
    return n;
}

static int identity_load(struct work *w, enum identity_kind kind, int64_t id, struct identity *out) {
    struct stmt *row;
    TRY_FOUND(w, db_row(w->conn, kinds[kind].load, BINDS(B_INT("id", id)), &row));
    *out = (struct identity){id,
                             col_int(row, 0),
                             str_dup(w->arena, col_text(row, 1)),
                             col_int(row, 2) != 0,
                             col_int(row, 3) != 0,
                             (enum claim)col_int(row, 4)};
    stmt_end(row);
    return lock_people(w, ids_of_one(w, out->user_id));
}

/* After identities changed: gives each person a primary identity if one is eligible, and updates the
 * people. */
static int identities_promote(struct work *w, enum identity_kind kind, struct str users) {
    const struct bind *binds = BINDS(B_TEXT("users", users), B_INT("now", w->now));
    TRY(db_exec(w->conn, kinds[kind].promote, binds));
    return db_exec(w->conn, &people_changed, binds);
}

static int identity_lead(struct work *w, enum identity_kind kind, int64_t user_id, int64_t id) {
    const struct bind *binds = BINDS(B_INT("user", user_id), B_INT("id", id), B_INT("now", w->now));
    TRY(db_exec(w->conn, kinds[kind].demote, binds));
    return db_exec(w->conn, kinds[kind].lead, binds);
}

/* Returns 1 if (1) another person owns the value or (2) this person has it. A claim conflicts only with
 * (2). */
static int is_held(struct work *w, enum identity_kind kind, const struct identity *i) {
    int rc;
    bool held = false;
    DB_ROWS(rc, w->conn, kinds[kind].holders, BINDS(B_TEXT("key", i->key), B_INT("id", i->id)), row)
    held = held || col_int(row, 1) == i->user_id || (!i->claim && col_int(row, 2) == 0);
    return rc < 0 ? rc : held;
}

int identity_held(struct work *w, enum identity_kind kind, struct str value, int64_t user_id, bool is_claim) {
    return is_held(w, kind,
                   &(struct identity){.user_id = user_id,
                                      .key = identity_key(w, kind, value),
                                      .claim = is_claim ? CLAIM_OWN : CLAIM_NONE});
}

static int identity_check_free(struct work *w, enum identity_kind kind, const struct identity *i,
                               const char *parameter) {
    int held = is_held(w, kind, i);
    return held > 0 ? fail_field(w, ERR_FIELD_DUPLICATE, str_of(parameter), NULL) : held;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* A limit, because a person is shown with all identities, and anybody may add claims. */
static int check_room(struct work *w, enum identity_kind kind, int64_t user_id) {
    int64_t count = 0;
    TRY(db_int(w->conn, kinds[kind].count, BINDS(B_INT("user", user_id)), &count));
    return count < LIMIT_OWNED
               ? 0
               : fail_state(w, "The person already has the maximum of %d. Delete one first.", LIMIT_OWNED);
}

int identity_add(struct work *w, enum identity_kind kind, const struct identity_new *n, int64_t *id) {
    struct identity made = {.user_id = n->user_id, .key = identity_key(w, kind, n->value), .claim = n->claim};
    const char *parameter = n->parameter ? n->parameter : kinds[kind].parameter;
    if (made.key.p == NULL) return fail_field(w, ERR_FIELD_INVALID, str_of(parameter), NULL);
    int there = lock_people(w, ids_of_one(w, n->user_id));
    if (there <= 0) return there < 0 ? there : fail(w, ERR_RESOURCE_NOT_FOUND);
    TRY(check_room(w, kind, n->user_id));
    TRY(identity_check_free(w, kind, &made, parameter));
    TRY(db_insert(w->conn, kinds[kind].add,
                  BINDS(B_INT("user", n->user_id), B_TEXT("value", n->value), B_TEXT("key", made.key),
                        B_INT("validated", n->is_validated), B_INT("claim", n->claim), B_INT("now", w->now)),
                  id));
    if (n->is_primary && identity_leads(kind, n->claim)) TRY(identity_lead(w, kind, n->user_id, *id));
    return identities_promote(w, kind, ids_of_one(w, n->user_id));
}

/* The key can't be that of a screen name, which has no colon. */
QUERY(twitter_id_add, "INSERT INTO identity_twitter (user_id, twitter_id, screen_name, screen_name_key, "
                      "is_primary, is_validated, is_claim, created_at, updated_at) "
                      "VALUES (:user, :twitter, '', :key, 0, 0, 0, :now, :now)");

int identity_add_twitter_id(struct work *w, int64_t user_id, struct str twitter_id) {
    struct str people = ids_of_one(w, user_id);
    int there = lock_people(w, people);
    if (there <= 0) return there < 0 ? there : fail(w, ERR_RESOURCE_NOT_FOUND);
    TRY(check_room(w, IDENTITY_TWITTER, user_id));
    TRY(db_exec(w->conn, &twitter_id_add,
                BINDS(B_INT("user", user_id), B_TEXT("twitter", twitter_id),
                      B_TEXT("key", STR_CAT(w->arena, S("id:"), twitter_id)), B_INT("now", w->now))));
    return identities_promote(w, IDENTITY_TWITTER, people);
}

int identity_set_primary(struct work *w, enum identity_kind kind, int64_t id, bool primary) {
    struct identity i;
    TRY(identity_load(w, kind, id, &i));
    if (i.is_primary == primary) return 0;
    if (!primary)
        return fail_field(w, ERR_RESOURCE_ACTION_NOT_AVAILABLE, S("is_primary"),
                          "This identity is the primary one. Make another one primary instead.");
    if (!identity_leads(kind, i.claim))
        return fail_state(w, "This identity is not verified. Verify it first.");
    TRY(identity_lead(w, kind, i.user_id, id));
    return identities_promote(w, kind, ids_of_one(w, i.user_id));
}

int identity_claim(struct work *w, enum identity_kind kind, int64_t id, enum claim *claim) {
    struct identity i;
    TRY(identity_load(w, kind, id, &i));
    *claim = i.claim;
    return 0;
}

static int count_as_validated(struct work *w, enum identity_kind kind, const struct identity *i,
                              bool validated) {
    return db_exec(w->conn, kinds[kind].set_validated,
                   BINDS(B_INT("id", i->id), B_INT("validated", validated), B_INT("now", w->now)));
}

int identity_set_validated(struct work *w, enum identity_kind kind, int64_t id, bool validated) {
    struct identity i;
    TRY(identity_load(w, kind, id, &i));
    if (i.is_validated == validated) return 0; /* No change: an unverified address stays unverified. */
    i.claim = CLAIM_NONE;
    TRY(identity_check_free(w, kind, &i, kinds[kind].parameter));
    TRY(count_as_validated(w, kind, &i, validated));
    return identities_promote(w, kind, ids_of_one(w, i.user_id));
}

int identity_change(struct work *w, enum identity_kind kind, int64_t id, const struct column *columns,
                    int count) {
    struct identity i;
    TRY(identity_load(w, kind, id, &i));
    TRY(record_update(w, (struct record){kinds[kind].type, kinds[kind].table, NULL}, &id, 1, columns, count));
    return db_exec(w->conn, &people_changed,
                   BINDS(B_TEXT("users", ids_of_one(w, i.user_id)), B_INT("now", w->now)));
}

/* The owners of these identities, each once, as a JSON array. */
static int people_of(struct work *w, enum identity_kind kind, struct str ids, int count, struct str *users) {
    int64_t *list = arena_array(w->arena, (size_t)count + 1, sizeof *list);
    size_t n = 0;
    int rc;
    DB_ROWS(rc, w->conn, kinds[kind].owners, BINDS(B_TEXT("ids", ids)), row)
    if (!col_null(row, 0) && (n == 0 || list[n - 1] != col_int(row, 0))) list[n++] = col_int(row, 0);
    *users = json_ids(w->arena, list, n);
    return rc;
}

/* Addresses without which a person with a password could not log in. */
QUERY(emails_last,
      "SELECT e.id FROM identity_emails e JOIN users u ON u.id = e.user_id "
      "WHERE e.id IN @LIST(:ids) AND e.is_claim = 0 AND u.password_hash IS NOT NULL "
      "AND NOT EXISTS (SELECT 1 FROM identity_emails o WHERE o.user_id = e.user_id AND o.is_claim = 0 "
      "AND o.id NOT IN @LIST(:ids))");

static int check_not_last(struct work *w, const int64_t *ids, int count, struct str all, bool listed) {
    int rc;
    DB_ROWS(rc, w->conn, &emails_last, BINDS(B_TEXT("ids", all)), row)
    fail_at(w, ERR_RESOURCE_ACTION_NOT_AVAILABLE, listed ? S("ids") : (struct str){0},
            listed ? str_fmt(w->arena, "ids/%d", ids_place(ids, count, col_int(row, 0))) : (struct str){0},
            "This is the last address of a person with a password. Add another address first.");
    return rc < 0 ? rc : failed(w) ? -(int)failure(w) : 0;
}

int identities_remove(struct work *w, enum identity_kind kind, const int64_t *ids, int count, bool listed) {
    struct str all = json_ids(w->arena, ids, (size_t)count), users;
    TRY(people_of(w, kind, all, count, &users));
    TRY(lock_people(w, users));
    if (kind == IDENTITY_EMAIL) TRY(check_not_last(w, ids, count, all, listed));
    if (kind == IDENTITY_EMAIL && !w->silent) TRY(letters_addresses_removed(w, all));
    TRY(db_exec(w->conn, kinds[kind].remove, BINDS(B_TEXT("ids", all))));
    return identities_promote(w, kind, users);
}

int identities_free(struct work *w, struct str users) {
    for (int kind = 0; kind < IDENTITY_KINDS; kind++)
        TRY(db_exec(w->conn, kinds[kind].free, BINDS(B_TEXT("users", users))));
    return 0;
}

int identities_may_change(struct work *w, enum identity_kind kind, struct str ids) {
    bool may = true, of_people = true;
    int rc;
    DB_ROWS(rc, w->conn, kinds[kind].owners, BINDS(B_TEXT("ids", ids)), row) {
        of_people = of_people && !col_null(row, 0);
        may = may && (col_null(row, 0) || actor_may_change(&w->actor, col_int(row, 0), col_int(row, 1)));
    }
    if (rc < 0) return rc;
    if (!may) return fail(w, ERR_PERMISSIONS_DENIED);
    return of_people ? 0
                     : fail_state(w, "This identity belongs to an organization. Change the organization "
                                     "instead.");
}

/* ---- proof ----------------------------------------------------------------------------------- */

int email_unvalidated(struct work *w, int64_t email_id) {
    struct identity i;
    TRY(identity_load(w, IDENTITY_EMAIL, email_id, &i));
    return i.is_validated ? fail_state(w, "The address is already verified. No further step is needed.") : 0;
}

/* Removes the value from people who have it but never verified it. *losers: these people, a JSON array.
 * Those for whom it counted get a letter. */
static int take_from_others(struct work *w, const struct identity *i, struct str *losers) {
    const struct bind *binds = BINDS(B_TEXT("key", i->key), B_INT("id", i->id));
    int rc, most = 0;
    DB_ROWS(rc, w->conn, &email_holders, binds, row) most++;
    TRY(rc);
    int64_t *people = arena_array(w->arena, (size_t)most + 1, sizeof *people),
            *counted = arena_array(w->arena, (size_t)most + 1, sizeof *counted);
    size_t n = 0, m = 0;
    DB_ROWS(rc, w->conn, &email_holders, binds, row) {
        bool proved = col_int(row, 3) != 0;
        if (!proved && n < (size_t)most) people[n++] = col_int(row, 1);
        if (!proved && col_int(row, 2) == CLAIM_NONE && m < (size_t)most) counted[m++] = col_int(row, 0);
    }
    TRY(rc);
    *losers = json_ids(w->arena, people, n);
    TRY(object_diff_begin_all(w, DIFFED_USER, *losers));
    TRY(letters_addresses_removed(w, json_ids(w->arena, counted, m)));
    return db_exec(w->conn, &email_take, binds);
}

int email_validate(struct work *w, int64_t email_id) {
    struct identity i;
    struct str losers;
    TRY(identity_load(w, IDENTITY_EMAIL, email_id, &i));
    if (i.is_validated) return 0;
    if (i.claim == CLAIM_FOREIGN && w->actor.user_id != i.user_id)
        return fail_state(w, "Somebody else added this address. Log in as the person it was added to, then "
                             "open the link again.");
    TRY(take_from_others(w, &i, &losers));
    i.claim = CLAIM_NONE;
    TRY(identity_check_free(w, IDENTITY_EMAIL, &i, "email")); /* any remaining owner verified it before */
    TRY(count_as_validated(w, IDENTITY_EMAIL, &i, true));
    TRY(identities_promote(w, IDENTITY_EMAIL, losers));
    return identities_promote(w, IDENTITY_EMAIL, ids_of_one(w, i.user_id));
}

/* ---- rebuilding keys ------------------------------------------------------------------------- */

/* Of two identities of a person, the primary one or the better proved one stays. Returns 1 if `i` was
 * deleted, 0 if the other one was, or a negative error. */
static int drop_worse(struct work *w, enum identity_kind kind, const struct identity *i,
                      const struct identity *own) {
    int64_t worse = i->is_primary || own->claim > i->claim ? own->id : i->id;
    TRY(db_exec(w->conn, kinds[kind].remove, BINDS(B_TEXT("ids", ids_of_one(w, worse)))));
    return worse == i->id;
}

/* The person who verified the value keeps it, otherwise the one who had it first. That of the other person
 * becomes a claim. */
static int give_to_one(struct work *w, enum identity_kind kind, struct identity *i, struct identity *other) {
    struct identity *loser = i->is_validated && !other->is_validated ? other : i;
    loser->is_primary = loser->is_validated = false;
    loser->claim = CLAIM_OWN;
    if (loser == i) return 0;
    TRY(db_exec(w->conn, kinds[kind].set_key,
                BINDS(B_INT("id", other->id), B_TEXT("key", other->key), B_INT("primary", 0),
                      B_INT("validated", 0), B_INT("claim", CLAIM_OWN))));
    return identities_promote(w, kind, ids_of_one(w, other->user_id));
}

/* Resolves conflicts of new keys: with the identity of the same person, and with the one that counts for
 * another person. Returns 1 if `i` was deleted, 0, or a negative error. */
static int give_way(struct work *w, enum identity_kind kind, struct identity *i, int *lost) {
    struct identity own = {0}, other = {0};
    int rc;
    DB_ROWS(rc, w->conn, kinds[kind].holders, BINDS(B_TEXT("key", i->key), B_INT("id", i->id)), row) {
        const struct identity held = {
            col_int(row, 0),      col_int(row, 1),      i->key,
            col_int(row, 4) != 0, col_int(row, 3) != 0, (enum claim)col_int(row, 2)};
        if (held.user_id == i->user_id) own = held;
        else if (!held.claim) other = held;
    }
    TRY(rc);
    int gone = own.id ? drop_worse(w, kind, i, &own) : 0;
    if (gone || i->claim || other.id == 0) return gone;
    ++*lost;
    TRY(give_to_one(w, kind, i, &other));
    return 0;
}

static int rekey_one(struct work *w, enum identity_kind kind, struct identity *i, int *lost) {
    int gone = i->user_id ? give_way(w, kind, i, lost) : 0;
    TRY(gone);
    if (!gone)
        TRY(db_exec(w->conn, kinds[kind].set_key,
                    BINDS(B_INT("id", i->id), B_TEXT("key", i->key), B_INT("primary", i->is_primary),
                          B_INT("validated", i->is_validated), B_INT("claim", i->claim))));
    return i->user_id ? identities_promote(w, kind, ids_of_one(w, i->user_id)) : 0;
}

int identity_rekey(struct work *w, enum identity_kind kind, int64_t *after, int *lost) {
    struct identity *changed = arena_array(w->arena, (size_t)atoi(REKEYED), sizeof *changed);
    int rc, read = 0, n = 0;
    phone_region(w); /* not while the rows are read */
    DB_ROWS(rc, w->conn, kinds[kind].stored, BINDS(B_INT("after", *after)), row) {
        struct str key = identity_key(w, kind, str_dup(w->arena, col_text(row, 2)));
        *after = col_int(row, 0);
        read++;
        if (key.p && !str_eq(key, col_text(row, 3)))
            changed[n++] = (struct identity){*after,
                                             col_int(row, 1),
                                             key,
                                             col_int(row, 4) != 0,
                                             col_int(row, 5) != 0,
                                             (enum claim)col_int(row, 6)};
    }
    for (int i = 0; i < n && rc >= 0; i++) rc = rekey_one(w, kind, &changed[i], lost);
    return rc < 0 ? rc : read == atoi(REKEYED);
}
