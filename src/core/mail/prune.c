#include "core/mail/prune.h"

#include "core/desk/cascade_step.h"
#include "json/json.h"

/* Each arm is one index range. A mail that is being processed is in neither. */
QUERY(mails_old, "SELECT m.id FROM mails m "
                 "WHERE m.id IN (SELECT x.id FROM (SELECT f.id FROM mails f WHERE f.case_id IS NULL "
                 "AND f.created_at <= :before AND f.status NOT IN (1, "
                 "2) ORDER BY f.created_at LIMIT :most) x UNION SELECT y.id FROM (SELECT s.id FROM mails s "
                 "WHERE s.is_suspended = 1 AND s.created_at <= :before ORDER BY s.id LIMIT :most) y) "
                 "ORDER BY m.id LIMIT :most @LOCK@");
QUERY(mails_old_files, MAIL_FILES_LOCK);
QUERY(mails_old_files_go, MAIL_FILES_EXPIRE_NOW);
QUERY(mails_old_go, "DELETE FROM mails WHERE id IN @LIST(:rows)");

static int mails_drop(struct conn *c, struct str rows, int64_t now) {
    const struct bind *binds = BINDS(B_TEXT("rows", rows), B_INT("now", now));
    int rc;
    DB_ROWS(rc, c, &mails_old_files, binds, row) continue;
    TRY(rc);
    TRY(db_exec(c, &mails_old_files_go, binds));
    return db_exec(c, &mails_old_go, binds);
}

int mails_prune(struct conn *c, int64_t before, int64_t now, int64_t most) {
    struct arena *a = arena_new();
    int64_t *ids;
    int n = db_ids(c, &mails_old, BINDS(B_INT("before", before), B_INT("most", most)), a, &ids);
    int rc = n > 0 ? mails_drop(c, json_ids(a, ids, (size_t)n), now) : n;
    arena_free(a);
    return rc < 0 ? rc : n;
}
