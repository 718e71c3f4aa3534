/* Notification preferences: those of the caller. */
#include "core/people/notification.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"

/* ---- the table ------------------------------------------------------------------------------- */

#define CHANNEL_FIELDS(flags)                                                                                \
    {"desktop", F_BOOL, (flags),                                                                             \
     .doc = "True if your list of notifications gets these (GET /notifications), for programs on desktops.", \
     .example = "true"},                                                                                     \
        {"mobile", F_BOOL, (flags), .doc = "True if programs on phones shall show these notifications.",     \
         .example = "true"},                                                                                 \
        {"email", F_BOOL, (flags), .doc = "True if the desk sends these notifications as e-mails.",          \
         .example = "true"},

static const struct field preference_fields[] = {
    {"type", F_TEXT, READONLY,
     .doc =
         "The event. case_created: a new conversation, which the list of notifications does not show. "
         "reply_on_case: a message by the customer in a conversation of the person. "
         "case_assigned_to_agent, case_assigned_to_team: a conversation was assigned to the person, or to a "
         "team of the person. sla_breached: a conversation of the person missed a target, or on desktops is "
         "about to. mentioned_in_conversation: a note has @ and the name of the person.",
     .example = "\"reply_on_case\""},
    CHANNEL_FIELDS(READONLY){0},
};

static const struct field preference_input[] = {CHANNEL_FIELDS(0){0}};

extern const struct resource notification_preference_resource;

static int preference_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct notification_preferences p;
    TRY(notification_preferences_read(&c->work, c->work.actor.user_id, &p));
    for (const struct word *t = notification_types; t->word; t++) {
        if (name.p && !str_eqi(name, str_of(t->word))) continue;
        struct row *row = *out = row_new(v, layout_of(&notification_preference_resource), 0);
        *row_cell(row, "type") = value_text(str_of(t->word));
        for (const struct word *n = notification_channels; n->word; n++)
            *row_cell(row, n->word) = (struct value){V_INT, .i = p.is_enabled[t->id][n->id]};
        out = &row->next;
    }
    return 0;
}

/* ---- handlers -------------------------------------------------------------------------------- */

static int put_notification_preference(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    enum notification_type type = (enum notification_type)word_id_any(notification_types, c->vars[0].text);
    for (const struct word *n = notification_channels; n->word; n++)
        if (given(c, n->word))
            TRY(notification_prefer(&c->work, type, (enum notification_channel)n->id,
                                    in_int(c, n->word) != 0));
    return api_reply(c);
}

/* A value of the list: 1, 0, or -1 if it is no boolean. */
static int preference_value(const struct json *j) {
    if (j->type == JSON_TRUE || str_eq(j->text, S("1")) || str_eqi(j->text, S("true"))) return 1;
    if (j->type == JSON_FALSE || str_eq(j->text, S("0")) || str_eqi(j->text, S("false"))) return 0;
    return -1;
}

/* seen: bits of the types of earlier items. One item for each type bounds the writes of a request. */
static void preference_check(struct call *c, const struct in *in, const struct json *item, int at,
                             unsigned *seen) {
    const struct json *type = json_named(item, S("type"));
    int id = type && type->type == JSON_STRING ? word_id_any(notification_types, type->text) : -1;
    if (item->type != JSON_OBJECT) {
        fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d", at),
                "An object of type and channels is expected.");
        return;
    }
    if (type == NULL) fail_at(&c->work, ERR_FIELD_REQUIRED, in->name, in_place(c, in, "%d/type", at), NULL);
    else if (id < 0)
        fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/type", at),
                "One of these is expected: %s.", words_list(c->work.arena, notification_types).p);
    else if (*seen & 1u << id)
        fail_at(&c->work, ERR_FIELD_DUPLICATE, in->name, in_place(c, in, "%d/type", at),
                "The type is given twice.");
    else *seen |= 1u << id;
    for (const struct word *n = notification_channels; n->word; n++) {
        const struct json *value = json_named(item, str_of(n->word));
        if (value && preference_value(value) < 0)
            fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%d/%s", at, n->word),
                    "true or false is expected.");
    }
}

static int check_preferences(struct call *c, struct in *in) {
    int at = 0, problems = c->work.problem_count;
    unsigned seen = 0;
    for (const struct json *item = in->json->first; item; item = item->next)
        preference_check(c, in, item, at++, &seen);
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

static int put_notification_preferences(struct call *c) {
    int n = 0;
    TRY(api_input(c));
    for (const struct json *item = in(c, "preferences")->json->first; item; item = item->next, n++) {
        enum notification_type type =
            (enum notification_type)word_id_any(notification_types, json_named(item, S("type"))->text);
        for (const struct word *channel = notification_channels; channel->word; channel++) {
            const struct json *value = json_named(item, str_of(channel->word));
            if (value)
                TRY(notification_prefer(&c->work, type, (enum notification_channel)channel->id,
                                        preference_value(value) == 1));
        }
    }
    return api_reply_count(c, n);
}

static const struct field preference_items[] = {
    {"type", F_WORD, REQUIRED, .words = notification_types, .doc = "Event.", .example = "\"reply_on_case\""},
    {"desktop", F_BOOL, 0, .doc = "True to notify the desktop."},
    {"mobile", F_BOOL, 0, .doc = "True to notify the mobile program."},
    {"email", F_BOOL, 0, .doc = "True to send a mail."},
    {0},
};

static const struct field preferences_input[] = {
    {"preferences", F_LIST, PRESENT, .items = preference_items, .check = check_preferences,
     .doc = "A list of {type, desktop, mobile, email}, each type at most once. Types and channels that are "
            "not given stay.",
     .example = "[{\"type\": \"reply_on_case\", \"email\": false}]"},
    {0},
};

static const struct route preference_routes[] = {
    {GET, "/notification_preferences", COL_PLUS, "", LIST_COUNT, api_list,
     .summary = "List your notification preferences"},
    {GET, "/notification_preferences/:type", COL_PLUS, "", ONE, api_get,
     .summary = "Get a notification preference"},
    {PUT, "/notification_preferences/:type", COL_PLUS, "", ONE, put_notification_preference,
     .input = preference_input, .summary = "Update a notification preference"},
    {PUT, "/notification_preferences", COL_PLUS, "", COUNT, put_notification_preferences,
     .input = preferences_input, .summary = "Update several notification preferences",
     .doc = "The pointer of an error locates it: preferences/0/type. total_count is the number of items."},
    {0},
};

const struct resource notification_preference_resource = {
    .type = "notification_preference",
    .scope = "",
    .title = "Notification preferences",
    .doc = "Events of which a member of staff is notified. The desk sends the e-mails. It never sends one "
           "to the person who caused the event, to a person who may not see the conversation, or two for "
           "one change.",
    .url = "notification_preferences/:type",
    .fields = preference_fields,
    .routes = preference_routes,
    .rows = preference_rows,
    .unlogged = "a changed preference is a change of its person"};
