#include "res/share.h"

#include "api/rows/visible.h"
#include "core/access/permission.h"
#include "core/words.h"

QUERY(live_teams, "SELECT id FROM teams WHERE id IN @LIST(:ids) AND deleted_at IS NULL ORDER BY id @HOLD@");

int check_team_ids(struct call *c, struct in *in) {
    struct work *w = &c->work;
    int64_t *known;
    int n = db_ids(w->conn, &live_teams,
                   BINDS(B_TEXT("ids", json_ids(w->arena, in->value.ids, (size_t)in->value.i))), w->arena,
                   &known);
    TRY(n);
    return in_among(c, in, known, n, api_absent(c, "team"));
}

bool show_all_asked(struct call *c) {
    if (!arg(c, "show_all")->value.i) return false;
    if (c->work.actor.rank >= ROLE_ADMIN) return true;
    notice(&c->work, "NOTICE", "show_all was ignored: only admins and owners list the rows of other people.");
    return false;
}

int share_may_write(struct call *c, const char *permission, bool shared, int64_t agent_id) {
    const struct actor *a = &c->work.actor;
    bool own = agent_id == a->user_id;
    if (own && !shared) return 0;
    if (permitted(a, permission) && a->rank >= (shared ? ROLE_AGENT : ROLE_ADMIN)) return 0;
    return fail(&c->work, ERR_PERMISSIONS_DENIED);
}
