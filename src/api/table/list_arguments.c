#include "api/table/list_arguments.h"
#include "api/table/fields.h"

static const struct field list_by_ids = {"ids", F_IDS, .filter = "t.id IN @LIST(:ids)",
                                         .doc = "Only items with these ids, at most 1000."};
static const struct field list_by_legacy_ids = LEGACY_IDS(0);

bool route_lists(const struct route *route) {
    bool list = route->shape == LIST || route->shape == LIST_COUNT || route->shape == LIST_CURSOR;
    return list && route_reads(route);
}

/* True if its rows come from a query and have ids. */
static bool queried(const struct route *route, const struct resource *reply) {
    return route_lists(route) && route->shape != LIST_CURSOR && !route->chosen && reply->table &&
           !reply->is_item;
}

static bool has_legacy_id(const struct resource *r) {
    for (const struct field *f = fields_of(r->fields); f && f->name; f++)
        if (strcmp(f->name, "legacy_id") == 0)
            return f->column == NULL && !(f->flags & (HIDDEN | INPUT_ONLY));
    return false;
}

bool route_takes_keys(const struct route *route, const struct resource *reply) {
    bool by_id = route->order.key == NULL && route->order.then == NULL;
    return queried(route, reply) && (by_id || (reply->keyset && route->order.then == NULL));
}

static bool path_has_parent(const struct route *route) { return strstr(route->path, "/:") != NULL; }

/* The arguments of the own list of a resource; NULL: none. */
static const struct field *own_list_arguments(const struct resource *r) {
    for (const struct route *route = r->routes; route && route->path; route++)
        if (route->method == GET && route->reply == NULL && route_lists(route) && !path_has_parent(route))
            return fields_of(route->args);
    return NULL;
}

static bool takes_already(const struct field *args, const char *name) {
    while (args && args->name && strcmp(args->name, name) != 0) args++;
    return args && args->name;
}

static int count_arguments(const struct field *args) {
    int n = 0;
    while (args && args[n].name) n++;
    return n;
}

const struct field *arguments_of(struct arena *a, const struct route *route, const struct resource *reply) {
    const struct field *args = fields_of(route->args);
    if (!queried(route, reply)) return args;
    const struct field *more = path_has_parent(route) ? own_list_arguments(reply) : NULL;
    int n = count_arguments(args);
    struct field *all = arena_array(a, (size_t)(n + count_arguments(more)) + 3, sizeof *all);
    if (n) memcpy(all, args, (size_t)n * sizeof *all);
    for (; more && more->name; more++)
        if (!takes_already(args, more->name)) all[n++] = *more;
    all[n++] = list_by_ids;
    if (has_legacy_id(reply) && !takes_already(args, "legacy_ids")) all[n++] = list_by_legacy_ids;
    return all;
}
