#include "api/rows/row_call.h"

#include <string.h>

void row_call_init(struct row_call *x, const struct work *w, const char *type, const char *path, int64_t id,
                   const struct json *body) {
    const struct resource *r = resource_of(type);
    const struct route *route = r->routes;
    while (route->method != (id ? PUT : POST) || strcmp(route->path, path) != 0) route++;
    *x = (struct row_call){.call.work = *w, .route = *route};
    x->route.shape = NONE;
    x->call.route = &x->route;
    x->call.method = route->method;
    x->call.home = x->call.resource = r;
    x->call.http = http_alone(w->arena, S("POST"), S("/"), S(""), S("")); /* without headers */
    x->call.query = x->call.credentials = json_new(w->arena, JSON_OBJECT);
    x->call.body = body;
    x->call.id = id;
    x->call.vars[0] = (struct path_var){.bind = ":id", .id = id};
    x->call.var_count = id ? 1 : 0;
}

int row_call_check(struct row_call *x) {
    int rc = api_input(&x->call);
    if (rc < 0 && !failed(&x->call.work)) return rc;
    return failed(&x->call.work) ? -(int)failure(&x->call.work) : 0;
}

int64_t row_call_run(struct row_call *x) {
    int rc = x->route.handler(&x->call);
    buf_free(&x->call.out);
    if (failed(&x->call.work)) return -(int)failure(&x->call.work);
    return rc < 0 ? rc : x->call.id;
}
