#include "res/case_parts.h"

#include "api/rows/generic.h"
#include "core/rules/sla_match.h"
#include "core/words.h"
#include "res/field_value.h"

QUERY(assignable_agent, "SELECT u.id FROM users u JOIN roles r ON r.id = u.role_id "
                        "WHERE u.id = :id AND u.is_enabled = 1 AND u.deleted_at IS NULL AND r.type >= 2");

int check_assigned_agent(struct call *c, struct in *in) {
    int64_t id;
    if (in->value.type != V_INT) return 0;
    int rc = db_int(c->work.conn, &assignable_agent, BINDS(B_INT("id", in->value.i)), &id);
    if (rc) return rc < 0 ? rc : 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "This is no enabled member of staff. GET /users lists people and their roles.");
}

#define YEAR (366 * TIME_DAY)

int check_within_year(struct call *c, struct in *in) {
    if (in->value.type != V_INT) return 0;
    if (in->value.i <= c->work.now)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "The time must be in the future.");
    if (in->value.i > c->work.now + YEAR)
        return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                       "The time can be at most a year ahead.");
    return 0;
}

static const struct {
    const char *name;
    enum case_property bit;
} properties[] = {{"subject", CASE_SUBJECT},     {"status", CASE_STATUS},      {"priority", CASE_PRIORITY},
                  {"type", CASE_TYPE},           {"assigned_team", CASE_TEAM}, {"assigned_agent", CASE_AGENT},
                  {"requester", CASE_REQUESTER}, {"brand", CASE_BRAND},        {"form", CASE_FORM},
                  {"legacy_id", CASE_LEGACY_ID}};

struct case_change case_change_given(struct call *c) {
    struct case_change change = {.subject = in_text(c, "subject"),
                                 .status_id = in_int(c, "status"),
                                 .priority_id = in_int(c, "priority"),
                                 .type_id = in_int(c, "type"),
                                 .assigned_team_id = in_int(c, "assigned_team"),
                                 .assigned_agent_id = in_int(c, "assigned_agent"),
                                 .requester_id = in_int(c, "requester"),
                                 .brand_id = in_int(c, "brand"),
                                 .form_id = in_int(c, "form"),
                                 .legacy_id = in_text(c, "legacy_id"),
                                 .sla = sla_of_changed};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (given(c, properties[i].name)) change.set |= properties[i].bit;
    change.value_count = field_values_given(c, &change.values);
    return change;
}

QUERY(closing_status, "SELECT id FROM case_statuses WHERE id = :id AND type = 5");

int check_closing(struct call *c) {
    int64_t id;
    if (c->work.actor.rank >= ROLE_ADMIN || !given(c, "status")) return 0;
    int rc = db_int(c->work.conn, &closing_status, BINDS(B_INT("id", in_int(c, "status"))), &id);
    if (rc <= 0) return rc;
    return in_fail(c, "status", ERR_PERMISSIONS_DENIED, "Admins and owners close conversations.");
}

/* ---- targets ---------------------------------------------------------------------------------- */

int load_targets(struct call *c, struct case_now **out) {
    struct case_now *list = arena_array(c->work.arena, (size_t)c->id_count + 1, sizeof *list);
    for (int i = 0; i < c->id_count; i++) {
        int rc = case_load(&c->work, c->ids[i], &list[i]);
        if (rc <= 0) return rc < 0 ? rc : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    }
    *out = list;
    return 0;
}

int refuse_targets(struct call *c, const struct case_now *targets, why_not *why) {
    int refused = 0;
    for (int i = 0; i < c->id_count; i++) {
        const char *text = why(&c->work, &targets[i]);
        if (text) refused = api_refuse_target(c, c->ids[i], text);
    }
    return refused;
}
