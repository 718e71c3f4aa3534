#include "transfer/api_row.h"

#include <inttypes.h>
#include <string.h>

#include "api/rows/row_call.h"
#include "api/table/fields.h"
#include "base/error.h"
#include "core/change/record.h"
#include "core/words.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

int64_t api_time(struct foreign *f, const struct json *item, const char *name) {
    int64_t at = item_time(item, name);
    return at > f->now ? f->now : at;
}

int64_t time_past(struct foreign *f, int64_t at, int64_t id) {
    if (at <= f->now) return at;
    foreign_skip(f, "times in the future: the time of the import takes their place", id);
    return f->now;
}

int api_word(const struct word *words, struct str text) {
    int found = text.n ? word_id(words, text) : 0;
    return found > 0 ? found : 0;
}

/* ---- problems -------------------------------------------------------------------------------- */

static const char *problem_said(struct foreign *f, const struct work *w, int rc) {
    const struct problem *p = w->problems;
    struct str place = p && p->pointer.p ? p->pointer : p && p->parameter.p ? p->parameter : S("");
    struct str said = p && p->message.p ? p->message : str_of(error_info(p ? (int)p->code : rc)->message);
    return str_fmt(f->item, "%.*s%s%.*s", (int)place.n, place.p, place.n ? ": " : "", (int)said.n, said.p).p;
}

static void report_problem(struct foreign *f, const char *what, const char *why, int64_t id) {
    foreign_skip(f, str_fmt(f->item, "%s (%s)", what, why).p, id);
}

/* Removes the items that the pointers of the problems name ("actions/2/value"). Returns false if a problem is
 * elsewhere. */
static bool drop_items(const struct api_kind_here *k, const struct work *w, struct json *body) {
    for (const struct problem *p = w->problems; p; p = p->next) {
        struct str rest = p->pointer.p ? p->pointer : p->parameter, name = str_cut(&rest, '/'), nth;
        int64_t at;
        struct json *list = (struct json *)(uintptr_t)json_member(body, name);
        nth = rest.p ? str_cut(&rest, '/') : S("");
        if (!list || list->type != JSON_ARRAY || !foreign_lists(k->shrinks, name) || !str_to_int(nth, &at))
            return false;
        for (struct json *j = list->first; j; j = j->next)
            if (at-- == 0) j->type = JSON_NULL;
    }
    for (struct json *list = body->first; list; list = list->next) {
        if (list->type != JSON_ARRAY || !foreign_lists(k->shrinks, list->name)) continue;
        struct json *item = list->first;
        list->first = list->last = NULL;
        list->count = 0;
        for (struct json *next; item; item = next) {
            next = item->next;
            item->next = NULL;
            if (item->type != JSON_NULL) json_append(list, item);
        }
    }
    return true;
}

/* A rule with an action less does something else, so a person looks at it first. */
static void disable(struct foreign *f, const struct api_kind_here *k, struct json *body) {
    struct json *flag = (struct json *)(uintptr_t)json_member(body, S("is_enabled"));
    bool has_flag = false;
    for (const struct field *x = fields_of(api_parameters(k)); x->name; x++)
        has_flag = has_flag || strcmp(x->name, "is_enabled") == 0;
    if (flag) flag->type = JSON_FALSE;
    else if (has_flag) api_put(body, "is_enabled", json_new(f->item, JSON_FALSE));
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct route *post_of(const struct api_kind_here *k) {
    const struct route *route = resource_of(k->type)->routes;
    while (route->method != POST || strcmp(route->path, k->path) != 0) route++;
    return route;
}

const struct field *api_parameters(const struct api_kind_here *k) {
    return post_of(k)->input ? post_of(k)->input : resource_of(k->type)->fields;
}

static struct column number_column(const char *name, const char *bind, int64_t n) {
    return (struct column){.name = name, .value = {.name = bind, .type = BIND_INT, .i = n}};
}

/* The place in its list, which is behind the rows of the desk if it has some, and the times of the source. */
static int keep_place(struct foreign *f, const struct api_kind_here *k, struct work *w,
                      const struct json *item, int64_t here) {
    const struct resource *r = resource_of(k->type);
    const struct json *place = r->ordered && !f->maps_ids ? json_member(item, str_of(r->ordered)) : NULL;
    struct column columns[2] = {number_column("created_at", ":created_at", api_time(f, item, "created_at"))};
    int64_t before = w->now, changed = api_time(f, item, "updated_at");
    int n = columns[0].value.i > 0;
    if (place && place->type == JSON_NUMBER)
        columns[n++] = number_column(r->ordered, ":place", item_int(item, r->ordered));
    if (changed > 0) w->now = changed;
    int rc = record_update(w, (struct record){NULL, r->table, NULL}, &here, 1, columns, n);
    w->now = before;
    return rc;
}

static int64_t row_written(struct foreign *f, const struct api_kind_here *k, struct row_call *x,
                           const struct json *item) {
    int64_t here = row_call_run(x);
    if (here < 0) return here;
    TRY(keep_place(f, k, &x->call.work, item, here));
    TRY(foreign_done(f, &x->call.work, 0));
    return here;
}

/* Runs the call, or undoes it and reports why. Returns 1, 0 or an error of the store. */
static int row_kept(struct foreign *f, const struct api_kind_here *k, struct row_call *x,
                    const struct json *item, int64_t *here) {
    TRY(db_savepoint(f->conn, "imported_row"));
    if (x->call.method == POST && f->keeps_ids)
        TRY(db_next_id(f->conn, resource_of(k->type)->table, item_int(item, "id")));
    *here = row_written(f, k, x, item);
    if (*here > 0) {
        TRY(api_row_same(f, k, item, *here));
        TRY(db_release(f->conn, "imported_row"));
        return 1;
    }
    TRY(db_undo(f->conn, "imported_row"));
    int rc = (int)*here;
    if (!x->call.work.problems && error_info(rc)->status >= 500) return rc;
    report_problem(f, k->label, problem_said(f, &x->call.work, rc), item_int(item, "id"));
    return 0;
}

static struct work *work_of_row(struct foreign *f, struct work *w, const struct json *item,
                                int64_t author_id) {
    struct author by = foreign_owner(f);
    if (author_id) by.user_id = author_id;
    foreign_work(f, w, api_time(f, item, "created_at"), by);
    return w;
}

int api_row_same(struct foreign *f, const struct api_kind_here *k, const struct json *item, int64_t here) {
    foreign_here(f, k->type, item_int(item, "id"), here);
    return imported_keep(f, k->type, item_int(item, "id"), here, f->changed_at);
}

int api_row_write(struct foreign *f, const struct api_kind_here *k, const struct json *item,
                  struct json *body, int64_t here) {
    struct row_call *x = ARENA_NEW(f->item, struct row_call);
    struct work w;
    int64_t given;
    work_of_row(f, &w, item, 0);
    if (api_time(f, item, "updated_at") > w.now) w.now = api_time(f, item, "updated_at");
    row_call_init(x, &w, k->type, str_fmt(f->item, "%s/:id", k->path).p, here, body);
    return row_kept(f, k, x, item, &given);
}

int api_row_change(struct foreign *f, const struct api_kind_here *k, const struct json *item,
                   struct json *body, int64_t here) {
    int rc = api_row_write(f, k, item, body, here);
    if (rc > 0) foreign_made(f, str_fmt(f->item, "%s with changes", k->label).p, 1);
    return rc;
}

/* Gives a row of an earlier run the values that the source has changed. Staff of this desk decide which
 * rules are enabled. */
static int api_row_follow(struct foreign *f, const struct api_kind_here *k, const struct json *item,
                          struct json *body, struct imported row) {
    foreign_here(f, k->type, item_int(item, "id"), row.here);
    if (row.changed_at == f->changed_at) return 0;
    api_take(body, "is_enabled");
    api_take(body, "legacy_id");
    int rc = api_row_change(f, k, item, body, row.here);
    return rc < 0 ? rc : 0;
}

/* A desk with rows of its own may have the value of legacy_id. */
static int give_legacy(struct foreign *f, const struct api_kind_here *k, const struct json *item,
                       struct json *body) {
    const struct foreign_earlier *const kinds[] = {&foreign_category, &foreign_section};
    struct str legacy;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && f->maps_ids; i++) {
        if (strcmp(kinds[i]->kind, k->type) != 0) continue;
        api_take(body, "legacy_id");
        TRY(foreign_legacy_id(f, kinds[i], item_int(item, "id"), json_member_text(item, "legacy_id"),
                              &legacy));
        api_put_text(f, body, "legacy_id", legacy);
    }
    return 0;
}

int api_row_make(struct foreign *f, const struct api_kind_here *k, const struct json *item, struct json *body,
                 int64_t author_id, int64_t *here) {
    struct imported row;
    int known = f->maps_ids ? imported_find(f, k->type, item_int(item, "id"), &row) : 0;
    if (known) return known < 0 ? known : (*here = row.here, api_row_follow(f, k, item, body, row));
    TRY(give_legacy(f, k, item, body));
    struct row_call *x = ARENA_NEW(f->item, struct row_call);
    struct work w;
    *here = 0;
    work_of_row(f, &w, item, author_id);
    row_call_init(x, &w, k->type, k->path, 0, body);
    int rc = row_call_check(x);
    if (rc < 0 && drop_items(k, &x->call.work, body)) {
        report_problem(f, str_fmt(f->item, "parts of %s: the rest is imported, disabled", k->label).p,
                       problem_said(f, &x->call.work, rc), item_int(item, "id"));
        disable(f, k, body);
        row_call_init(x, &w, k->type, k->path, 0, body);
        rc = row_call_check(x);
    }
    if (rc < 0) {
        if (!x->call.work.problems) return rc;
        report_problem(f, k->label, problem_said(f, &x->call.work, rc), item_int(item, "id"));
        return 0;
    }
    row_call_init(x, &w, k->type, k->path, 0, body);
    rc = row_kept(f, k, x, item, here);
    if (rc > 0) foreign_made(f, k->label, 1);
    return rc;
}

int api_row_give(struct foreign *f, const struct api_kind_here *k, const struct json *item, struct json *body,
                 int64_t here) {
    struct row_call *x = ARENA_NEW(f->item, struct row_call);
    struct work w;
    int64_t given;
    if (f->maps_ids) return api_row_same(f, k, item, here);
    work_of_row(f, &w, item, 0);
    if (w.now < f->now && api_time(f, item, "updated_at") > w.now) w.now = api_time(f, item, "updated_at");
    row_call_init(x, &w, k->type, str_fmt(f->item, "%s/:id", k->path).p, here, body);
    int rc = row_kept(f, k, x, item, &given);
    foreign_here(f, k->type, item_int(item, "id"), here);
    return rc < 0 ? rc : 0;
}
