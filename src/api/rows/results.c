#include "api/rows/results.h"

#include "api/input/input.h"
#include "api/rows/problem.h"
#include "base/buf.h"
#include "core/change/change.h"

static void result_begin(struct json_writer *w, int64_t id, const char *result) {
    jw_object(w);
    jw_key(w, S("id"));
    jw_int(w, id);
    jw_key(w, S("result"));
    jw_str(w, str_of(result));
}

/* ---- success --------------------------------------------------------------------------------- */

static void write_former_value(struct view *v, const struct field *f, const struct changed_value *from) {
    if (!from->given) jw_null(&v->w);
    else if (f->type == F_BOOL) jw_bool(&v->w, from->number != 0);
    else if (f->type == F_REF || f->type == F_INT) jw_int(&v->w, from->number);
    else jw_str(&v->w, changed_value_text(v->c->work.arena, from));
}

/* The member of a recorded property; NULL: the caller does not see it, or the API has none. */
static const struct member *member_seen(struct view *v, const struct row *row, const char *property) {
    const struct layout *layout = row->layout;
    for (const struct member *m = layout->members; m < layout->members + layout->count; m++)
        if (strcmp(m->field->name, property) == 0) return m->written && view_sees(v, row, m) ? m : NULL;
    return NULL;
}

#define VALUES "custom_fields." /* a property of a conversation: the value of a custom field */

static bool is_field_value(const struct change *c) {
    return strncmp(c->property, VALUES, strlen(VALUES)) == 0;
}

static void write_former_field_values(struct view *v, const struct change *const *changes, int count) {
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (!is_field_value(changes[i])) continue;
        if (!any) {
            jw_key(&v->w, S("field_values"));
            jw_object(&v->w);
        }
        any = true;
        jw_key_raw(&v->w, str_of(changes[i]->property + strlen(VALUES)));
        write_former_value(v, &(const struct field){.type = F_TEXT}, &changes[i]->from);
    }
    if (any) jw_end(&v->w);
}

static void write_former(struct view *v, int64_t id, const struct change *const *changes, int count) {
    const struct row row = {.layout = layout_of(v->c->home), .id = id};
    jw_key(&v->w, S("former"));
    jw_object(&v->w);
    for (int i = 0; i < count; i++) {
        const struct member *m =
            is_field_value(changes[i]) ? NULL : member_seen(v, &row, changes[i]->property);
        if (m == NULL || changes[i]->named) continue;
        jw_key(&v->w, input_name(v->c->work.arena, m->field));
        write_former_value(v, m->field, &changes[i]->from);
    }
    write_former_field_values(v, changes, count);
    jw_end(&v->w);
}

/* The updates of the object by the call itself. Returns their number. */
static int updates_of(struct call *c, int64_t id, const struct change ***out) {
    int kept = 0, n = changes_of_object(&c->work, (struct changed){.kind = c->home->type, .id = id}, out);
    for (int i = 0; i < n; i++)
        if ((*out)[i]->verb == CHANGE_UPDATED && (*out)[i]->by == NULL) (*out)[kept++] = (*out)[i];
    return kept;
}

static void write_change_result(struct view *v, int64_t id) {
    const struct change **changes;
    int n = updates_of(v->c, id, &changes);
    result_begin(&v->w, id, n ? "CHANGED" : "UNCHANGED");
    if (n) write_former(v, id, changes, n);
    jw_end(&v->w);
}

void results_write(struct view *v) {
    const struct call *c = v->c;
    if (!c->by_ids) return;
    jw_key(&v->w, S("results"));
    jw_array(&v->w);
    for (int i = 0; i < c->id_count; i++) {
        if (route_changes_objects(c->route)) {
            write_change_result(v, c->ids[i]);
            continue;
        }
        result_begin(&v->w, c->ids[i], "DELETED");
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static const char *refusal_of(enum error code) {
    switch (code) {
    case ERR_RESOURCE_NOT_FOUND: return "NOT_FOUND";
    case ERR_RESOURCE_MODIFIED: return "CONFLICT";
    default: return "REFUSED";
    }
}

/* The index n of a problem at ids/<n>; -1: it concerns no id. */
static int place_among_ids(const struct call *c, const struct problem *p) {
    int64_t at;
    if (!str_starts(p->pointer, S("ids/"))) return -1;
    struct str number = {p->pointer.p + 4, p->pointer.n - 4};
    return str_to_int(number, &at) && at >= 0 && at < c->id_count ? (int)at : -1;
}

void results_write_refused(struct json_writer *w, const struct call *c) {
    bool any = false;
    if (!c->by_ids) return;
    const struct problem **why = arena_array(c->work.arena, (size_t)c->id_count + 1, sizeof *why);
    for (const struct problem *p = c->work.problems; p; p = p->next) {
        int at = place_among_ids(c, p);
        if (at >= 0 && why[at] == NULL) why[at] = p, any = true;
    }
    if (!any) return;
    jw_key(w, S("results"));
    jw_array(w);
    for (int i = 0; i < c->id_count; i++) {
        result_begin(w, c->ids[i], why[i] ? refusal_of(why[i]->code) : "NOT_DONE");
        if (why[i]) write_reason(w, why[i]);
        jw_end(w);
    }
    jw_end(w);
}
