#include "core/endpoints/delivery_body.h"

#include "core/words.h"
#include "json/json.h"

#include <inttypes.h>

QUERY(body_subject, "SELECT k.subject FROM cases k WHERE k.id = :id AND k.state <> 5");
QUERY(body_case,
      "SELECT k.subject, k.state, k.channel, k.created_at, k.updated_at, s.id, s.label, s.type, "
      "p.id, p.label, y.id, y.label, CASE WHEN m.deleted_at IS NULL THEN m.id END, m.title, "
      "CASE WHEN a.leaving_at IS NULL THEN a.id END, a.full_name, CASE WHEN o.deleted_at IS NULL "
      "THEN o.id END, o.name, b.id, b.name, u.id, u.full_name, (SELECT e.email FROM identity_emails e "
      "WHERE e.user_id = u.id AND e.is_primary = 1), l.id, l.content_text, l.is_requester, l.created_at "
      "FROM cases k JOIN case_statuses s ON s.id = k.status_id "
      "JOIN users u ON u.id = k.requester_id LEFT "
      "JOIN case_priorities p ON p.id = k.priority_id "
      "LEFT JOIN case_types y ON y.id = k.type_id "
      "LEFT JOIN teams m ON m.id = k.assigned_team_id "
      "LEFT JOIN users a ON a.id = k.assigned_agent_id "
      "LEFT JOIN organizations o ON o.id = u.organization_id "
      "LEFT JOIN brands b ON b.id = COALESCE(k.brand_id, 1) "
      "LEFT JOIN posts l ON l.id = k.last_message_id "
      "WHERE k.id = :id AND k.state <> 5");
QUERY(body_tags,
      "SELECT g.name FROM case_tags t JOIN tags g ON g.id = t.tag_id WHERE t.case_id = :id ORDER BY g.name");
QUERY(body_values, "SELECT f.key, v.value FROM field_values v "
                   "JOIN custom_fields f ON f.id = v.field_id AND f.is_enabled = 1 "
                   "WHERE v.owner_id = :id AND v.area = 1 ORDER BY f.sort_order, f.id");

/* ---- the conversation ------------------------------------------------------------------------ */

static void body_word(struct json_writer *j, struct str name, const struct word *words, int64_t id) {
    jw_key(j, name);
    jw_str(j, str_of(word_of(words, id)));
}

/* Writes {"id", label} of the cells at `at`, and leaves the object open if there is one. Returns whether
 * there is. */
static bool body_open(struct json_writer *j, struct stmt *row, int at, struct str name, struct str label) {
    int64_t id;
    jw_key(j, name);
    if (!col_int_given(row, at, &id)) return jw_null(j), false;
    jw_object(j);
    jw_key(j, S("id"));
    jw_int(j, id);
    jw_key(j, label);
    jw_str(j, col_text(row, at + 1));
    return true;
}

static void body_named(struct json_writer *j, struct stmt *row, int at, struct str name, struct str label) {
    if (body_open(j, row, at, name, label)) jw_end(j);
}

static void body_people(struct json_writer *j, struct stmt *row) {
    body_named(j, row, 12, S("assigned_team"), S("title"));
    body_named(j, row, 14, S("assigned_agent"), S("full_name"));
    body_named(j, row, 16, S("organization"), S("name"));
    body_named(j, row, 18, S("brand"), S("name"));
    if (!body_open(j, row, 20, S("requester"), S("full_name"))) return;
    jw_key(j, S("email"));
    jw_str(j, col_text(row, 22));
    jw_end(j);
}

static void body_last_message(struct json_writer *j, struct stmt *row) {
    if (!body_open(j, row, 23, S("last_message"), S("contents"))) return;
    jw_key(j, S("is_requester"));
    jw_bool(j, col_int(row, 25) != 0);
    jw_key(j, S("created_at"));
    jw_time(j, col_int(row, 26));
    jw_end(j);
}

static void body_members(struct json_writer *j, struct stmt *row) {
    jw_key(j, S("subject"));
    jw_str(j, col_text(row, 0));
    body_word(j, S("state"), case_states, col_int(row, 1));
    body_word(j, S("channel"), post_channels, col_int(row, 2));
    if (body_open(j, row, 5, S("status"), S("label"))) {
        body_word(j, S("type"), status_types, col_int(row, 7));
        jw_end(j);
    }
    body_named(j, row, 8, S("priority"), S("label"));
    body_named(j, row, 10, S("type"), S("label"));
    body_people(j, row);
    body_last_message(j, row);
    jw_key(j, S("created_at"));
    jw_time(j, col_int(row, 3));
    jw_key(j, S("updated_at"));
    jw_time(j, col_int(row, 4));
}

static int body_lists(struct work *w, struct json_writer *j, int64_t case_id) {
    const struct bind *binds = BINDS(B_INT("id", case_id));
    int rc;
    jw_key(j, S("tags"));
    jw_array(j);
    DB_ROWS(rc, w->conn, &body_tags, binds, row) jw_str(j, col_text(row, 0));
    jw_end(j);
    TRY(rc);
    jw_key(j, S("custom_fields"));
    jw_object(j);
    DB_ROWS(rc, w->conn, &body_values, binds, row) {
        jw_key_raw(j, col_text(row, 0));
        jw_str(j, col_text(row, 1));
    }
    jw_end(j);
    return rc;
}

static struct str case_address(const struct work *w, int64_t case_id) {
    return str_fmt(w->arena, "%s/api/v1/cases/%" PRId64, w->desk->base_url.p, case_id);
}

static int body_write_case(struct work *w, struct json_writer *j, int64_t case_id) {
    struct stmt *row;
    int rc = db_row(w->conn, &body_case, BINDS(B_INT("id", case_id)), &row);
    if (rc <= 0) return rc;
    jw_object(j);
    jw_key(j, S("id"));
    jw_int(j, case_id);
    body_members(j, row);
    stmt_end(row);
    TRY(body_lists(w, j, case_id));
    jw_key(j, S("resource_type"));
    jw_str(j, S("case"));
    jw_key(j, S("resource_url"));
    jw_str(j, case_address(w, case_id));
    jw_end(j);
    return 1;
}

/* ---- the three types ------------------------------------------------------------------------- */

static int body_envelope(struct work *w, const struct delivery_event *e, struct json_writer *j) {
    jw_object(j);
    jw_key(j, S("id"));
    jw_str(j, e->id);
    jw_key(j, S("created_at"));
    jw_time(j, w->now);
    jw_key(j, S("endpoint_id"));
    jw_int(j, e->endpoint_id);
    jw_key(j, S("cause"));
    jw_str(j, e->cause);
    jw_key(j, S("message"));
    jw_str(j, e->text.n ? e->text : (struct str){0});
    jw_key(j, S("case"));
    int rc = 1;
    if (e->case_id) rc = body_write_case(w, j, e->case_id);
    else jw_null(j);
    if (rc == 1) jw_end(j);
    return rc;
}

static bool text_is_json(struct arena *a, struct str text) {
    struct arena_mark m = arena_mark(a);
    struct json *j;
    struct json_error err;
    bool is =
        text.n && json_parse(a, text, &j, &err) >= 0 && (j->type == JSON_OBJECT || j->type == JSON_ARRAY);
    arena_return(a, m);
    return is;
}

static int body_http(struct work *w, const struct delivery_event *e, struct str *body) {
    struct buf b = {0};
    struct json_writer j;
    *body = e->method == ENDPOINT_GET ? S("") : e->text.p ? e->text : S("");
    if (e->method == ENDPOINT_GET || e->content != CONTENT_JSON || text_is_json(w->arena, e->text)) return 1;
    jw_init(&j, &b);
    int rc = body_envelope(w, e, &j);
    *body = buf_take(&b, w->arena);
    return rc;
}

static struct str slack_escape(struct arena *a, struct str text) {
    struct buf b = {0};
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '&') buf_text(&b, "&amp;");
        else if (text.p[i] == '<') buf_text(&b, "&lt;");
        else if (text.p[i] == '>') buf_text(&b, "&gt;");
        else buf_char(&b, text.p[i]);
    return buf_take(&b, a);
}

static struct str body_slack(struct work *w, const struct delivery_event *e, struct str text) {
    struct buf b = {0};
    struct json_writer j;
    jw_init(&j, &b);
    jw_object(&j);
    jw_key(&j, S("text"));
    jw_str(&j, slack_escape(w->arena, text));
    if (e->channel.n) {
        jw_key(&j, S("channel"));
        jw_str(&j, e->channel);
    }
    jw_end(&j);
    return buf_take(&b, w->arena);
}

/* Returns 1, 0 if there is no such conversation, or a negative error. */
static int body_text(struct work *w, const struct delivery_event *e, struct str *text) {
    struct str subject;
    *text = e->text.n ? e->text : S("This is a test of the endpoint.");
    if (e->text.n || e->case_id == 0) return 1;
    int rc = db_text(w->conn, &body_subject, BINDS(B_INT("id", e->case_id)), w->arena, &subject);
    if (rc == 1) *text = STR_CAT(w->arena, subject, S("\n"), case_address(w, e->case_id));
    return rc;
}

int delivery_body(struct work *w, const struct delivery_event *e, struct str *body) {
    struct str text;
    if (e->type == ENDPOINT_HTTP) return body_http(w, e, body);
    int rc = body_text(w, e, &text);
    if (rc == 1) *body = e->type == ENDPOINT_SLACK ? body_slack(w, e, text) : text;
    return rc;
}
