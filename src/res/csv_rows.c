#include "res/csv_rows.h"

#include "core/people/tag.h"
#include "res/csv_organizations.h"
#include "res/csv_people.h"

/* ---- the calls ------------------------------------------------------------------------------- */

static struct route route_without_reply(const struct resource *r, enum method method, const char *path) {
    const struct route *route = r->routes;
    while (route->method != method || strcmp(route->path, path) != 0) route++;
    struct route copy = *route;
    copy.shape = NONE;
    return copy;
}

void csv_rows_begin(struct csv_rows *x, const struct work *w, const struct csv_columns *columns, bool skips) {
    bool people = columns->kind == CSV_USERS;
    const struct resource *r = resource_of(people ? "user" : "organization");
    *x = (struct csv_rows){.columns = columns, .skips = skips};
    x->create = route_without_reply(r, POST, people ? "/users" : "/organizations");
    x->update = route_without_reply(r, PUT, people ? "/users/:id" : "/organizations/:id");
    x->call.work = *w;
    x->call.http = http_alone(w->arena, S("POST"), S("/"), S(""), S("")); /* without headers */
    x->call.home = x->call.resource = r;
    x->call.query = x->call.credentials = json_new(w->arena, JSON_OBJECT);
}

/* The call of a row: POST, or PUT of a row that is there. */
static void csv_call_begin(struct csv_rows *x, const struct json *body, int64_t id) {
    struct call *c = &x->call;
    c->route = id ? &x->update : &x->create;
    c->method = c->route->method;
    c->body = body;
    c->args = c->input = NULL;
    c->arg_count = c->input_count = 0;
    c->ignored = NULL;
    c->prepared = NULL;
    c->id = id;
    c->ids = &c->id;
    c->id_count = id ? 1 : 0;
    c->var_count = id ? 1 : 0;
    c->vars[0] = (struct path_var){.bind = ":id", .id = id};
    c->out.n = 0;
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* Returns false if the row can't be read by the columns. */
static bool row_fits(struct csv_rows *x, const struct csv_row *row) {
    if (row->refused)
        return fail_field(&x->call.work, ERR_FIELD_INVALID, (struct str){0}, "%s", row->refused), false;
    for (int i = x->columns->count; i < row->count; i++)
        if (str_trim(row->cells[i]).n) return csv_refuse(x, NULL, CSV_CELL_WITHOUT_COLUMN, 0), false;
    return true;
}

/* The reason of a failure: a problem of the row, or an error of the server. */
static int csv_failed(struct csv_rows *x, int rc, enum csv_result result) {
    struct work *w = &x->call.work;
    if (rc < 0 && !failed(w) && error_info(-rc)->status < 500) fail(w, (enum error) - rc);
    if (!failed(w)) return rc;
    return error_info((int)failure(w))->status < 500 ? (int)result : -(int)failure(w);
}

bool csv_rows_read(struct csv_rows *x, const struct csv_row *row, struct csv_cells *out) {
    work_set_aside(&x->call.work); /* the problems and notices of the row before */
    if (!row_fits(x, row)) return false;
    csv_cells_read(x, row, out);
    return true;
}

int csv_rows_find(struct csv_rows *x, const struct csv_cells *cells, int64_t *id) {
    *id = 0;
    return x->columns->kind == CSV_USERS ? csv_person_find(x, cells, id)
                                         : csv_organization_find(x, cells, id);
}

void csv_rows_keys(struct csv_rows *x, const struct csv_cells *cells, csv_key_fn *take, void *to) {
    if (x->columns->kind == CSV_USERS) csv_person_keys(x, cells, take, to);
    else csv_organization_keys(x, cells, take, to);
}

/* The checks of the row, which write nothing. *id: the row that is there; 0: none. */
static int csv_row_check(struct csv_rows *x, const struct csv_cells *cells, struct json *body, int64_t *id) {
    bool people = x->columns->kind == CSV_USERS;
    const struct tagging *t = people ? &user_tagging : &organization_tagging;
    TRY(csv_rows_find(x, cells, id));
    if (failed(&x->call.work) || (*id && x->skips)) return 0;
    TRY(people ? csv_person_body(x, cells, *id, body) : csv_organization_body(x, cells, *id, body));
    TRY(csv_tags_check(x, t, cells->lists[CSV_TAGS], *id));
    csv_give_list(body, "field_values", cells->values);
    csv_call_begin(x, body, *id);
    return body->count || *id == 0 ? api_input(&x->call) : 0;
}

/* The same checks again, by the handler of the request, and the writes. */
static int csv_row_write(struct csv_rows *x, const struct csv_cells *cells, const struct json *body,
                         int64_t id) {
    bool people = x->columns->kind == CSV_USERS;
    struct call *c = &x->call;
    csv_call_begin(x, body, id);
    if (body->count || id == 0) TRY(c->route->handler(c));
    int64_t written = x->id = id ? id : c->id;
    if (people) TRY(csv_person_add(x, cells, written, id == 0));
    TRY(csv_tags_add(x, people ? &user_tagging : &organization_tagging, cells->lists[CSV_TAGS], written));
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

int csv_rows_take(struct csv_rows *x, const struct csv_cells *cells) {
    struct json *body = json_new(x->call.work.arena, JSON_OBJECT);
    int64_t id;
    work_set_aside(&x->call.work);
    int rc = csv_row_check(x, cells, body, &id);
    x->id = id;
    if (rc < 0 || failed(&x->call.work)) return csv_failed(x, rc, CSV_REJECTED);
    if (id && x->skips) return CSV_SKIPPED;
    work_set_aside(&x->call.work);
    rc = csv_row_write(x, cells, body, id);
    if (rc < 0 || failed(&x->call.work)) return csv_failed(x, rc, CSV_UNDONE);
    return id ? CSV_UPDATED : CSV_CREATED;
}
