/* Failed logins in the audit log. They are counted in login_failures at once; the job runner makes entries
 * of them when their minute is over. */
#include "core/change/audit.h"
#include "core/login/lockout.h"
#include "json/json.h"

#define APART 100 /* people who have an entry of their own in a minute */

/* audited: 0 not yet, 2 in this write, 1 done. A row that is committed late comes into a later entry. */
QUERY(failures_any, "SELECT id FROM login_failures WHERE audited <> 1 AND created_at < :until LIMIT 1");
QUERY(failures_begin, "UPDATE login_failures SET audited = 2 WHERE audited <> 1 AND created_at < :until");
QUERY(failures_done, "UPDATE login_failures SET audited = 1 WHERE audited = 2");
QUERY(failures_grouped,
      "SELECT created_at / 60000, COALESCE(user_id, 0), COUNT(*), COUNT(DISTINCT account), "
      "COUNT(DISTINCT ip_address), MIN(ip_address), SUM(locks), MIN(created_at), MAX(created_at) "
      "FROM login_failures WHERE audited = 2 GROUP BY created_at / 60000, user_id "
      "ORDER BY 1, 3 DESC, 2");

/* Failures of one person, or of others together, in one minute. */
struct failures {
    int64_t minute, user_id, count, accounts, locks, first, last;
    struct str ip; /* p NULL: several */
    struct failures *next;
};

static int64_t minute_begin(int64_t now) { return now - now % TIME_MINUTE; }

int login_failures_wait(struct conn *c, int64_t now) {
    int64_t id;
    return db_int(c, &failures_any, BINDS(B_INT("until", minute_begin(now))), &id);
}

static struct failures failures_read(struct work *w, struct stmt *row) {
    bool one_address = col_int(row, 4) == 1;
    return (struct failures){.minute = col_int(row, 0),
                             .user_id = col_int(row, 1),
                             .count = col_int(row, 2),
                             .accounts = col_int(row, 3),
                             .ip = one_address ? str_dup(w->arena, col_text(row, 5)) : (struct str){0},
                             .locks = col_int(row, 6),
                             .first = col_int(row, 7),
                             .last = col_int(row, 8)};
}

static void failures_join(struct failures *to, const struct failures *from) {
    if (to->ip.p == NULL || from->ip.p == NULL || !str_eq(to->ip, from->ip)) to->ip = (struct str){0};
    to->user_id = 0;
    to->count += from->count;
    to->accounts += from->accounts;
    to->locks += from->locks;
    if (from->first < to->first) to->first = from->first;
    if (from->last > to->last) to->last = from->last;
}

/* Adds a group to the list, the newest first. Those of unknown accounts, and those beyond APART of a
 * minute, are one group. */
static void failures_gather(struct work *w, struct failures **list, struct failures **others, int *apart,
                            const struct failures *f) {
    bool same_minute = *list && (*list)->minute == f->minute;
    if (!same_minute) *others = NULL, *apart = 0;
    bool joined = f->user_id == 0 || *apart >= APART;
    if (joined && *others) {
        failures_join(*others, f);
        return;
    }
    struct failures *kept = ARENA_NEW(w->arena, struct failures);
    *kept = *f;
    kept->next = *list;
    *list = kept;
    if (!joined) ++*apart;
    else *others = kept, kept->user_id = 0;
}

static struct str failures_details(struct buf *b, const struct failures *f) {
    struct json_writer j;
    jw_init(&j, b);
    jw_object(&j);
    jw_key(&j, S("failures"));
    jw_int(&j, f->count);
    jw_key(&j, S("accounts"));
    jw_int(&j, f->accounts);
    jw_key(&j, S("first_at"));
    jw_time(&j, f->first);
    jw_key(&j, S("last_at"));
    jw_time(&j, f->last);
    jw_end(&j);
    return buf_view(b);
}

static int failures_audit(struct work *w, const struct failures *f) {
    struct buf b = {0};
    struct audit_entry e = {.action = AUDIT_LOGIN_FAILED,
                            .object_type = f->user_id ? "user" : NULL,
                            .object_id = f->user_id,
                            .details = failures_details(&b, f),
                            .ip_address = f->ip};
    int rc = audit_add(w, &e);
    e.action = AUDIT_LOGIN_LOCKED;
    if (rc >= 0 && f->locks) rc = audit_add(w, &e);
    buf_free(&b);
    return rc;
}

int login_failures_audit(struct work *w) {
    struct failures *list = NULL, *others = NULL;
    int rc, apart = 0;
    TRY(db_lock(w->conn, S("login failures")));
    int rows = db_exec(w->conn, &failures_begin, BINDS(B_INT("until", minute_begin(w->now))));
    if (rows <= 0) return rows;
    DB_ROWS(rc, w->conn, &failures_grouped, NULL, row) {
        struct failures f = failures_read(w, row);
        failures_gather(w, &list, &others, &apart, &f);
    }
    for (const struct failures *f = list; f && rc >= 0; f = f->next) rc = failures_audit(w, f);
    TRY(rc);
    TRY(db_exec(w->conn, &failures_done, NULL));
    return rows;
}
