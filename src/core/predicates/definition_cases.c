/* The fields of conversations that SLAs, triggers, monitors and views may use (docs/RULES.md). */
#include "core/desk/cascade.h"
#include "core/predicates/definition.h"
#include "core/predicates/definition_rows.h"
#include "core/words.h"

QUERY(status_options,
      "SELECT id, label, COUNT(*) OVER (), is_deleted FROM case_statuses ORDER BY sort_order, id");
QUERY(priority_options, "SELECT id, label, COUNT(*) OVER () FROM case_priorities ORDER BY level, id");
QUERY(type_options, "SELECT id, label, COUNT(*) OVER () FROM case_types ORDER BY sort_order, id");
QUERY(team_options, "SELECT id, title, COUNT(*) OVER (), CASE WHEN deleted_at IS NULL THEN 0 ELSE 1 END "
                    "FROM teams ORDER BY title, id");
QUERY(brand_options, "SELECT id, name, COUNT(*) OVER () FROM brands ORDER BY id");
QUERY(form_options, "SELECT id, title, COUNT(*) OVER (), is_deleted FROM case_forms ORDER BY sort_order, id");
QUERY(locale_options, "SELECT locale, name, COUNT(*) OVER (), 0, id FROM locales ORDER BY locale");
/* The key is the id of a version. All versions of an SLA are equal, so that a rule holds after a change of
 * the SLA, too. */
QUERY(sla_options,
      "SELECT v.id, v.title, COUNT(*) OVER (), CASE WHEN s.version_id = v.id AND s.is_deleted = 0 "
      "THEN 0 ELSE 1 END, v.sla_id FROM sla_versions v "
      "JOIN slas s ON s.id = v.sla_id ORDER BY s.execution_order, v.id");
QUERY(role_options_of_requester, "SELECT id, title, COUNT(*) OVER () FROM roles ORDER BY id");

QUERY(known_person, "SELECT id FROM users WHERE id = :id AND deleted_at IS NULL");
QUERY(known_organization, "SELECT id FROM organizations WHERE id = :id AND deleted_at IS NULL");
#define PERSON_ID                                                                                        \
    .known = &known_person, .unknown = "There is no person with this id. GET /autocomplete/users finds " \
                                       "people."
#define ORGANIZATION_ID                                                                    \
    .known = &known_organization, .unknown = "There is no organization with this id. GET " \
                                             "/autocomplete/organizations finds organizations."

/* The keys are words of `post_channels`. */
static const struct option channel_options[] = {{.key = "MAIL", .label = "E-mail"},
                                                {.key = "MESSENGER", .label = "Messenger"},
                                                {.key = "FACEBOOK", .label = "Facebook"},
                                                {.key = "TWITTER", .label = "Twitter"},
                                                {.key = "NOTE", .label = "Note"},
                                                {.key = "HELPCENTER", .label = "Help center"},
                                                {0}};
/* The keys are words of `rating_scores`, `rating_statuses` and `case_states`. */
static const struct option verdict_options[] = {{.key = "NONE", .label = "None"},
                                                {.key = "PASS", .label = "Pass"},
                                                {.key = "FAIL", .label = "Fail"},
                                                {.key = "SOFTFAIL", .label = "Soft fail"},
                                                {.key = "NEUTRAL", .label = "Neutral"},
                                                {.key = "ERROR", .label = "Error"},
                                                {0}};
static const struct option rating_options[] = {
    {.key = "GOOD", .label = "Good"}, {.key = "BAD", .label = "Bad"}, {0}};
static const struct option satisfaction_options[] = {{.key = "UNOFFERED", .label = "Unoffered"},
                                                     {.key = "OFFERED", .label = "Offered"},
                                                     {.key = "RECEIVED", .label = "Received"},
                                                     {0}};
static const struct option state_options[] = {{.key = "ACTIVE", .label = "Active"},
                                              {.key = "SUSPENDED", .label = "Suspended"},
                                              {.key = "TRASH", .label = "Trash"},
                                              {0}};

static const struct option snooze_options[] = {
    {.key = "1", .label = "Snoozed"}, {.key = "0", .label = "Not snoozed"}, {0}};

/* Without a caller there is no current user: SLAs and monitors do not have these values. */
#define ASKED_BY_A_PERSON (FOR(RULE_FILTER) | FOR(RULE_TRIGGER))
#define NOT_SLAS (ASKED_BY_A_PERSON | FOR(RULE_MONITOR))
#define ME .what = CURRENT_USER, .rules = ASKED_BY_A_PERSON
static const struct special_value unrated[] = {{.key = "0", .label = "Not set", .what = NO_VALUE}, {0}};
static const struct special_value none[] = {{.key = "0", .label = "(none)", .what = NO_VALUE}, {0}};
static const struct special_value teams[] = {{.key = "0", .label = "(unassigned)", .what = NO_VALUE},
                                             {.key = "(current_users_team)",
                                              .label = "(teams of the current user)",
                                              .what = CURRENT_USERS_TEAMS,
                                              .rules = ASKED_BY_A_PERSON},
                                             {0}};
static const struct special_value agents[] = {{.key = "0", .label = "(unassigned)", .what = NO_VALUE},
                                              {.key = "(current_user)", .label = "(current user)", ME},
                                              {.key = "(requester)",
                                               .label = "(requester)",
                                               .what = SAME_AS_FIELD,
                                               .field = "cases.requesterid",
                                               .rules = NOT_SLAS},
                                              {0}};
static const struct special_value requesters[] = {{.key = "(current_user)", .label = "(current user)", ME},
                                                  {.key = "(assignee)",
                                                   .label = "(assigned agent)",
                                                   .what = SAME_AS_FIELD,
                                                   .field = "cases.assigneeagentid",
                                                   .rules = NOT_SLAS},
                                                  {0}};
static const struct special_value people[] = {{.key = "0", .label = "(nobody)", .what = NO_VALUE},
                                              {.key = "(current_user)", .label = "(current user)", ME},
                                              {0}};
static const struct special_value followers[] = {{.key = "(current_user)", .label = "(current user)", ME},
                                                 {0}};

/* clang-format off */
/* A conversation is not updated before any of these times, so a list in the order of updated_at ends
 * there. */
#define NOT_UPDATED_BEFORE .implied_from = "t.updated_at >= :from"
#define OF_CASES .group = "CASES", .rarity = "COMMON"
#define LESS_OF_CASES .group = "CASES", .rarity = "LESS_COMMON"
/* Accepted by SLAs, but not listed. */
#define QUIET_IN_SLAS .unlisted = FOR(RULE_SLA)
/* A change of these fields does not match SLAs again, so SLAs do not have them. */
#define NO_SLAS .rules = FOR(RULE_FILTER) | FOR(RULE_TRIGGER) | FOR(RULE_MONITOR)
#define CHANGES .rules = FOR(RULE_TRIGGER)
#define TIMED .rules = FOR(RULE_TRIGGER) | FOR(RULE_MONITOR)
#define CHOICE(of, title, column, ...) \
    {.field = of, .label = title, .input = INPUT_OPTIONS, .kind = VALUE_NUMBER, .type = "NUMERIC", .sub_type = "INTEGER", .value = column, __VA_ARGS__}
#define LOOKUP(of, title, column, ...) \
    {.field = of, .label = title, .input = INPUT_AUTOCOMPLETE, .kind = VALUE_NUMBER, .type = "NUMERIC", .sub_type = "INTEGER", .value = column, __VA_ARGS__}
#define NUMBER(of, title, column, ...) \
    {.field = of, .label = title, .input = INPUT_INTEGER, .kind = VALUE_NUMBER, .type = "NUMERIC", .sub_type = "INTEGER", .value = column, __VA_ARGS__}
#define TEXT(of, title, column, ...) \
    {.field = of, .label = title, .input = INPUT_STRING, .kind = VALUE_TEXT, .type = "STRING", .value = column, __VA_ARGS__}
#define HOURS_SINCE(of, title, column, ...) \
    {.field = of, .label = title, .input = INPUT_TIME, .kind = VALUE_TIME, .type = "TIME", .value = column, TIMED, __VA_ARGS__}
#define CASE_DATES(of, column, title, what, ...) DATES_IN("CASES", of, column, title, what, NO_SLAS, __VA_ARGS__)

#define HOURS_OF_CASE \
    "COALESCE((SELECT g.businesshour_id FROM teams g WHERE g.id = t.assigned_team_id " \
"AND g.deleted_at IS NULL), (SELECT b.id FROM business_hours b WHERE b.is_default = 1))"
/* Replies are the messages after the first. */
#define REPLIES(counter, column) "(t." counter " - COALESCE((SELECT p." column " FROM posts p WHERE p.case_id = t.id AND p.kind = 1 " \
"ORDER BY p.id LIMIT 1), 0))"
#define MESSAGES_ADDED .among = "posts x JOIN cases k ON k.id = x.case_id", .owner = "x.case_id", .only = "x.id IN @LIST(:added)", .added = true, CHANGES
/* Recipients of the added messages: of letters that they went out by, and of the mails that they came by. */
#define MAILS_ADDED(type, list) \
    .among = "(SELECT o.post_id, o.recipient AS address FROM outgoing_mails o WHERE o.recipient_type = " type " AND o.post_id IN @LIST(:added) UNION ALL " \
"SELECT m.post_id, a.value FROM mails m JOIN @EACH_TEXT(m." list ") a ON 1 = 1 WHERE m.post_id IN @LIST(:added)) x " \
"JOIN posts p ON p.id = x.post_id", \
    .owner = "p.case_id", .added = true, CHANGES

/* The mails that the added messages came by. */
#define MAILS_READ \
    .among = "mails x JOIN posts p ON p.id = x.post_id", .owner = "p.case_id", .only = "x.post_id IN @LIST(:added)", .added = true, CHANGES
#define VERDICT(of, title, column, name) \
    CHOICE(of, title, column, MAILS_READ, .options = verdict_options, .words = mail_verdicts, \
           .doc = "Result of " name " of the e-mail that the added message came by, as the trusted " \
"Authentication-Results header says.", LESS_OF_CASES)

static const struct definition case_definitions[] = {
    TEXT("cases.subject", "Subject", "t.subject_key", .property = "subject", NO_SLAS, .doc = "Subject of the conversation.", OF_CASES),
    CHOICE("cases.casestatusid", "Status", "t.status_id", .option_rows = &status_options, .property = "status", QUIET_IN_SLAS,
           .implied = "t.status_type = (SELECT s.type FROM case_statuses s WHERE s.id = :equal)", .doc = "Status.", OF_CASES),
    CHOICE("cases.casepriorityid", "Priority", "t.priority_id", .option_rows = &priority_options, .specials = none, .property = "priority", QUIET_IN_SLAS,
           .doc = "Priority.", OF_CASES),
    /* +: the index of types is not in the order of a list, and most types have many conversations. */
    CHOICE("cases.casetypeid", "Type", "+t.type_id", .option_rows = &type_options, .specials = none, .property = "type", .doc = "Type.", OF_CASES),
    CHOICE("cases.assigneeteamid", "Assigned team", "t.assigned_team_id", .option_rows = &team_options, .specials = teams, .gone = GONE_TEAMS,
           .property = "assigned_team", .doc = "Team that works on the conversation.", OF_CASES),
    LOOKUP("cases.assigneeagentid", "Assigned agent", "t.assigned_agent_id", .specials = agents, PERSON_ID, .gone = GONE_AGENTS,
           .property = "assigned_agent", .doc = "Agent who works on the conversation.", OF_CASES),
    LOOKUP("cases.requesterid", "Requester", "t.requester_id", .specials = requesters, PERSON_ID, .property = "requester",
           .doc = "Person who asks.", OF_CASES),
    LOOKUP("users.organizationid", "Organization", "t.organization_id", .specials = none, ORGANIZATION_ID,
           .gone = GONE_ORGANIZATIONS, .doc = "Organization of the requester.", .group = "ORGANIZATION", .rarity = "COMMON"),
    {.field = "tags.name", .label = "Tags", .input = INPUT_TAGS, .kind = VALUE_TEXT, .type = "COLLECTION", .value = "g.name_key",
     .among = "case_tags x JOIN tags g ON g.id = x.tag_id", .owner = "x.case_id", .property = "tags", .doc = "Tags of the conversation.", OF_CASES},
    CHOICE("cases.brandid", "Brand", "COALESCE(t.brand_id, 1)", .option_rows = &brand_options, .property = "brand", .doc = "Brand.", OF_CASES),
    CHOICE("cases.channel", "Channel", "t.channel", .options = channel_options, .words = post_channels,
           .doc = "Channel that the conversation came by. NOTE: a note opened it.", OF_CASES),
    CHOICE("cases.channeltype", "Type of channel", "t.channel", .options = channel_options, .words = post_channels, .rules = FOR(RULE_SLA),
           .unlisted = FOR(RULE_SLA), .doc = "The same as cases.channel.", OF_CASES),
    CHOICE("cases.caseformid", "Form", "t.form_id", .option_rows = &form_options, .specials = none, .property = "form", .doc = "Form.", OF_CASES),
    CHOICE("cases.satisfactionstatus", "Satisfaction", "CASE WHEN t.rating IS NOT NULL "
"THEN 3 WHEN t.surveyed_at IS NOT NULL THEN 2 ELSE 1 END",
           .options = satisfaction_options, .words = rating_statuses, NO_SLAS, .doc = "State of the satisfaction survey.", .group = "SATISFACTION",
           .rarity = "COMMON"),
    CHOICE("cases.rating", "Rating", "t.rating", .options = rating_options, .words = rating_scores, .specials = unrated, .property = "rating", NO_SLAS,
           .doc = "Rating by the customer.", .group = "SATISFACTION", .rarity = "COMMON"),
    CHOICE("cases.slaversionid", "SLA", "(SELECT v.sla_id FROM sla_versions v "
"WHERE v.id = t.sla_version_id)", .option_rows = &sla_options, .specials = none,
           NO_SLAS, .doc = "SLA of the conversation. A version stands for all versions of its SLA.", .group = "SLA", .rarity = "COMMON"),
    {.field = "cases.isslabreached", .label = "SLA is breached", .input = INPUT_BOOLEAN_TRUE, .kind = VALUE_NUMBER, .type = "BOOLEAN",
     .value = "x.is_breached", .among = "sla_metrics x", .owner = "x.case_id", NO_SLAS, .doc = "True if a clock of the SLA is breached.", .group = "SLA",
     .rarity = "COMMON"},
    {.field = "caseslametrics.isbreached", .label = "A clock of the SLA is breached", .input = INPUT_BOOLEAN, .kind = VALUE_NUMBER, .type = "BOOLEAN",
     .value = "COALESCE((SELECT MAX(m.is_breached) FROM sla_metrics m WHERE m.case_id = t.id), 0)", NO_SLAS,
     .doc = "True if a clock of the SLA is breached.", .group = "SLA", .rarity = "LESS_COMMON"},
    NUMBER("casemetrics.reopencount", "Number of reopenings", "t.reopen_count", NO_SLAS,
           .doc = "Number of times that the conversation was reopened.", LESS_OF_CASES),
    NUMBER("casemetrics.agentreplycount", "Number of replies by staff", REPLIES("agent_message_count", "by_staff"), NO_SLAS,
           .doc = "Number of messages by staff, without the first message of the conversation.", LESS_OF_CASES),
    NUMBER("casemetrics.requesterreplycount", "Number of replies by the requester", REPLIES("requester_message_count", "is_requester"), NO_SLAS,
           .doc = "Number of messages by the requester, without the first message of the conversation.", LESS_OF_CASES),
    NUMBER("casemetrics.replycount", "Number of replies", "(CASE WHEN t.message_seq > 0 THEN t.message_seq - 1 ELSE 0 END)", NO_SLAS,
           .doc = "Number of messages after the first.", LESS_OF_CASES),
    NUMBER("casemetrics.assigneechangecount", "Number of changes of the agent", "t.assignee_change_count", NO_SLAS,
           .doc = "Number of times that the assigned agent changed.", LESS_OF_CASES),
    NUMBER("casemetrics.teamchangecount", "Number of changes of the team", "t.team_change_count", NO_SLAS,
           .doc = "Number of times that the assigned team changed.", LESS_OF_CASES),
    CHOICE("cases.state", "State", "t.state", .options = state_options, .words = case_states, .property = "state", TIMED,
           .doc = "State: active, suspended, or in the trash.", LESS_OF_CASES),
    CHOICE("cases.issnoozed", "Snooze", "CASE WHEN t.snoozed_at IS NULL THEN 0 ELSE 1 END",
           .options = snooze_options, .implied_true = "t.snoozed_at IS NOT NULL", .property = "is_snoozed",
           NO_SLAS, .doc = "Whether the conversation is snoozed.", OF_CASES),
    HOURS_SINCE("cases.createdat", "Hours since creation", "t.created_at", .doc = "Hours since the creation.", OF_CASES),
    HOURS_SINCE("cases.updatedat", "Hours since the last change", "t.updated_at", .doc = "Hours since the last change.", OF_CASES),
    HOURS_SINCE("cases.lastagentactivityat", "Hours since the last activity of staff", "t.last_agent_activity_at",
                .doc = "Hours since the last change or post by staff.", OF_CASES),
    HOURS_SINCE("cases.lastcompletedat", "Hours since completion", "t.last_completed_at", .doc = "Hours since the status last became COMPLETED.", LESS_OF_CASES),
    LOOKUP("cases.lastupdatedby", "Last updated by", "t.last_updated_by_id", .specials = people, PERSON_ID, NO_SLAS,
           .doc = "Person who last changed the conversation.", OF_CASES),
    NUMBER("cases.postcount", "Number of posts", "(t.message_seq + t.notes_count)", NO_SLAS, .doc = "Number of messages and notes.", OF_CASES),
    {.field = "cases.isbusinesshours", .label = "Within business hours", .input = INPUT_BOOLEAN, .kind = VALUE_NUMBER, .type = "BOOLEAN", TIMED,
     .value = HOURS_OF_CASE, .open_now = true, .doc = "True within the business hours of the assigned team, else of the "
"desk.", OF_CASES},
    {.field = HOURS_FIELD, .label = "Business hours", .input = INPUT_INTEGER, .kind = VALUE_NUMBER, .value = HOURS_OF_CASE, .rules = INTERNAL},
    CASE_DATES("cases.createdat", "t.created_at", "Created", "Time of creation", NOT_UPDATED_BEFORE, .rarity = "COMMON"),
    CASE_DATES("cases.updatedat", "t.updated_at", "Updated", "Time of the last change", .rarity = "COMMON"),
    CASE_DATES("cases.lastagentactivityat", "t.last_agent_activity_at", "Last activity of staff", "Time of the last change or post by staff",
               NOT_UPDATED_BEFORE, .rarity = "LESS_COMMON"),
    CASE_DATES("cases.lastcompletedat", "t.last_completed_at", "Completed", "Time when the status last became COMPLETED", NOT_UPDATED_BEFORE,
               .rarity = "LESS_COMMON"),
    TEXT("messages.contents", "Message", "x.content_text", MESSAGES_ADDED, .doc = "Text of the message that the change added.", OF_CASES),
    TEXT("messages.subject", "Subject of the message", "COALESCE(x.subject, k.subject)", MESSAGES_ADDED,
         .doc = "Subject of the message that the change added, else that of the conversation.", LESS_OF_CASES),
    TEXT("mails.to", "To", "x.address", MAILS_ADDED("1", "to_addresses"),
         .doc = "Addresses to which the added message goes by mail. For a message that came by mail: the "
"addresses of the header To.", LESS_OF_CASES),
    TEXT("mails.cc", "Cc", "x.address", MAILS_ADDED("2", "cc_addresses"),
         .doc = "Addresses that get a copy of the added message by mail. For a message that came by mail: "
"the addresses of the header Cc.", LESS_OF_CASES),
    VERDICT("mails.dkim", "DKIM", "x.dkim", "DKIM"),
    VERDICT("mails.spf", "SPF", "x.spf", "SPF"),
    VERDICT("mails.dmarc", "DMARC", "x.dmarc", "DMARC"),
    LOOKUP("followers.userid", "Participants", "x.user_id", .among = "case_participants x", .owner = "x.case_id", .specials = followers,
           PERSON_ID, NO_SLAS, .doc = "People who take part in the conversation.", LESS_OF_CASES),
    {.field = "requester.tags", .label = "Tags of the requester", .input = INPUT_TAGS, .kind = VALUE_TEXT, .type = "COLLECTION",
     .value = "g.name_key", .among = "user_tags x JOIN tags g ON g.id = x.tag_id "
"JOIN cases k ON k.requester_id = x.user_id",
     .owner = "k.id", .doc = "Tags of the requester.", .group = "REQUESTER", .rarity = "COMMON"},
    {.field = "users.roleid", .label = "Role of the requester", .input = INPUT_OPTIONS, .kind = VALUE_NUMBER, .type = "NUMERIC",
     .sub_type = "INTEGER", .value = "(SELECT u.role_id FROM users u WHERE u.id = t.requester_id)", .option_rows = &role_options_of_requester,
     .doc = "Role of the requester.", .group = "REQUESTER", .rarity = "LESS_COMMON"},
    {.field = "languages.locale", .label = "Language of the requester", .input = INPUT_OPTIONS, .kind = VALUE_NUMBER, .type = "STRING",
     .value = "(SELECT u.locale_id FROM users u WHERE u.id = t.requester_id)", .option_rows = &locale_options, NO_SLAS,
     .doc = "Language of the requester.", .group = "REQUESTER", .rarity = "LESS_COMMON"},
    {0},
};
/* clang-format on */

static const struct field_source case_sources[] = {
    {AREA_CASES, "casefields", "field_values x", "x.owner_id", "CASES", "LESS_COMMON"},
    {AREA_USERS, "requesterfields", "field_values x JOIN cases k ON k.requester_id = x.owner_id", "k.id",
     "REQUESTER", "LESS_COMMON"},
    {AREA_ORGANIZATIONS, "organizationfields",
     "field_values x JOIN cases k ON k.organization_id = x.owner_id", "k.id", "ORGANIZATION", "LESS_COMMON"},
    {0},
};

const struct subject case_subject = {"cases", case_definitions, case_sources, "cases.brandid"};
