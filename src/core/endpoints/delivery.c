#include "core/endpoints/delivery.h"

#include "core/endpoints/delivery_body.h"
#include "base/html.h"
#include "core/cases/macro.h"
#include "core/words.h"
#include "json/json.h"

/* Holds the endpoint, so that a deletion finds the new delivery. */
QUERY(delivery_endpoint,
      "SELECT e.type, COALESCE(e.method, 0), COALESCE(e.content_type, 0), e.channel "
      "FROM endpoints e WHERE e.id = :id AND e.is_enabled = 1 AND e.deleted_at IS NULL @HOLD@");
QUERY(delivery_insert,
      "INSERT INTO endpoint_deliveries (endpoint_id, case_id, event_id, body, cause, status, "
      "attempts, next_attempt_at, retry_until, created_at, updated_at) "
      "VALUES (:endpoint, CAST(:case AS BIGINT), :event, :body, :cause, 1, 0, :now, :until, :now, :now) "
      "RETURNING id");

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

/* ---- values in texts ------------------------------------------------------------------------- */

static struct str json_escaped(struct arena *a, struct str value) {
    struct buf b = {0};
    struct json_writer j;
    jw_init(&j, &b);
    jw_str(&j, value.p ? value : S(""));
    struct str quoted = buf_view(&b), inside = str_dup(a, (struct str){quoted.p + 1, quoted.n - 2});
    buf_free(&b);
    return inside;
}

static struct str xml_escaped(struct arena *a, struct str value) {
    struct buf b = {0};
    html_text(&b, value);
    return buf_take(&b, a);
}

static struct str form_escaped(struct arena *a, struct str value) {
    struct buf b = {0};
    for (size_t i = 0; i < value.n; i++) {
        unsigned char c = (unsigned char)value.p[i];
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
            c == '_' || c == '.')
            buf_char(&b, (char)c);
        else buf_fmt(&b, "%%%02X", c);
    }
    return buf_take(&b, a);
}

/* A text that begins like JSON is meant as the body; another one is the member `message`, which the writer
 * escapes. */
static bool text_begins_json(struct str text) {
    struct str t = str_trim(text);
    return t.n && (t.p[0] == '{' || t.p[0] == '[');
}

static int delivery_fill(struct work *w, const struct case_now *now, int64_t agent_id,
                         struct delivery_event *e) {
    struct str (*escape)(struct arena * a, struct str value) = NULL;
    if (e->text.n == 0) return 0;
    if (e->type == ENDPOINT_HTTP && e->content == CONTENT_JSON && text_begins_json(e->text))
        escape = json_escaped;
    if (e->type == ENDPOINT_HTTP && e->content == CONTENT_XML) escape = xml_escaped;
    if (e->type == ENDPOINT_HTTP && e->content == CONTENT_FORM) escape = form_escaped;
    return case_text_fill_as(w, now, agent_id, e->text, escape, &e->text);
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* now: fills the text; NULL: it is filled. Returns 1, 0 if the endpoint was deleted or is disabled or
 * there is no such conversation, or a negative error. */
static int delivery_put(struct work *w, struct delivery_event *e, const struct case_now *now,
                        int64_t agent_id, int64_t *id) {
    struct str body;
    int rc = delivery_read_endpoint(w, e);
    if (rc == 1 && now) TRY(delivery_fill(w, now, agent_id, e));
    if (rc == 1) rc = delivery_body(w, e, &body);
    if (rc <= 0) return rc;
    deliveries_announce(w);
    TRY(db_insert(w->conn, &delivery_insert,
                  BINDS(B_INT("endpoint", e->endpoint_id), B_ID("case", e->case_id), B_TEXT("event", e->id),
                        B_TEXT("body", body), B_TEXT("cause", e->cause), B_INT("now", w->now),
                        B_INT("until", w->now + DELIVERY_RETRIED)),
                  id));
    return 1;
}

static struct delivery_event event_of(struct work *w, int64_t endpoint_id, int64_t case_id, struct str text) {
    return (struct delivery_event){.endpoint_id = endpoint_id,
                                   .case_id = case_id,
                                   .id = random_uuid(w->arena),
                                   .cause = w->actor.cause,
                                   .text = text};
}

int delivery_add_action(struct work *w, int64_t endpoint_id, const struct case_now *now, int64_t agent_id,
                        struct str text) {
    struct delivery_event e = event_of(w, endpoint_id, now->id, text);
    int64_t id;
    return delivery_put(w, &e, now, agent_id, &id);
}

int delivery_add(struct work *w, int64_t endpoint_id, int64_t case_id, struct str text) {
    struct delivery_event e = event_of(w, endpoint_id, case_id, text);
    int64_t id;
    return delivery_put(w, &e, NULL, 0, &id);
}

int delivery_add_test(struct work *w, int64_t endpoint_id, int64_t *id) {
    struct delivery_event e = event_of(w, endpoint_id, 0, (struct str){0});
    return delivery_put(w, &e, NULL, 0, id);
}
