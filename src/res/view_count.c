/* The columns of views, and the counts of all views in one request. */
#include "core/cases/view_count.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/cases/case_total.h"
#include "core/cases/snooze.h"
#include "core/cases/case_view.h"
#include "core/fields/translation.h"
#include "res/groups.h"

/* ---- columns --------------------------------------------------------------------------------- */

static const struct field column_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Name of the column. Custom fields are called case_field_<id>.",
     .example = "\"updatedat\""},
    {"title", F_TEXT, READONLY, .doc = "Title for people.", .example = "\"Updated\""},
    {0},
};

QUERY(custom_columns, "SELECT t.id, COALESCE(" TRANSLATION_OF(
                          "1") ", t.key) FROM custom_fields t "
                               "WHERE t.area = 1 AND t.is_enabled = 1 AND t.is_system = 0 "
                               "ORDER BY t.sort_order, t.id");

static struct row **add_column(struct view *v, struct row **out, struct str name, struct str title) {
    struct row *row = *out = row_new(v, layout_of(v->c->resource), 0);
    *row_cell(row, "name") = value_text(name);
    *row_cell(row, "title") = value_text(title);
    return &row->next;
}

static int column_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct arena *a = c->work.arena;
    int rc;
    (void)name; /* there is no read of a single column */
    for (const struct case_column *k = case_columns; k->name; k++)
        out = add_column(v, out, str_of(k->name), str_of(k->title));
    DB_ROWS(rc, c->work.conn, &custom_columns, NULL, row)
    out = add_column(v, out, str_fmt(a, CASE_FIELD_COLUMN "%lld", (long long)col_int(row, 0)),
                     str_dup(a, col_text(row, 1)));
    return rc;
}

const struct resource view_column_resource = {.type = "view_column",
                                              .scope = "conversations",
                                              .title = "Columns of views",
                                              .doc = "Columns that views may show.",
                                              .fields = column_fields,
                                              .rows = column_rows};

/* ---- counts ---------------------------------------------------------------------------------- */

static void view_count_channel(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    write_realtime_channel(v, S("views"), row_cell(row, "view")->i);
}

static const struct field count_fields[] = {
    {"view", F_REF, READONLY, .ref = "view", .doc = "The view."},
    {"count", F_INT, READONLY,
     .doc = "Number of conversations of the view that the caller sees. Null if it "
            "is UNKNOWN.",
     .example = "12"},
    {"count_accuracy", F_WORD, READONLY, .words = count_accuracies,
     .doc = "KNOWN: exact. RELATIVE: exact a short time ago. UNKNOWN: not counted yet; ask again.",
     .example = "\"KNOWN\""},
    {"realtime_channel", F_COMPUTED, READONLY, .render = view_count_channel,
     .doc = "Channel of realtime events of the view.", .example = "\"presence-0f@v1_views_4\""},
    {0},
};

QUERY(views_listed,
      "SELECT t.id, t.type, t.predicate_collections FROM views t WHERE t.is_enabled = 1 AND " VIEW_IS_LISTED
      " ORDER BY t.sort_order, t.id");

struct counted_view {
    int64_t id;
    enum view_type type;
    struct str collections;
};

/* Returns the number of the caller's views, or a negative error. */
static int views_read(struct work *w, struct counted_view **out) {
    int rc, n = 0, room = 0;
    *out = NULL;
    DB_ROWS(rc, w->conn, &views_listed, BINDS(B_INT("me", w->actor.user_id)), row) {
        *out = arena_more(w->arena, *out, n, &room, sizeof **out);
        (*out)[n++] = (struct counted_view){col_int(row, 0), (enum view_type)col_int(row, 1),
                                            str_dup(w->arena, col_text(row, 2))};
    }
    return rc < 0 ? rc : n;
}

static struct row *count_row_of(struct view *v, int64_t id, int64_t n, enum count_accuracy accuracy) {
    struct row *row = row_new(v, layout_of(v->c->resource), 0);
    *row_cell(row, "view") = (struct value){V_INT, .i = id};
    if (accuracy != COUNT_UNKNOWN) *row_cell(row, "count") = (struct value){V_INT, .i = n};
    *row_cell(row, "count_accuracy") = (struct value){V_INT, .i = accuracy};
    return row;
}

/* The inbox is counted by the counters of lists, without the snoozed conversations. */
static int count_inbox(struct work *w, int64_t *n) {
    const struct case_filter inbox = {.by = BY_STATUS, .types = INBOX_TYPES};
    struct branches b = {0};
    struct buf sql = {0};
    int64_t snoozed = 0;
    int known = case_total(w, &inbox, n);
    if (known <= 0) return known;
    access_cases(w, &b);
    buf_text(&sql, "+t.status_type IN (1, 2, 3, 6) AND ");
    branches_condition(&b, &sql);
    TRY(snoozed_count(w, buf_take(&sql, w->arena).p, b.binds, b.bind_count, &snoozed));
    *n -= snoozed;
    return known;
}

static int count_one(struct counting *counting, const struct view_rows *rows, int64_t *n,
                     enum count_accuracy *accuracy) {
    int known = rows->type == VIEW_INBOX ? count_inbox(counting->work, n) : 0;
    *accuracy = COUNT_KNOWN;
    return known ? known : counting_count(counting, rows, n, accuracy);
}

static int view_count_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct work *w = &c->work;
    struct definitions d;
    struct counting counting;
    struct counted_view *views;
    (void)name; /* there is no read of a single count */
    int n = views_read(w, &views);
    TRY(n);
    TRY(definitions_load(w, &case_subject, RULE_FILTER, &d));
    TRY(counting_begin(w, false, &counting));
    for (int i = 0; i < n; i++, out = &(*out)->next) {
        struct view_rows rows;
        enum count_accuracy accuracy;
        int64_t count;
        TRY(view_rows_read(w, &d, views[i].type, views[i].collections, &rows));
        TRY(count_one(&counting, &rows, &count, &accuracy));
        *out = count_row_of(v, views[i].id, count, accuracy);
    }
    return 0;
}

static const struct route count_routes[] = {
    {GET, "/views/counts", COL_PLUS, "conversations", LIST_COUNT, api_list, .is_heavy = true,
     .executor = POOL, .summary = "Count the conversations of all views",
     .doc = "The counts of all enabled views of the caller in one request, in the order of GET /views."},
    {0},
};

const struct resource view_count_resource = {.type = "view_count",
                                             .scope = "conversations",
                                             .title = "Counts of views",
                                             .doc = "Numbers of conversations in views.",
                                             .fields = count_fields,
                                             .routes = count_routes,
                                             .rows = view_count_rows};
