#include "core/endpoints/delivery_queue.h"

#include "core/endpoints/delivery.h"
#include "core/letters/letter.h"
#include "core/words.h"

#include <inttypes.h>

#define FIRST_DELAY (15 * TIME_SECOND)
#define LONGEST_DELAY TIME_HOUR

/* ---- reading --------------------------------------------------------------------------------- */

QUERY(queue_waiting,
      "SELECT e.id FROM endpoints e WHERE e.is_enabled = 1 AND e.deleted_at IS NULL AND EXISTS (SELECT 1 "
      "FROM endpoint_deliveries d WHERE d.endpoint_id = e.id AND d.status = 1 "
      "AND d.next_attempt_at <= :now) AND NOT EXISTS (SELECT 1 FROM leases l "
      "WHERE l.name = 'endpoint ' || CAST(e.id AS TEXT) AND l.holder <> :holder AND l.until > :now) "
      "ORDER BY e.id");
QUERY(queue_due,
      "SELECT d.id, COALESCE(d.case_id, 0), d.created_at, d.retry_until, d.attempts, d.event_id, d.body "
      "FROM endpoint_deliveries d "
      "WHERE d.endpoint_id = :endpoint AND d.status = 1 AND d.next_attempt_at <= :now "
      "AND d.id NOT IN @LIST(:busy) AND NOT EXISTS (SELECT 1 FROM endpoint_deliveries b "
      "WHERE b.endpoint_id = d.endpoint_id AND b.case_id = d.case_id AND b.status = 1 AND b.id < d.id) "
      "ORDER BY d.next_attempt_at, d.id LIMIT :most");
QUERY(queue_target,
      "SELECT e.type, COALESCE(e.method, 0), COALESCE(e.content_type, 0), e.title, "
      "COALESCE(e.url, e.webhook_url), e.address, e.subject, e.use_auth, e.auth_username, "
      "e.auth_password, e.secret, CASE WHEN e.former_secret_until > :now THEN e.former_secret END "
      "FROM endpoints e WHERE e.id = :id AND e.is_enabled = 1 AND e.deleted_at IS NULL");

int deliveries_waiting(struct work *w, int64_t **endpoints) {
    return db_ids(w->conn, &queue_waiting, BINDS(B_INT("now", w->now), B_TEXT("holder", w->desk->process)),
                  w->arena, endpoints);
}

struct str delivery_lease(struct arena *a, int64_t endpoint_id) {
    return str_fmt(a, "endpoint %" PRId64, endpoint_id);
}

static struct str target_secret(struct work *w, struct str sealed, struct target *t) {
    struct str secret = sealed.n ? seal_text_open(w->arena, &w->desk->endpoint_key, str_dup(w->arena, sealed))
                                 : (struct str){0};
    t->locked |= sealed.n && secret.p == NULL;
    return secret;
}

int target_load(struct work *w, int64_t endpoint_id, struct target *out) {
    struct arena *a = w->arena;
    struct stmt *row;
    int rc = db_row(w->conn, &queue_target, BINDS(B_INT("id", endpoint_id), B_INT("now", w->now)), &row);
    if (rc <= 0) return rc;
    *out = (struct target){.id = endpoint_id,
                           .type = (int)col_int(row, 0),
                           .method = (int)col_int(row, 1),
                           .content = (int)col_int(row, 2),
                           .title = str_dup(a, col_text(row, 3)),
                           .url = str_dup(a, col_text(row, 4)),
                           .address = str_dup(a, col_text(row, 5)),
                           .subject = str_dup(a, col_text(row, 6)),
                           .use_auth = col_int(row, 7) != 0,
                           .user = str_dup(a, col_text(row, 8))};
    out->former_secret = target_secret(w, col_text(row, 11), out);
    out->locked = false; /* a new secret is enough */
    out->secret = target_secret(w, col_text(row, 10), out);
    if (out->use_auth) out->password = target_secret(w, col_text(row, 9), out);
    stmt_end(row);
    return 1;
}

int deliveries_due(struct work *w, int64_t endpoint_id, struct str busy, int most, struct delivery **first) {
    struct arena *a = w->arena;
    struct delivery **last = first;
    int rc, n = 0;
    *first = NULL;
    DB_ROWS(rc, w->conn, &queue_due,
            BINDS(B_INT("endpoint", endpoint_id), B_INT("now", w->now), B_TEXT("busy", busy),
                  B_INT("most", most)),
            row) {
        struct delivery *d = ARENA_NEW(a, struct delivery);
        *d = (struct delivery){.id = col_int(row, 0),
                               .endpoint_id = endpoint_id,
                               .case_id = col_int(row, 1),
                               .created_at = col_int(row, 2),
                               .retry_until = col_int(row, 3),
                               .attempts = (int)col_int(row, 4),
                               .event_id = str_dup(a, col_text(row, 5)),
                               .body = str_dup(a, col_text(row, 6))};
        *last = d;
        last = &d->next;
        n++;
    }
    return rc < 0 ? rc : n;
}

/* ---- results --------------------------------------------------------------------------------- */

QUERY(attempt_insert,
      "INSERT INTO endpoint_attempts (endpoint_id, delivery_id, result, status_code, message, "
      "duration, created_at) SELECT d.endpoint_id, d.id, CAST(:result AS INTEGER), CAST(:code AS INTEGER), "
      "CAST(:message AS TEXT), CAST(:duration AS INTEGER), CAST(:now AS BIGINT) "
      "FROM endpoint_deliveries d WHERE d.id = :id");
QUERY(attempt_last,
      "INSERT INTO endpoint_states (endpoint_id, last_attempt_result, "
      "last_attempt_message, last_attempt_at) VALUES (:endpoint, :result, :message, :now) "
      "ON CONFLICT (endpoint_id) DO UPDATE SET last_attempt_result = excluded.last_attempt_result, "
      "last_attempt_message = excluded.last_attempt_message, last_attempt_at = excluded.last_attempt_at");
QUERY(queue_lock, "SELECT d.status FROM endpoint_deliveries d WHERE d.id = :id @LOCK@");
QUERY(queue_count,
      "UPDATE endpoint_deliveries SET attempts = attempts + 1, updated_at = :now WHERE id = :id");
QUERY(queue_end, "UPDATE endpoint_deliveries SET status = :status WHERE id = :id");
QUERY(queue_again, "UPDATE endpoint_deliveries SET next_attempt_at = :next WHERE id = :id");
/* Later deliveries of the conversation wait for this one. Until it is due again, a reader would find them
 * and leave them out. */
QUERY(queue_behind,
      "UPDATE endpoint_deliveries SET next_attempt_at = :next "
      "WHERE endpoint_id = :endpoint AND case_id = :case AND status = 1 AND next_attempt_at < :next");

/* The delay grows with the time since the first attempt: 15 s, 15 s, 30 s, 1 min, 2 min ... 1 h. About 31
 * attempts in a day. */
static int64_t next_attempt(const struct work *w, const struct attempt *a) {
    int64_t delay = w->now - (a->delivery->retry_until - DELIVERY_RETRIED);
    if (delay < FIRST_DELAY) delay = FIRST_DELAY;
    if (delay < a->retry_after) delay = a->retry_after;
    return w->now + (delay < LONGEST_DELAY ? delay : LONGEST_DELAY);
}

static int settle_failure(struct work *w, const struct attempt *a) {
    const struct delivery *d = a->delivery;
    const struct bind *binds =
        BINDS(B_INT("id", d->id), B_INT("endpoint", d->endpoint_id), B_ID("case", d->case_id),
              B_INT("next", next_attempt(w, a)), B_INT("status", DELIVERY_FAILED));
    if (w->now >= d->retry_until || d->body.p == NULL) return db_exec(w->conn, &queue_end, binds);
    TRY(db_exec(w->conn, &queue_again, binds));
    return d->case_id ? db_exec(w->conn, &queue_behind, binds) : 0;
}

static int settle_success(struct work *w, const struct attempt *a) {
    TRY(db_exec(w->conn, &queue_end, BINDS(B_INT("id", a->delivery->id), B_INT("status", DELIVERY_SENT))));
    if (!a->mail) return 0;
    int queued =
        letter_of_endpoint(w, (struct letter_to){a->delivery->case_id, 0, a->target->address},
                           a->target->subject.n ? a->target->subject : a->target->title, a->delivery->body);
    return queued < 0 ? queued : 0;
}

int delivery_settle(struct work *w, const struct attempt *a) {
    const struct delivery *d = a->delivery;
    const struct bind *binds =
        BINDS(B_INT("id", d->id), B_INT("endpoint", d->endpoint_id),
              B_INT("result", a->success ? ATTEMPT_SUCCESS : ATTEMPT_FAILURE), B_ID("code", a->status_code),
              B_TEXT("message", a->message), B_INT("duration", a->duration), B_INT("now", w->now));
    int64_t status;
    int found = db_int(w->conn, &queue_lock, binds, &status);
    if (found <= 0) return found; /* deleted meanwhile */
    TRY(db_exec(w->conn, &attempt_insert, binds));
    TRY(db_exec(w->conn, &queue_count, binds));
    TRY(db_exec(w->conn, &attempt_last, binds));
    if (status != DELIVERY_PENDING) return 0; /* another process took the lease and sent it */
    return a->success ? settle_success(w, a) : settle_failure(w, a);
}

QUERY(queue_replay, "UPDATE endpoint_deliveries "
                    "SET status = 1, next_attempt_at = :now, retry_until = :until, updated_at = :now "
                    "WHERE id = :id AND status <> 1 AND body IS NOT NULL");

int delivery_replay(struct work *w, int64_t id) {
    int rows =
        db_exec(w->conn, &queue_replay,
                BINDS(B_INT("id", id), B_INT("now", w->now), B_INT("until", w->now + DELIVERY_RETRIED)));
    TRY(rows);
    if (rows == 0)
        return fail_state(w, "The delivery is still waiting, or its body was erased. Wait for "
                             "its end, or send a new one.");
    deliveries_announce(w);
    return 0;
}
