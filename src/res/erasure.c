#include "api/rows/generic.h"
#include "core/people/authority.h"
#include "core/erasure/erase.h"
#include "core/words.h"
#include "res/person_export.h"

static const struct field erasure_fields[] = {
    {"user", F_REF, READONLY, .ref = "user",
     .doc = "The person. The row stays, without name, addresses and secrets."},
    {"status", F_WORD, READONLY, .words = erasure_statuses,
     .doc = "RUNNING until everything is erased, then COMPLETED. An erasure that is interrupted continues.",
     .example = "\"COMPLETED\""},
    {"with_contents", F_BOOL, READONLY,
     .doc = "True: the texts of the person's conversations were erased, too.", .example = "false"},
    {"requested_by", F_REF, READONLY | NULLABLE, .ref = "user", .doc = "Person who requested the erasure."},
    {"removed", F_JSON, READONLY | NULLABLE,
     .doc = "Removed data: a list of `what` and `count` (rows). Null until the status is COMPLETED.",
     .example = "[{\"what\":\"PROFILE\",\"count\":1},{\"what\":\"IDENTITIES\",\"count\":2}]"},
    {"kept", F_JSON, READONLY | NULLABLE,
     .doc = "Kept data: a list of `what`, `count` (rows; null if the number is unknown) and `reason`. Null "
            "until the status is COMPLETED.",
     .example = "[{\"what\":\"CONVERSATIONS\",\"count\":3,\"reason\":\"Numbers, times and states stay for "
                "statistics and for the people who worked on them.\"}]"},
    {"created_at", F_TIME, READONLY, .doc = "Time of the request."},
    {"completed_at", F_TIME, READONLY | NULLABLE,
     .doc = "Time at which everything was erased. Null: the erasure is still "
            "running."},
    {0},
};

/* The routes are for admins and owners. A receipt names nobody. */
static void erasure_visible(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_ADMIN; }

static const struct field erase_input[] = {
    {"contents", F_BOOL, .initial = "false",
     .doc = "True also erases the texts and files of the person's conversations, by whomever they were "
            "written, the texts that the person wrote elsewhere, and the comments on articles."},
    {0},
};

/* The parent of the path is the person, who may have been deleted or purged before. */
static int post_user_erase(struct call *c) {
    struct work *w = &c->work;
    TRY(api_of(c));
    int64_t person = c->vars[0].id, id;
    TRY(user_may_change(w, person));
    TRY(api_input(c));
    TRY(users_leave_an_owner(w, &person, 1, false));
    TRY(erasure_start(w, person, in_int(c, "contents") != 0, &id));
    return api_reply_one(c, id);
}

static const struct route erasure_routes[] = {
    {GET, "/users/:id/export", AD, "", ONE, get_user_export, .outside = note_user_export, .executor = POOL,
     .lane = LANE_READ, .permission = "users.delete", .of = "user", .is_download = true, .label = "-",
     .summary = "Export the data of a user",
     .doc = "A ZIP with one JSON file for each subject (profile, addresses, conversations, messages, "
            "comments, events, sessions and others) and the files that the user attached. It has no notes "
            "of staff and no addresses of other people. The audit log records each export. Only for people "
            "that the caller may change: an admin can't export an owner. Callers who do not see all "
            "conversations get 403, because a part would look like the whole. No bearer token reaches it, "
            "because the data belong to several scopes."},
    {POST, "/users/:id/erase", AD, "users", ONE, post_user_erase, .permission = "users.delete", .of = "user",
     .of_gone = true, .status = 202, .input = erase_input, .summary = "Erase a user",
     .doc = "Erases what identifies the person, everywhere in the desk, also of people who were deleted "
            "before. The reply is a receipt, which is complete when its status is COMPLETED. It says what "
            "was removed and what was kept.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE", .sample = {.made_by = "/users"}},
    {GET, "/erasures", AD, "users", LIST, api_list, .order = {.descending = true}, .summary = "List erasures",
     .doc = "Receipts of erased people, the newest first."},
    {GET, "/erasures/:id", AD, "users", ONE, api_get, .summary = "Get an erasure",
     .doc = "The receipt of POST /users/:id/erase."},
    {0},
};

const struct resource erasure_resource = {
    .type = "erasure",
    .scope = "users",
    .title = "Erasures",
    .doc = "Receipts of erased people: what was removed, what was kept, and "
           "why.",
    .url = "erasures/:id",
    .table = "erasures",
    .fields = erasure_fields,
    .routes = erasure_routes,
    .visible = erasure_visible,
    .changes_unseen = true};
