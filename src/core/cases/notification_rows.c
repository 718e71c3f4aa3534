#include "core/cases/notification_rows.h"

#include "base/limits.h"
#include "core/cases/staff_sees.h"
#include "core/change/change.h"
#include "core/desk/job.h"
#include "core/desk/setting.h"

/* ---- new ones -------------------------------------------------------------------------------- */

#define CELL(n) "CAST(g.value ->> " n " AS BIGINT)"
QUERY(notifications_insert,
      "INSERT INTO notifications (user_id, case_id, type, post_id, actor_id, others_count, created_at) "
      "SELECT u.id, c.id, CAST(g.value ->> 2 AS INTEGER), " CELL(
          "3") ", CAST(:actor AS BIGINT), "
               "CAST(g.value ->> 4 AS INTEGER), CAST(:now AS BIGINT) "
               "FROM @ROWS(:rows) g JOIN users u ON u.id = " CELL(
                   "0") " JOIN roles r ON r.id = u.role_id "
                        "JOIN cases c ON c.id = " CELL("1") " WHERE " STAFF_SEES
                                                            " ORDER BY " CELL("5") " RETURNING id");

static void notification_row_add(struct notification_rows *rows, const struct staff_notice *n,
                                 enum notification_type type, int others) {
    struct json_writer *j = &rows->json;
    if (rows->count++ == 0) {
        jw_init(j, &rows->text);
        jw_array(j);
    }
    jw_array(j);
    jw_int(j, n->user_id);
    jw_int(j, n->case_id);
    jw_int(j, type);
    if (n->said && (type == NOTIFY_MENTION || type == NOTIFY_REPLY)) jw_int(j, n->said);
    else jw_null(j);
    jw_int(j, others);
    jw_int(j, rows->count);
    jw_end(j);
}

void notification_rows_add(struct notification_rows *rows, const struct notification_preferences *p,
                           const struct staff_notice *notices, int count) {
    int wanted = 0;
    for (int i = 0; i < count; i++) wanted += notice_event(p, notices[i].events, NOTIFY_DESKTOP) != 0;
    for (int i = 0; i < count; i++) {
        enum notification_type type = notice_event(p, notices[i].events, NOTIFY_DESKTOP);
        if (type == 0) continue;
        notification_row_add(rows, &notices[i], type, wanted > LIMIT_NOTICES ? wanted - 1 : 0);
        if (wanted > LIMIT_NOTICES) return;
    }
}

int notification_rows_write(struct notification_rows *rows) {
    struct work *w = rows->w;
    int64_t *ids;
    if (rows->count == 0) return 0;
    jw_end(&rows->json);
    int n = db_ids(
        w->conn, &notifications_insert,
        BINDS(B_TEXT("rows", buf_view(&rows->text)), B_ID("actor", w->actor.user_id), B_INT("now", w->now)),
        w->arena, &ids);
    buf_free(&rows->text);
    for (int i = 0; i < n; i++) change_created(w, (struct changed){"notification", ids[i], 0});
    return n < 0 ? n : 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

QUERY(notification_set_read, "UPDATE notifications SET read_at = :now WHERE id = :id AND read_at IS NULL");
QUERY(notifications_set_read,
      "UPDATE notifications SET read_at = :now WHERE id IN @LIST(:ids) AND read_at IS NULL");

int notification_read(struct work *w, int64_t id) {
    int n = db_exec(w->conn, &notification_set_read, BINDS(B_INT("id", id), B_INT("now", w->now)));
    if (n > 0)
        change_property(w, (struct changed){"notification", id, 0}, "read_at", changed_nothing(),
                        changed_number(w->now));
    return n < 0 ? n : 0;
}

int notifications_read(struct work *w, struct str ids) {
    int n = db_exec(w->conn, &notifications_set_read, BINDS(B_TEXT("ids", ids), B_INT("now", w->now)));
    if (n > 0)
        change_property(w, (struct changed){"notifications", w->actor.user_id, 0}, "read_at",
                        changed_nothing(), changed_number(w->now));
    return n;
}

/* ---- pruning --------------------------------------------------------------------------------- */

QUERY(notifications_old, "DELETE FROM notifications WHERE id IN (SELECT o.id FROM (SELECT n.id, n.created_at "
                         "FROM notifications n ORDER BY n.id LIMIT :most) o WHERE o.created_at <= :before)");
/* Those behind the newest :kept of each person. The people are found by one step in the index for each. */
QUERY(notifications_many,
      "DELETE FROM notifications WHERE id IN (WITH RECURSIVE people (id) AS (SELECT MIN(n.user_id) "
      "FROM notifications n UNION ALL SELECT (SELECT MIN(n.user_id) FROM notifications n "
      "WHERE n.user_id > p.id) FROM people p WHERE p.id IS NOT NULL) SELECT o.id FROM people p "
      "JOIN notifications o ON o.user_id = p.id AND o.id <= (SELECT x.id FROM notifications x "
      "WHERE x.user_id = p.id ORDER BY x.id DESC LIMIT 1 OFFSET :kept) LIMIT :most)");

static int notifications_run(struct work *w, const struct job *j) {
    int64_t kept = setting_int(w->desk, "notifications.kept_days") * TIME_DAY;
    const struct bind *binds = BINDS(B_INT("before", w->now - kept), B_INT("kept", LIMIT_NOTIFICATIONS),
                                     B_INT("most", LIMIT_CASCADE));
    int old = db_exec(w->conn, &notifications_old, binds);
    TRY(old);
    int many = db_exec(w->conn, &notifications_many, binds);
    TRY(many);
    return old == LIMIT_CASCADE || many == LIMIT_CASCADE ? job_continue(w, j, S("{}")) : 0;
}
JOB_CODE(NOTIFICATIONS) = {.run = notifications_run, .never_failed = true, .every = TIME_HOUR};
