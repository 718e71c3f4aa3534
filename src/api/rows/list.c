/* Lists: one query for all filters, orders and callers.
 *
 * Each branch of visibility is an index range in the order of the list. A single branch is queried
 * directly. Several branches are limited separately and merged, so a list reads at most branches x
 * (offset + limit) index entries. If statements don't wait for another process, one cursor for each
 * branch and a merge in C (api/rows/merge_ranges.h) read only offset + limit + branches entries, and
 * sort none. Counts of disjoint branches are added. */
#include "api/rows/generic.h"
#include "api/rows/visible.h"

#include "api/rows/page_size.h"
#include "api/input/input.h"
#include "api/rows/list_cursor.h"
#include "api/rows/merge_ranges.h"
#include "base/limits.h"
#include "core/predicates/predicate.h"

#include <assert.h>

#define LIST_BINDS (BRANCH_BINDS_MAX + PATH_VARS + 24) /* without those of a condition */
#define FEW_ROWS 100                                   /* at most, in nearly all pages */

struct list {
    struct view *view;
    const struct resource *r;
    const struct layout *layout;
    struct branches branches;
    struct buf where;       /* " AND ..." of all conditions except visibility */
    struct str from_id;     /* keyset: " AND ..." after or before a row; not part of a count */
    const char *key, *then; /* then: second key, or NULL */
    bool descending;        /* in the query: before_id reverses it */
    bool shows_long;        /* the query reads long texts */
    int most_rows;          /* see limit_begin; 0: no bound */
    bool has_filter;        /* an argument selects rows */
    bool counted;           /* the total of the page was counted before its rows were read */
    struct bind *binds;
    int bind_count, bind_room;
};

static void list_bind(struct list *l, struct bind b) {
    assert(l->bind_count < l->bind_room);
    l->binds[l->bind_count++] = b;
}

static void add_filters(struct list *l, struct call *c) {
    struct arena *a = c->work.arena;
    struct str either = {0};
    for (int i = 0; i < c->arg_count; i++) {
        const struct in *in = &c->args[i];
        if (in->field->filter == NULL || !in->given || in->value.type == V_NULL) continue;
        const char *name = str_fmt(a, ":%s", in->field->name).p;
        l->has_filter = true;
        /* a parent has fewer rows than one of two values, and the plus keeps an engine from its index */
        bool halves = c->within && in->field->type == F_BOOL && strncmp(in->field->filter, "t.", 2) == 0;
        if (halves) sql_and(&l->where, str_fmt(a, "+%s", in->field->filter).p);
        else if (!(in->field->flags & EITHER)) sql_and(&l->where, in->field->filter);
        else
            either =
                str_fmt(a, "%s%s%s", either.n ? either.p : "", either.n ? " OR " : "", in->field->filter);
        if (in->value.type == V_INT)
            list_bind(l, (struct bind){.name = name, .type = BIND_INT, .i = in->value.i});
        else if (in->value.type == V_TEXT)
            list_bind(l, (struct bind){.name = name, .type = BIND_TEXT, .s = in->value.s});
        else
            list_bind(l, (struct bind){.name = name,
                                       .type = BIND_TEXT,
                                       .s = json_ids(a, in->value.ids, (size_t)in->value.i)});
    }
    if (either.n) sql_and(&l->where, str_fmt(a, "(%s)", either.p).p);
}

/* Starts behind (or ends before) a place, whether or not its row is still there. */
static void list_begin_at(struct list *l, struct call *c) {
    const struct list_cursor *at = c->cursor;
    const char *op, *key = at->order->is_text ? ":place_key" : "CAST(:place_key AS BIGINT)";
    if (c->options.backwards) l->descending = !l->descending;
    op = l->descending ? "<" : ">";
    if (at->is_open) return;
    bool by_id = strcmp(l->key, "t.id") == 0;
    l->from_id = by_id ? str_fmt(c->work.arena, " AND t.id %s :place_id", op)
                       : str_fmt(c->work.arena, " AND (%s, t.id) %s (%s, :place_id)", l->key, op, key);
    list_bind(l, (struct bind)B_INT("place_id", at->id));
    if (by_id) return;
    list_bind(l, at->order->is_text ? (struct bind)B_TEXT("place_key", at->text)
                                    : (struct bind)B_INT("place_key", at->number));
}

/* Starts after (or ends before) the row with this id. If the caller may see the row, its place in the
 * order counts. Otherwise the id is a position among ids, so the reply does not depend on whether the row
 * exists. */
static int add_keyset(struct list *l, struct call *c) {
    const struct options *o = &c->options;
    int64_t from = o->before_id ? o->before_id : o->after_id;
    if (c->cursor) return list_begin_at(l, c), 0;
    if (from == 0) return 0;
    if (o->before_id) l->descending = !l->descending;
    const char *op = l->descending ? "<" : ">";
    int seen = strcmp(l->key, "t.id") == 0 ? 0 : api_visible(c, l->r, from);
    TRY(seen);
    if (seen)
        l->from_id =
            str_fmt(c->work.arena, " AND (%s, t.id) %s (SELECT %s, t.id FROM %s WHERE t.id = :from_id)",
                    l->key, op, l->key, l->layout->from.p);
    else l->from_id = str_fmt(c->work.arena, " AND t.id %s :from_id", op);
    list_bind(l, (struct bind){.name = ":from_id", .type = BIND_INT, .i = from});
    return 0;
}

/* True if `ids` or `legacy_ids` was given: few rows, whatever the size of the list without them. */
static bool narrowed(const struct call *c) {
    for (int i = 0; i < c->arg_count; i++) {
        const char *name = c->args[i].field->name;
        if (c->args[i].given && (strcmp(name, "ids") == 0 || strcmp(name, "legacy_ids") == 0)) return true;
    }
    return false;
}

/* The branches become a condition on each row, so that engines find the rows by their ids. */
static void branches_join(struct branches *b, struct arena *a) {
    struct buf sql = {0};
    branches_condition(b, &sql);
    b->where[0] = buf_take(&sql, a).p;
    b->count = 1;
    b->overlap = false;
}

static void list_init(struct list *l, struct call *c, struct view *v) {
    const struct order *order = c->order ? c->order : &c->route->order;
    *l = (struct list){.view = v,
                       .r = c->resource,
                       .layout = layout_of(c->resource),
                       .key = order->key ? order->key : "t.id",
                       .then = order->then,
                       .descending = order->descending};
    l->shows_long = l->layout->bytes.p && view_shows_long(v, l->layout);
    l->bind_room = LIST_BINDS + (c->condition ? c->condition->count : 0);
    l->binds = arena_array(c->work.arena, (size_t)l->bind_room + 1, sizeof *l->binds);
    if (c->branches) l->branches = *c->branches;
    /* all rows belong to the parent, which api_of has found visible */
    else if (c->within == &l->r->within) l->branches.all = true;
    else view_visible(&c->work, l->r, &l->branches);
    if (!l->branches.all && narrowed(c)) branches_join(&l->branches, c->work.arena);
    for (int i = 0; i < l->branches.bind_count; i++) list_bind(l, l->branches.binds[i]);
    list_bind(l, (struct bind)B_INT("me", c->work.actor.user_id));
    for (int i = 0; i < c->var_count; i++) list_bind(l, path_bind(&c->vars[i]));
    if (l->r->where) sql_and(&l->where, l->r->where);
    if (l->r->alive) sql_and(&l->where, l->r->alive);
    if (c->where) sql_and(&l->where, c->where);
    add_filters(l, c);
    if (c->condition == NULL) return;
    sql_and(&l->where, c->condition->sql);
    for (int i = 0; i < c->condition->count; i++) list_bind(l, c->condition->binds[i]);
}

static const char *branch_of(const struct list *l, int i) {
    if (l->branches.all) return "1 = 1";
    return l->branches.count ? l->branches.where[i] : "1 = 0";
}

static int branch_count(const struct list *l) { return l->branches.count > 1 ? l->branches.count : 1; }

/* Appends ORDER BY of the outer or an inner query: by id, by (key, id) or by (key, then, id). */
static void order_by(const struct list *l, struct buf *sql, const char *key, const char *then,
                     const char *id) {
    const char *const parts[] = {strcmp(l->key, "t.id") == 0 ? NULL : key, l->then ? then : NULL, id},
                      *between = " ORDER BY ";
    for (int i = 0; i < 3; i++) {
        if (parts[i] == NULL) continue;
        buf_text(sql, between);
        buf_text(sql, parts[i]);
        buf_text(sql, l->descending ? " DESC" : "");
        between = ", ";
    }
}

/* True if the store adds up the bytes of long texts, because its client would otherwise hold all of them
 * in memory (db_blocks). Rows that read_rows would drop are then not sent, except the first. */
static bool is_weighed(const struct list *l) {
    return l->shows_long && l->view->c->route->shape == LIST && db_blocks(l->view->c->work.desk->db);
}

/* PostgreSQL takes a bound LIMIT for a tenth of all rows, so it would plan such a query at each run, which
 * takes ten times as long as its run. A constant limit inside lets it plan once. Where a filter may match one
 * row or all, it is to plan at each run. Returns the constant, one of a few, or 0. */
static int most_rows_of(const struct list *l, int64_t offset, int64_t limit) {
    const struct call *c = l->view->c;
    bool same_each_time = offset == 0 && !c->where && !c->condition && !l->has_filter;
    if (!db_blocks(c->work.desk->db) || !same_each_time || limit > LIMIT_PAGE + 1) return 0;
    return limit > FEW_ROWS ? LIMIT_PAGE + 1 : FEW_ROWS;
}

/* A query with a limit stands between limit_begin and limit_end. */
static void limit_begin(const struct list *l, struct buf *sql) {
    if (l->most_rows) buf_text(sql, "SELECT p.* FROM (");
}

static void limit_end(const struct list *l, struct buf *sql, const char *limit) {
    if (l->most_rows) buf_fmt(sql, " LIMIT %d) AS p", l->most_rows);
    buf_fmt(sql, " LIMIT %s", limit);
}

/* Appends ids, keys and bytes of all branches, each with its own limit, as one row source. */
static void union_sql(const struct list *l, struct buf *sql) {
    struct arena *a = l->view->c->work.arena;
    const char *from = l->layout->from.p, *from_id = l->from_id.p ? l->from_id.p : "";
    const char *then = l->then ? str_fmt(a, ", %s AS k2", l->then).p : "";
    const char *bytes = is_weighed(l) ? str_fmt(a, ", %s AS bytes", l->layout->bytes.p).p : "";
    struct str where = buf_view(&l->where);
    buf_char(sql, '(');
    for (int i = 0; i < branch_count(l); i++) {
        const char *between = i == 0 ? "" : l->branches.overlap ? " UNION " : " UNION ALL ";
        buf_fmt(sql, "%sSELECT b%d.* FROM (", between, i);
        limit_begin(l, sql);
        buf_fmt(sql, "SELECT t.id AS id, %s AS k%s%s FROM %s WHERE %s%.*s%s", l->key, then, bytes, from,
                branch_of(l, i), (int)where.n, where.p, from_id);
        order_by(l, sql, l->key, l->then, "t.id");
        limit_end(l, sql, ":most");
        buf_fmt(sql, ") AS b%d", i);
    }
    buf_text(sql, ") AS m");
    order_by(l, sql, "m.k", "m.k2", "m.id");
    buf_text(sql, " LIMIT :limit OFFSET :offset");
}

static void weighed_sql(const struct list *l, struct buf *sql) {
    buf_text(sql, "SELECT w.id FROM (SELECT m.id, SUM(m.bytes) OVER (");
    order_by(l, sql, "m.k", "m.k2", "m.id");
    buf_text(sql, " ROWS UNBOUNDED PRECEDING) - m.bytes AS ahead FROM (SELECT m.* FROM ");
    union_sql(l, sql);
    buf_text(sql, ") AS m) AS w WHERE w.ahead <= CAST(:room AS BIGINT)");
}

static void list_sql(const struct list *l, struct buf *sql) {
    const struct selects *of = view_selects(&l->view->c->work, l->layout);
    struct str select = l->layout->bytes.p && !l->shows_long ? of->brief : of->all;
    buf_reserve(sql, select.n + 256);
    if (branch_count(l) == 1 && !l->branches.sorted && !is_weighed(l)) {
        limit_begin(l, sql);
        buf_str(sql, select);
        buf_text(sql, branch_of(l, 0));
        buf_str(sql, buf_view(&l->where));
        buf_str(sql, l->from_id);
        order_by(l, sql, l->key, l->then, "t.id");
        limit_end(l, sql, l->most_rows ? ":limit" : ":limit OFFSET :offset");
    } else {
        buf_str(sql, select);
        buf_text(sql, "t.id IN (");
        if (!is_weighed(l)) buf_text(sql, "SELECT m.id FROM ");
        (is_weighed(l) ? weighed_sql : union_sql)(l, sql);
        buf_char(sql, ')');
        order_by(l, sql, l->key, l->then, "t.id");
    }
    buf_char(sql, 0);
}

/* True if cursors are merged. Keys must be numbers: ids, or times by the convention of their names. */
static bool is_merged(const struct list *l) {
    size_t n = strlen(l->key);
    bool number = strcmp(l->key, "t.id") == 0 || (n > 3 && strcmp(l->key + n - 3, "_at") == 0);
    return branch_count(l) > 1 && number && l->then == NULL && l->view->c->route->shape == LIST &&
           !db_blocks(l->view->c->work.desk->db);
}

/* Appends the query of the rows of the page, in their order. *binds: its ids as :ids, and what columns
 * bind. */
static int merged_sql(struct list *l, int64_t offset, int64_t limit, struct buf *sql,
                      const struct bind **binds) {
    const struct work *w = &l->view->c->work;
    struct str where = buf_view(&l->where);
    bool is_short = l->layout->bytes.p && !l->shows_long;
    const char *queries[BRANCHES_MAX];
    int64_t *ids = arena_array(w->arena, (size_t)limit + 1, sizeof *ids);
    for (int i = 0; i < branch_count(l); i++) {
        struct buf one = {0};
        const struct str parts[] = {S("SELECT t.id, "), str_of(l->key),          S(" FROM "), l->layout->from,
                                    S(" WHERE "),       str_of(branch_of(l, i)), where,       l->from_id};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) buf_str(&one, parts[k]);
        order_by(l, &one, l->key, NULL, "t.id");
        queries[i] = buf_take(&one, w->arena).p;
    }
    int n = merge_ranges(w->conn, queries, branch_count(l), l->binds, l->descending, offset, limit, ids);
    TRY(n);
    struct bind *page = arena_array(w->arena, (size_t)l->bind_count + 2, sizeof *page), *next = page;
    *next++ = (struct bind)B_TEXT("ids", json_ids(w->arena, ids, (size_t)n));
    for (int i = 0; i < l->bind_count; i++) /* a filter may be :ids, too */
        if (strcmp(l->binds[i].name, page->name) != 0) *next++ = l->binds[i];
    *binds = page;
    const struct selects *of = view_selects(&l->view->c->work, l->layout);
    buf_str(sql, is_short ? of->each_brief : of->each);
    buf_char(sql, 0);
    return 0;
}

/* Disjoint branches are counted separately, each by its index range; overlapping ones together. */
static void count_sql(const struct list *l, struct buf *sql) {
    const char *from = l->layout->from.p;
    struct str where = buf_view(&l->where);
    int n = branch_count(l);
    buf_text(sql, "SELECT ");
    if (l->branches.overlap) {
        buf_fmt(sql, "COUNT(*) FROM %s WHERE (", from);
        for (int i = 0; i < n; i++) buf_fmt(sql, "%s(%s)", i ? " OR " : "", branch_of(l, i));
        buf_fmt(sql, ")%.*s", (int)where.n, where.p);
    } else {
        for (int i = 0; i < n; i++)
            buf_fmt(sql, "%s(SELECT COUNT(*) FROM %s WHERE %s%.*s)", i ? " + " : "", from, branch_of(l, i),
                    (int)where.n, where.p);
    }
    buf_char(sql, 0);
}

#define ROOM_SLACK (64 * 1024) /* the store counts only texts, so it stops later than read_rows */

/* True if the row just read belongs to the next page. */
static bool is_behind(const struct list *l, const struct page *p, size_t room) {
    const struct call *c = l->view->c;
    if (c->route->shape == LIST_COUNT || p->count == 0) return false;
    return p->count == c->options.limit || arena_size(c->work.arena) > room;
}

/* Each row is put before those that were read. */
static void page_reverse(struct page *p) {
    struct row *reversed = NULL, *next;
    for (struct row *row = p->rows; row; row = next) {
        next = row->next;
        row->next = reversed;
        reversed = row;
    }
    p->rows = reversed;
}

static int list_read_rows(struct list *l, struct page *p, int64_t offset, int64_t limit) {
    const struct call *c = l->view->c;
    const struct options *o = &c->options;
    int bind_count = l->bind_count;
    size_t room = arena_size(c->work.arena) + LIMIT_LOADED;
    struct buf sql = {0};
    struct row **last = &p->rows, *row;
    struct stmt *s;
    list_bind(l, (struct bind)B_INT("limit", limit));
    list_bind(l, (struct bind)B_INT("offset", offset));
    list_bind(l, (struct bind)B_INT("most", offset > INT64_MAX - limit ? INT64_MAX : limit + offset));
    list_bind(l, (struct bind)B_INT("room", LIMIT_LOADED + ROOM_SLACK));
    int rc = 0;
    const struct bind *binds = l->binds;
    l->most_rows = most_rows_of(l, offset, limit);
    if (is_merged(l)) rc = merged_sql(l, offset, limit, &sql, &binds);
    else list_sql(l, &sql);
    if (rc >= 0) rc = db_start(c->work.conn, sql.p, binds, &s);
    buf_free(&sql);
    if (rc < 0) return rc;
    while ((rc = stmt_step(s)) == 1) {
        row = view_read(l->view, l->layout, s);
        if ((p->more = is_behind(l, p, room))) break;
        *last = row;
        last = &row->next;
        p->count++;
    }
    stmt_end(s);
    l->bind_count = bind_count;
    p->cut = p->more && p->count < o->limit;
    return rc < 0 ? rc : 0;
}

/* The cost of an offset are the rows before it. Behind the middle, the list is read from its end. */
static int list_read_at(struct list *l, struct page *p, int64_t offset, int64_t limit) {
    int64_t left = p->total - offset;
    if (left <= 0) return 0;
    if (left >= offset || l->shows_long) return list_read_rows(l, p, offset, limit);
    if (left < limit) limit = left;
    l->descending = !l->descending;
    int rc = list_read_rows(l, p, left - limit, limit);
    l->descending = !l->descending;
    if (rc < 0) return rc;
    if (!p->cut) return page_reverse(p), 0;
    *p =
        (struct page){.total = p->total}; /* a page that is too long ends early, so it begins at the offset */
    return list_read_rows(l, p, offset, limit);
}

/* True if the rows read are the last ones, so that the total is known without a count. */
static bool is_end(const struct list *l, const struct page *p) {
    const struct call *c = l->view->c;
    const struct options *o = &c->options;
    if (c->route->shape == LIST_COUNT && l->from_id.p == NULL) return true;
    if (o->keyset) return l->from_id.p == NULL && !p->more;
    return !p->cut && (p->count > 0 || o->offset == 0) && p->count < o->limit;
}

static int list_total(struct list *l, struct page *p) {
    struct call *c = l->view->c;
    struct buf sql = {0};
    struct stmt *s;
    l->counted = true;
    int rc = c->route->count && !narrowed(c) ? c->route->count(c, &p->total) : 0;
    if (rc) return rc < 0 ? rc : 0;
    count_sql(l, &sql);
    rc = db_start(c->work.conn, sql.p, l->binds, &s);
    buf_free(&sql);
    if (rc < 0) return rc;
    rc = stmt_step(s);
    if (rc == 1) p->total = col_int(s, 0);
    stmt_end(s);
    return rc < 0 ? rc : 0;
}

static int total_of(struct list *l, struct page *p) {
    const struct call *c = l->view->c;
    if (l->counted) return 0;
    if (!is_end(l, p)) return list_total(l, p);
    p->total = (c->route->shape == LIST_COUNT ? 0 : c->options.offset) + p->count;
    return 0;
}

static int list_read(struct list *l, struct page *p, bool counted) {
    const struct call *c = l->view->c;
    const struct options *o = &c->options;
    if (c->route->shape == LIST_COUNT) return list_read_rows(l, p, 0, INT64_MAX);
    if (c->is_page && !o->keyset) return list_read_rows(l, p, o->offset - c->skipped, o->limit);
    if (o->keyset) return list_read_rows(l, p, 0, o->limit + 1);
    if (o->offset == 0 || !counted) return list_read_rows(l, p, o->offset, o->limit);
    TRY(list_total(l, p));
    return list_read_at(l, p, o->offset, o->limit);
}

/* The page of computed rows. */
static struct page page_of(struct call *c, struct row *rows) {
    struct page p = {0};
    struct row *next, **last = &p.rows;
    bool all = c->route->shape == LIST_COUNT;
    for (; rows; rows = next, p.total++) {
        next = rows->next;
        if (!all && (p.total < c->options.offset || p.total - c->options.offset >= c->options.limit))
            continue;
        rows->next = NULL;
        *last = rows;
        last = &rows->next;
        p.count++;
    }
    return p;
}

static int list_made(struct call *c) {
    struct view *v = view_new(c);
    struct row *rows = NULL;
    TRY(api_of(c));
    if (c->args == NULL) TRY(api_input(c));
    TRY(c->resource->rows(c, v, (struct str){0}, &rows));
    struct page p = page_of(c, rows);
    return page_reply(v, &p);
}

/* Reads the page of stored rows that the caller asks for. */
static int list_page(struct call *c, struct view *v, struct page *p, bool counted) {
    struct list l;
    TRY(api_of(c));
    if (c->args == NULL) TRY(api_input(c));
    list_init(&l, c, v);
    int rc = add_keyset(&l, c);
    if (rc >= 0) rc = list_read(&l, p, counted);
    if (rc >= 0 && counted) rc = total_of(&l, p);
    buf_free(&l.where);
    return rc < 0 ? rc : 0;
}

int api_list(struct call *c) {
    if (c->resource->rows) return list_made(c);
    struct view *v = view_new(c);
    struct page p = {0};
    TRY(list_page(c, v, &p, true));
    return page_reply(v, &p);
}

int api_list_rows(struct call *c, struct row **rows) {
    struct page p = {0};
    TRY(list_page(c, view_new(c), &p, false));
    *rows = p.rows;
    return 0;
}

int api_reply_list_of(struct call *c, const int64_t *ids, int count) {
    return api_reply_some_of(c, ids, count, -1);
}

int api_reply_some_of(struct call *c, const int64_t *ids, int count, int64_t total) {
    return api_reply_page_of(c, ids, count, total, false);
}

int api_reply_page_of(struct call *c, const int64_t *ids, int count, int64_t total, bool more) {
    struct view *v = view_new(c);
    struct page p = {0};
    TRY(view_load(v, c->resource, ids, count, &p.rows, &p.count));
    p.total = total < 0 ? p.count : total;
    p.is_followed = true;
    p.more = more;
    return page_reply(v, &p);
}
