#include "core/rules/sla.h"

#include "core/rules/rule_predicate.h"
#include "core/sla/clock_settings.h"

QUERY(sla_set_place,
      "UPDATE slas "
      "SET execution_order = (SELECT COALESCE(MAX(s.execution_order), 0) + 1 FROM slas s WHERE s.id <> :id) "
      "WHERE id = :id");

#define GOALS                                                                            \
    "SELECT COALESCE(g.priority_id, 0), g.type, g.goal_in_seconds, g.operational_hours " \
    "FROM sla_targets g WHERE "
#define GOALS_OF_SLA GOALS "g.sla_id = s.id"
#define GOALS_OF_VERSION GOALS "g.sla_version_id = s.version_id"

/* One row if the current version equals the SLA. No target is there twice, so EXCEPT in both directions
 * compares the lists. */
QUERY(sla_version_is_current,
      "SELECT v.id FROM slas s JOIN sla_versions v ON v.id = s.version_id "
      "WHERE s.id = :id AND v.title = s.title AND COALESCE(v.description, '') = COALESCE(s.description, "
      "'') AND NOT EXISTS (" GOALS_OF_SLA " EXCEPT " GOALS_OF_VERSION ") AND NOT EXISTS (" GOALS_OF_VERSION
      " EXCEPT " GOALS_OF_SLA ")");
QUERY(sla_version_insert, "INSERT INTO sla_versions (sla_id, title, description, created_at, updated_at) "
                          "SELECT id, title, description, CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
                          "FROM slas WHERE id = :id RETURNING id");
QUERY(sla_version_targets,
      "INSERT INTO sla_targets (sla_version_id, priority_id, type, goal_in_seconds, "
      "operational_hours, created_at, updated_at) "
      "SELECT CAST(:version AS BIGINT), priority_id, type, goal_in_seconds, operational_hours, "
      "CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
      "FROM sla_targets WHERE sla_id = :id ORDER BY id");
QUERY(sla_version_set, "UPDATE slas SET version_id = :version WHERE id = :id");
QUERY(slas_mark_deleted, "UPDATE slas SET is_deleted = 1, updated_at = :now WHERE id IN @LIST(:ids)");

int sla_place(struct work *w, int64_t id) { return db_exec(w->conn, &sla_set_place, BINDS(B_INT("id", id))); }

static int sla_version_add(struct work *w, int64_t id, int64_t *version) {
    struct stmt *row;
    TRY_FOUND(w, db_row(w->conn, &sla_version_insert, BINDS(B_INT("id", id), B_INT("now", w->now)), &row));
    *version = col_int(row, 0);
    int rc = stmt_step(row);
    stmt_end(row);
    return rc;
}

int sla_version_keep(struct work *w, int64_t id, bool changed) {
    int64_t version;
    if (!changed) {
        int rc = db_int(w->conn, &sla_version_is_current, BINDS(B_INT("id", id)), &version);
        if (rc) return rc < 0 ? rc : 0;
    }
    TRY(sla_version_add(w, id, &version));
    const struct bind *binds = BINDS(B_INT("id", id), B_INT("version", version), B_INT("now", w->now));
    TRY(db_exec(w->conn, &sla_version_targets, binds));
    TRY(clock_settings_changed(w, false));
    return db_exec(w->conn, &sla_version_set, binds);
}

int slas_delete(struct work *w, struct str ids) {
    TRY(db_exec(w->conn, &slas_mark_deleted, BINDS(B_TEXT("ids", ids), B_INT("now", w->now))));
    return rule_predicates_delete(w, RULE_OF_SLA, ids);
}
