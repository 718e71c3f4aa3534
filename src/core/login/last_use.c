#include "core/login/last_use.h"

#define LAST_USES 4096

#define USED_LOCK(table) "SELECT id FROM " table " WHERE id IN @LIST(:ids) ORDER BY id @LOCK@"
/* set: assignments of v.at; unless: the condition on rows that have no later use */
#define USED(table, set, unless)                                                      \
    "UPDATE " table " SET " set " FROM (SELECT CAST(r.value ->> 0 AS BIGINT) AS id, " \
    "CAST(r.value ->> 5 AS BIGINT) AS at FROM @ROWS(:rows) r) v "                     \
    "WHERE " table ".id = v.id AND COALESCE(" table "." unless
#define A_MINUTE_AGO ", 0) <= v.at - 60000"

QUERY(session_lock_used, USED_LOCK("sessions"));
QUERY(session_used, USED("sessions", "last_activity_at = v.at", "last_activity_at" A_MINUTE_AGO));
QUERY(grant_lock_used, USED_LOCK("oauth_grants"));
QUERY(grant_used, USED("oauth_grants", "last_activity_at = v.at", "last_activity_at" A_MINUTE_AGO));
QUERY(client_lock_used, USED_LOCK("oauth_clients"));
QUERY(client_used_at, USED("oauth_clients", "last_used_at = v.at", "last_used_at" A_MINUTE_AGO));
QUERY(api_token_lock_used, USED_LOCK("api_tokens"));
QUERY(api_token_used, USED("api_tokens", "last_used_at = v.at", "last_used_at" A_MINUTE_AGO));
QUERY(person_lock_used, USED_LOCK("users"));
QUERY(person_used, USED("users", "last_activity_at = v.at, last_seen_at = v.at, last_active_at = v.at",
                        "last_activity_at, 0) < v.at"));

const struct gather_kind session_uses = {&session_lock_used, &session_used, LAST_USES, NULL},
                         grant_uses = {&grant_lock_used, &grant_used, LAST_USES, NULL},
                         client_uses = {&client_lock_used, &client_used_at, LAST_USES, NULL},
                         api_token_uses = {&api_token_lock_used, &api_token_used, LAST_USES, NULL},
                         person_uses = {&person_lock_used, &person_used, LAST_USES, NULL};

void last_use(struct work *w, const struct gather_kind *kind, int64_t id, int64_t last) {
    if (w->now - last >= TIME_MINUTE) gather_row(w->desk, kind, &(struct gathered){.id = id, .at = w->now});
}
