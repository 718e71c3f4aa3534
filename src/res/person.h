/* Members that users, profiles and participants share: rows of their tables, and how they are written. */
#ifndef RES_PERSON_H
#define RES_PERSON_H

#include "api/view.h"
#include "core/change/cascade.h"
#include "res/contact.h"
#include "res/field_value.h"

void person_name(struct view *v, const struct row *row, const struct value *own); /* of a requester without login: the given name */
void person_avatar(struct view *v, const struct row *row, const struct value *own);
void person_zone_offset(struct view *v, const struct row *row, const struct value *own);
void person_realtime_channel(struct view *v, const struct row *row, const struct value *own);
void person_presence_channel(struct view *v, const struct row *row, const struct value *own);
int check_time_zone(struct call *c, struct in *in);

#define TEAMS_OF "SELECT m.user_id, m.team_id FROM team_members m WHERE m.user_id IN @LIST(:ids) ORDER BY m.user_id, m.team_id"
#define IDENTITIES_OF(table)             \
    "SELECT i.user_id, i.id FROM " table \
    " i WHERE i.user_id IN @LIST(:ids) ORDER BY i.user_id, i.is_primary DESC, i.updated_at DESC, i.id DESC"

#define PERSON_ORGANIZATION UNLESS_GONE("t.organization_id", GONE_ORGANIZATIONS)
/* Time of the last change of the shown members. Functions that change lists of a person set updated_at. agent_case_access may come from the
 * role. */
#define PERSON_CHANGED                                                                                                                  \
    "SELECT MAX(h.at) FROM (SELECT t.updated_at AS at FROM users t WHERE t.id = :id "                                                   \
    "UNION ALL SELECT t.last_seen_at FROM users t WHERE t.id = :id UNION ALL SELECT t.last_active_at FROM users t WHERE t.id = :id "    \
    "UNION ALL SELECT t.last_logged_in_at FROM users t WHERE t.id = :id UNION ALL SELECT t.last_activity_at FROM users t WHERE t.id = " \
    ":id "                                                                                                                              \
    "UNION ALL SELECT t.password_updated_at FROM users t WHERE t.id = :id "                                                             \
    "UNION ALL SELECT r.updated_at FROM roles r JOIN users t ON t.role_id = r.id WHERE t.id = :id "                                     \
    "UNION ALL SELECT o.deleted_at FROM organizations o JOIN users t ON t.organization_id = o.id WHERE t.id = :id "                     \
    "UNION ALL SELECT c.at FROM changes c WHERE c.what = 'custom_fields') AS h"
/* The effective value: the person's own, else the role's. */
#define PERSON_CASE_ACCESS \
    "CASE WHEN t.role_type > 1 THEN COALESCE(t.agent_case_access, (SELECT r.agent_case_access FROM roles r WHERE r.id = t.role_id)) END"
#define PERSON_AVATAR                                                                                                     \
    {                                                                                                                     \
        "avatar", F_COMPUTED, READONLY, .column = "COALESCE(t.avatar_updated_at, 0)", .render = person_avatar,            \
                                        .doc = "Address of the picture.",                                                 \
                                        .example = "\"http://127.0.0.1:8080/api/v1/users/2/avatar?v=0.0f1e2d3c4b5a6978\"" \
    }
#define PERSON_TEAMS \
    { "teams", F_MANY, 0, .ref = "team", .many = TEAMS_OF, .to = TO_CUSTOMERS, .doc = "Teams of a staff member." }
#define PERSON_EMAILS                                                                                           \
    {                                                                                                           \
        "emails", F_MANY, 0, .ref = "identity_email", .many = IDENTITIES_OF("identity_emails"), .to = TO_STAFF, \
                             .doc = "E-mail addresses, the primary one first."                                  \
    }
#define PERSON_PHONES                                                                                           \
    {                                                                                                           \
        "phones", F_MANY, 0, .ref = "identity_phone", .many = IDENTITIES_OF("identity_phones"), .to = TO_STAFF, \
                             .doc = "Phone numbers, the primary one first."                                     \
    }
#define PERSON_TWITTER                                                                                              \
    {                                                                                                               \
        "twitter", F_MANY, 0, .ref = "identity_twitter", .many = IDENTITIES_OF("identity_twitter"), .to = TO_STAFF, \
                              .doc = "Twitter accounts, the primary one first."                                     \
    }
#define PERSON_FACEBOOK                                                                                                \
    {                                                                                                                  \
        "facebook", F_MANY, 0, .ref = "identity_facebook", .many = IDENTITIES_OF("identity_facebook"), .to = TO_STAFF, \
                               .doc = "Facebook accounts, the primary one first."                                      \
    }
#define PERSON_EXTERNAL_IDENTIFIERS(flags)                                                                                      \
    {                                                                                                                           \
        "external_identifiers", F_ROWS, flags, .ref = "external_identifier", .owned_by = "user_id", .check = check_identifiers, \
                                               .to = TO_STAFF, .doc = "Ids in other systems.",                                  \
                                               .example = "[{\"external_app\": \"shop\", \"external_id\": \"C-1815\"}]"         \
    }
#define PERSON_ADDRESSES(flags) ADDRESSES("user_id", flags)
#define PERSON_WEBSITES(flags) WEBSITES("user_id", flags)
#define PERSON_CUSTOM_FIELDS                                                                                      \
    {                                                                                                             \
        "custom_fields", F_ROWS, READONLY, .ref = "user_field_value", .owned_by = "id", .to = TO_STAFF,           \
                                           .doc = "Each enabled custom field with its value, sorted by position." \
    }
#define PERSON_TIME_ZONE                                                                                                         \
    {                                                                                                                            \
        "time_zone", F_TEXT, NULLABLE, .check = check_time_zone, .to = TO_STAFF, .doc = "Time zone: a name of the tz database.", \
                                       .example = "\"Europe/Berlin\""                                                            \
    }
#define PERSON_TIME_ZONE_OFFSET                                                                                                      \
    {                                                                                                                                \
        "time_zone_offset", F_COMPUTED, READONLY, .column = "t.time_zone", .render = person_zone_offset, .to = TO_STAFF,             \
                                                  .doc = "Offset of the time zone today, in seconds east of UTC.", .example = "3600" \
    }
#define PERSON_LAST_SEEN_USER_AGENT \
    { "last_seen_user_agent", F_TEXT, READONLY, .to = TO_STAFF, .doc = "Last user agent of the person." }
#define PERSON_LAST_SEEN_IP \
    { "last_seen_ip", F_TEXT, READONLY, .to = TO_STAFF, .doc = "Last IP address of the person." }
#define PERSON_PRESENCE_CHANNEL                                                                                                \
    {                                                                                                                          \
        "presence_channel", F_COMPUTED, READONLY, .column = "t.uuid", .render = person_presence_channel, .to = TO_CUSTOMERS,   \
                                                  .doc = "Realtime channel of presence.", .example = "\"user_presence-0f@0f\"" \
    }

#endif
