/* The audit trail, as staff read it. */
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/change/activity.h"
#include "core/rules/rule.h"
#include "core/words.h"
#include "res/person.h"

/* Values of a purged person are never shown, even while the purge is still running
 * (core/desk/cascade.c). */
#define UNLESS_PURGED(values)                                               \
    "CASE WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = t.owner_user_id " \
    "AND u.purged_at IS NOT NULL) THEN NULL ELSE " values " END"

#define OF_ACTOR_UNLESS_PURGED(value)                                                               \
    "CASE WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = t.actor_id AND u.purged_at IS NOT NULL) " \
    "THEN NULL ELSE " value " END"

/* Names of people that an activity refers to, as texts "id name". Other objects may have the ids of
 * people: readers look people up alone. */
#define PEOPLE                                                                             \
    "CASE WHEN t.objects IS NOT NULL THEN (SELECT @JSON_ROWS(u.id || ' ' || u.full_name) " \
    "FROM users u WHERE u.id IN @LIST(t.objects)) END"

/* Returns the item at a place of a JSON array, or NULL. */
static const struct json *item_at(const struct json *list, size_t at) {
    const struct json *j = list && list->type == JSON_ARRAY ? list->first : NULL;
    for (; j && at; at--) j = j->next;
    return j;
}

/* Returns NULL, too, if the item is null or the array was erased. */
static const struct json *text_at(const struct json *list, size_t at) {
    const struct json *j = item_at(list, at);
    return j && j->type == JSON_STRING ? j : NULL;
}

static const struct json *activity_texts(struct view *v, const struct row *row, const char *member) {
    struct json *list = NULL;
    struct json_error err;
    const struct value *text = row_cell(row, member);
    if (text->type != V_TEXT || json_parse(v->c->work.arena, text->s, &list, &err) < 0) return NULL;
    return list;
}

/* The lists of one activity. */
struct activity_lists {
    const struct json *fields, *previous, *current, *objects, *people;
};

/* One side of a change. */
struct activity_side {
    struct str text; /* p NULL: none */
    int64_t id;      /* 0: none */
};

/* people: texts "id name". */
static struct str person_named(const struct json *people, int64_t id) {
    for (const struct json *j = people ? people->first : NULL; j; j = j->next) {
        int64_t found;
        struct str name = j->text, number = str_cut(&name, ' ');
        if (str_to_int(number, &found) && found == id) return name;
    }
    return (struct str){0};
}

static struct activity_side side_of(const struct activity_lists *l, const struct json *texts, size_t at,
                                    bool current) {
    struct activity_side side = {0};
    const struct json *text = text_at(texts, at), *id = item_at(l->objects, 2 * at + current);
    if (text) side.text = text->text;
    if (id && id->type == JSON_NUMBER) str_to_int(id->text, &side.id);
    if (side.id && text == NULL) side.text = person_named(l->people, side.id);
    return side;
}

static struct activity_lists activity_lists(struct view *v, const struct row *row) {
    return (struct activity_lists){activity_texts(v, row, "fields"),
                                   activity_texts(v, row, "previous_values"),
                                   activity_texts(v, row, "current_values"),
                                   activity_texts(v, row, "objects"), activity_texts(v, row, "people")};
}

static void write_side_text(struct json_writer *w, const char *name, const struct activity_side *side) {
    jw_key(w, str_of(name));
    if (side->text.p) jw_str(w, side->text);
    else jw_null(w);
}

static void write_side_object(struct view *v, const char *name, const char *type,
                              const struct activity_side *side) {
    jw_key(&v->w, str_of(name));
    if (type && side->id) view_reference(v, layout_of(resource_of(type)), side->id);
    else jw_null(&v->w);
}

static const char *action_of(const struct activity_side *old, const struct activity_side *new) {
    return old->text.p && !new->text.p ? "REMOVED" : new->text.p && !old->text.p ? "ADDED" : "UPDATED";
}

/* The name of an object is shown to those whose token may read the object. */
static bool may_see_name(const struct view *v, const char *type) {
    return type == NULL || view_may_read(v, resource_of(type));
}

/* The reason why a rule did not do an action, or p NULL. Such a line has the name of an action in place of a
 * field (core/change/activity.c), and only its text says so: custom fields may have any text as a value. */
static struct str activity_refusal(struct str field, const struct activity_side *old,
                                   const struct activity_side *new) {
    struct str not_done = S(NOT_DONE);
    if (old->text.p || new->id || str_starts(field, S("custom_fields."))) return (struct str){0};
    if (new->text.p == NULL || !str_starts(new->text, not_done)) return (struct str){0};
    return (struct str){new->text.p + not_done.n, new->text.n - not_done.n};
}

static void write_action(struct view *v, const char *kind, const struct activity_lists *l,
                         const struct json *field, size_t at, bool by_rule) {
    const char *type = activity_reference_type(kind, field->text);
    struct activity_side old = side_of(l, l->previous, at, false), new = side_of(l, l->current, at, true);
    const char *action = action_of(&old, &new);
    struct str refused = by_rule ? activity_refusal(field->text, &old, &new) : (struct str){0};
    if (!may_see_name(v, type)) old.text = new.text = (struct str){0};
    jw_object(&v->w);
    jw_key(&v->w, S("action"));
    jw_str(&v->w, str_of(action));
    jw_key(&v->w, S("field"));
    jw_str(&v->w, field->text);
    write_side_text(&v->w, "old_value", &old);
    write_side_text(&v->w, "new_value", &new);
    write_side_object(v, "old_object", type, &old);
    write_side_object(v, "new_object", type, &new);
    jw_key(&v->w, S("refused"));
    jw_str(&v->w, refused);
    jw_end(&v->w);
}

static const struct activity_owner {
    const char *column, *type, *address, *words; /* words: its name in stored sentences */
} activity_owners[] = {
    {"object_case", "case", "cases/", "this conversation"},
    {"object_organization", "organization", "organizations/", "this organization"},
    {"object_user", "user", "users/", "this person"},
};
enum { ACTIVITY_OWNERS = sizeof activity_owners / sizeof *activity_owners };

/* The object of an activity is the one owner that is set. */
static const struct activity_owner *activity_owner_of(const struct row *row, int64_t *id) {
    const struct activity_owner *o = activity_owners;
    while (o < activity_owners + ACTIVITY_OWNERS - 1 && row_cell(row, o->column)->type == V_NULL) o++;
    *id = row_cell(row, o->column)->i;
    return o;
}

/* The ids of one type among the changes. */
static int activity_objects(struct view *v, const struct row *row, const struct field *f, int64_t **ids) {
    int64_t owner;
    int n = 0, room = 0;
    size_t at = 0;
    if (row_cell(row, "objects")->type == V_NULL) return 0;
    const struct activity_lists l = activity_lists(v, row);
    const char *kind = activity_owner_of(row, &owner)->type;
    for (const struct json *field = l.fields ? l.fields->first : NULL; field; field = field->next, at++) {
        const char *type = activity_reference_type(kind, field->text);
        for (int current = 0; type && strcmp(type, f->ref) == 0 && current < 2; current++) {
            int64_t id = side_of(&l, NULL, at, current).id;
            if (id == 0) continue;
            *ids = arena_more(v->c->work.arena, *ids, n, &room, sizeof **ids);
            (*ids)[n++] = id;
        }
    }
    return n;
}

static void render_actions(struct view *v, const struct row *row, const struct value *own) {
    int64_t id;
    size_t at = 0;
    const struct activity_lists l = activity_lists(v, row);
    const char *kind = activity_owner_of(row, &id)->type;
    (void)own;
    jw_array(&v->w);
    for (const struct json *field = l.fields ? l.fields->first : NULL; field; field = field->next)
        write_action(v, kind, &l, field, at++, row_cell(row, "actor_kind")->i == ACTOR_RULE);
    jw_end(&v->w);
}

static void render_object(struct view *v, const struct row *row, const struct value *own) {
    int64_t id;
    const struct activity_owner *o = activity_owner_of(row, &id);
    (void)own;
    view_reference(v, layout_of(resource_of(o->type)), id);
}

/* A cause by its text, where the kind of the actor does not say it. The text goes on with a title if it ends
 * with ": ". */
static const struct known_cause {
    const char *text, *type;
} known_causes[] = {{"Trigger: ", "TRIGGER"},
                    {"Monitor: ", "MONITOR"},
                    {"Webhook: ", "WEBHOOK"},
                    {"Snooze", "SNOOZE"},
                    {"SLA", "SLA"},
                    {"Mailed link", "LINK"},
                    {0}};

/* By the numbers of enum actor_kind. */
static const char *const actor_causes[] = {"NOBODY", "USER", "NOBODY", "TOKEN",
                                           "SYSTEM", "RULE", "MAIL",   "WEBHOOK"};
_Static_assert(sizeof actor_causes / sizeof *actor_causes == ACTOR_WEBHOOK + 1, "each actor is a cause");

static const struct known_cause *known_cause_of(struct str cause, struct str *title) {
    for (const struct known_cause *k = known_causes; cause.p && k->text; k++) {
        struct str text = str_of(k->text);
        bool titled = text.p[text.n - 1] == ' ';
        if (titled ? !str_starts(cause, text) : !str_eq(cause, text)) continue;
        if (titled) *title = (struct str){cause.p + text.n, cause.n - text.n};
        return k;
    }
    return NULL;
}

static void write_word(struct json_writer *w, const char *name, const struct word *words,
                       const struct value *v) {
    jw_key(w, str_of(name));
    if (v->type == V_INT) jw_str(w, str_of(word_of(words, (int)v->i)));
    else jw_null(w);
}

static void render_cause(struct view *v, const struct row *row, const struct value *own) {
    const struct value *trigger = row_cell(row, "cause_trigger"), *monitor = row_cell(row, "cause_monitor");
    bool person = row_cell(row, "actor")->type == V_INT,
         mail = row_cell(row, "activity")->i == USER_MAIL_FAILED;
    struct str title = {0};
    const struct known_cause *known =
        person || mail || own->type != V_TEXT ? NULL : known_cause_of(own->s, &title);
    const char *type = person  ? "USER"
                       : mail  ? "MAIL"
                       : known ? known->type
                               : actor_causes[row_cell(row, "actor_kind")->i];
    jw_object(&v->w);
    jw_key(&v->w, S("type"));
    jw_str(&v->w, str_of(type));
    jw_key(&v->w, S("title"));
    jw_str(&v->w, title);
    jw_key(&v->w, S("rule"));
    if (trigger->type == V_INT) view_reference(v, layout_of(resource_of("trigger")), trigger->i);
    else if (monitor->type == V_INT) view_reference(v, layout_of(resource_of("monitor")), monitor->i);
    else jw_null(&v->w);
    write_word(&v->w, "channel", rule_channels, row_cell(row, "rule_channel"));
    write_word(&v->w, "event", rule_events, row_cell(row, "rule_event"));
    jw_end(&v->w);
}

/* &, < and > are escaped, so that a name can't make a link. */
static void put_words(struct buf *b, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        const char *escaped = text.p[i] == '&'   ? "&amp;"
                              : text.p[i] == '<' ? "&lt;"
                              : text.p[i] == '>' ? "&gt;"
                                                 : NULL;
        if (escaped) buf_text(b, escaped);
        else buf_char(b, text.p[i]);
    }
}

/* Writes <url|words>. */
static void put_link(struct buf *b, const struct view *v, const char *address, int64_t id, struct str words) {
    buf_fmt(b, "<%s/api/v1/%s%lld|", v->c->work.desk->base_url.p, address, (long long)id);
    put_words(b, words);
    buf_text(b, ">");
}

/* Writes the stored end of the sentence, with the object as a link if the sentence names it. */
static void put_deed(struct buf *b, const struct view *v, const struct row *row, struct str did) {
    int64_t id;
    const struct activity_owner *o = activity_owner_of(row, &id);
    size_t n = strlen(o->words);
    bool names = did.n > n && memcmp(did.p + did.n - n, o->words, n) == 0;
    put_words(b, names ? (struct str){did.p, did.n - n} : did);
    if (names) put_link(b, v, o->address, id, str_of(o->words));
}

static void render_summary(struct view *v, const struct row *row, const struct value *did) {
    const struct value *actor = row_cell(row, "actor"), *name = row_cell(row, "actor_name");
    struct buf b = {0};
    if (actor->type == V_INT) put_link(&b, v, "users/", actor->i, person_words(v, actor->i, name->s));
    else put_words(&b, name->s);
    buf_text(&b, " ");
    put_deed(&b, v, row, did->s);
    jw_str(&v->w, buf_view(&b));
    buf_free(&b);
}

/* 4: USER_MAIL_FAILED */
#define ACTOR                                                                                 \
    "COALESCE((SELECT u.full_name FROM users u WHERE u.id = t.actor_id), CASE t.name WHEN 4 " \
    "THEN 'A mail server' ELSE COALESCE(t.cause, 'Somebody without a login') END)"

enum { VERB_CREATED = 1, VERB_UPDATED, VERB_DELETED, VERB_FAILED };
static const struct word activity_verbs[] = {{VERB_CREATED, "CREATED"},
                                             {VERB_UPDATED, "UPDATED"},
                                             {VERB_DELETED, "DELETED"},
                                             {VERB_FAILED, "FAILED"},
                                             {0}};
/* By the numbers of enum activity_name. */
#define VERB                                                                                 \
    "CASE WHEN t.name IN (1, 5, 8) THEN 1 WHEN t.name IN (3, 7, 10) THEN 3 WHEN t.name = 4 " \
    "THEN 4 ELSE 2 END"

#define NEVER(name, doc_text) \
    { name, F_COMPUTED, READONLY, .render = render_null, .doc = doc_text, .example = "null" }

/* The objects of changes, so that they are loaded if they are included or if their references have further
 * members. */
#define OBJECTS(type)                                                                       \
    {                                                                                       \
        "objects_" type, F_MANY, HIDDEN, .ref = type, .found = activity_objects,            \
                                         .doc = "Objects of changes that are of this type." \
    }

static const struct field activity_fields[] = {
    {"owner", F_TEXT, HIDDEN,
     .column = "CASE WHEN t.owner_case_id IS NOT NULL "
               "THEN 'cases/' || t.owner_case_id WHEN t.owner_organization_id IS NOT NULL "
               "THEN 'organizations/' || t.owner_organization_id ELSE 'users/' || t.owner_user_id END",
     .doc = "The object of the activity, as the beginning of its address."},
    {"object_case", F_REF, HIDDEN, .ref = "case", .column = "t.owner_case_id",
     .doc = "If the object is a conversation."},
    {"object_organization", F_REF, HIDDEN, .ref = "organization", .column = "t.owner_organization_id",
     .doc = "If the object is an organization."},
    {"object_user", F_REF, HIDDEN, .ref = "user", .column = "t.owner_user_id",
     .doc = "If the object is a person."},
    {"actor_name", F_TEXT, HIDDEN, .column = ACTOR, .doc = "Name of the actor, or the cause."},
    {"activity", F_WORD, READONLY, .column = "t.name", .words = activity_names,
     .doc = "Name of the activity."},
    {"actor", F_REF, READONLY, .ref = "user",
     .doc = "Person who made the change. Null: the caller was not logged in, as with a mailed link, or the "
            "server made the change."},
    {"verb", F_WORD, READONLY, .column = VERB, .words = activity_verbs,
     .doc = "Kind of the change of the object. FAILED: an e-mail did not reach the person."},
    {"summary", F_TEXT, READONLY, .column = "t.did", .render = render_summary,
     .doc = "The activity as a sentence. `<url|words>` is a link. In the text and the words, &, < and > are "
            "`&amp;`, `&lt;` and `&gt;`.",
     .example = "\"<http://127.0.0.1:8080/api/v1/users/2|Agnes Agent> changed full_name\""},
    {"actor_kind", F_INT, HIDDEN, .doc = "Kind of the actor: enum actor_kind."},
    {"cause_trigger", F_REF, HIDDEN, .ref = "trigger", .column = "t.trigger_id",
     .doc = "The trigger that acted."},
    {"cause_monitor", F_REF, HIDDEN, .ref = "monitor", .column = "t.monitor_id",
     .doc = "The monitor that acted."},
    {"rule_channel", F_INT, HIDDEN, .doc = "Channel of what the trigger saw."},
    {"rule_event", F_INT, HIDDEN, .doc = "Event that the trigger saw."},
    {"cause", F_COMPUTED, READONLY, .column = "t.cause", .render = render_cause,
     .doc =
         "What made the change, as `summary` says it. `type`: USER, MAIL, LINK (a mailed link), NOBODY (a "
         "caller without login), TRIGGER, MONITOR, SLA, SNOOZE, WEBHOOK, TOKEN, RULE or SYSTEM. `title`: "
         "the title that the rule or webhook had. `rule` refers to the trigger or monitor, which may have "
         "been deleted since. `channel` and `event` are those of the change that the trigger saw. Activities "
         "of older versions have no `rule`, `channel` and `event`.",
     .example = "{\"type\": \"TRIGGER\", \"title\": \"Escalate\", \"rule\": {\"id\": 1, "
                "\"resource_type\": \"trigger\"}, \"channel\": \"API\", \"event\": null}"},
    {"fields", F_LONG, HIDDEN, .doc = "Names of the changed fields, as a JSON array."},
    {"previous_values", F_LONG, HIDDEN, .column = UNLESS_PURGED("t.previous_values"),
     .doc = "Values before the change."},
    {"current_values", F_LONG, HIDDEN, .column = UNLESS_PURGED("t.current_values"),
     .doc = "Values after the change."},
    {"objects", F_LONG, HIDDEN, .column = UNLESS_PURGED("t.objects"),
     .doc = "Ids before and after each change."},
    {"people", F_LONG, HIDDEN, .column = UNLESS_PURGED(PEOPLE), .doc = "Names of people among these ids."},
    OBJECTS("brand"),
    OBJECTS("case"),
    OBJECTS("case_form"),
    OBJECTS("case_priority"),
    OBJECTS("case_status"),
    OBJECTS("case_type"),
    OBJECTS("locale"),
    OBJECTS("organization"),
    OBJECTS("role"),
    OBJECTS("sla_version"),
    OBJECTS("team"),
    OBJECTS("user"),
    {"actions", F_COMPUTED, READONLY, .column = "", .render = render_actions,
     .doc =
         "Each changed field with its values before and after. `action`: ADDED, REMOVED or UPDATED; UPDATED "
         "if both values are null. The values of a list are the removed and the added items. The name of an "
         "object is null if the bearer token lacks the scope of the object. The fields of a failed e-mail "
         "are mail, recipient, status and reason. A value is null if there was none, if it is a secret, and "
         "after a purge. A person has the present name as value, other references have their names of that "
         "time. `old_object` and `new_object` refer to these objects. They are null for other fields and "
         "for activities that an older version wrote. An object may have been deleted since. Included by "
         "the name of its type. `refused`: the reason why a rule did not do an action, whose "
         "name is `field`.",
     .example = "[{\"action\": \"UPDATED\", \"field\": \"full_name\", \"old_value\": \"Ada Byron\", "
                "\"new_value\": \"Ada Lovelace\", \"old_object\": null, \"new_object\": null, "
                "\"refused\": null}]"},
    {"object", F_COMPUTED, READONLY, .render = render_object,
     .doc = "The changed user, organization or case. Included by the name of its type.",
     .example = "{\"id\": 1, \"resource_type\": \"user\"}"},
    NEVER("object_actor", "Always null: an object has no actor of its own."),
    NEVER("target", "Always null: no change has a target besides its object."),
    NEVER("result", "Always null: `actions` has the results."),
    NEVER("participant", "Always null: changes of participants are no activities."),
    NEVER("weight", "Always null: activities are not weighted."),
    {"ip_address", F_TEXT, READONLY, .column = OF_ACTOR_UNLESS_PURGED("t.ip_address"),
     .doc = "IP address of the request, if the actor is staff. Null for rules, customers, and a purged "
            "actor.",
     .example = "\"127.0.0.1\""},
    {"created_at", F_TIME, READONLY, .doc = "Time of the activity."},
    {0},
};

#define ABOUT_USER .within = {"user", "owner_user_id"}, .of_gone = true

#define ABOUT_CASE .within = {"case", "owner_case_id"}

#define FIRINGS_DOC                                                                                     \
    "The newest first, as activities of the conversations that the caller sees: `object` is the "       \
    "conversation, and `actions` has what the rule changed and sent, and what it did not do, with the " \
    "reason. An action that had nothing to change is not listed."

static const struct route activity_routes[] = {
    {GET, "/cases/:id/activities", COL_PLUS, "conversations", LIST, api_list, ABOUT_CASE,
     .order = {.descending = true}, .summary = "List the activities of a conversation",
     .doc = "The newest first."},
    {GET, "/cases/:id/activities/:activity_id", COL_PLUS, "conversations", ONE, api_get, ABOUT_CASE,
     .summary = "Get an activity of a conversation",
     .sample = {.path = "18,$ACTIVITY",
                .setup = "curl {owner} -X PUT -d priority_id=3 \"{api}/cases/18\"\nACTIVITY=$(curl {owner} "
                         "\"{api}/cases/18/activities\" | member id)"}},
    {GET, "/users/:id/activities", COL_PLUS, "users", LIST, api_list, ABOUT_USER,
     .order = {.descending = true}, .summary = "List the activities of a user",
     .doc = "Works for deleted users, too. The list includes e-mails that did not reach the user, with the "
            "reason."},
    {GET, "/users/:id/activities/:activity_id", COL_PLUS, "users", ONE, api_get, ABOUT_USER,
     .summary = "Get an activity of a user",
     .sample = {.path = "3,$ACTIVITY",
                .setup = "curl {owner} -X PUT -d designation=Lead \"{api}/users/3\"\nACTIVITY=$(curl "
                         "{owner} \"{api}/users/3/activities\" | member id)"}},
    {GET, "/triggers/:id/firings", AD, "conversations", LIST, api_list, .within = {"trigger", "trigger_id"},
     .order = {.descending = true}, .summary = "List the firings of a trigger", .doc = FIRINGS_DOC},
    {GET, "/monitors/:id/firings", AD, "conversations", LIST, api_list, .within = {"monitor", "monitor_id"},
     .order = {.descending = true}, .summary = "List the firings of a monitor", .doc = FIRINGS_DOC},
    {0},
};

const struct resource activity_resource = {
    .type = "activity",
    .scope = "conversations users",
    .title = "Activities",
    .doc = "The audit trail: who changed which field, when, and the values before and after. Rows are only "
           "added.",
    .url = ":owner/activities/:id",
    .table = "activities",
    .fields = activity_fields,
    .routes = activity_routes,
    .visible = access_activities};
