/* People and their teams, as conversations list them for participants. */
#include "core/access/access.h"
#include "core/words.h"
#include "res/avatar.h"
#include "res/person.h"

static const struct field minimal_fields[] = {
    {"uuid", F_TEXT, READONLY, .to = TO_STAFF, .doc = "UUID of the person."},
    {"full_name", F_TEXT, READONLY, .render = person_name, .doc = "Name of the person.",
     .example = "\"Ada Byron\""},
    {"role", F_REF, READONLY, .ref = "role", .to = TO_STAFF, .doc = "Role of the person."},
    {"teams", F_MANY, 0, .ref = "team_minimal", .many = TEAMS_OF, .to = TO_CUSTOMERS,
     .doc = "Teams of a staff member."},
    PERSON_AVATAR,
    {"last_activity_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of the last activity."},
    {"last_active_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time of the person's last activity."},
    {"last_seen_at", F_TIME, READONLY, .to = TO_STAFF, .doc = "Time at which the person was last seen."},
    PERSON_PRESENCE_CHANNEL,
    {0},
};
const struct resource user_minimal_resource = {.type = "user_minimal",
                                               .scope = "users",
                                               .title = "Minimal people",
                                               .doc = "A person in a list of participants.",
                                               .url = "users/:id",
                                               .table = "users",
                                               .fields = minimal_fields,
                                               .visible = access_everyone,
                                               .is_person = true,
                                               .changes_unseen = true,
                                               .brief_of = "user"};

static const struct field team_minimal_fields[] = {{"title", F_TEXT, READONLY, .doc = "Name of the team."},
                                                   {0}};
const struct resource team_minimal_resource = {.type = "team_minimal",
                                               .scope = "users",
                                               .title = "Minimal teams",
                                               .doc = "A team of a participant.",
                                               .url = "teams/:id",
                                               .table = "teams",
                                               .where = "t.deleted_at IS NULL",
                                               .fields = team_minimal_fields,
                                               .visible = access_everyone};
