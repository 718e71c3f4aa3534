/* The audit trail as staff read it (completions.md section 6). */
#include "api/generic.h"
#include "core/words.h"

/* Of who is purged nothing is shown, even while it is being erased (core/cascade.c). */
#define UNLESS_PURGED(value)                                                                                            \
    "CASE WHEN EXISTS (SELECT 1 FROM activities o JOIN users u ON u.id = o.owner_user_id WHERE o.id = t.activity_id "   \
    "AND u.purged_at IS NOT NULL) THEN NULL ELSE " value " END"

static const struct field change_fields[] = {
    {"field",                     F_TEXT, READONLY, .doc = "What changed; of a mail that failed mail, recipient, status and reason.", .example = "\"full_name\""},
    {"previous_value",                   F_LONG, READONLY, .column = UNLESS_PURGED("t.previous_value"),
     .doc = "What it was, of lists what is gone; null where there was nothing, of secrets, and of who was purged.",
     .example = "\"Ada Byron\""},
    {"current_value", F_LONG, READONLY, .column = UNLESS_PURGED("t.current_value"), .doc = "What it became, of lists what is new.", .example = "\"Ada Lovelace\""},
    {0           },
};
const struct resource activity_change_resource = {.type = "activity_change",
                                                  .title = "Changes",
                                                  .doc = "What an activity changed.",
                                                  .table = "activity_changes",
                                                  .fields = change_fields,
                                                  .is_item = true};

/* 4: USER_MAIL_FAILED */
#define ACTOR "COALESCE((SELECT u.full_name FROM users u WHERE u.id = t.actor_id), CASE t.name WHEN 4 THEN 'A mail server' ELSE 'Somebody without a login' END)"

static const struct field activity_fields[] = {
    {"owner",                                                     F_TEXT, HIDDEN, .column = "'users/' || t.owner_user_id",
     .doc = "What it is about, as the beginning of its address."},
    {"name",                                                     F_WORD, READONLY, .words = activity_names, .doc = "What happened."},
    {"summary", F_TEXT, READONLY, .column = ACTOR " || ' ' || t.did", .doc = "The same as a sentence.",
     .example = "\"Agnes Agent changed full_name\""},
    {"actor",                                                      F_REF, READONLY, .ref = "user",
     .doc = "Who did it; null: nobody who was logged in, as by a mailed link, or the server itself."},
    {"changes",                                                   F_ROWS, READONLY, .ref = "activity_change", .owned_by = "activity_id",
     .doc = "What became of each field that changed."},
    {"created_at",                                    F_TIME, READONLY, .doc = "When it happened."},
    {0                                                  },
};

#define ABOUT_USER .of = "user", .of_gone = true, .where = "t.owner_user_id = :id"

static const struct route activity_routes[] = {
    {GET,       "/users/:id/activities", COL_PLUS, "users", LIST, api_list, ABOUT_USER, .order = {.descending = true},
     .summary = "List what was changed of a person", .doc = "Of a deleted person, too; and which mails did not reach them, with why."},
    {GET, "/users/:id/activities/:activity_id", COL_PLUS, "users", ONE, api_get, ABOUT_USER,
     .summary = "Read a change of a person"},
    {0    },
};

const struct resource activity_resource = {.type = "activity",
                                           .title = "Activities",
                                           .doc = "Who changed what from what to what, when: rows are only ever added.",
                                           .url = ":owner/activities/:id",
                                           .table = "activities",
                                           .fields = activity_fields,
                                           .routes = activity_routes};
