/* Members that users, profiles and participants share: rows of their tables, and how they are written. */
#ifndef RES_PERSON_H
#define RES_PERSON_H

#include "api/rows/view.h"
#include "core/desk/cascade.h"
#include "core/people/tag.h"
#include "res/contact.h"
#include "res/field_value.h"

/* For a requester without login: the given name. */
void person_name(struct view *v, const struct row *row, const struct value *own);
void person_avatar(struct view *v, const struct row *row, const struct value *own);
void person_realtime_channel(struct view *v, const struct row *row, const struct value *own);
void person_presence_channel(struct view *v, const struct row *row, const struct value *own);
int check_time_zone(struct call *c, struct in *in);

#define TEAMS_OF                                       \
    "SELECT m.user_id, m.team_id FROM team_members m " \
    "WHERE m.user_id IN @LIST(:ids) ORDER BY m.user_id, m.team_id"

/* Groups of members (api/table/fields.h) */
extern const struct field person_identities[]; /* teams, and the identities of each kind */
extern const struct field person_values[];     /* custom_fields, field_values */
extern const struct field person_zone[];       /* time_zone, time_zone_offset */
extern const struct field person_program[];    /* the program that the person used last, and its address */

#define PERSON_ORGANIZATION COLUMN_UNLESS_GONE("t.organization_id", GONE_ORGANIZATIONS)
/* Times of the last changes of the shown members. Functions that change lists of a person set updated_at.
 * agent_case_access may come from the role. */
#define PERSON_CHANGED                                                                   \
    "t.last_seen_at, t.last_active_at, t.last_logged_in_at, t.last_activity_at, "        \
    "t.password_updated_at, (SELECT r.updated_at FROM roles r WHERE r.id = t.role_id), " \
    "(SELECT o.deleted_at FROM organizations o WHERE o.id = t.organization_id), " TAGS_CHANGED_AT
/* The effective value: the person's own, else the role's. */
#define PERSON_CASE_ACCESS                                                                      \
    "CASE WHEN t.role_type > 1 THEN COALESCE(t.agent_case_access, (SELECT r.agent_case_access " \
    "FROM roles r WHERE r.id = t.role_id)) END"
#define PERSON_AVATAR                                                                         \
    {                                                                                         \
        "avatar", F_COMPUTED, READONLY,                                                       \
            .column = "COALESCE(t.avatar_updated_at, 0)", .render = person_avatar,            \
            .doc = "Address of the picture.",                                                 \
            .example = "\"http://127.0.0.1:8080/api/v1/users/2/avatar?v=0.0f1e2d3c4b5a6978\"" \
    }
#define PERSON_EXTERNAL_IDENTIFIERS(flags)                                                                   \
    {                                                                                                        \
        "external_identifiers", F_ROWS, flags,                                                               \
            .ref = "external_identifier", .owned_by = "user_id", .check = check_identifiers, .to = TO_STAFF, \
            .doc = "Ids in other systems.",                                                                  \
            .example = "[{\"external_app\": \"shop\", \"external_id\": \"C-1815\"}]"                         \
    }
#define PERSON_ADDRESSES(flags) ADDRESSES("user_id", flags)
#define PERSON_WEBSITES(flags) WEBSITES("user_id", flags)
#define PERSON_PRESENCE_CHANNEL                                                          \
    {                                                                                    \
        "presence_channel", F_COMPUTED, READONLY,                                        \
            .column = "t.uuid", .render = person_presence_channel, .to = TO_CUSTOMERS,   \
            .doc = "Realtime channel of presence.", .example = "\"user_presence-0f@0f\"" \
    }

/* The words for a person in a sentence: the name, or "User 12" if the caller's token may not read people. */
struct str person_words(const struct view *v, int64_t id, struct str name);

#endif
