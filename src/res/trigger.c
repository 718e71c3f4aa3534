/* Triggers (docs/RULES.md). */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/visible.h"
#include "base/limits.h"
#include "core/change/change.h"
#include "core/rules/dry_run.h"
#include "core/rules/rule.h"
#include "core/rules/rule_warning.h"
#include "core/words.h"
#include "res/groups.h"
#include "res/rule.h"

/* ---- dry runs -------------------------------------------------------------------------------- */

/* Fields of rules about people begin so; a token needs their scope to see the values. */
static bool may_see_values(const struct view *v, struct str field) {
    static const char *const people[] = {
        "users.", "requester.", "requesterfields.", "organizationfields.", "organizations.", "languages."};
    for (size_t i = 0; i < sizeof people / sizeof *people; i++)
        if (str_starts(field, str_of(people[i]))) return view_may_read(v, resource_of("user"));
    return true;
}

static void put_seen(struct view *v, const struct dry_proposition *p) {
    struct json_writer *w = &v->w;
    jw_array(w);
    if (may_see_values(v, p->stored->field))
        for (int i = 0; p->seen && i < p->seen->count; i++) {
            if (p->numbers) jw_int(w, p->seen->numbers[i]);
            else jw_str(w, p->seen->texts[i]);
        }
    jw_end(w);
}

static void put_dry_proposition(struct view *v, const struct dry_proposition *p) {
    struct json_writer *w = &v->w;
    jw_object(w);
    jw_key(w, S("id"));
    jw_int(w, p->stored->id);
    jw_key(w, S("field"));
    jw_str(w, p->stored->field);
    jw_key(w, S("operator"));
    jw_str(w, p->stored->operator);
    jw_key(w, S("value"));
    jw_raw(w, p->stored->value);
    jw_key(w, S("seen"));
    put_seen(v, p);
    jw_key(w, S("holds"));
    jw_bool(w, p->holds);
    jw_key(w, S("resource_type"));
    view_type(v, "proposition");
    jw_end(w);
}

static void render_dry_collections(struct view *v, const struct row *row, const struct value *own) {
    const struct dry_run *run = v->c->prepared;
    (void)row, (void)own;
    jw_array(&v->w);
    for (int i = 0; i < run->collection_count; i++) {
        const struct dry_collection *c = &run->collections[i];
        jw_object(&v->w);
        jw_key(&v->w, S("id"));
        jw_int(&v->w, c->stored->id);
        jw_key(&v->w, S("propositions"));
        jw_array(&v->w);
        for (int k = 0; k < c->stored->count; k++) put_dry_proposition(v, &c->propositions[k]);
        jw_end(&v->w);
        jw_key(&v->w, S("holds"));
        jw_bool(&v->w, c->holds);
        jw_key(&v->w, S("resource_type"));
        view_type(v, "predicate_collection");
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

static void put_dry_change(struct json_writer *w, const struct dry_change *d) {
    jw_object(w);
    jw_key(w, S("field"));
    jw_str(w, d->field);
    jw_key(w, S("old_value"));
    jw_str(w, d->from);
    jw_key(w, S("new_value"));
    jw_str(w, d->to);
    jw_end(w);
}

static void render_dry_actions(struct view *v, const struct row *row, const struct value *own) {
    const struct dry_run *run = v->c->prepared;
    struct json_writer *w = &v->w;
    (void)row, (void)own;
    jw_array(w);
    for (int i = 0; i < run->action_count; i++) {
        const struct dry_action *a = &run->actions[i];
        jw_object(w);
        jw_key(w, S("id"));
        jw_int(w, a->action->id);
        jw_key(w, S("name"));
        jw_str(w, a->action->name);
        jw_key(w, S("option"));
        jw_str(w, str_of(word_of(action_options, (int)a->action->option)));
        jw_key(w, S("changes"));
        jw_array(w);
        for (int k = 0; k < a->change_count; k++) put_dry_change(w, &a->changes[k]);
        jw_end(w);
        jw_key(w, S("sent"));
        jw_str(w, view_may_read(v, resource_of("user")) ? a->sent : (struct str){0});
        jw_key(w, S("refused"));
        jw_str(w, a->refused);
        jw_key(w, S("resource_type"));
        view_type(v, "automation_action");
        jw_end(w);
    }
    jw_end(w);
}

static const struct field dry_run_fields[] = {
    {"trigger", F_REF, READONLY, .ref = "trigger", .doc = "The trigger."},
    {"case", F_REF, READONLY, .ref = "case", .doc = "The conversation."},
    {"holds", F_BOOL, READONLY, .doc = "True if all collections hold. Only then would the trigger act.",
     .example = "true"},
    {"predicate_collections", F_COMPUTED, READONLY, .column = "", .render = render_dry_collections,
     .doc = "Each collection with its propositions. `seen`: the values of the conversation. `holds`: true "
            "if the proposition holds. History operators find no change, because none is made.",
     .example = "[]"},
    {"actions", F_COMPUTED, READONLY, .column = "", .render = render_dry_actions,
     .doc = "Effect that each action would have: `changes` with names as in activities, `sent` with the "
            "recipients, or `refused` with the reason.",
     .example = "[]"},
    {0},
};

const struct resource trigger_dry_run_resource = {
    .type = "trigger_dry_run",
    .scope = "conversations",
    .title = "Dry runs of triggers",
    .doc = "Values that a trigger would compare, and effects that its actions would have. Nothing is "
           "changed.",
    .fields = dry_run_fields};

/* ---- the handler ----------------------------------------------------------------------------- */

static const struct field dry_run_input[] = {{"case_id", F_INT, PRESENT, .column = "", .min = 1,
                                              .max = INT64_MAX, .doc = "The conversation.", .example = "1"},
                                             {0}};

static int post_trigger_dry_run(struct call *c) {
    struct dry_run *run = ARENA_NEW(c->work.arena, struct dry_run);
    TRY(api_of(c));
    TRY(api_input(c));
    int64_t id = in_int(c, "case_id");
    int rc = api_visible(c, resource_of("case"), id);
    if (rc > 0) rc = trigger_dry_run(&c->work, c->vars[0].id, id, run);
    TRY(rc);
    if (rc == 0) return in_fail(c, "case_id", ERR_FIELD_INVALID, "%s", api_absent(c, "case"));
    c->prepared = run;
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "trigger") = (struct value){V_INT, .i = c->vars[0].id};
    *row_cell(row, "case") = (struct value){V_INT, .i = id};
    *row_cell(row, "holds") = (struct value){V_INT, .i = run->holds};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

#define MANAGE_RULES "automations.manage"

static void access_rules(struct work *w, struct branches *out) { out->all = w->actor.rank >= ROLE_ADMIN; }

/* ---- the table ------------------------------------------------------------------------------- */

#define CHANNEL_DOC "Channel of the changes that the trigger sees. Null: any but SYSTEM."
#define EVENT_DOC "Event of the channel. Null: any."

static const struct field trigger_fields[] = {
    {"title", F_TEXT, READONLY, .doc = "Title.", .example = "\"Escalate\""},
    {"channel", F_WORD, READONLY, .words = rule_channels, .doc = CHANNEL_DOC, .example = "\"API\""},
    {"event", F_WORD, READONLY, .words = rule_events, .doc = EVENT_DOC, .example = "null"},
    {"predicate_collections", F_JSON, READONLY, .column = RULE_LINES_OF("2", "t.id"),
     .render = render_rule_predicate,
     .doc = "The predicate. All collections must hold. A collection holds if one of its propositions does.",
     .example = "[{\"id\": 1, \"propositions\": [{\"id\": 1, \"field\": \"cases.casepriorityid\", "
                "\"operator\": \"comparison_equalto\", \"value\": \"4\", \"resource_type\": "
                "\"proposition\"}], \"resource_type\": \"predicate_collection\"}]"},
    {"actions", F_JSON, READONLY, .column = RULE_ACTIONS_OF("2", "t.id"), .render = render_rule_actions,
     .doc = "Actions in their order.", .example = RULE_ACTIONS_EXAMPLE},
    {"execution_order", F_INT, READONLY, .doc = "Position: triggers run in this order.", .example = "1"},
    {"is_enabled", F_BOOL, READONLY, .doc = "True if the trigger runs.", .example = "true"},
    {"last_triggered_at", F_TIME, READONLY,
     .column = "(SELECT MAX(f.at) FROM trigger_firings f "
               "WHERE f.trigger_id = t.id)",
     .doc = "Time when the trigger last fired. Null: never."},
    {"*", .group = row_times},
    {0},
};

static int check_trigger_predicate(struct call *c, struct in *in) {
    return rule_predicate_take(c, in, RULE_TRIGGER, RULE_OF_TRIGGER);
}
static int check_trigger_actions(struct call *c, struct in *in) {
    return rule_actions_take(c, in, RULE_OF_TRIGGER);
}

static const struct field trigger_input[] = {
    {"title", F_TEXT, REQUIRED, .doc = "Title.", .example = "\"Escalate\""},
    {"channel", F_WORD, NULLABLE, .words = rule_channels,
     .doc = CHANNEL_DOC " GET /triggers/channels lists all.", .example = "\"API\""},
    {"event", F_WORD, NULLABLE, .words = rule_events, .doc = EVENT_DOC, .example = "null"},
    {"is_enabled", F_BOOL, 0, .initial = "1", .doc = "True if the trigger runs."},
    {"predicate_collections", F_LIST, NULLABLE | BY_HANDLER, .column = "", .items = rule_collection_items,
     .check = check_trigger_predicate,
     .doc = "The predicate: a list of collections {id, propositions: [{id, field, operator, value}]}. All "
            "collections must hold. A collection holds if one of its propositions does. GET "
            "/triggers/definitions lists the fields. An object with an `id` keeps that collection or "
            "proposition, null adds one. Without collections the trigger fires at every change.",
     .example = "[{\"propositions\": [{\"field\": \"cases.casepriorityid\", \"operator\": "
                "\"comparison_equalto\", \"value\": \"4\"}]}]"},
    {"actions", F_LIST, REQUIRED | BY_HANDLER, .column = "", .items = rule_action_items,
     .check = check_trigger_actions, .doc = RULE_ACTIONS_DOC, .example = RULE_ACTIONS_SENT},
    {0},
};

/* ---- handlers -------------------------------------------------------------------------------- */

QUERY(trigger_place, "UPDATE triggers "
                     "SET execution_order = (SELECT COALESCE(MAX(o.execution_order), 0) + 1 FROM triggers o) "
                     "WHERE id = :id");
QUERY(triggers_present, "SELECT COUNT(*) FROM triggers");
QUERY(trigger_channel_now, "SELECT COALESCE(channel, 0), COALESCE(event, 0) FROM triggers WHERE id = :id");

/* The event must be one of the channel. */
static int check_trigger_event(struct call *c) {
    struct stmt *row;
    int rc = db_row(c->work.conn, &trigger_channel_now, BINDS(B_INT("id", c->id)), &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    int channel = (int)col_int(row, 0), event = (int)col_int(row, 1);
    stmt_end(row);
    for (const enum rule_event *e = rule_events_of((enum rule_channel)channel); *e; e++)
        if ((int)*e == event) return 0;
    return event ? in_fail(c, "event", ERR_FIELD_INVALID,
                           "The channel has no such event. GET /triggers/channels lists the "
                           "events of each.")
                 : 0;
}

static int warn_of_trigger(struct call *c) {
    struct rule_warning *list;
    TRY(trigger_warnings(&c->work, c->id, &list));
    for (; list; list = list->next) call_warn(c, list->message);
    return 0;
}

/* Stores what is not in the row itself, and warns. */
static int keep_trigger(struct call *c) {
    const struct in *predicate = in(c, "predicate_collections");
    TRY(check_trigger_event(c));
    if (predicate->given) TRY(rule_predicate_keep(c, predicate, c->id, RULE_OF_TRIGGER));
    TRY(rule_actions_keep(c, in(c, "actions"), RULE_OF_TRIGGER));
    TRY(rules_changed(&c->work));
    return warn_of_trigger(c);
}

static int post_trigger(struct call *c) {
    int64_t count = 0;
    TRY(api_input(c));
    TRY(db_lock(c->work.conn, S("triggers")));
    TRY(db_int(c->work.conn, &triggers_present, NULL, &count));
    if (count >= LIMIT_TRIGGERS)
        return fail_state(&c->work, "The desk has %d triggers. Delete one first.", LIMIT_TRIGGERS);
    TRY(api_insert(c));
    TRY(db_exec(c->work.conn, &trigger_place, BINDS(B_INT("id", c->id))));
    TRY(keep_trigger(c));
    return api_reply(c);
}

static int put_trigger(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    TRY(keep_trigger(c));
    return api_reply(c);
}

static int put_triggers(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(api_store(c));
    TRY(rules_changed(&c->work));
    return api_reply(c);
}

static int put_triggers_order(struct call *c) {
    TRY(db_lock(c->work.conn, S("triggers")));
    TRY(rules_changed(&c->work));
    return api_reorder(c);
}

static int delete_triggers(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(rule_predicates_delete(&c->work, RULE_OF_TRIGGER, api_ids(c)));
    TRY(rule_actions_delete(&c->work, RULE_OF_TRIGGER, api_ids(c)));
    TRY(api_remove(c));
    TRY(rules_changed(&c->work));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct field trigger_order[] = {{"trigger_ids", F_IDS, PRESENT,
                                              .doc = "Ids, in the new order. Other triggers follow.",
                                              .example = "[2, 1]"},
                                             {0}};
static const struct field trigger_switch[] = {{"is_enabled", F_BOOL, 0, .doc = "True if the triggers run."},
                                              {0}};

static const struct route trigger_routes[] = {
    {GET, "/triggers", AD, "configuration", LIST, api_list, .order = {.key = "t.execution_order"},
     .summary = "List triggers", .doc = "In the order in which they run."},
    {GET, "/triggers/channels", AD, "configuration", LIST_COUNT, api_list, .reply = "trigger_channel",
     .summary = "List channels and events", .doc = "Without events, (Any) is implied."},
    {GET, "/triggers/actions/definitions", AD, "configuration", LIST_COUNT, api_list,
     .reply = "automation_action_definition", .summary = "List the actions that triggers may have"},
    {GET, "/triggers/:id", AD, "configuration", ONE, api_get, .summary = "Get a trigger"},
    {POST, "/triggers", AD, "configuration", ONE, post_trigger, .permission = MANAGE_RULES,
     .input = trigger_input, .summary = "Create a trigger",
     .doc = "The pointer of an error locates it: actions/0/value. Notifications of the reply warn of a "
            "trigger that can't fire, that another one makes unreachable or contradicts, or that acts on "
            "something deleted.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {POST, "/triggers/:id/dry_run", AD, "configuration", ONE, post_trigger_dry_run, .of = "trigger",
     .reply = "trigger_dry_run", .status = 200, .input = dry_run_input,
     .summary = "Run a trigger for a conversation without effect",
     .doc = "Shows the values that the propositions see and the effect of each action. Nothing changes, and "
            "nothing is sent.",
     .sample = {.body = "{\"case_id\":18}"}},
    {PUT, "/triggers/reorder", AD, "configuration", NONE, put_triggers_order, .permission = MANAGE_RULES,
     .input = trigger_order, .summary = "Reorder triggers"},
    {PUT, "/triggers/:id", AD, "configuration", ONE, put_trigger, .permission = MANAGE_RULES,
     .input = trigger_input, .summary = "Update a trigger"},
    {PUT, "/triggers", AD, "configuration", COUNT, put_triggers, .permission = MANAGE_RULES,
     .input = trigger_switch, .summary = "Enable or disable several triggers"},
    {DELETE, "/triggers/:id", AD, "configuration", NONE, delete_triggers, .permission = MANAGE_RULES,
     .summary = "Delete a trigger"},
    {DELETE, "/triggers", AD, "configuration", COUNT, delete_triggers, .permission = MANAGE_RULES,
     .summary = "Delete several triggers"},
    {0},
};

const struct resource trigger_resource = {.type = "trigger",
                                          .scope = "configuration",
                                          .title = "Triggers",
                                          .doc = "Rules that act when a conversation changes.",
                                          .url = "triggers/:id",
                                          .table = "triggers",
                                          .texts_kept = CONFIGURATION_TEXTS,
                                          .fields = trigger_fields,
                                          .ordered = "execution_order",
                                          .routes = trigger_routes,
                                          .visible = access_rules,
                                          .changes_unseen = true};

/* ---- channels -------------------------------------------------------------------------------- */

static const struct field channel_fields[] = {
    {"name", F_WORD, READONLY, .words = rule_channels, .doc = "Channel.", .example = "\"SYSTEM\""},
    {"events", F_JSON, READONLY, .doc = "Its events. Without events, (Any) is implied.",
     .example = "[\"SLA_BREACHED\"]"},
    {0},
};

static int trigger_channel_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    static const enum rule_channel order[] = {RULE_SYSTEM,    RULE_API,     RULE_HELPCENTER, RULE_MAIL,
                                              RULE_MESSENGER, RULE_TWITTER, RULE_FACEBOOK};
    (void)name;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++, out = &(*out)->next) {
        struct row *row = *out = row_new(v, layout_of(c->resource), 0);
        struct str events[8];
        size_t n = 0;
        for (const enum rule_event *e = rule_events_of(order[i]); *e; e++)
            events[n++] = str_of(word_of(rule_events, (int)*e));
        *row_cell(row, "name") = (struct value){V_INT, .i = order[i]};
        *row_cell(row, "events") = value_text(json_texts(c->work.arena, events, n));
    }
    return 0;
}

const struct resource trigger_channel_resource = {
    .type = "trigger_channel",
    .scope = "configuration",
    .title = "Channels of triggers",
    .doc = "Channels and events of changes, by which triggers are chosen.",
    .fields = channel_fields,
    .rows = trigger_channel_rows};
