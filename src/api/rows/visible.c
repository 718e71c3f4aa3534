#include "api/rows/visible.h"

#include "api/table/layout.h"
#include "core/desk/cascade.h"

struct bind path_bind(const struct path_var *var) {
    if (var->textual) return (struct bind){.name = var->bind, .type = BIND_TEXT, .s = var->text};
    return (struct bind){.name = var->bind, .type = BIND_INT, .i = var->id};
}

const struct selects *view_selects(struct work *w, const struct layout *layout) {
    return layout->has_gone && nothing_is_gone(w) ? &layout->if_whole : &layout->selects;
}

void sql_and(struct buf *sql, const char *condition) {
    buf_text(sql, " AND ");
    buf_text(sql, condition);
}

void view_visible(struct work *w, const struct resource *r, struct branches *out) {
    const struct resource *parent = r->within.parent ? resource_of(r->within.parent) : NULL;
    struct branches parents = {0};
    if (r->visible) r->visible(w, out);
    if (r->visible || parent == NULL) return;
    parent->visible(w, &parents);
    access_through(w, parent->table, str_fmt(w->arena, "t.%s", r->within.column).p, parent->where, &parents,
                   out);
}

void branches_condition(const struct branches *b, struct buf *sql) {
    if (b->count == 0) {
        buf_text(sql, b->all ? "1 = 1" : "1 = 0");
        return;
    }
    buf_text(sql, "CASE");
    for (int i = 0; i < b->count; i++) {
        buf_text(sql, " WHEN ");
        buf_text(sql, b->where[i]);
        buf_text(sql, " THEN 1");
    }
    buf_text(sql, " ELSE 0 END = 1");
}

void view_condition(struct call *c, const struct resource *r, struct branches *b, struct buf *sql) {
    if (r->where) sql_and(sql, r->where);
    if (c->sees_written && r == c->resource) b->all = true;
    else view_visible(&c->work, r, b);
    if (b->all) return;
    buf_text(sql, " AND ");
    branches_condition(b, sql);
}

int visible_row(struct call *c, const struct resource *r, int64_t id, const char *alive,
                const char *further) {
    struct branches b = {0};
    struct buf sql = {0};
    struct stmt *s;
    struct bind binds[BRANCH_BINDS_MAX + PATH_VARS + 3];
    int n = 0;
    buf_fmt(&sql, "SELECT t.id FROM %s WHERE t.id = :target", layout_of(r)->from.p);
    view_condition(c, r, &b, &sql);
    if (alive) sql_and(&sql, alive);
    if (further) sql_and(&sql, further);
    buf_char(&sql, 0);
    for (int i = 0; i < b.bind_count; i++) binds[n++] = b.binds[i];
    for (int i = 0; i < c->var_count; i++) binds[n++] = path_bind(&c->vars[i]);
    binds[n++] = (struct bind)B_INT("me", c->work.actor.user_id);
    binds[n++] = (struct bind)B_INT("target", id);
    binds[n] = (struct bind){0};
    int rc = db_start(c->work.conn, sql.p, binds, &s);
    buf_free(&sql);
    if (rc < 0) return rc;
    rc = stmt_step(s);
    stmt_end(s);
    return rc;
}

int api_of_case(struct call *c) {
    if (!access_sees_all_cases(&c->work)) return api_of(c);
    c->conversation = c->vars[0].id;
    return 0;
}

int api_visible(struct call *c, const struct resource *r, int64_t id) {
    return visible_row(c, r, id, r->alive, NULL);
}

/* The type as API texts call it: "case_status" is a status, "case" a conversation. */
static const char *spoken_type(struct arena *a, const char *type) {
    if (strcmp(type, "case") == 0) return "conversation";
    char *spoken = (char *)str_dup(a, str_of(strncmp(type, "case_", 5) == 0 ? type + 5 : type)).p;
    for (char *p = spoken; *p; p++)
        if (*p == '_') *p = ' ';
    return spoken;
}

const char *api_absent(struct call *c, const char *type) {
    struct arena *a = c->work.arena;
    const char *spoken = spoken_type(a, resource_shown_type(resource_of(type))), *list = NULL;
    for (const struct route *r = resource_of(type)->routes; r && r->path && list == NULL; r++) {
        bool whole = r->method == GET && (r->shape == LIST || r->shape == LIST_COUNT) && r->reply == NULL &&
                     strchr(r->path, ':') == NULL;
        if (whole && r->roles & 1u << c->work.actor.rank) list = r->path;
    }
    const char *text = str_fmt(a, "There is no %s with this id, or you may not see it.", spoken).p;
    return list ? str_fmt(a, "%s GET %s lists those that you see.", text, list).p : text;
}

int api_of(struct call *c) {
    const char *parent = c->within ? c->within->parent : c->route->of;
    if (parent == NULL) return 0;
    const struct resource *r = resource_of(parent);
    int rc = c->vars[0].id ? visible_row(c, r, c->vars[0].id, c->route->of_gone ? NULL : r->alive, NULL) : 0;
    if (rc == 1 && r->conversation) c->conversation = c->vars[0].id;
    return rc < 0 ? rc : rc ? 0 : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}
