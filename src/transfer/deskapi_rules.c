/* SLAs, macros, views, triggers and monitors. The values of their predicates and actions are ids of other
 * rows, which become those of this desk. A rule whose predicate names a row that is not here is not
 * imported, because without the proposition it would hold for other conversations. */
#include "transfer/deskapi_parts.h"

#include <inttypes.h>

#include "transfer/foreign_row.h"
#include "transfer/imported.h"

static const struct api_kind_here slas = {"sla", "/slas", "service level agreements", "targets"},
                                  macros = {"macro", "/cases/macros", "macros", NULL},
                                  views = {"view", "/views", "views", "columns team_ids"},
                                  triggers = {"trigger", "/triggers", "triggers", "actions"},
                                  monitors = {"monitor", "/monitors", "monitors", "actions"};

/* ---- ids in values --------------------------------------------------------------------------- */

/* Rewrites the ids of a text with commas. Returns false if a row is not here. Texts and 0 stay: they are
 * special values. */
static bool ids_here(struct foreign *f, const char *type, struct str text, struct str *out) {
    struct buf b = {0};
    bool all = true;
    while (text.p && text.n) {
        struct str one = str_trim(str_cut(&text, ','));
        int64_t id, here;
        if (b.n) buf_char(&b, ',');
        if (!str_to_int(one, &id) || id <= 0) {
            buf_str(&b, one);
            continue;
        }
        all = api_found(f, type, id, &here) == 0 && here > 0 && all;
        buf_fmt(&b, "%" PRId64, here);
    }
    *out = buf_take(&b, f->item);
    return all;
}

/* Rewrites a text, a number, or a list of these. */
static bool value_ids_here(struct foreign *f, const char *type, struct json *value) {
    bool all = true;
    if (value->type == JSON_ARRAY) {
        for (struct json *j = value->first; j; j = j->next) all = value_ids_here(f, type, j) && all;
        return all;
    }
    if (value->type != JSON_STRING && value->type != JSON_NUMBER) return true;
    return ids_here(f, type, value->text, &value->text);
}

/* ---- predicates ------------------------------------------------------------------------------ */

static const struct {
    const char *field, *type;
} fields_of_ids[] = {
    {"cases.casestatusid", "case_status"},
    {"cases.casepriorityid", "case_priority"},
    {"cases.casetypeid", "case_type"},
    {"cases.caseformid", "case_form"},
    {"cases.brandid", "brand"},
    {"cases.slaversionid", "sla_version"},
    {"users.roleid", "role"},
    {"cases.requesterid", "user"},
    {"cases.assigneeagentid", "user"},
    {"cases.lastupdatedby", "user"},
    {"followers.userid", "user"},
    {"cases.assigneeteamid", "team"},
    {"users.organizationid", "organization"},
    {"languages.locale", "locale"},
};

/* The type of the rows that the values of a field name; NULL: they are no ids. */
static const char *type_of_values(struct foreign *f, struct str field) {
    struct str key = field, group = str_cut(&key, '.');
    for (size_t i = 0; i < sizeof fields_of_ids / sizeof *fields_of_ids; i++)
        if (str_eq(field, str_of(fields_of_ids[i].field))) return fields_of_ids[i].type;
    return api_field_has_options(f, group, key) ? "field_option" : NULL;
}

static struct json *member_given(struct json *object, const char *name) {
    return (struct json *)(uintptr_t)json_member(object, str_of(name));
}

/* Gives the predicate to the body. Returns false, with a report, if it names a row that is not here. */
static bool give_predicate(struct foreign *f, const struct api_kind_here *k, const struct json *item,
                           struct json *body) {
    const struct json *list = item_list(item, "predicate_collections");
    const char *missing = NULL;
    if (!list || list->count == 0) return true;
    struct json *bare = api_bare(f, list);
    for (struct json *c = bare->first; c; c = c->next) {
        struct json *propositions = member_given(c, "propositions");
        for (struct json *p = propositions ? propositions->first : NULL; p; p = p->next) {
            const char *type = type_of_values(f, json_member_text(p, "field"));
            struct json *value = member_given(p, "value");
            if (type && value && !value_ids_here(f, type, value)) missing = type;
        }
    }
    api_put(body, "predicate_collections", bare);
    if (missing)
        foreign_skip(f,
                     str_fmt(f->item, "%s (the predicate names a %s that is not here)", k->label, missing).p,
                     item_int(item, "id"));
    return missing == NULL;
}

/* ---- actions --------------------------------------------------------------------------------- */

/* The reply has a list of {name, value}, a request an object. */
static struct json *attributes_of(struct foreign *f, const struct json *list) {
    struct json *out = json_new(f->item, JSON_OBJECT);
    for (const struct json *j = list && list->type == JSON_ARRAY ? list->first : NULL; j; j = j->next) {
        struct str name = json_member_text(j, "name");
        if (str_eq(name, S("subject"))) api_put_text(f, out, "subject", json_member_text(j, "value"));
        if (str_eq(name, S("message"))) api_put_text(f, out, "message", json_member_text(j, "value"));
    }
    return out;
}

/* customfield_12: the field and its options. Returns false if the field is not here. */
static bool field_action_here(struct foreign *f, struct json *name, struct json *value) {
    int64_t id = 0, here;
    str_to_int((struct str){name->text.p + 12, name->text.n - 12}, &id);
    here = foreign_find(f, "case_field", id);
    name->text = str_fmt(f->item, "customfield_%" PRId64, here);
    if (here && value && foreign_term(f, "options", here, (struct str){0}) > 0)
        return value_ids_here(f, "field_option", value);
    return here > 0;
}

/* endpoint_7: the endpoint. Returns false if it is not here. */
static bool endpoint_action_here(struct foreign *f, struct json *name) {
    int64_t id = 0, here;
    str_to_int((struct str){name->text.p + 9, name->text.n - 9}, &id);
    here = foreign_find(f, "endpoint", id);
    name->text = str_fmt(f->item, "endpoint_%" PRId64, here);
    return here > 0;
}

static bool action_here(struct foreign *f, struct json *action) {
    static const char *const types[][2] = {{"status", "case_status"},    {"priority", "case_priority"},
                                           {"type", "case_type"},        {"assignee", "user"},
                                           {"notificationuser", "user"}, {"team", "team"},
                                           {"notificationteam", "team"}};
    struct json *name = member_given(action, "name"), *value = member_given(action, "value");
    if (!name || name->type != JSON_STRING) return false;
    if (str_starts(name->text, S("endpoint_"))) return endpoint_action_here(f, name);
    if (str_starts(name->text, S("customfield_"))) return field_action_here(f, name, value);
    for (size_t i = 0; value && i < sizeof types / sizeof *types; i++)
        if (str_eq(name->text, str_of(types[i][0]))) return value_ids_here(f, types[i][1], value);
    return true;
}

/* Gives the actions whose rows are here. Returns the number of those that are left out. */
static int give_actions(struct foreign *f, const struct json *item, struct json *body) {
    struct json *out = json_new(f->item, JSON_ARRAY);
    const struct json *list = item_list(item, "actions");
    int left = 0;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct json *action = json_new(f->item, JSON_OBJECT), *bare = api_bare(f, j);
        for (struct json *m = bare->first, *next; m; m = next) {
            next = m->next;
            m->next = NULL;
            if (!str_eq(m->name, S("attributes"))) json_append(action, m);
        }
        struct json *attributes = attributes_of(f, json_member(j, S("attributes")));
        if (attributes->count) api_put(action, "attributes", attributes);
        if (action_here(f, action)) json_append(out, action);
        else left++;
    }
    api_put(body, "actions", out);
    return left;
}

/* A rule of the source would act on the conversations that this desk has already. */
static bool stays_off(struct foreign *f, const struct api_kind_here *k, const struct json *item) {
    struct imported row;
    if (!f->maps_ids || !json_member_true(item, "is_enabled")) return f->maps_ids;
    if (imported_find(f, k->type, item_int(item, "id"), &row) == 0)
        foreign_skip(f,
                     str_fmt(f->item,
                             "enabled %s: they are disabled, because this desk has conversations of "
                             "its own",
                             k->label)
                         .p,
                     item_int(item, "id"));
    return true;
}

static int take_rule(struct foreign *f, const struct api_kind_here *k, const struct json *item) {
    struct json *body = api_body(f, api_parameters(k), item, "predicate_collections actions is_enabled");
    int64_t here, id = item_int(item, "id");
    if (!give_predicate(f, k, item, body)) return 0;
    int left = give_actions(f, item, body);
    if (left)
        foreign_skip(f,
                     str_fmt(f->item,
                             "actions of %s whose endpoint or field is not here: the %s are disabled",
                             k->label, k->label)
                         .p,
                     id);
    bool on = json_member_true(item, "is_enabled") && left == 0 && !stays_off(f, k, item);
    api_put(body, "is_enabled", json_new(f->item, on ? JSON_TRUE : JSON_FALSE));
    int rc = api_row_make(f, k, item, body, 0, &here);
    return rc < 0 ? rc : 0;
}

int take_api_trigger(struct foreign *f, const struct json *item) { return take_rule(f, &triggers, item); }
int take_api_monitor(struct foreign *f, const struct json *item) { return take_rule(f, &monitors, item); }

/* ---- SLAs ------------------------------------------------------------------------------------ */

int take_api_sla(struct foreign *f, const struct json *item) {
    struct json *body = api_body(f, api_parameters(&slas), item, "predicate_collections");
    int64_t here;
    if (json_member_true(item, "is_deleted") || !give_predicate(f, &slas, item, body)) return 0;
    if (stays_off(f, &slas, item)) {
        api_take(body, "is_enabled");
        api_put(body, "is_enabled", json_new(f->item, JSON_FALSE));
    }
    int rc = api_row_make(f, &slas, item, body, 0, &here);
    return rc < 0 ? rc : 0;
}

/* ---- macros and views ------------------------------------------------------------------------ */

/* A person of staff who is here; 0: the row becomes the owner's. */
static int64_t agent_of(struct foreign *f, const struct json *item) {
    struct author agent;
    int64_t id = api_reference(item, "agent");
    return foreign_found_person(f, id, &agent) == 1 && agent.rank > 1 ? agent.user_id : 0;
}

int take_api_macro(struct foreign *f, const struct json *item) {
    struct json *body = api_body(f, api_parameters(&macros), item, NULL);
    const struct json *assignee = json_member(item, S("assignee")),
                      *sees = json_member(item, S("visibility"));
    int64_t here;
    api_put_text(f, body, "assignee_type", json_member_text(assignee, "type"));
    api_put_id(f, body, "assigned_team_id", api_here(f, "team", api_reference(assignee, "team")));
    api_put_id(f, body, "assigned_agent_id", api_here(f, "user", api_reference(assignee, "agent")));
    api_put_text(f, body, "visibility_type", json_member_text(sees, "type"));
    api_put_id(f, body, "visible_to_team_id", api_here(f, "team", api_reference(sees, "team")));
    int rc = api_row_make(f, &macros, item, body, agent_of(f, item), &here);
    return rc < 0 ? rc : 0;
}

int take_api_view(struct foreign *f, const struct json *item) {
    struct json *body = api_body(f, api_parameters(&views), item, "predicate_collections team_ids"),
                *ids = api_list_here(f, "team", item_list(item, "visibility_to_teams"));
    int64_t here;
    if (json_member_true(item, "is_system") || !give_predicate(f, &views, item, body)) return 0;
    if (ids->count) api_put(body, "team_ids", ids);
    int rc = api_row_make(f, &views, item, body, agent_of(f, item), &here);
    return rc < 0 ? rc : 0;
}
