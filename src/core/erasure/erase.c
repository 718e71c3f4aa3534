#include "core/erasure/erase.h"

#include "core/change/change.h"
#include "core/login/lockout.h"
#include "core/login/session.h"
#include "core/erasure/erase_values.h"
#include "core/people/name_index.h"
#include "core/people/user.h"
#include "json/json.h"

/* ---- what the first write removes ------------------------------------------------------------ */

#define OF_PERSON(table) "(SELECT COUNT(*) FROM " table " WHERE user_id = :id)"
QUERY(erase_count_profile, "SELECT COUNT(*) FROM users WHERE id = :id AND purged_at IS NULL");
QUERY(erase_count_identities,
      "SELECT " OF_PERSON("identity_emails") " + " OF_PERSON("identity_phones") " + " OF_PERSON(
          "identity_twitter") " + " OF_PERSON("identity_facebook") " + " OF_PERSON("external_identifiers"));
QUERY(erase_count_contacts, "SELECT " OF_PERSON("contact_addresses") " + " OF_PERSON("contact_websites"));
QUERY(erase_count_values, "SELECT COUNT(*) FROM field_values WHERE area = 2 AND owner_id = :id");
QUERY(erase_count_tags, "SELECT " OF_PERSON("user_tags"));
QUERY(erase_count_picture, "SELECT " OF_PERSON("avatars"));
QUERY(
    erase_count_credentials,
    "SELECT " OF_PERSON("password_history") " + " OF_PERSON("recovery_codes") " + " OF_PERSON(
        "auth_tokens") " + " OF_PERSON("links") " + " OF_PERSON("api_tokens") " + " OF_PERSON("oauth_tokens"));
QUERY(erase_count_grants, "SELECT " OF_PERSON("oauth_grants"));
QUERY(erase_count_preferences,
      "SELECT " OF_PERSON("notification_preferences") " + " OF_PERSON("notifications"));
QUERY(erase_count_views, "SELECT (SELECT COUNT(*) FROM views WHERE agent_id = :id "
                         "AND visibility_type = 2) + (SELECT COUNT(*) FROM macros WHERE agent_id = :id "
                         "AND visibility_type = 1)");
QUERY(erase_count_replies,
      "SELECT COUNT(*) FROM idempotency WHERE caller = 'user:' || CAST(CAST(:id AS BIGINT) AS TEXT)");
QUERY(erase_count_files, "SELECT COUNT(*) FROM files WHERE user_id = :id AND expires_at IS NOT NULL");

static const struct {
    enum erased what;
    const struct query *count;
} at_once[] = {{ERASED_PROFILE, &erase_count_profile},
               {ERASED_IDENTITIES, &erase_count_identities},
               {ERASED_CONTACTS, &erase_count_contacts},
               {ERASED_FIELD_VALUES, &erase_count_values},
               {ERASED_TAGS, &erase_count_tags},
               {ERASED_PICTURE, &erase_count_picture},
               {ERASED_CREDENTIALS, &erase_count_credentials},
               {ERASED_GRANTS, &erase_count_grants},
               {ERASED_PREFERENCES, &erase_count_preferences},
               {ERASED_VIEWS, &erase_count_views},
               {ERASED_REPLIES, &erase_count_replies},
               {ERASED_FILES, &erase_count_files}};

static int count_at_once(struct work *w, int64_t user_id) {
    for (size_t i = 0; i < sizeof at_once / sizeof *at_once; i++) {
        int64_t n = 0;
        TRY(db_int(w->conn, at_once[i].count, BINDS(B_INT("id", user_id)), &n));
        TRY(erasure_count(w, user_id, at_once[i].what, n));
    }
    return 0;
}

/* ---- the start ------------------------------------------------------------------------------- */

QUERY(erase_emails,
      "SELECT value FROM erasure_values WHERE user_id = :id AND value LIKE '%@%' AND value NOT LIKE '\"%' "
      "ORDER BY value");

static int forget_failures(struct work *w, int64_t user_id) {
    struct str emails[64];
    int rc, n = 0, forgotten = 0;
    DB_ROWS(rc, w->conn, &erase_emails, BINDS(B_INT("id", user_id)), row)
    if (n < 64) emails[n++] = str_dup(w->arena, col_text(row, 0));
    TRY(rc);
    for (int i = 0; i < n; i++) {
        rc = login_failures_forget(w, emails[i]);
        TRY(rc);
        forgotten += rc;
    }
    return erasure_count(w, user_id, ERASED_FAILURES, forgotten);
}

QUERY(erase_tags_of, "SELECT tag_id FROM user_tags WHERE user_id = :id ORDER BY tag_id");
/* A tag that only this person had may name the person. */
#define NO_ROW_OF(table) "NOT EXISTS (SELECT 1 FROM " table " x WHERE x.tag_id = t.id)"
#define IS_OF_NO_PERSON NO_ROW_OF("user_tags") " AND " NO_ROW_OF("organization_tags")
#define IS_OF_NO_TEXT NO_ROW_OF("article_tags") " AND " NO_ROW_OF("section_tags")
#define IS_OF_NO_CASE NO_ROW_OF("case_tags") " AND " NO_ROW_OF("macro_tags")
QUERY(erase_lone_tags, "SELECT t.id, t.name_key FROM tags t WHERE t.id IN @LIST(:tags) AND t.gone = 0 "
                       "AND " IS_OF_NO_PERSON " AND " IS_OF_NO_TEXT " AND " IS_OF_NO_CASE
                       " AND NOT EXISTS (SELECT 1 FROM tags m WHERE m.merged_into_id = t.id) "
                       "ORDER BY t.id @LOCK@");
QUERY(erase_tag, "DELETE FROM tags WHERE id = :id");

static int forget_tags(struct work *w, const int64_t *tags, int count) {
    int64_t *ids = arena_array(w->arena, (size_t)count + 1, sizeof *ids);
    struct str *keys = arena_array(w->arena, (size_t)count + 1, sizeof *keys);
    int rc, n = 0;
    DB_ROWS(rc, w->conn, &erase_lone_tags, BINDS(B_TEXT("tags", json_ids(w->arena, tags, (size_t)count))),
            row) {
        ids[n] = col_int(row, 0);
        keys[n++] = str_dup(w->arena, col_text(row, 1));
    }
    for (int i = 0; rc >= 0 && i < n; i++) {
        rc = name_indexed(w->conn, NAME_TAG, ids[i], keys[i], (struct str){0});
        if (rc >= 0) rc = db_exec(w->conn, &erase_tag, BINDS(B_INT("id", ids[i])));
    }
    return rc;
}

QUERY(erasure_running, "SELECT id FROM erasures WHERE user_id = :user AND status = 1 LIMIT 1");
QUERY(erasure_insert, "INSERT INTO erasures (user_id, requested_by_id, with_contents, status, created_at) "
                      "VALUES (:user, :by, :contents, 1, :now) "
                      "RETURNING id");

static int may_start(struct work *w, int64_t user_id) {
    int64_t running;
    if (user_id == w->actor.user_id) return fail_state(w, "You can't erase yourself. Ask another admin.");
    TRY(db_lock_row(w->conn, "users", user_id));
    int found = db_int(w->conn, &erasure_running, BINDS(B_INT("user", user_id)), &running);
    return found > 0 ? fail_state(w, "An erasure of this person is running. Wait for its receipt.") : found;
}

int erasure_start(struct work *w, int64_t user_id, bool with_contents, int64_t *id) {
    int64_t *tags;
    TRY(may_start(w, user_id));
    TRY(db_insert(w->conn, &erasure_insert,
                  BINDS(B_INT("user", user_id), B_ID("by", w->actor.user_id),
                        B_INT("contents", with_contents), B_INT("now", w->now)),
                  id));
    change_created(w, (struct changed){"erasure", *id, 0});
    TRY(erasure_values_gather(w, user_id));
    TRY(count_at_once(w, user_id));
    TRY(forget_failures(w, user_id));
    int n = db_ids(w->conn, &erase_tags_of, BINDS(B_INT("id", user_id)), w->arena, &tags);
    TRY(n);
    TRY(users_purge_by(w, &user_id, 1, with_contents ? CASCADE_ERASED_TEXTS : CASCADE_ERASED));
    return forget_tags(w, tags, n);
}
