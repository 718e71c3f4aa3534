/* Compiles tables into routes. Routing uses the raw request target: a %2F stays inside its segment, a %00
 * matches nothing. */
#include "api/table/check.h"
#include "api/table/describe.h"
#include "api/rows/generic.h"
#include "api/table/router.h"
#include "api/table/list_arguments.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- compiling ------------------------------------------------------------------------------- */

static bool route_wrong(char *err, size_t size, const struct resource *r, const struct route *route,
                        const char *why) {
    static const char *const methods[] = {"GET", "POST", "PUT", "DELETE"};
    snprintf(err, size, "table of %s, %s %s: %s", r->type, route ? methods[route->method] : "-",
             route ? route->path : "", why);
    return false;
}

/* True for handlers that find rows by the tables. */
static bool finds_rows(const struct route *r) {
    return r->handler == api_list || r->handler == api_get || r->handler == api_update ||
           r->handler == api_delete;
}

/* True if the path names a parent of the rows: it has two variables, or it is a list or a creation below
 * one. */
static bool is_nested(const struct compiled *c) {
    const struct route *r = c->route;
    bool below = c->variables == 1 && !segment_is_variable(c->segments[c->count - 1]),
         creates = r->handler == api_create;
    bool lists = r->shape == LIST || r->shape == LIST_COUNT || r->shape == LIST_CURSOR;
    return c->variables > 1 || (below && (lists || creates));
}

/* A nested route must say how the rows of its parent are selected, or it would find rows of every parent.
 * `.of` says that its own handler does. */
static bool nested_rows_are_selected(const struct compiled *c) {
    const struct route *r = c->route;
    if (c->within || r->where || c->reply->table == NULL) return true;
    return r->of ? !finds_rows(r) : !is_nested(c);
}

/* Sets the nesting of a route. */
static bool nest(struct arena *a, struct compiled *c, char *err, size_t size) {
    const struct route *r = c->route;
    const struct within *of_home = &c->home->within;
    c->where = r->where;
    if (r->within.parent) c->within = &r->within;
    else if (of_home->parent && r->of == NULL && c->variables && c->reply == c->home) c->within = of_home;
    if (!nested_rows_are_selected(c))
        return route_wrong(err, size, c->home, r,
                           "a nested route needs .within or .where, or .of and a handler of its own, to "
                           "select the rows of its parent");
    if (c->within == NULL) return true;
    const struct resource *parent = resource_of(c->within->parent);
    if (r->of) return route_wrong(err, size, c->home, r, ".of and .within exclude each other");
    if (parent == NULL || parent->table == NULL || parent->within.parent)
        return route_wrong(err, size, c->home, r,
                           ".within.parent is unknown, has no table, or is nested itself");
    if (c->within->column == NULL) return route_wrong(err, size, c->home, r, ".within names no column");
    for (int i = 0; i < c->count; i++) {
        if (!segment_is_variable(c->segments[i])) continue;
        c->where = str_fmt(a, "t.%s = %s%s%s", c->within->column, c->segments[i].p, r->where ? " AND " : "",
                           r->where ? r->where : "")
                       .p;
        return true;
    }
    return route_wrong(err, size, c->home, r, ".within needs a path variable for the parent");
}

static bool route_compile(struct arena *a, struct compiled *c, const struct resource *home,
                          const struct route *route, char *err, size_t size) {
    *c = (struct compiled){.route = route,
                           .method = route->method,
                           .home = home,
                           .reply = route->reply ? resource_of(route->reply) : home};
    struct str rest = str_of(route->path);
    if (rest.n < 2 || rest.p[0] != '/')
        return route_wrong(err, size, home, route, "the path must begin with a slash");
    for (rest.p++, rest.n--; rest.p;) {
        if (c->count == PATH_SEGMENTS) return route_wrong(err, size, home, route, "the path is too long");
        struct str segment = str_cut(&rest, '/');
        c->variables += segment_is_variable(segment);
        c->segments[c->count++] = str_dup(a, segment);
    }
    if (c->reply == NULL) return route_wrong(err, size, home, route, "it replies with an unknown resource");
    if (route->of && resource_of(route->of) == NULL)
        return route_wrong(err, size, home, route, ".of is an unknown resource");
    if (!nest(a, c, err, size)) return false;
    c->args = arguments_of(a, route, c->reply);
    if (c->variables > PATH_VARS) return route_wrong(err, size, home, route, "too many variables");
    return route_check(a, home, route, c->args, err, size);
}

static bool segments_alike(struct str a, struct str b) {
    bool x = segment_is_variable(a), y = segment_is_variable(b);
    return x || y ? x == y : str_eq(a, b);
}

static bool same_path(const struct compiled *a, const struct compiled *b) {
    for (int i = 0; i < a->count && i < b->count; i++)
        if (!segments_alike(a->segments[i], b->segments[i])) return false;
    return a->count == b->count;
}

static int by_shape(const void *x, const void *y) {
    const struct compiled *a = x, *b = y;
    return a->count != b->count ? a->count - b->count : a->variables - b->variables;
}

bool router_check(struct arena *a, const struct resource *r, char *err, size_t err_size) {
    struct compiled scratch;
    if (!resource_check(a, r, err, err_size)) return false;
    for (const struct route *route = r->routes; route && route->path; route++)
        if (!route_compile(a, &scratch, r, route, err, err_size)) return false;
    return true;
}

bool router_make(struct router *r, struct arena *a, char *err, size_t err_size) {
    int n = 0;
    if (!tables_check(resources, err, err_size)) return false;
    for (const struct resource *const *p = resources; *p; p++)
        for (const struct route *route = (*p)->routes; route && route->path; route++) n++;
    r->routes = arena_array(a, (size_t)n + 1, sizeof *r->routes);
    for (const struct resource *const *p = resources; *p; p++) {
        if (!resource_check(a, *p, err, err_size)) return false;
        for (const struct route *route = (*p)->routes; route && route->path; route++) {
            if (!route_compile(a, &r->routes[r->count], *p, route, err, err_size)) return false;
            for (int i = 0; i < r->count; i++)
                if (r->routes[i].route->method == route->method &&
                    same_path(&r->routes[i], &r->routes[r->count]))
                    return route_wrong(err, err_size, *p, route, "another route has this address");
            r->count++;
        }
    }
    qsort(r->routes, (size_t)r->count, sizeof *r->routes, by_shape);
    for (int i = r->count; i--;) r->first[r->routes[i].count] = i;
    return true;
}

/* ---- matching -------------------------------------------------------------------------------- */

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool segment_decode(struct arena *a, struct str s, struct str *out) {
    *out = s;
    if (s.n == 0 || memchr(s.p, '%', s.n) == NULL) return true;
    char *text = arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '%') {
            text[n++] = s.p[i];
            continue;
        }
        int high = i + 2 < s.n ? hex(s.p[i + 1]) : -1, low = i + 2 < s.n ? hex(s.p[i + 2]) : -1;
        if (high < 0 || low < 0 || (high == 0 && low == 0)) return false;
        text[n++] = (char)(high * 16 + low);
        i += 2;
    }
    *out = (struct str){text, n};
    return utf8_valid(*out);
}

int path_split(struct arena *a, struct str path, struct str *segments) {
    int n = 0;
    while (str_starts(path, S("//"))) path.p++, path.n--;
    if (!str_starts(path, S("/api/v1/"))) return -1;
    path.p += 8, path.n -= 8;
    if (path.n > 5 && str_eq((struct str){path.p + path.n - 5, 5}, S(".json"))) path.n -= 5;
    while (path.p) {
        if (n == PATH_SEGMENTS) return -1;
        if (!segment_decode(a, str_cut(&path, '/'), &segments[n++])) return -1;
    }
    return n;
}

static bool matches(const struct compiled *c, const struct str *segments) {
    for (int i = 0; i < c->count; i++) {
        bool variable = segment_is_variable(c->segments[i]);
        if (variable ? segments[i].n == 0 : !str_eq(c->segments[i], segments[i])) return false;
    }
    return true;
}

static void call_take_route(struct call *c, const struct compiled *found, const struct str *segments) {
    c->route = found->route;
    c->home = found->home;
    c->resource = found->reply;
    c->takes = found->args;
    c->within = found->within;
    c->where = found->where;
    for (int i = 0; i < found->count; i++) {
        if (!segment_is_variable(found->segments[i])) continue;
        struct path_var *v = &c->vars[c->var_count++];
        *v = (struct path_var){.bind = found->segments[i].p,
                               .text = segments[i],
                               .textual = !variable_is_id(found->segments[i].p + 1)};
        if (!str_to_int(v->text, &v->id) || v->id < 0) v->id = 0;
    }
}

static const char *const method_names[] = {"GET, HEAD", "POST", "PUT", "DELETE"};

static struct str methods_of(struct arena *a, const bool seen[METHODS]) {
    struct str list = S("");
    for (int i = 0; i < METHODS; i++)
        if (seen[i]) list = str_fmt(a, "%s%s%s", list.p, list.n ? ", " : "", method_names[i]);
    return list;
}

struct str router_widget_methods(const struct router *r, const struct call *c) {
    struct str segments[PATH_SEGMENTS];
    bool seen[METHODS] = {0}, found[METHODS] = {0};
    int n = path_split(c->http->arena, c->http->path, segments);
    for (int i = 0; n > 0 && i < r->count && r->routes[i].count <= n; i++) {
        const struct route *route = r->routes[i].route;
        if (r->routes[i].count != n || found[route->method] || !matches(&r->routes[i], segments)) continue;
        found[route->method] = true; /* the first route of a method is the one that router_match finds */
        seen[route->method] = (route->roles & WIDGET) != 0;
    }
    return methods_of(c->http->arena, seen);
}

int router_match(const struct router *r, struct call *c, enum method m, struct str path, struct str *allow) {
    struct str segments[PATH_SEGMENTS];
    bool seen[METHODS] = {0};
    int n = path_split(c->work.arena, path, segments);
    const struct compiled *first = n > 0 ? &r->routes[r->first[n]] : NULL;
    for (const struct compiled *at = first; at && at->count == n; at++) {
        if (at->method != m || !matches(at, segments)) continue;
        call_take_route(c, at, segments);
        return 0;
    }
    for (const struct compiled *at = first; at && at->count == n; at++)
        if (matches(at, segments)) seen[at->method] = true;
    *allow = methods_of(c->work.arena, seen);
    if (allow->n == 0) return -ERR_RESOURCE_NOT_FOUND;
    *allow = str_fmt(c->work.arena, "%s, OPTIONS", allow->p);
    return -ERR_METHOD_NOT_SUPPORTED;
}
