#include "core/rules/delivery.h"

#include "core/rules/delivery_body.h"
#include "core/words.h"

/* Holds the endpoint, so that a deletion finds the new delivery. */
QUERY(delivery_endpoint, "SELECT e.type, COALESCE(e.method, 0), COALESCE(e.content_type, 0), e.channel FROM endpoints e "
                         "WHERE e.id = :id AND e.is_enabled = 1 AND e.deleted_at IS NULL @HOLD@");
QUERY(delivery_insert,
      "INSERT INTO endpoint_deliveries (endpoint_id, case_id, event_id, body, cause, status, attempts, next_attempt_at, retry_until, "
      "created_at, updated_at) VALUES (:endpoint, CAST(:case AS BIGINT), :event, :body, :cause, 1, 0, :now, :until, :now, :now) RETURNING "
      "id");

static void sender_wake(struct desk *d, void *arg) {
    (void)arg;
    if (d->wake_sender) d->wake_sender(d->wake_sender_arg);
}

void deliveries_announce(struct work *w) { after_commit(w, sender_wake, NULL); }

static int delivery_read_endpoint(struct work *w, struct delivery_event *e) {
    struct stmt *row;
    int rc = db_row(w->conn, &delivery_endpoint, BINDS(B_INT("id", e->endpoint_id)), &row);
    if (rc <= 0) return rc;
    e->type = (int)col_int(row, 0);
    e->method = (int)col_int(row, 1);
    e->content = (int)col_int(row, 2);
    e->channel = str_dup(w->arena, col_text(row, 3));
    stmt_end(row);
    return 1;
}

/* Returns 1, 0 if the endpoint was deleted or is disabled or there is no such conversation, or a negative error. */
static int delivery_put(struct work *w, int64_t endpoint_id, int64_t case_id, struct str text, int64_t *id) {
    struct delivery_event e = {
        .endpoint_id = endpoint_id, .case_id = case_id, .id = random_uuid(w->arena), .cause = w->actor.cause, .text = text};
    struct str body;
    int rc = delivery_read_endpoint(w, &e);
    if (rc == 1) rc = delivery_body(w, &e, &body);
    if (rc <= 0) return rc;
    deliveries_announce(w);
    TRY(db_insert(w->conn, &delivery_insert,
                  BINDS(B_INT("endpoint", endpoint_id), B_ID("case", case_id), B_TEXT("event", e.id), B_TEXT("body", body),
                        B_TEXT("cause", e.cause), B_INT("now", w->now), B_INT("until", w->now + DELIVERY_RETRIED)),
                  id));
    return 1;
}

int delivery_add(struct work *w, int64_t endpoint_id, int64_t case_id, struct str text) {
    int64_t id;
    return delivery_put(w, endpoint_id, case_id, text, &id);
}

int delivery_add_test(struct work *w, int64_t endpoint_id, int64_t *id) { return delivery_put(w, endpoint_id, 0, (struct str){0}, id); }
