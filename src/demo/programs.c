/* A client, consents of staff to it, and an API token of the demo desk. Nobody has their secrets: `POST
 * /oauth/clients/:id/secret` makes one. */
#include "demo/extras.h"

#include "work/work.h"

#define READ_USERS 1 /* bits of core/access/scope.h */
#define READ_CONVERSATIONS 4
#define WRITE_CONVERSATIONS 8

QUERY(demo_client,
      "INSERT INTO oauth_clients (name, url, key, scopes, description, author, author_url, "
      "callback_url, creator_id, last_used_at, created_at, updated_at) "
      "VALUES ('Order system', 'https://orders.example.com/', 'demo-order-system', :scopes, "
      "'Shows the conversations about an order.', 'Example Ltd', "
      "'https://example.com/', 'https://orders.example.com/callback', :creator, :used, :now, :now) "
      "RETURNING id");
QUERY(demo_grant, "INSERT INTO oauth_grants (user_id, client_id, scopes, last_activity_at, expiry_at, "
                  "created_at, updated_at) VALUES (:user, :client, :scopes, :used, :used, :now, :now)");
QUERY(demo_api_token,
      "INSERT INTO api_tokens (user_id, name, token_hash, scopes, last_used_at, created_at, updated_at) "
      "VALUES (:user, 'Weekly report', 'demo', :scopes, :used, :now, :now)");

int fill_programs(struct conn *c, struct filling *f) {
    static const int64_t people[] = {DEMO_ADMIN, DEMO_AGENT, DEMO_COLLABORATOR};
    int64_t client, now = f->world.start, used = f->world.end, scopes = READ_USERS | WRITE_CONVERSATIONS;
    TRY(db_insert(
        c, &demo_client,
        BINDS(B_INT("scopes", scopes), B_INT("creator", DEMO_OWNER), B_INT("used", used), B_INT("now", now)),
        &client));
    for (size_t i = 0; i < sizeof people / sizeof *people; i++)
        TRY(db_exec(c, &demo_grant,
                    BINDS(B_INT("user", people[i]), B_INT("client", client), B_INT("scopes", scopes),
                          B_INT("used", used), B_INT("now", now))));
    return db_exec(c, &demo_api_token,
                   BINDS(B_INT("user", DEMO_AGENT), B_INT("scopes", READ_CONVERSATIONS), B_INT("used", used),
                         B_INT("now", now)));
}
