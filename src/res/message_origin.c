#include "res/message_origin.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/words.h"

/* ---- source ---------------------------------------------------------------------------------- */

static const struct word sources_given[] = {
    {SOURCE_HELPCENTER, "HELPCENTER"}, {SOURCE_MESSENGER, "MESSENGER"}, {SOURCE_API, "API"},
    {SOURCE_AGENT, "AGENT"},           {SOURCE_MOBILE, "MOBILE"},       {0}};

/* Only staff may send AGENT, because a message of a customer must not look like one of staff. */
static int check_source(struct call *c, struct in *in) {
    if (in->value.i != SOURCE_AGENT || c->work.actor.rank >= ROLE_COLLABORATOR) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "Only staff may send AGENT. Send HELPCENTER, MESSENGER, API or MOBILE.");
}

const struct field message_source_input[] = {
    {"source", F_WORD, NULLABLE, .words = sources_given, .check = check_source,
     .doc = "Channel of the message. Only staff may send AGENT."},
    {0},
};

/* ---- metadata -------------------------------------------------------------------------------- */

#define METADATA_KEYS 2
#define METADATA_MAX 2048 /* bytes of a value */
static const char *const metadata_keys[METADATA_KEYS] = {"user_agent", "page_url"};

const struct field metadata_input[] = {
    {"metadata", F_OBJECT, NULLABLE, .doc = "user_agent and page_url of the client. Other keys are ignored.",
     .example = "{\"page_url\": \"https://example.com/engine\"}"},
    {0},
};

/* If a key has several spellings, the exact one counts, else the last one. */
static const struct json *metadata_member(const struct json *metadata, struct str key) {
    const struct json *exact = json_member(metadata, key);
    return exact ? exact : json_named(metadata, key);
}

static bool is_value(const struct json *j) {
    if (j == NULL || j->type == JSON_NULL) return true;
    return j->type == JSON_STRING && j->text.n <= METADATA_MAX && memchr(j->text.p, 0, j->text.n) == NULL;
}

static void metadata_notices(struct call *c, const struct json *metadata) {
    unsigned known = 0;
    for (int i = 0; i < METADATA_KEYS; i++) {
        unsigned spellings = 0;
        for (const struct json *j = metadata->first; j; j = j->next)
            spellings += name_eq(j->name, str_of(metadata_keys[i]));
        if (spellings > 1)
            notice(&c->work, "NOTICE",
                   "metadata has %s in %u spellings. The exact spelling counts, else "
                   "the last one.",
                   metadata_keys[i], spellings);
        known += spellings;
    }
    if (known < metadata->count)
        notice(&c->work, "NOTICE", "metadata takes user_agent and page_url. Other keys were ignored.");
}

struct str metadata_given(struct call *c) {
    const struct in *sent = in(c, "metadata");
    struct arena *a = c->work.arena;
    struct json *kept = json_new(a, JSON_OBJECT);
    if (!sent->given || sent->value.type == V_NULL) return (struct str){0};
    for (int i = 0; i < METADATA_KEYS; i++) {
        const struct json *j = metadata_member(sent->json, str_of(metadata_keys[i]));
        if (!is_value(j))
            fail_at(&c->work, ERR_FIELD_INVALID, sent->name, str_fmt(a, "metadata/%s", metadata_keys[i]),
                    "A text of at most %d bytes is expected.", METADATA_MAX);
        if (j == NULL || j->type != JSON_STRING) continue;
        struct json *member = json_string(a, j->text);
        member->name = str_of(metadata_keys[i]);
        json_append(kept, member);
    }
    metadata_notices(c, sent->json);
    return json_text(a, kept);
}

static bool is_metadata_key(struct str name) {
    for (int i = 0; i < METADATA_KEYS; i++)
        if (str_eq(name, str_of(metadata_keys[i]))) return true;
    return false;
}

/* Both keys are always there. A mail that continues a conversation also has `continues_case_id`. */
static void render_metadata(struct view *v, const struct row *row, const struct value *own) {
    struct json *stored = NULL;
    struct json_error err;
    (void)row;
    if (own->type == V_TEXT && json_parse(v->c->work.arena, own->s, &stored, &err) < 0) stored = NULL;
    jw_object(&v->w);
    for (int i = 0; i < METADATA_KEYS; i++) {
        const struct json *j = json_member(stored, str_of(metadata_keys[i]));
        jw_key_raw(&v->w, str_of(metadata_keys[i]));
        jw_str(&v->w, j && j->type == JSON_STRING ? j->text : S(""));
    }
    for (const struct json *j = stored ? stored->first : NULL; j; j = j->next) {
        if (is_metadata_key(j->name)) continue;
        jw_key_raw(&v->w, j->name);
        jw_json(&v->w, j);
    }
    jw_end(&v->w);
}

const struct field metadata_shown[] = {
    {"metadata", F_JSON, READONLY, .render = render_metadata,
     .doc = "user_agent and page_url of the client. Empty texts if unknown.",
     .example = "{\"user_agent\": \"\", \"page_url\": \"\"}"},
    {0},
};
