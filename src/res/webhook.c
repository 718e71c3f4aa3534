/* Incoming event webhooks. The token in the path is the only credential. The reply to one event shows it,
 * with a reference to its person; it does not say whether the person is new. */
#include "api/rows/generic.h"
#include "api/input/input.h"
#include "base/limits.h"
#include "base/link.h"
#include "core/programs/event.h"
#include "core/programs/event_token.h"
#include "res/groups.h"

/* ---- the caller ------------------------------------------------------------------------------ */

static int webhook_token(struct call *c, struct event_token *out) {
    return event_token_find(&c->work, c->vars[0].text, out);
}

/* A token that is unknown or disabled identifies nobody: such calls count as writes without login. */
static int webhook_caller(struct call *c) {
    struct actor *a = &c->work.actor;
    struct event_token token;
    int rc = a->user_id ? 0 : webhook_token(c, &token);
    if (rc <= 0) return rc;
    a->kind = ACTOR_WEBHOOK;
    a->event_token_id = token.id;
    a->cause = STR_CAT(c->work.arena, S("Webhook: "), token.label);
    return 0;
}

/* ---- the person ------------------------------------------------------------------------------ */

static bool letters_and(struct str s, const char *more) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || in_set(c, more))) return false;
    }
    return true;
}

static int identity_invalid(struct call *c, const struct in *in, const char *why) {
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", why);
}

static int check_event_phone(struct call *c, struct in *in) {
    return event_identity_valid(&c->work, EVENT_PHONE, in->value.s)
               ? 0
               : identity_invalid(c, in, "A phone number is expected.");
}

static int check_event_twitter(struct call *c, struct in *in) {
    return event_identity_valid(&c->work, EVENT_TWITTER, in->value.s)
               ? 0
               : identity_invalid(c, in, "An id of at most 64 letters, digits and underscores is expected.");
}

static const struct field person_fields[] = {
    {"email", F_EMAIL, NULLABLE, .doc = "E-mail address."},
    {"phone", F_TEXT, NULLABLE, .check = check_event_phone, .doc = "Phone number."},
    {"twitter_id", F_TEXT, NULLABLE, .check = check_event_twitter, .doc = "Id of the Twitter account."},
    {"facebook_id", F_TEXT, NULLABLE, .doc = "Id of the Facebook account."},
    {"external_id", F_TEXT, NULLABLE, .doc = "Id in another system."},
    {"external_app", F_TEXT, NULLABLE, .doc = "Name of that system."},
    {"full_name", F_TEXT, NULLABLE, .doc = "Name of a person who is new."},
    {0},
};

/* Places of person_fields. EVENT_EMAIL and its followers stand first, in their order. */
enum { AT_EXTERNAL = EVENT_EXTERNAL - 1, AT_APP, AT_NAME, PERSON_FIELDS };

static const struct field *person_field(struct str name) {
    const struct field *f = person_fields;
    while (f->name && !name_eq(str_of(f->name), name)) f++;
    return f->name ? f : NULL;
}

static void note_unknown_keys(struct call *c, const struct json *object, struct str place) {
    for (const struct json *j = object->type == JSON_OBJECT ? object->first : NULL; j; j = j->next) {
        if (person_field(j->name)) continue;
        struct str name = utf8_without_cut_end((struct str){j->name.p, j->name.n > 64 ? 64 : j->name.n});
        notice(&c->work, "NOTICE", "Unknown keys were ignored: %.*s/%.*s.", (int)place.n, place.p,
               (int)name.n, name.p);
    }
}

static int no_identity(struct call *c, const struct in *in) {
    static const char *const names[] = {"email", "phone", "twitter_id", "facebook_id", "external_id", NULL};
    return fail_any(&c->work, in->pointer.p ? in->pointer : in->name, names);
}

/* Reads the members of a person, in any spelling of their names, into in->made: a struct event_person. */
static int check_event_person(struct call *c, struct in *in) {
    struct str place = in->pointer.p ? in->pointer : in->name;
    struct event_person *p = in->made = ARENA_NEW(c->work.arena, struct event_person);
    struct in *list;
    int count, given = 0;
    note_unknown_keys(c, in->json, place);
    TRY(input_read(c, person_fields, true, in->json, place, &list, &count));
    for (int i = 0; i <= AT_EXTERNAL; i++) {
        p->identities[EVENT_EMAIL + i] = list[i].value.s;
        given += list[i].value.s.p != NULL;
    }
    p->external_app = list[AT_APP].value.s;
    p->full_name = list[AT_NAME].value.s;
    if (p->external_app.p && p->identities[EVENT_EXTERNAL].p == NULL)
        notice(&c->work, "NOTICE", "%.*s/external_app was ignored: there is no external_id.", (int)place.n,
               place.p);
    if (given == 0) return no_identity(c, in);
    if (p->identities[EVENT_EXTERNAL].p && p->external_app.p == NULL)
        return fail_at(&c->work, ERR_FIELD_REQUIRED, list[AT_APP].name, list[AT_APP].pointer,
                       "external_id needs the name of its system.");
    return 0;
}

/* ---- properties ------------------------------------------------------------------------------ */

#define SOURCE "source"
#define SOURCE_OTHER "CUSTOM" /* the source, if none is given */

/* An address that link_clean would not change, beside letter case. */
static bool is_clean_link(struct str s, const char *scheme) {
    struct buf b = {0};
    bool valid = link_clean(&b, s, LINK_WEB) && str_eqi(buf_view(&b), s) && s.n >= strlen(scheme) &&
                 str_eqi((struct str){s.p, strlen(scheme)}, str_of(scheme));
    buf_free(&b);
    return valid;
}

static bool event_url_valid(struct call *c, struct str s) {
    (void)c;
    return is_clean_link(s, "http");
}

static bool icon_url_valid(struct call *c, struct str s) {
    (void)c;
    return is_clean_link(s, "https:");
}

static bool summary_valid(struct call *c, struct str s) {
    return text_wrong(c->work.arena, s, LIMIT_TITLE, true) == NULL;
}

static bool color_valid(struct call *c, struct str s) {
    (void)c;
    if (s.n && s.p[0] == '#') s.p++, s.n--;
    for (size_t i = 0; i < s.n; i++)
        if (!in_set(s.p[i], "0123456789abcdefABCDEF")) return false;
    return s.n == 3 || s.n == 6;
}

static bool source_valid(struct call *c, struct str s) {
    (void)c;
    return s.n <= LIMIT_TITLE && letters_and(s, "_.");
}

/* Keys are data, so a reserved key counts only as it is written here. */
static const struct reserved {
    const char *key;
    bool (*valid)(struct call *c, struct str s);
    const char *why;
} reserved[] = {
    {"url", event_url_valid, "An http or https address is expected."},
    {"icon_url", icon_url_valid, "An https address is expected."},
    {"summary", summary_valid, "A line of at most 255 characters is expected."},
    {"color", color_valid, "A colour like #0b4fc4 or #0bc is expected."},
    {SOURCE, source_valid, "Letters, underscores and dots are expected."},
};

static bool property_blank(const struct json *j) {
    return j == NULL || j->type == JSON_NULL || (j->type == JSON_STRING && str_trim(j->text).n == 0);
}

static int check_reserved(struct call *c, const struct in *in) {
    int problems = c->work.problem_count;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        const struct reserved *r = &reserved[i];
        const struct json *j = json_member(in->json, str_of(r->key));
        if (property_blank(j) || (j->type == JSON_STRING && r->valid(c, j->text))) continue;
        fail_at(&c->work, ERR_FIELD_INVALID, in->name, in_place(c, in, "%s", r->key), "%s", r->why);
    }
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

/* The properties as JSON, with a source. object NULL: none were sent. */
static struct str properties_text(struct arena *a, const struct json *object) {
    struct buf b = {0};
    struct json_writer w;
    bool sourced = !property_blank(object ? json_member(object, S(SOURCE)) : NULL);
    jw_init(&w, &b);
    jw_object(&w);
    for (const struct json *j = object && object->type == JSON_OBJECT ? object->first : NULL; j;
         j = j->next) {
        if (!sourced && str_eq(j->name, S(SOURCE))) continue;
        jw_key_raw(&w, j->name);
        jw_json(&w, j);
    }
    if (!sourced) {
        jw_key_raw(&w, S(SOURCE));
        jw_str(&w, S(SOURCE_OTHER));
    }
    jw_end(&w);
    return buf_take(&b, a);
}

static int check_event_properties(struct call *c, struct in *in) {
    TRY(check_reserved(c, in));
    in->value = (struct value){V_TEXT, .s = properties_text(c->work.arena, in->json)};
    if (in->value.s.n <= LIMIT_PROPERTIES) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "At most %d bytes of JSON are allowed.", LIMIT_PROPERTIES);
}

/* ---- events ---------------------------------------------------------------------------------- */

static int check_event(struct call *c, struct in *in) {
    if (letters_and(in->value.s, "_. ")) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "Letters, underscores, dots and blanks are expected.");
}

static const struct field event_input[] = {
    {"event", F_TEXT, REQUIRED, .check = check_event,
     .doc = "Kind of event: letters, underscores, dots and blanks.", .example = "\"order.paid\""},
    {"user", F_OBJECT, REQUIRED, .check = check_event_person,
     .doc = "The person: email, phone, twitter_id, facebook_id, external_id with external_app; at least one "
            "of them. The first that belongs to a person, in this order, finds the person. If none does, a "
            "customer is created with them and full_name.",
     .example = "{\"email\": \"cora@example.com\", \"full_name\": \"Cora Customer\"}"},
    {"properties", F_OBJECT, 0, .check = check_event_properties,
     .doc =
         "Further data. Reserved keys: url (http or https), icon_url (https), summary, color (#rgb or "
         "#rrggbb, with or without #), source (letters, underscores and dots; CUSTOM if absent). Other keys "
         "are free.",
     .example = "{\"summary\": \"Paid 12 EUR\", \"url\": \"https://shop.example.com/orders/1815\"}"},
    {"triggered_at", F_TIME, 0, .doc = "Time of the event. If absent: now."},
    {0},
};

enum { AT_EVENT, AT_PERSON, AT_PROPERTIES, AT_TIME }; /* places of event_input */

static const struct field bulk_input[] = {
    {"events", F_LIST, REQUIRED, .items = event_input,
     .doc = "At most 200 events, each with the parameters of one.",
     .example = "[{\"event\": \"order.paid\", \"user\": {\"email\": \"cora@example.com\"}}]"},
    {0},
};

static struct event_new event_read(struct call *c, const struct in *list) {
    const struct in *properties = &list[AT_PROPERTIES], *time = &list[AT_TIME];
    return (struct event_new){
        .event = list[AT_EVENT].value.s,
        .person = *(const struct event_person *)list[AT_PERSON].made,
        .properties =
            properties->value.type == V_TEXT ? properties->value.s : properties_text(c->work.arena, NULL),
        .triggered_at = time->value.type == V_INT ? time->value.i : c->work.now,
    };
}

/* Fails with 404 for a token that is unknown or disabled. */
static int webhook_admit(struct call *c, struct event_token *token) {
    int rc = webhook_token(c, token);
    return rc < 0 ? rc : rc ? 0 : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

/* A program that has only the token learns nothing of the person but the id. */
static void webhook_without_includes(struct call *c) {
    struct options *o = &c->options;
    if (c->work.actor.user_id || (o->include_count == 0 && !o->include_all)) return;
    o->include_count = 0;
    o->include_all = false;
    notice(&c->work, "NOTICE", "include was ignored: a webhook is shown references only.");
}

static int post_webhook(struct call *c) {
    struct event_token token;
    TRY(webhook_admit(c, &token));
    webhook_without_includes(c);
    TRY(api_input(c));
    const struct event_new e = event_read(c, c->input);
    TRY(events_add(&c->work, token.id, &e, 1, &c->id));
    c->sees_written = true;
    return api_reply(c);
}

/* Reads all events, and reports the problems of all of them. */
static int bulk_read(struct call *c, const struct json *items, struct event_new *out) {
    int at = 0, count;
    struct in *list;
    for (const struct json *j = items->first; j; j = j->next, at++) {
        struct str place = str_fmt(c->work.arena, "events/%d", at);
        if (j->type != JSON_OBJECT)
            fail_at(&c->work, ERR_FIELD_INVALID, S("events"), place, "An object is expected.");
        else if (input_read(c, event_input, true, j, place, &list, &count) >= 0)
            out[at] = event_read(c, list);
    }
    return failed(&c->work) ? -(int)failure(&c->work) : at;
}

static int post_webhook_bulk(struct call *c) {
    struct event_token token;
    int64_t first;
    TRY(webhook_admit(c, &token));
    TRY(api_input(c));
    const struct json *items = in(c, "events")->json;
    if (items->count == 0) return in_fail(c, "events", ERR_FIELD_EMPTY, NULL);
    if (items->count > LIMIT_RECORDS)
        return in_fail(c, "events", ERR_FIELD_INVALID, "At most %d events are allowed.", LIMIT_RECORDS);
    struct event_new *list = arena_array(c->work.arena, items->count, sizeof *list);
    int count = bulk_read(c, items, list);
    TRY(count);
    TRY(events_add(&c->work, token.id, list, count, &first));
    return api_reply(c);
}

static const struct route webhook_routes[] = {
    {POST, "/webhook/:token/incoming", PUBLIC, "", ONE, post_webhook, .caller = webhook_caller,
     .input = event_input, .reply = "event", .errors = "ANY_FIELD_REQUIRED", .summary = "Report an event",
     .doc = "The token in the path is the credential. A disabled or unknown one: 404.",
     .sample = {.made_by = "/events/tokens"}},
    {POST, "/bulk/webhook/:token/incoming", PUBLIC, "", NONE, post_webhook_bulk, .is_heavy = true,
     .caller = webhook_caller, .status = 201, .input = bulk_input, .errors = "ANY_FIELD_REQUIRED",
     .summary = "Report several events", .doc = "All events are stored, or none.",
     .sample = {.made_by = "/events/tokens"}},
    {0},
};

const struct resource webhook_resource = {.type = "webhook",
                                          .scope = "users",
                                          .title = "Webhooks",
                                          .doc = "Other systems report events of people here.",
                                          .fields = no_fields,
                                          .routes = webhook_routes};
