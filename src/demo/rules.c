/* Triggers, a monitor and an endpoint of the demo desk. The rows are inserted when all conversations are
 * there, so no trigger runs while the desk is filled. */
#include "demo/extras.h"

#include "core/rules/action.h"
#include "core/rules/rule.h"
#include "work/work.h"

QUERY(demo_trigger, "INSERT INTO triggers (title, is_enabled, execution_order, created_at, updated_at) "
                    "VALUES (:title, 1, :place, :now, :now) RETURNING id");
QUERY(demo_monitor, "INSERT INTO monitors (title, is_enabled, execution_order, created_at, updated_at) "
                    "VALUES (:title, 1, :place, :now, :now) RETURNING id");
QUERY(demo_action, "INSERT INTO rule_actions (owner, owner_id, position, name, option, value, attributes) "
                   "VALUES (:kind, :owner, 0, :name, :option, :value, CAST(:attributes AS TEXT))");
QUERY(demo_endpoint,
      "INSERT INTO endpoints (title, type, is_enabled, url, method, content_type, created_at, updated_at) "
      "VALUES ('Order system', :type, 0, 'https://orders.example.com/deskd', :method, :content, :now, :now)");

/* Propositions are joined by AND. They end with field NULL. */
#define MOST_TESTS 3
static const struct {
    enum rule_owner kind;
    const char *title;
    struct {
        const char *field, *operator, * value;
    } tests[MOST_TESTS + 1];
    const char *action;
    enum action_option option;
    const char *value, *attributes;
} demo_rules[] = {
    {RULE_OF_TRIGGER,
     "Raise the priority of the tag urgent",
     {{"tags.name", "history_changed", "null"},
      {"tags.name", "collection_contains_any_insensitive", "\"urgent\""}},
     "priority",
     ACTION_CHANGE,
     "4",
     NULL},
    {RULE_OF_TRIGGER,
     "Tell the team Billing about refunds",
     {{"tags.name", "history_changed", "null"},
      {"tags.name", "collection_contains_any_insensitive", "\"refund\""}},
     "notificationteam",
     ACTION_SEND,
     "2",
     "{\"subject\":\"A refund: {{case.subject}}\",\"message\":\"Conversation {{case.id}} has the tag "
     "refund.\"}"},
    {RULE_OF_TRIGGER,
     "Thank the customer on completion",
     {{"cases.casestatusid", "history_changed_to", "\"4\""}},
     "notificationuser",
     ACTION_SEND,
     "-3",
     "{\"subject\":\"Thank you: {{case.subject}}\",\"message\":\"Hello {{requester.name}},\\n\\nthank you "
     "for your patience. Please write again if something is left to do.\"}"},
    /* The upper bound leaves out what was pending long before the monitor was there. */
    {RULE_OF_MONITOR,
     "Remind the customer after four days",
     {{"cases.casestatusid", "comparison_equalto", "\"3\""},
      {"cases.updatedat", "time_greaterthan_or_equalto", "96"},
      {"cases.updatedat", "time_lessthan", "120"}},
     "notificationuser",
     ACTION_SEND,
     "-3",
     "{\"subject\":\"We wait for your answer: {{case.subject}}\",\"message\":\"Hello "
     "{{requester.name}},\\n\\ndo you still need help? Please answer our last message.\"}"},
};

static int demo_predicate_fill(struct work *w, int rule, int64_t id) {
    struct rule_proposition propositions[MOST_TESTS];
    struct rule_collection collections[MOST_TESTS];
    struct rule_predicate predicate = {.collections = collections};
    for (int i = 0; demo_rules[rule].tests[i].field; i++) {
        propositions[i] = (struct rule_proposition){.field = str_of(demo_rules[rule].tests[i].field),
                                                    .operator= str_of(demo_rules[rule].tests[i].operator),
                                                    .value = str_of(demo_rules[rule].tests[i].value)};
        collections[i] = (struct rule_collection){.propositions = &propositions[i], .count = 1};
        predicate.count = i + 1;
    }
    return rule_predicate_store(w, demo_rules[rule].kind, id, &predicate, NULL);
}

static int demo_rule_fill(struct work *w, int rule, int64_t now) {
    const struct query *add = demo_rules[rule].kind == RULE_OF_MONITOR ? &demo_monitor : &demo_trigger;
    const char *attributes = demo_rules[rule].attributes;
    int64_t id;
    TRY(db_insert(
        w->conn, add,
        BINDS(B_TEXT("title", str_of(demo_rules[rule].title)), B_INT("place", rule + 1), B_INT("now", now)),
        &id));
    TRY(demo_predicate_fill(w, rule, id));
    return db_exec(w->conn, &demo_action,
                   BINDS(B_INT("kind", demo_rules[rule].kind), B_INT("owner", id),
                         B_TEXT("name", str_of(demo_rules[rule].action)),
                         B_INT("option", demo_rules[rule].option),
                         B_TEXT("value", str_of(demo_rules[rule].value)),
                         B_TEXT("attributes", attributes ? str_of(attributes) : (struct str){0})));
}

int fill_rules(struct conn *c, struct filling *f) {
    struct desk desk = {.db = f->db, .process = S("demo")};
    struct work w = {.desk = &desk, .arena = f->arena, .conn = c, .now = f->world.end - 1};
    for (int i = 0; i < (int)(sizeof demo_rules / sizeof *demo_rules); i++)
        TRY(demo_rule_fill(&w, i, f->world.start));
    return db_exec(c, &demo_endpoint,
                   BINDS(B_INT("type", ENDPOINT_HTTP), B_INT("method", ENDPOINT_POST),
                         B_INT("content", CONTENT_JSON), B_INT("now", f->world.start)));
}
