#include "core/people/team.h"

#include "core/change/change.h"
#include "core/change/object_diff.h"
#include "core/desk/cascade.h"
#include "core/time/hours.h"

QUERY(teams_mark, "UPDATE teams SET deleted_at = :now, legacy_id = NULL WHERE id IN @LIST(:ids)");
QUERY(team_members_remove, "DELETE FROM team_members WHERE team_id IN @LIST(:ids)");
/* A person's JSON contains the teams. */
QUERY(teams_people_changed, "UPDATE users SET updated_at = :now "
                            "WHERE id IN (SELECT user_id FROM team_members WHERE team_id IN @LIST(:ids))");
QUERY(people_teams_changed, "UPDATE users SET updated_at = :now WHERE id IN @LIST(:users)");
QUERY(team_member_add, "INSERT INTO team_members (team_id, user_id, created_at) "
                       "SELECT CAST(:team AS BIGINT), id, CAST(:now AS BIGINT) "
                       "FROM users WHERE id IN @LIST(:users) ON CONFLICT (team_id, user_id) DO NOTHING");
QUERY(team_member_remove, "DELETE FROM team_members WHERE team_id = :team AND user_id IN @LIST(:users)");
QUERY(team_mailboxes_leave,
      "UPDATE mailboxes SET team_id = NULL, updated_at = :now WHERE team_id IN @LIST(:ids)");
QUERY(teams_staffed,
      "SELECT t.id, h.zones, h.holidays, h.time_zone "
      "FROM teams t "
      "JOIN business_hours h ON h.id = COALESCE(t.businesshour_id, (SELECT id FROM business_hours "
      "WHERE is_default = 1)) WHERE EXISTS (SELECT 1 FROM team_members m JOIN users u ON u.id = m.user_id "
      "WHERE m.team_id = t.id AND u.is_enabled = 1 AND u.deleted_at IS NULL) AND t.deleted_at IS NULL "
      "ORDER BY t.id");

int teams_delete(struct work *w, struct str ids) {
    const struct bind *binds = BINDS(B_TEXT("ids", ids), B_INT("now", w->now));
    TRY(changes_deleted(w, "team", ids));
    TRY(db_exec(w->conn, &teams_mark, binds));
    TRY(db_exec(w->conn, &teams_people_changed, binds));
    TRY(db_exec(w->conn, &team_members_remove, binds));
    TRY(db_exec(w->conn, &team_mailboxes_leave, binds));
    return cascade(w, CASCADE_TEAM, ids);
}

QUERY(team_changed, "UPDATE teams SET updated_at = :now WHERE id = :team AND deleted_at IS NULL");

int team_add_members(struct work *w, int64_t team_id, struct str users) {
    TRY(object_diff_begin_all(w, DIFFED_USER, users));
    TRY_FOUND(w, db_exec(w->conn, &team_changed,
                         BINDS(B_INT("team", team_id), B_INT("now", w->now)))); /* deleted concurrently */
    TRY(db_exec(w->conn, &people_teams_changed, BINDS(B_TEXT("users", users), B_INT("now", w->now))));
    return db_exec(w->conn, &team_member_add,
                   BINDS(B_INT("team", team_id), B_TEXT("users", users), B_INT("now", w->now)));
}

int team_remove_members(struct work *w, int64_t team_id, struct str users) {
    TRY(object_diff_begin_all(w, DIFFED_USER, users));
    TRY(db_exec(w->conn, &team_changed, BINDS(B_INT("team", team_id), B_INT("now", w->now))));
    TRY(db_exec(w->conn, &people_teams_changed, BINDS(B_TEXT("users", users), B_INT("now", w->now))));
    return db_exec(w->conn, &team_member_remove, BINDS(B_INT("team", team_id), B_TEXT("users", users)));
}

int teams_available(struct work *w, int64_t **out) {
    int n = 0, cap = 0, rc;
    int64_t *ids = NULL;
    DB_ROWS(rc, w->conn, &teams_staffed, NULL, row) {
        struct hours h;
        if (hours_read(w->arena, col_text(row, 1), col_text(row, 2), col_text(row, 3), &h) < 0 ||
            !hours_open_at(&h, w->now))
            continue;
        ids = arena_more(w->arena, ids, n, &cap, sizeof *ids);
        ids[n++] = col_int(row, 0);
    }
    *out = ids;
    return rc < 0 ? rc : n;
}
