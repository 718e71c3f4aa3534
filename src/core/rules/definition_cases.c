/* The fields of conversations that rules may use: views today, triggers, monitors and SLAs later. */
#include "core/change/cascade.h"
#include "core/rules/definition.h"
#include "core/rules/definition_rows.h"
#include "core/words.h"

QUERY(status_options, "SELECT id, label, COUNT(*) OVER () FROM case_statuses WHERE is_deleted = 0 ORDER BY sort_order, id");
QUERY(priority_options, "SELECT id, label, COUNT(*) OVER () FROM case_priorities ORDER BY level, id");
QUERY(type_options, "SELECT id, label, COUNT(*) OVER () FROM case_types ORDER BY sort_order, id");
QUERY(team_options, "SELECT id, title, COUNT(*) OVER () FROM teams WHERE deleted_at IS NULL ORDER BY title, id");
QUERY(brand_options, "SELECT id, name, COUNT(*) OVER () FROM brands ORDER BY id");
QUERY(form_options, "SELECT id, title, COUNT(*) OVER () FROM case_forms WHERE is_deleted = 0 ORDER BY sort_order, id");
QUERY(role_options_of_requester, "SELECT id, title, COUNT(*) OVER () FROM roles ORDER BY id");

QUERY(known_person, "SELECT id FROM users WHERE id = :id AND deleted_at IS NULL");
QUERY(known_organization, "SELECT id FROM organizations WHERE id = :id AND deleted_at IS NULL");

/* The keys are words of `channels`. */
static const struct option channel_options[] = {{"MAIL", "E-mail"},     {"MESSENGER", "Messenger"},    {"FACEBOOK", "Facebook"},
                                                {"TWITTER", "Twitter"}, {"HELPCENTER", "Help center"}, {0}};

/* The keys are words of `rating_scores`. */
static const struct option rating_options[] = {{"GOOD", "Good"}, {"BAD", "Bad"}, {0}};
static const struct special_value unrated[] = {{"0", "Not set", NO_VALUE, NULL}, {0}};
static const struct special_value none[] = {{"0", "(none)", NO_VALUE, NULL}, {0}};
static const struct special_value teams[] = {
    {"0", "(unassigned)", NO_VALUE, NULL}, {"(current_users_team)", "(teams of the current user)", CURRENT_USERS_TEAMS, NULL}, {0}};
static const struct special_value agents[] = {{"0", "(unassigned)", NO_VALUE, NULL},
                                              {"(current_user)", "(current user)", CURRENT_USER, NULL},
                                              {"(requester)", "(requester)", SAME_AS_FIELD, "cases.requesterid"},
                                              {0}};
static const struct special_value requesters[] = {{"(current_user)", "(current user)", CURRENT_USER, NULL},
                                                  {"(assignee)", "(assigned agent)", SAME_AS_FIELD, "cases.assigneeagentid"},
                                                  {0}};
static const struct special_value people[] = {
    {"0", "(nobody)", NO_VALUE, NULL}, {"(current_user)", "(current user)", CURRENT_USER, NULL}, {0}};

/* clang-format off */
/* A conversation is not updated before any of these times, so a list in the order of updated_at ends there. */
#define NOT_UPDATED_BEFORE .implied_from = "t.updated_at >= :from"
#define OF_CASES .group = "CASES", .rarity = "COMMON"
#define CHOICE(of, title, column, ...) \
    {.field = of, .label = title, .input = INPUT_OPTIONS, .kind = VALUE_NUMBER, .type = "NUMERIC", .sub_type = "INTEGER", .value = column, __VA_ARGS__}
#define LOOKUP(of, title, column, ...) \
    {.field = of, .label = title, .input = INPUT_AUTOCOMPLETE, .kind = VALUE_NUMBER, .type = "NUMERIC", .sub_type = "INTEGER", .value = column, __VA_ARGS__}
#define NUMBER(of, title, column, ...) \
    {.field = of, .label = title, .input = INPUT_INTEGER, .kind = VALUE_NUMBER, .type = "NUMERIC", .sub_type = "INTEGER", .value = column, __VA_ARGS__}

static const struct definition case_definitions[] = {
    {.field = "cases.subject", .label = "Subject", .input = INPUT_STRING, .kind = VALUE_TEXT, .type = "STRING", .value = "t.subject_key",
     .doc = "Subject of the conversation.", OF_CASES},
    CHOICE("cases.casestatusid", "Status", "t.status_id", .option_rows = &status_options,
           .implied = "t.status_type = (SELECT s.type FROM case_statuses s WHERE s.id = :equal)", .doc = "Status.", OF_CASES),
    CHOICE("cases.casepriorityid", "Priority", "t.priority_id", .option_rows = &priority_options, .specials = none, .doc = "Priority.", OF_CASES),
    /* +: the index of types is not in the order of a list, and most types have many conversations. */
    CHOICE("cases.casetypeid", "Type", "+t.type_id", .option_rows = &type_options, .specials = none, .doc = "Type.", OF_CASES),
    CHOICE("cases.assigneeteamid", "Assigned team", "t.assigned_team_id", .option_rows = &team_options, .specials = teams, .gone = GONE_TEAMS,
           .doc = "Team that works on the conversation.", OF_CASES),
    LOOKUP("cases.assigneeagentid", "Assigned agent", "t.assigned_agent_id", .specials = agents, .known = &known_person, .gone = GONE_AGENTS,
           .doc = "Agent who works on the conversation.", OF_CASES),
    LOOKUP("cases.requesterid", "Requester", "t.requester_id", .specials = requesters, .known = &known_person, .doc = "Person who asks.", OF_CASES),
    LOOKUP("users.organizationid", "Organization", "t.organization_id", .specials = none, .known = &known_organization,
           .gone = GONE_ORGANIZATIONS, .doc = "Organization of the requester.", .group = "ORGANIZATION", .rarity = "COMMON"),
    {.field = "tags.name", .label = "Tags", .input = INPUT_TAGS, .kind = VALUE_TEXT, .type = "COLLECTION", .value = "g.name_key",
     .among = "case_tags x JOIN tags g ON g.id = x.tag_id", .owner = "x.case_id", .doc = "Tags of the conversation.", OF_CASES},
    CHOICE("cases.channel", "Channel", "t.channel", .options = channel_options, .words = channels, .doc = "Channel that the conversation came by.", OF_CASES),
    CHOICE("cases.brandid", "Brand", "COALESCE(t.brand_id, 1)", .option_rows = &brand_options, .doc = "Brand.", OF_CASES),
    CHOICE("cases.caseformid", "Form", "t.form_id", .option_rows = &form_options, .specials = none, .doc = "Form.", OF_CASES),
    CHOICE("cases.rating", "Rating", "t.rating", .options = rating_options, .words = rating_scores, .specials = unrated,
           .doc = "Rating by the customer.", .group = "SATISFACTION", .rarity = "COMMON"),
    LOOKUP("cases.lastupdatedby", "Last updated by", "t.last_updated_by_id", .specials = people, .known = &known_person,
           .doc = "Person who last changed the conversation.", OF_CASES),
    NUMBER("cases.postcount", "Number of posts", "(t.message_seq + t.notes_count)", .doc = "Number of messages and notes.", OF_CASES),
    NUMBER("casemetrics.reopencount", "Number of reopenings", "t.reopen_count", .doc = "Number of times that the conversation was reopened.",
           .group = "CASES", .rarity = "LESS_COMMON"),
    DATES("cases.createdat", "t.created_at", "Created", "Time of creation", NOT_UPDATED_BEFORE, .rarity = "COMMON"),
    DATES("cases.updatedat", "t.updated_at", "Updated", "Time of the last change", .rarity = "COMMON"),
    DATES("cases.lastagentactivityat", "t.last_agent_activity_at", "Last activity of staff", "Time of the last change or post by staff",
          NOT_UPDATED_BEFORE, .rarity = "LESS_COMMON"),
    DATES("cases.lastcompletedat", "t.last_completed_at", "Completed", "Time when the status last became COMPLETED", NOT_UPDATED_BEFORE, .rarity = "LESS_COMMON"),
    {.field = "requester.tags", .label = "Tags of the requester", .input = INPUT_TAGS, .kind = VALUE_TEXT, .type = "COLLECTION",
     .value = "g.name_key", .among = "user_tags x JOIN tags g ON g.id = x.tag_id JOIN cases k ON k.requester_id = x.user_id",
     .owner = "k.id", .doc = "Tags of the requester.", .group = "REQUESTER", .rarity = "COMMON"},
    {.field = "users.roleid", .label = "Role of the requester", .input = INPUT_OPTIONS, .kind = VALUE_NUMBER, .type = "NUMERIC",
     .sub_type = "INTEGER", .value = "(SELECT u.role_id FROM users u WHERE u.id = t.requester_id)", .option_rows = &role_options_of_requester,
     .doc = "Role of the requester.", .group = "REQUESTER", .rarity = "LESS_COMMON"},
    {0},
};
/* clang-format on */

static const struct field_source case_sources[] = {
    {AREA_CASES, "casefields", "field_values x", "x.owner_id"},
    {AREA_USERS, "requesterfields", "field_values x JOIN cases k ON k.requester_id = x.owner_id", "k.id"},
    {AREA_ORGANIZATIONS, "organizationfields", "field_values x JOIN cases k ON k.organization_id = x.owner_id", "k.id"},
    {0},
};

const struct subject case_subject = {"cases", case_definitions, case_sources};
