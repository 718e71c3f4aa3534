/* The actions of triggers and monitors: each is a function and a row of the table at the end.
 *
 * Actions call the functions that requests call, so that their effects are those of a request. Nothing is
 * written if nothing differs. A function returns 0, or a negative error. An action that can't be done fails
 * on the work with the reason. */
#include "core/rules/action.h"

#include "base/buf.h"
#include "base/limits.h"
#include "core/cases/survey.h"
#include "core/cases/macro.h"
#include "core/people/tag.h"
#include "core/endpoints/delivery.h"
#include "core/letters/letter.h"

#include <inttypes.h>

/* ---- properties ------------------------------------------------------------------------------ */

static int firing_change(struct firing *f, const struct case_change *change) {
    TRY(case_not_hidden(f->w, f->now));
    TRY(case_not_closed(f->w, f->now));
    return case_change(f->w, f->now, change);
}

/* The object must still exist. It is held, so that it can't be deleted before the write ends. */
static int firing_refers(struct firing *f, const struct rule_action *a, int64_t id) {
    int64_t found;
    if (id <= 0 || a->kind->known == NULL) return 0;
    int rc = db_int(f->w->conn, a->kind->known, BINDS(B_INT("id", id)), &found);
    return rc < 0 ? rc : rc ? 0 : fail_state(f->w, "%s", a->kind->unknown);
}

static int run_status(struct firing *f, const struct rule_action *a) {
    if (a->number == f->now->status_id) return 0;
    TRY(firing_refers(f, a, a->number));
    return firing_change(f, &(struct case_change){.set = CASE_STATUS, .status_id = a->number});
}

static int run_priority(struct firing *f, const struct rule_action *a) {
    int64_t id = a->number;
    if (a->option != ACTION_CHANGE)
        TRY(case_priority_next(f->w, f->now->priority_id, a->option == ACTION_INCREASE, &id));
    if (id == f->now->priority_id) return 0;
    TRY(firing_refers(f, a, id));
    return firing_change(f, &(struct case_change){.set = CASE_PRIORITY, .priority_id = id});
}

static int run_type(struct firing *f, const struct rule_action *a) {
    if (a->number == f->now->type_id) return 0;
    TRY(firing_refers(f, a, a->number));
    return firing_change(f, &(struct case_change){.set = CASE_TYPE, .type_id = a->number});
}

static int run_assignee(struct firing *f, const struct rule_action *a) {
    int64_t id = a->number;
    if (id == THE_CURRENT_USER) {
        id = f->person->user_id;
        if (id == 0 || f->person->rank < ROLE_COLLABORATOR)
            return fail_state(f->w, "The change was not made by a member of staff.");
    }
    if (id == f->now->assigned_agent_id) return 0;
    TRY(firing_refers(f, a, id));
    return firing_change(f, &(struct case_change){.set = CASE_AGENT, .assigned_agent_id = id});
}

static int run_team(struct firing *f, const struct rule_action *a) {
    if (a->number == f->now->assigned_team_id) return 0;
    TRY(firing_refers(f, a, a->number));
    return firing_change(f, &(struct case_change){.set = CASE_TEAM, .assigned_team_id = a->number});
}

/* ---- tags ------------------------------------------------------------------------------------ */

QUERY(firing_tag_keys,
      "SELECT g.name_key FROM case_tags k JOIN tags g ON g.id = k.tag_id WHERE k.case_id = :id");

/* *present: the number of tags of the conversation; *shared: those among them that the action names. */
static int firing_count_tags(struct firing *f, const struct rule_action *a, int *present, int *shared) {
    struct str *keys = arena_array(f->w->arena, (size_t)a->tag_count + 1, sizeof *keys);
    int rc;
    *present = *shared = 0;
    for (int i = 0; i < a->tag_count; i++) keys[i] = tag_key(f->w->arena, a->tags[i]);
    DB_ROWS(rc, f->w->conn, &firing_tag_keys, BINDS(B_INT("id", f->now->id)), row) {
        ++*present;
        for (int i = 0; i < a->tag_count; i++)
            if (str_eq(keys[i], col_text(row, 0))) ++*shared;
    }
    return rc;
}

static int run_tags(struct firing *f, const struct rule_action *a) {
    int present, shared;
    TRY(case_not_hidden(f->w, f->now));
    TRY(firing_count_tags(f, a, &present, &shared));
    bool all = shared == a->tag_count;
    switch (a->option) {
    case ACTION_ADD:
        if (all) return 0;
        if (present + a->tag_count - shared > LIMIT_TAGS)
            return fail_state(f->w, "The conversation would have more than %d tags.", LIMIT_TAGS);
        return tags_add(f->w, &case_tagging, f->now->id, a->tags, a->tag_count);
    case ACTION_REMOVE:
        return shared ? tags_remove(f->w, &case_tagging, f->now->id, a->tags, a->tag_count) : 0;
    default:
        return all && present == shared
                   ? 0
                   : tags_replace(f->w, &case_tagging, f->now->id, a->tags, a->tag_count);
    }
}

/* ---- custom fields --------------------------------------------------------------------------- */

QUERY(firing_field_value,
      "SELECT value FROM field_values WHERE owner_id = :id AND area = 1 AND field_id = :field");

/* The ids of `list`, without or with those of `other`, as text with commas. */
static struct str options_joined(struct arena *a, struct str list, struct str other, bool keep) {
    struct buf b = {0};
    for (struct str rest = list; rest.p && rest.n;) {
        struct str id = str_cut(&rest, ',');
        bool found = false;
        for (struct str more = other; more.p && more.n && !found;)
            found = str_eq(str_trim(str_cut(&more, ',')), id);
        if (found && !keep) continue;
        if (b.n) buf_char(&b, ',');
        buf_str(&b, id);
    }
    if (keep && b.n && other.n) buf_char(&b, ',');
    if (keep) buf_str(&b, other);
    return buf_take(&b, a);
}

static int field_of_action(struct firing *f, const struct rule_action *a, const struct custom_field **out) {
    struct custom_field *fields;
    int n = custom_fields_of(f->w, AREA_CASES, &fields);
    TRY(n);
    for (int i = 0; i < n; i++) {
        if (fields[i].id != a->subject_id) continue;
        *out = &fields[i];
        return fields_lock(f->w, AREA_CASES, json_texts(f->w->arena, &fields[i].key, 1));
    }
    return fail_state(f->w, "%s", a->kind->unknown);
}

static int run_field(struct firing *f, const struct rule_action *a) {
    const struct custom_field *field = NULL;
    struct field_option *options = NULL;
    struct field_value v = {0};
    struct str text = a->text, present = {0};
    TRY(field_of_action(f, a, &field));
    int n = field_has_options(field->type)
                ? field_options_of(f->w, json_ids(f->w->arena, &field->id, 1), &options)
                : 0;
    TRY(n);
    TRY(db_text(f->w->conn, &firing_field_value, BINDS(B_INT("id", f->now->id), B_INT("field", field->id)),
                f->w->arena, &present));
    if (a->option != ACTION_CHANGE)
        text = options_joined(f->w->arena, present, a->text, a->option == ACTION_ADD);
    const char *why = text.n ? field_value_read(f->w->arena, field, options, n, text, &v.value) : NULL;
    if (why) return fail_state(f->w, "%s", why);
    if (v.value.n == 0) v.value.p = NULL;
    if (v.value.p ? str_eq(v.value, present) : present.p == NULL) return 0;
    v.field = field;
    return firing_change(f, &(struct case_change){.values = &v, .value_count = 1});
}

/* ---- mails ----------------------------------------------------------------------------------- */

static void firing_did(struct firing *f, const struct rule_action *a, struct str text) {
    change_author_note(f->w, f->author, (struct rule_note){.action = a->name, .text = text});
}

QUERY(last_active_user, "SELECT COALESCE(last_updated_by_id, last_replier_id, 0) FROM cases WHERE id = :id");
QUERY(members_notified, "SELECT m.user_id FROM team_members m WHERE m.team_id = :id ORDER BY m.user_id");
QUERY(people_notified, "SELECT u.id, u.full_name, e.email FROM users u "
                       "JOIN identity_emails e ON e.user_id = u.id AND e.is_primary = 1 "
                       "WHERE u.id IN @LIST(:ids) AND u.deleted_at IS NULL AND u.is_enabled = 1 "
                       "ORDER BY u.id");

struct notified {
    int64_t id;
    struct str name, address;
};

/* Sends the mail of the action to these people. */
static int notify(struct firing *f, const struct rule_action *a, const int64_t *ids, int count) {
    struct work *w = f->w;
    struct notified *people = arena_array(w->arena, (size_t)count + 1, sizeof *people);
    struct str subject, message;
    struct buf names = {0};
    int rc, n = 0;
    if (change_notifications_stopped(w, f->now->id))
        return fail_state(w, "A rule has stopped the notifications of this change.");
    DB_ROWS(rc, w->conn, &people_notified, BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)count))), row)
    people[n++] = (struct notified){col_int(row, 0), str_dup(w->arena, col_text(row, 1)),
                                    str_dup(w->arena, col_text(row, 2))};
    if (rc < 0) return rc;
    if (n == 0) return fail_state(w, "Nobody with an e-mail address is to be notified.");
    int64_t agent = f->person->rank >= ROLE_COLLABORATOR && f->person->user_id ? f->person->user_id
                                                                               : f->now->assigned_agent_id;
    TRY(case_text_fill(w, f->now, agent, a->subject, &subject));
    TRY(case_text_fill(w, f->now, agent, a->message, &message));
    for (int i = 0; i < n && rc >= 0; i++) {
        rc = letter_notification(w, (struct letter_to){f->now->id, people[i].id, people[i].address},
                                 f->person->kind == ACTOR_MAIL, subject, message);
        if (rc <= 0) continue;
        if (names.n) buf_text(&names, ", ");
        buf_str(&names, people[i].name);
    }
    struct str told = buf_take(&names, w->arena);
    if (rc >= 0 && told.n == 0)
        return fail_state(
            w,
            "No e-mail was sent, because at most %d automatic ones an hour go to an address about a "
            "conversation, or as answers to its mails, and none to an address of a machine.",
            LETTERS_OF_RULES);
    firing_did(f, a, told);
    return rc < 0 ? rc : 0;
}

static int run_notification_user(struct firing *f, const struct rule_action *a) {
    int64_t id = a->number;
    switch (id) {
    case LAST_ACTIVE_USER:
        TRY(db_int(f->w->conn, &last_active_user, BINDS(B_INT("id", f->now->id)), &id));
        break;
    case THE_REQUESTER: id = f->now->requester_id; break;
    case THE_ASSIGNEE: id = f->now->assigned_agent_id; break;
    default: break;
    }
    if (id <= 0)
        return fail_state(f->w, a->number == THE_ASSIGNEE
                                    ? "No agent is assigned."
                                    : "No person has updated the conversation or replied in it yet.");
    return notify(f, a, &id, 1);
}

static int run_notification_team(struct firing *f, const struct rule_action *a) {
    int64_t id = a->number == THE_TEAM ? f->now->assigned_team_id : a->number, *members;
    if (id == 0) return fail_state(f->w, "No team is assigned.");
    TRY(firing_refers(f, a, id));
    int n = db_ids(f->w->conn, &members_notified, BINDS(B_INT("id", id)), f->w->arena, &members);
    return n < 0 ? n : notify(f, a, members, n);
}

static int run_stop_notification(struct firing *f, const struct rule_action *a) {
    change_author_stop(f->w, f->author);
    firing_did(f, a, S("true"));
    return 0;
}

static int run_stop_rules(struct firing *f, const struct rule_action *a) {
    (void)a;
    f->stops_rules = true;
    return 0;
}

static int run_survey(struct firing *f, const struct rule_action *a) {
    TRY(survey_send(f->w, f->now->id));
    firing_did(f, a, S("true"));
    return 0;
}

/* ---- endpoints ------------------------------------------------------------------------------- */

static int run_endpoint(struct firing *f, const struct rule_action *a) {
    int64_t agent = f->person->rank >= ROLE_COLLABORATOR && f->person->user_id ? f->person->user_id
                                                                               : f->now->assigned_agent_id;
    int added = delivery_add_action(f->w, a->subject_id, f->now, agent, a->text);
    TRY(added);
    if (added == 0) return fail_state(f->w, "The endpoint was deleted or is disabled.");
    firing_did(f, a, S("queued"));
    return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

QUERY(action_statuses, "SELECT id, label FROM case_statuses WHERE is_deleted = 0 ORDER BY sort_order, id");
QUERY(action_priorities, "SELECT id, label FROM case_priorities ORDER BY level, id");
QUERY(action_types, "SELECT id, label FROM case_types ORDER BY sort_order, id");
QUERY(action_teams, "SELECT id, title FROM teams WHERE deleted_at IS NULL ORDER BY title, id");
QUERY(action_status_known, "SELECT id FROM case_statuses WHERE id = :id AND is_deleted = 0 @HOLD@");
QUERY(action_priority_known, "SELECT id FROM case_priorities WHERE id = :id @HOLD@");
QUERY(action_type_known, "SELECT id FROM case_types WHERE id = :id @HOLD@");
QUERY(action_team_known, "SELECT id FROM teams WHERE id = :id AND deleted_at IS NULL @HOLD@");
QUERY(action_agent_known,
      "SELECT id FROM users "
      "WHERE id = :id AND deleted_at IS NULL AND is_enabled = 1 AND role_type >= 2 @HOLD@");
QUERY(action_person_known, "SELECT id FROM users WHERE id = :id AND deleted_at IS NULL @HOLD@");
QUERY(action_endpoint_known, "SELECT id FROM endpoints WHERE id = :id AND deleted_at IS NULL @HOLD@");
QUERY(action_field_known,
      "SELECT id FROM custom_fields WHERE id = :id AND area = 1 AND is_enabled = 1 AND is_system = 0 @HOLD@");

static const struct option no_object[] = {{"0", "(none)", 0}, {0}};
static const struct option unassigned[] = {{"0", "(unassigned)", 0}, {0}};
static const struct option assignees[] = {{"0", "(unassigned)", 0}, {"-4", "(current user)", 0}, {0}};
static const struct option recipients[] = {
    {"-2", "(last active user)", 0}, {"-3", "(requester)", 0}, {"-4", "(assigned agent)", 0}, {0}};
static const struct option recipient_teams[] = {{"-5", "(assigned team)", 0}, {0}};

#define DO(option) (1u << (option))

/* clang-format off */
const struct action_kind action_kinds[] = {
    {"status", "Status", DO(ACTION_CHANGE), ACTION_ID, "OPTIONS", "NUMERIC", "CASE", .run = run_status, .values = &action_statuses,
     .known = &action_status_known, .unknown = "There is no status with this id. GET /cases/statuses lists them."},
    {"priority", "Priority", DO(ACTION_CHANGE) | DO(ACTION_INCREASE) | DO(ACTION_DECREASE), ACTION_ID, "OPTIONS", "NUMERIC", "CASE", .run = run_priority,
     .values = &action_priorities, .specials = no_object, .known = &action_priority_known,
     .unknown = "There is no priority with this id. GET /cases/priorities lists them."},
    {"type", "Type", DO(ACTION_CHANGE), ACTION_ID, "OPTIONS", "NUMERIC", "CASE", .run = run_type, .values = &action_types, .specials = no_object,
     .known = &action_type_known, .unknown = "There is no type with this id. GET /cases/types lists them."},
    {"assignee", "Assigned agent", DO(ACTION_CHANGE), ACTION_ID, "AUTOCOMPLETE", "NUMERIC", "CASE", .run = run_assignee, .specials = assignees,
     .known = &action_agent_known, .unknown = "This is no enabled member of staff. GET /users lists people and their roles."},
    {"team", "Assigned team", DO(ACTION_CHANGE), ACTION_ID, "OPTIONS", "NUMERIC", "CASE", .run = run_team, .values = &action_teams, .specials = unassigned,
     .known = &action_team_known, .unknown = "There is no team with this id. GET /teams lists them."},
    {"tags", "Tags", DO(ACTION_ADD) | DO(ACTION_REMOVE) | DO(ACTION_REPLACE), ACTION_TAGS, "TAGS", "COLLECTION", "CASE", .run = run_tags},
    {"satisfactionsurvey", "Satisfaction survey", DO(ACTION_SEND), ACTION_TRUE, "BOOLEAN_TRUE", "BOOLEAN", "NOTIFICATION", .run = run_survey},
    {"notificationuser", "E-mail to a person", DO(ACTION_SEND), ACTION_MAIL, "NOTIFICATION_USER", "ATTRIBUTES", "NOTIFICATION", .run = run_notification_user,
     .specials = recipients, .known = &action_person_known, .unknown = "There is no person with this id. GET /users lists them."},
    {"notificationteam", "E-mail to a team", DO(ACTION_SEND), ACTION_MAIL, "NOTIFICATION_TEAM", "ATTRIBUTES", "NOTIFICATION", .run = run_notification_team,
     .values = &action_teams, .specials = recipient_teams, .known = &action_team_known,
     .unknown = "There is no team with this id. GET /teams lists them."},
    {"stopnotification", "Stop notifications", DO(ACTION_SEND), ACTION_TRUE, "BOOLEAN_TRUE", "BOOLEAN", "FLOW_CONTROL", .run = run_stop_notification},
    {"stoprules", "Stop rules", DO(ACTION_SEND), ACTION_TRUE, "BOOLEAN_TRUE", "BOOLEAN", "FLOW_CONTROL", .run = run_stop_rules},
    {"endpoint_", "Endpoint", DO(ACTION_SEND), ACTION_TEXT, "ENDPOINT", "STRING", "ENDPOINT", .run = run_endpoint, .known = &action_endpoint_known,
     .unknown = "There is no endpoint with this id. GET /endpoints lists them."},
    {"customfield_", "Custom field", DO(ACTION_CHANGE) | DO(ACTION_ADD) | DO(ACTION_REMOVE), ACTION_FIELD, "STRING", "STRING", "CUSTOM_FIELD", .run = run_field,
     .known = &action_field_known, .unknown = "There is no enabled custom field with this id. GET /cases/fields lists them."},
    {0},
};
/* clang-format on */
