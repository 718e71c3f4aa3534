/* The conversations of a view: GET /views/:id/cases and POST /views/preview. */
#include "res/view_cases.h"

#include "api/rows/generic.h"
#include "api/rows/list_cursor.h"
#include "api/input/input.h"
#include "api/rows/view.h"
#include "api/rows/visible.h"
#include "core/cases/case_order.h"
#include "core/cases/case_view.h"
#include "core/cases/view_count.h"
#include "core/words.h"
#include "json/json.h"
#include "res/case_parts.h"

int check_view_order(struct call *c, struct in *in) {
    const struct case_column *column;
    TRY(case_column_find(&c->work, in->value.s, &column));
    if (column == NULL || column->key == NULL)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                       "Conversations can't be ordered by this column.");
    in->value.s = str_of(column->name);
    return 0;
}

/* The view of the path or, with an id, any view. */
QUERY(view_stored, "SELECT type, predicate_collections, order_by_column, order_by FROM views WHERE id = :id");

struct view_read {
    enum view_type type;
    struct str collections, column;
    bool descending;
};

static int view_stored_read(struct work *w, int64_t id, struct view_read *out) {
    struct stmt *row;
    TRY_FOUND(w, db_row(w->conn, &view_stored, BINDS(B_INT("id", id)), &row));
    *out = (struct view_read){(enum view_type)col_int(row, 0), str_dup(w->arena, col_text(row, 1)),
                              str_dup(w->arena, col_text(row, 2)), col_int(row, 3) != VIEW_ASCENDING};
    stmt_end(row);
    return 0;
}

const struct field view_cases_args[] = {
    {"order_by_column", F_TEXT, .check = check_view_order,
     .doc = "Column to sort by. Default: that of the view."},
    {"order_by", F_WORD, .words = view_orders, .doc = "Direction. Default: that of the view."},
    {"*", .group = list_cursor_args},
    {0},
};

/* The order and the place of the page: the order of the arguments, else that of the view, else VIEW_ORDER if
 * the field of the column was deleted. */
static int view_page(struct call *c, const struct view_read *stored, const struct order **out,
                     const struct case_column **by) {
    const struct in *asked = arg(c, "order_by_column"), *direction = arg(c, "order_by");
    const struct case_column *column;
    struct order *o = ARENA_NEW(c->work.arena, struct order);
    TRY(case_column_find(&c->work, asked->value.s.p ? asked->value.s : stored->column, &column));
    if (column == NULL || column->key == NULL) TRY(case_column_find(&c->work, S(VIEW_ORDER), &column));
    *by = column;
    o->key = column->key;
    o->descending =
        direction->value.type == V_INT ? direction->value.i == VIEW_DESCENDING : stored->descending;
    o->is_text = column->is_text;
    *out = o;
    return list_cursor_read(c, o,
                            str_fmt(c->work.arena, "view %lld by %s %s", (long long)c->vars[0].id,
                                    column->name, o->descending ? "DESC" : "ASC")
                                .p);
}

/* The view with the filters of the request as a part of its condition. */
static struct view_rows *with_filters(struct work *w, const struct view_rows *rows,
                                      const struct condition *filters) {
    struct view_rows *made = ARENA_NEW(w->arena, struct view_rows);
    const struct condition *own = &rows->condition;
    *made = *rows;
    made->condition.sql = str_fmt(w->arena, "%s AND %s", own->sql, filters->sql).p;
    made->condition.count = own->count + filters->count;
    made->condition.binds =
        arena_array(w->arena, (size_t)made->condition.count + 1, sizeof *made->condition.binds);
    memcpy(made->condition.binds, own->binds, (size_t)own->count * sizeof *own->binds);
    memcpy(made->condition.binds + own->count, filters->binds,
           (size_t)filters->count * sizeof *filters->binds);
    return made;
}

/* ---- orders without an index ------------------------------------------------------------------ */

#define MOST_LISTED 32000

static bool has_index(const struct order *o) {
    return strcmp(o->key, "t.updated_at") == 0 || strcmp(o->key, "t.created_at") == 0;
}

/* The conversations with these ids become the range of the list. Visibility and the condition are checked on
 * each row all the same, in a CASE, which has no index. */
static void range_of_ids(struct call *c, struct branches *b, const int64_t *ids, int n) {
    struct work *w = &c->work;
    struct buf sql = {0};
    buf_text(&sql, "t.id IN @LIST(:member_ids) AND ");
    branches_condition(b, &sql);
    b->where[0] = buf_take(&sql, w->arena).p;
    b->all = false;
    b->count = 1;
    b->overlap = false;
    b->sorted = true;
    branch_bind_text(b, ":member_ids", json_ids(w->arena, ids, (size_t)n));
    struct condition *checked = ARENA_NEW(w->arena, struct condition);
    *checked = *c->condition;
    checked->sql = str_fmt(w->arena, "CASE WHEN %s THEN 1 ELSE 0 END = 1", checked->sql).p;
    c->condition = checked;
}

static struct case_key key_of_cursor(const struct list_cursor *at) {
    if (at->order->is_text) return case_key_of_text(at->text);
    bool by_id = strcmp(at->order->key, "t.id") == 0;
    return case_key_of_number(by_id ? at->id : at->number, at->id);
}

/* A list without an index in its order reads all rows of its ranges. Those of the page are enough, if the
 * keys of the view are kept (core/cases/view_count.c). Returns 1 if they are the range now, 0 if they are
 * not known, or a negative error. */
static int range_of_page(struct call *c, struct branches *b, struct view_rows *rows) {
    const struct options *o = &c->options;
    struct case_key place;
    struct case_page page = {.offset = o->keyset ? 0 : o->offset,
                             .limit = o->limit + o->keyset,
                             .descending = c->order->descending != o->backwards};
    int64_t *ids;
    if (c->cursor && !c->cursor->is_open) {
        place = key_of_cursor(c->cursor);
        page.behind = &place;
    }
    int n = counting_page(&c->work, rows, &page, &ids);
    if (n < 0 || ids == NULL || n > MOST_LISTED) return n < 0 ? n : 0;
    range_of_ids(c, b, ids, n);
    c->skipped = page.skipped;
    c->is_page = true;
    return 1;
}

/* True if the page has a place among the conversations that are counted: an offset or a cursor. The list
 * leaves out none of them by itself. */
static bool has_place(const struct call *c) {
    bool has = !c->options.keyset || c->cursor;
    for (int i = 0; i < c->arg_count && has; i++) has = !c->args[i].given || c->args[i].field->filter == NULL;
    return has;
}

/* Otherwise the conversations of the view are the range, if they are not too many. Returns 1 if the list has
 * a range, 0, or a negative error. */
static int range_of_members(struct call *c, struct branches *b, struct view_rows *rows,
                            const struct case_column *by) {
    int64_t *ids = NULL;
    if (has_index(c->order)) return 0;
    if (by->is_logged && has_place(c)) {
        rows->order = by;
        int ranged = range_of_page(c, b, rows);
        if (ranged == 0) rows->order = NULL;
        return ranged;
    }
    int n = counting_list(&c->work, rows, MOST_LISTED, &ids);
    if (n < 0 || ids == NULL) return n < 0 ? n : 0;
    range_of_ids(c, b, ids, n);
    return 1;
}

/* True if an argument may leave out conversations of the view. */
static bool is_filtered(const struct call *c) {
    static const char *const others[] = {"order_by_column", "order_by", "after", "before"};
    for (int i = 0; i < c->arg_count; i++) {
        bool filter = c->args[i].given;
        for (size_t k = 0; k < sizeof others / sizeof *others && filter; k++)
            filter = strcmp(c->args[i].field->name, others[k]) != 0;
        if (filter) return true;
    }
    return false;
}

/* The inbox is a list of conversations with filters. In an order without an index it is a view like others.
 */
static int plan_inbox(struct call *c, struct branches *b, struct view_rows *rows,
                      const struct case_column *by) {
    if (!has_index(c->order) && !is_filtered(c)) {
        access_cases(&c->work, b);
        c->branches = b;
        c->condition = &rows->condition;
        c->prepared = rows;
        int ranged = range_of_members(c, b, rows, by);
        if (ranged) return ranged;
        c->condition = NULL;
        c->prepared = NULL;
        *b = (struct branches){0};
    }
    return case_list_plan_inbox(c, b);
}

/* ---- handlers ---------------------------------------------------------------------------------- */

int get_view_cases(struct call *c) {
    struct work *w = &c->work;
    struct branches *b = ARENA_NEW(w->arena, struct branches);
    struct view_rows *rows = ARENA_NEW(w->arena, struct view_rows);
    struct definitions *d = ARENA_NEW(w->arena, struct definitions);
    const struct case_column *by;
    struct view_read stored = {0};
    struct condition filters;
    TRY(api_of(c));
    TRY(api_input(c));
    TRY(view_stored_read(w, c->vars[0].id, &stored));
    TRY(view_page(c, &stored, &c->order, &by));
    if (stored.type == VIEW_CUSTOM) TRY(definitions_load(w, &case_subject, RULE_FILTER, d));
    TRY(view_rows_read(w, d, stored.type, stored.collections, rows));
    if (stored.type == VIEW_INBOX) {
        TRY(plan_inbox(c, b, rows, by));
        return api_list(c);
    }
    bool hidden = stored.type == VIEW_TRASH || stored.type == VIEW_SUSPENDED;
    if (hidden) access_cases_of_any_state(w, b);
    else access_assigned_cases(w, &rows->assigned, b);
    if (hidden) c->where = rows->state;
    int filtered = case_list_check(c, b, &filters);
    TRY(filtered);
    c->condition = &rows->condition;
    struct view_rows *counted = rows;
    if (filtered) counted = filters.sql ? with_filters(w, rows, &filters) : NULL;
    c->prepared = counted;
    if (counted && !hidden && b->count > 0) TRY(range_of_members(c, b, counted, by));
    return api_list(c);
}

/* The conversations of a view that is not stored. The caller could store it, so it shows nothing new. */
int post_view_preview(struct call *c) {
    struct work *w = &c->work;
    struct branches *b = ARENA_NEW(w->arena, struct branches);
    struct view_rows *rows = ARENA_NEW(w->arena, struct view_rows);
    struct definitions *d = ARENA_NEW(w->arena, struct definitions);
    TRY(api_input(c));
    TRY(definitions_load(w, &case_subject, RULE_FILTER, d));
    TRY(view_rows_read(w, d, VIEW_CUSTOM, in_text(c, "predicate_collections"), rows));
    access_assigned_cases(w, &rows->assigned, b);
    c->branches = b;
    c->condition = &rows->condition;
    c->prepared = rows;
    return api_list(c);
}

int count_view_cases(struct call *c, int64_t *total) {
    const struct view_rows *rows = c->prepared;
    if (c->condition == NULL) return case_list_count(c, total); /* the inbox */
    return rows ? counting_exact(&c->work, rows, total) : 0;
}
