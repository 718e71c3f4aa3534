/* The start of a messenger: what a customer sees before the first message.
 *
 * Every visitor of a page may ask for it, so each query reads a bounded number of rows, whatever the size
 * of the tables: an index of staff by last activity, the newest 100 conversations, and the newest 100
 * conversations of the caller. */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "core/desk/cascade.h"
#include "core/words.h"

static int made_agents(struct call *c, int64_t owner_id, int64_t **ids);
static int made_conversations(struct call *c, int64_t owner_id, int64_t **ids);

static const struct field starter_fields[] = {
    {"last_active_agents", F_MANY, READONLY, .ref = "user_minimal", .made = made_agents,
     .doc = "The three agents who were active last, the last one first."},
    {"average_reply_time", F_INT, READONLY,
     .doc = "Average time to the first reply of staff in the newest conversations, in seconds. Null if "
            "staff replied to none.",
     .example = "540"},
    {"active_conversations", F_MANY, READONLY, .ref = "conversation", .made = made_conversations,
     .doc = "The newest conversations of the caller that are neither completed nor closed, at most ten. For "
            "customers and fingerprints."},
    {"user_email", F_TEXT, READONLY, .doc = "Always null: the caller enters the address.", .example = "null"},
    {"realtime_url", F_TEXT, READONLY, .doc = "Address of the realtime server (/docs/realtime).",
     .example = "\"wss://desk.example.com/socket/websocket\""},
    {0},
};

/* ---- members --------------------------------------------------------------------------------- */

/* The plus keeps SQLite from the index of all enabled people. */
QUERY(agents_active_last,
      "SELECT u.id FROM users u "
      "WHERE u.role_type >= 3 AND u.deleted_at IS NULL AND +u.is_enabled = 1 AND u.last_activity_at > 0 "
      "ORDER BY u.last_activity_at DESC, u.id DESC "
      "LIMIT 3");

static int made_agents(struct call *c, int64_t owner_id, int64_t **ids) {
    (void)owner_id;
    return db_ids(c->work.conn, &agents_active_last, NULL, c->work.arena, ids);
}

/* Ten active ones of the newest conversations of a caller, and only those of a brand (0: of all). */
#define ACTIVE_OF(whose)                                                                                 \
    "SELECT t.id FROM (SELECT k.id, k.status_type, k.brand_id FROM cases k WHERE k.state = 1 AND " whose \
    " ORDER BY k.created_at DESC, k.id DESC LIMIT 100) t "                                               \
    "WHERE t.status_type NOT IN (4, 5) AND (COALESCE(t.brand_id, 1) = :brand OR :brand = 0) "            \
    "ORDER BY t.id DESC LIMIT 10"
QUERY(active_of_requester, ACTIVE_OF("k.requester_id = :me"));
QUERY(active_of_fingerprint, ACTIVE_OF("k.fingerprint = :fingerprint"));

static int made_conversations(struct call *c, int64_t owner_id, int64_t **ids) {
    const struct actor *a = &c->work.actor;
    const int64_t *brand = c->prepared;
    (void)owner_id;
    if (a->rank > ROLE_CUSTOMER || (a->rank == ROLE_PUBLIC && a->fingerprint.n == 0)) return 0;
    return db_ids(
        c->work.conn, a->rank == ROLE_PUBLIC ? &active_of_fingerprint : &active_of_requester,
        BINDS(B_INT("me", a->user_id), B_TEXT("fingerprint", a->fingerprint), B_INT("brand", *brand)),
        c->work.arena, ids);
}

/* The first reply of each conversation, from the start of the one that it was written in: some searches in
 * indexes. Without MATERIALIZED, SQLite searches for each use of the time. */
QUERY(first_replies,
      "WITH r AS MATERIALIZED (SELECT (SELECT p.created_at - s.created_at FROM posts p "
      "JOIN cases s ON s.id = " POST_WRITTEN_IN
      " WHERE p.case_id = t.id AND p.by_staff = 1 ORDER BY p.id LIMIT 1) AS reply_time "
      "FROM (SELECT k.id, k.brand_id FROM cases k WHERE k.state = 1 "
      "ORDER BY k.created_at DESC, k.id DESC LIMIT 100) t "
      "WHERE (COALESCE(t.brand_id, 1) = :brand OR :brand = 0)) "
      "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN r.reply_time > 0 THEN r.reply_time ELSE 0 END), 0) "
      "AS BIGINT) FROM r WHERE r.reply_time IS NOT NULL");

static int average_reply_time(struct call *c, int64_t brand, struct value *out) {
    struct stmt *row;
    TRY(db_row(c->work.conn, &first_replies, BINDS(B_INT("brand", brand)), &row));
    int64_t replies = col_int(row, 0), total = col_int(row, 1);
    stmt_end(row);
    if (replies) *out = (struct value){V_INT, .i = total / replies / TIME_SECOND};
    return 0;
}

/* ---- the route ------------------------------------------------------------------------------- */

static const struct field starter_args[] = {
    {"brand", F_TEXT, NULLABLE, .doc = "Only conversations of this brand: its id or its sub-domain.",
     .example = "\"1\""},
    {0},
};

QUERY(brand_named, "SELECT id FROM brands WHERE is_enabled = 1 AND (id = :id OR sub_domain = :name)");

/* *id: 0 if no brand is given. */
static int brand_asked(struct call *c, int64_t *id) {
    struct str given = arg(c, "brand")->value.s;
    int64_t number = 0;
    *id = c->work.actor.widget_brand_id; /* a page of a widget gets nothing of other brands */
    if (given.n == 0 || *id) return 0;
    if (!str_to_int(given, &number)) number = 0;
    int rc = db_int(c->work.conn, &brand_named, BINDS(B_INT("id", number), B_TEXT("name", given)), id);
    return rc < 0 ? rc
           : rc   ? 0
                  : fail_field(&c->work, ERR_FIELD_INVALID, S("brand"),
                               "There is no enabled brand with this id or sub-domain. An administrator "
                                 "finds both by GET /brands.");
}

/* http://host becomes ws://host, and https://host becomes wss://host. */
static struct str realtime_url(const struct call *c) {
    struct str base = c->work.desk->base_url;
    return STR_CAT(c->work.arena, S("ws"), ((struct str){base.p + 4, base.n - 4}), S("/socket/websocket"));
}

static int get_starter(struct call *c) {
    int64_t *brand = c->prepared = ARENA_NEW(c->work.arena, int64_t);
    TRY(api_input(c));
    TRY(brand_asked(c, brand));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    TRY(average_reply_time(c, *brand, row_cell(row, "average_reply_time")));
    *row_cell(row, "realtime_url") = value_text(realtime_url(c));
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

static const struct route starter_routes[] = {
    {GET, "/conversations/starter", PUBLIC | FINGERPRINT | WIDGET, "", ONE, get_starter, .args = starter_args,
     .summary = "Get the start of a messenger",
     .doc = "The agents who were active last, the average time of first replies, and the caller's own "
            "active conversations."},
    {0},
};

const struct resource conversation_starter_resource = {
    .type = "conversation_starter",
    .scope = "",
    .title = "Start of a messenger",
    .doc = "Start page of a messenger, shown to a customer before the first "
           "message.",
    .fields = starter_fields,
    .routes = starter_routes};
