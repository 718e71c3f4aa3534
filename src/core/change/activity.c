#include "core/change/activity.h"

#include "base/buf.h"
#include "core/change/change.h"
#include "json/json.h"

#include <stddef.h>

QUERY(activity_insert,
      "INSERT INTO activities (id, owner_user_id, owner_organization_id, owner_case_id, actor_id, "
      "actor_kind, cause, trigger_id, monitor_id, rule_channel, rule_event, name, did, fields, "
      "previous_values, current_values, objects, ip_address, created_at) "
      "VALUES (@NEXT_POST_ID@, CAST(:user AS BIGINT), CAST(:organization AS BIGINT), CAST(:case AS BIGINT), "
      "CAST(:actor AS BIGINT), :kind, :cause, CAST(:trigger AS BIGINT), CAST(:monitor AS BIGINT), "
      "CAST(:channel AS INTEGER), CAST(:event AS INTEGER), :name, :did, :fields, :previous, :current, "
      ":objects, CAST(:address AS TEXT), :now)");

/* ---- objects with a trail -------------------------------------------------------------------- */

static const struct trail {
    const char *kind, *what; /* resource_type; its name in sentences */
    const char *owner;       /* the bind of its column */
    enum activity_name created, updated, deleted;
} trails[] = {
    {"user", "this person", ":user", USER_CREATED, USER_UPDATED, USER_DELETED},
    {"organization", "this organization", ":organization", ORGANIZATION_CREATED, ORGANIZATION_UPDATED,
     ORGANIZATION_DELETED},
    {"case", "this conversation", ":case", CASE_CREATED, CASE_UPDATED, CASE_DELETED},
    {0},
};

static const struct trail *trail_of(const char *kind) {
    for (const struct trail *t = trails; t->kind; t++)
        if (strcmp(t->kind, kind) == 0) return t;
    return NULL;
}

/* ---- one activity ---------------------------------------------------------------------------- */

/* One of the three texts (at `offset`) of each change, as a JSON array. */
static struct str texts(struct work *w, const struct activity_change *changes, int count, size_t offset) {
    struct buf b = {0};
    struct json_writer out;
    if (count == 0) return (struct str){0};
    jw_init(&out, &b);
    jw_array(&out);
    for (int i = 0; i < count; i++) {
        const struct str *s = (const void *)((const char *)&changes[i] + offset);
        if (s->p) jw_str(&out, *s);
        else jw_null(&out);
    }
    jw_end(&out);
    return buf_take(&b, w->arena);
}

/* The ids before and after each change as one JSON array; p NULL: no change is one of a reference. */
static struct str object_ids(struct work *w, const struct activity_change *changes, int count) {
    int64_t *ids = arena_array(w->arena, (size_t)count * 2 + 1, sizeof *ids);
    bool any = false;
    for (int i = 0; i < count; i++) {
        ids[2 * i] = changes[i].previous_id;
        ids[2 * i + 1] = changes[i].current_id;
        any = any || ids[2 * i] || ids[2 * i + 1];
    }
    return any ? json_ids(w->arena, ids, (size_t)count * 2) : (struct str){0};
}

/* Only addresses of staff are stored: customers are not watched by an audit trail. */
static struct str staff_address(const struct work *w) {
    bool asks = w->actor.kind == ACTOR_PERSON || w->actor.kind == ACTOR_TOKEN;
    bool staff = asks && w->actor.rank >= ROLE_COLLABORATOR && w->actor.remote.n;
    return staff ? w->actor.remote : (struct str){0};
}

/* by: the rule that acted; NULL: the actor of the work. */
static int activity_write(struct work *w, const struct trail *t, int64_t owner,
                          const struct change_author *by, enum activity_name name, struct str did,
                          const struct activity_change *changes, int count) {
    struct bind binds[] = {
        B_NULL("user"),
        B_NULL("organization"),
        B_NULL("case"),
        B_ID("actor", by ? 0 : w->actor.user_id),
        B_INT("kind", by ? ACTOR_RULE : w->actor.kind),
        B_TEXT("cause", by ? by->cause : w->actor.cause),
        B_ID("trigger", by ? by->trigger_id : 0),
        B_ID("monitor", by ? by->monitor_id : 0),
        B_ID("channel", by ? by->channel : 0),
        B_ID("event", by ? by->event : 0),
        B_INT("name", name),
        B_TEXT("did", did),
        B_TEXT("fields", texts(w, changes, count, offsetof(struct activity_change, field))),
        B_TEXT("previous", texts(w, changes, count, offsetof(struct activity_change, previous))),
        B_TEXT("current", texts(w, changes, count, offsetof(struct activity_change, current))),
        B_TEXT("objects", object_ids(w, changes, count)),
        B_TEXT("address", by ? (struct str){0} : staff_address(w)),
        B_INT("now", w->now),
        {0}};
    for (int i = 0; i < 3; i++)
        if (strcmp(binds[i].name, t->owner) == 0) binds[i].type = BIND_INT, binds[i].i = owner;
    return db_later(w->conn, &activity_insert, binds);
}

int activity_add(struct work *w, int64_t user_id, enum activity_name name,
                 const struct activity_change *changes, int count) {
    return activity_write(w, &trails[0], user_id, NULL, name, S("could not deliver a mail to this person"),
                          changes, count);
}

/* ---- the finisher ---------------------------------------------------------------------------- */

/* The names before and after a change. */
#define NAMES_OF(name, table)                                                    \
    "SELECT (SELECT " name " FROM " table " WHERE id = CAST(:from AS BIGINT)), " \
    "(SELECT " name " FROM " table " WHERE id = CAST(:to AS BIGINT))"
QUERY(names_of_statuses, NAMES_OF("label", "case_statuses"));
QUERY(names_of_priorities, NAMES_OF("label", "case_priorities"));
QUERY(names_of_types, NAMES_OF("label", "case_types"));
QUERY(names_of_teams, NAMES_OF("title", "teams"));
QUERY(names_of_sla_versions, NAMES_OF("title", "sla_versions"));
QUERY(names_of_forms, NAMES_OF("title", "case_forms"));
QUERY(names_of_brands, NAMES_OF("name", "brands"));
QUERY(names_of_people, NAMES_OF("full_name", "users"));

/* Properties that are references. */
static const struct reference_property {
    const char *kind, *property, *type;
    const struct query *names; /* NULL: the change has the names, or the object has none */
} reference_properties[] = {
    {"case", "status", "case_status", &names_of_statuses},
    {"case", "priority", "case_priority", &names_of_priorities},
    {"case", "type", "case_type", &names_of_types},
    {"case", "form", "case_form", &names_of_forms},
    {"case", "brand", "brand", &names_of_brands},
    {"case", "sla_version", "sla_version", &names_of_sla_versions},
    {"case", "assigned_team", "team", &names_of_teams},
    {"case", "assigned_agent", "user", &names_of_people},
    {"case", "requester", "user", &names_of_people},
    {"case", "merged_into", "case", NULL},
    {"case", "split_from", "case", NULL},
    {"case", "split_into", "case", NULL},
    {"user", "role", "role", NULL},
    {"user", "organization", "organization", NULL},
    {"user", "locale", "locale", NULL},
    {0},
};

static const struct reference_property *reference_property_of(const char *kind, struct str property) {
    for (const struct reference_property *r = reference_properties; r->kind; r++)
        if (strcmp(r->kind, kind) == 0 && str_eq(str_of(r->property), property)) return r;
    return NULL;
}

const char *activity_reference_type(const char *kind, struct str field) {
    const struct reference_property *r = reference_property_of(kind, field);
    return r ? r->type : NULL;
}

static struct str changed_value_shown(struct work *w, const struct changed_value *v) {
    return v->given && v->shown.p ? v->shown : changed_value_text(w->arena, v);
}

int change_values_shown(struct work *w, const struct change *c, struct str *from, struct str *to) {
    const struct reference_property *r = reference_property_of(c->kind, str_of(c->property));
    struct stmt *row;
    *from = *to = (struct str){0};
    if (c->named) return 0;
    *from = changed_value_shown(w, &c->from);
    *to = changed_value_shown(w, &c->to);
    if (r == NULL || r->names == NULL) return 0;
    int rc = db_row(
        w->conn, r->names,
        BINDS(B_ID("from", c->from.given ? c->from.number : 0), B_ID("to", c->to.given ? c->to.number : 0)),
        &row);
    if (rc <= 0) return rc;
    if (!col_null(row, 0)) *from = str_dup(w->arena, col_text(row, 0));
    if (!col_null(row, 1)) *to = str_dup(w->arena, col_text(row, 1));
    stmt_end(row);
    return 0;
}

/* Appends "changed full_name and role". The sentence contains no value. */
static void put_changed_fields(struct buf *b, const struct activity_change *changes, int count) {
    for (int i = 0; i < count; i++) {
        buf_text(b, i == 0 ? "changed " : i == count - 1 ? " and " : ", ");
        buf_str(b, changes[i].field);
    }
}

static struct str deed(struct work *w, const struct trail *t, enum change_verb verb,
                       const struct activity_change *changes, int count) {
    struct buf b = {0};
    if (verb != CHANGE_UPDATED)
        return str_fmt(w->arena, "%s %s", verb == CHANGE_CREATED ? "created" : "deleted", t->what);
    put_changed_fields(&b, changes, count);
    return buf_take(&b, w->arena);
}

/* Changes of one object by one author are one activity. Returns their number if `c` is the first of them,
 * else 0. */
static int changes_begun_by(struct work *w, const struct change *c, const struct change ***out) {
    int n = 0, count = changes_of_object(w, (struct changed){c->kind, c->id, c->case_id}, out);
    for (int i = 0; i < count; i++)
        if ((*out)[i]->by == c->by) (*out)[n++] = (*out)[i];
    return n && (*out)[0] == c ? n : 0;
}

/* The name of a person is not stored, because a purge of the person could not find it: readers get the
 * present name. */
static int change_shown(struct work *w, const struct change *c, struct activity_change *out) {
    const char *type = activity_reference_type(c->kind, str_of(c->property));
    *out = (struct activity_change){.field = str_of(c->property)};
    if (type && c->from.given) out->previous_id = c->from.number;
    if (type && c->to.given) out->current_id = c->to.number;
    if (type && strcmp(type, "user") == 0) return 0;
    return change_values_shown(w, c, &out->previous, &out->current);
}

/* Writes the activity of an object that has these changes. */
static int activity_of(struct work *w, const struct trail *t, const struct change **own, int count) {
    enum change_verb verb = CHANGE_UPDATED;
    struct activity_change *list = arena_array(w->arena, (size_t)count + 1, sizeof *list);
    int n = 0;
    for (int i = 0; i < count; i++)
        if (own[i]->verb != CHANGE_UPDATED) verb = own[i]->verb;
    for (int i = 0; i < count && verb != CHANGE_DELETED; i++)
        if (own[i]->verb == CHANGE_UPDATED) TRY(change_shown(w, own[i], &list[n++]));
    enum activity_name name = verb == CHANGE_CREATED   ? t->created
                              : verb == CHANGE_DELETED ? t->deleted
                                                       : t->updated;
    return activity_write(w, t, own[0]->id, own[0]->by, name, deed(w, t, verb, list, n), list, n);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static struct str firing_deed(struct work *w, const struct change_author *by,
                              const struct activity_change *changes, int count) {
    struct buf b = {0};
    put_changed_fields(&b, changes, count);
    for (int refused = 0; refused < 2; refused++) {
        bool first = true;
        for (const struct rule_note *n = by->notes; n; n = n->next) {
            if (n->refused != (refused == 1)) continue;
            if (b.n) buf_text(&b, ", ");
            if (first) buf_text(&b, refused ? "could not do " : "sent ");
            buf_str(&b, n->action);
            first = false;
        }
    }
    if (b.n == 0) buf_text(&b, "fired");
    if (by->notes || count == 0) buf_text(&b, " on this conversation");
    return buf_take(&b, w->arena);
}

static bool of_firing(const struct change *c, const struct change_author *by) {
    return c->by == by && c->id == by->case_id && strcmp(c->kind, "case") == 0;
}

/* Writes the activity of a rule that fired: what it changed, what it sent, and which actions were not
 * done, with the reasons. */
static int activity_of_firing(struct work *w, const struct change_author *by) {
    const struct trail *t = trail_of("case");
    struct activity_change *list;
    const struct change **own;
    int n = 0, notes = 0,
        count = changes_of_object(w, (struct changed){"case", by->case_id, by->case_id}, &own);
    for (const struct rule_note *x = by->notes; x; x = x->next) notes++;
    list = arena_array(w->arena, (size_t)(count + notes) + 1, sizeof *list);
    for (int i = 0; i < count; i++) {
        if (own[i]->by != by || own[i]->verb != CHANGE_UPDATED) continue;
        TRY(change_shown(w, own[i], &list[n++]));
    }
    struct activity_change *last = list + n;
    for (const struct rule_note *x = by->notes; x; x = x->next, last++)
        *last = (struct activity_change){
            .field = x->action,
            .current = x->refused ? str_fmt(w->arena, NOT_DONE "%.*s", (int)x->text.n, x->text.p) : x->text,
        };
    return activity_write(w, t, by->case_id, by, n ? CASE_UPDATED : CASE_RULE_FIRED,
                          firing_deed(w, by, list, n), list, n + notes);
}

int activities_finish(struct work *w) {
    for (const struct change *c = changes_of(w); c; c = c->next) {
        const struct trail *t = trail_of(c->kind);
        const struct change **own;
        int n = t && !(c->by && of_firing(c, c->by)) ? changes_begun_by(w, c, &own) : 0;
        if (n) TRY(activity_of(w, t, own, n));
    }
    for (const struct change_author *by = change_authors_of(w); by; by = by->next)
        TRY(activity_of_firing(w, by));
    return 0;
}
