#include "core/login/last_use.h"

#define LAST_USES 4096

QUERY(session_used,
      "UPDATE sessions SET last_activity_at = :at WHERE id = :id AND last_activity_at <= :since");
QUERY(grant_used, "UPDATE oauth_grants SET last_activity_at = :at "
                  "WHERE id = :id AND COALESCE(last_activity_at, 0) <= :since");
QUERY(client_used_at,
      "UPDATE oauth_clients SET last_used_at = :at WHERE id = :id AND COALESCE(last_used_at, 0) <= :since");
QUERY(api_token_used,
      "UPDATE api_tokens SET last_used_at = :at WHERE id = :id AND COALESCE(last_used_at, 0) <= :since");
QUERY(person_used, "UPDATE users SET last_activity_at = :at, last_seen_at = :at, last_active_at = :at "
                   "WHERE id = :id AND COALESCE(last_activity_at, 0) < :at");

const struct gather_kind session_uses = {&session_used, LAST_USES}, grant_uses = {&grant_used, LAST_USES},
                         client_uses = {&client_used_at, LAST_USES},
                         api_token_uses = {&api_token_used, LAST_USES},
                         person_uses = {&person_used, LAST_USES};

void last_use(struct work *w, const struct gather_kind *kind, int64_t id, int64_t last) {
    if (w->now - last >= TIME_MINUTE) gather_row(w->desk, kind, &(struct gathered){.id = id, .at = w->now});
}
