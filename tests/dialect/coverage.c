#include "coverage.h"

#include "api/rows/generic.h"
#include "api/table/layout.h"
#include "pretend.h"

#include <stdio.h>
#include <string.h>

static bool is_composed_with(const char *part, const char *table) {
    for (int i = 0; i < pretend.count; i++)
        if (strstr(pretend.list[i].sql, part) && strstr(pretend.list[i].sql, table)) return true;
    return false;
}

static int missed(const struct resource *r, const char *member, const char *part, const char *table) {
    if (part == NULL || part[0] == 0 || is_composed_with(part, table)) return 0;
    fprintf(stderr, "no statement was prepared of %s, %s: %s\n", r->type, member, part);
    return 1;
}

/* The statement that a generic handler ends with. */
static int route_missed(const struct resource *r, const struct route *route) {
    char begin[128];
    const char *verb = route->handler == api_create   ? "INSERT INTO"
                       : route->handler == api_update ? "UPDATE"
                                                      : "DELETE FROM";
    bool writes =
        route->handler == api_create || route->handler == api_update || route->handler == api_delete;
    snprintf(begin, sizeof begin, "%s %s ", verb, r->table ? r->table : "");
    return writes ? missed(r, route->path, begin, begin) : 0;
}

static int arguments_missed(const struct resource *r, const struct route *route) {
    int n = 0;
    for (const struct field *f = route->args; f && f->name; f++) n += missed(r, f->name, f->filter, "");
    return n + missed(r, route->path, route->where, "") +
           missed(r, route->path, route->order.key, "ORDER BY");
}

/* The query of several rows, or the one of a single row, which differs only in the ids. */
static int lists_missed(const struct resource *r) {
    const struct layout *layout = layout_of(r);
    int n = 0;
    for (const struct member *m = layout->members; m < layout->members + layout->count; m++)
        if (m->list.p && !is_composed_with(m->list_of_one.p, ""))
            n += missed(r, m->field->name, m->list.p, "");
    return n;
}

int parts_missed(void) {
    int n = 0;
    for (const struct resource *const *p = resources; *p; p++) {
        const struct resource *r = *p;
        if (r->table || r->from) n += missed(r, "its rows", layout_of(r)->from.p, "FROM");
        n += missed(r, ".where", r->where, "") + missed(r, ".alive", r->alive, "") +
             missed(r, ".changed", r->changed, "") + lists_missed(r);
        for (const struct route *route = r->routes; route && route->path; route++)
            n += route_missed(r, route) + arguments_missed(r, route);
    }
    return n;
}
