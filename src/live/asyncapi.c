#include "live/asyncapi.h"

#include "live/event.h"
#include "live/topic.h"

static void describe_text(struct json_writer *w, const char *name, const char *text) {
    jw_key_raw(w, str_of(name));
    jw_str(w, str_of(text));
}

static void open_member(struct json_writer *w, const char *name) {
    jw_key_raw(w, str_of(name));
    jw_object(w);
}

static void write_ref(struct json_writer *w, const char *to) {
    jw_object(w);
    describe_text(w, "$ref", to);
    jw_end(w);
}

/* A property of a payload. */
static void property(struct json_writer *w, const char *name, const char *type, const char *doc) {
    open_member(w, name);
    describe_text(w, "type", type);
    if (doc) describe_text(w, "description", doc);
    jw_end(w);
}

static void write_payload(struct json_writer *w, bool is_post) {
    open_member(w, "payload");
    describe_text(w, "type", "object");
    open_member(w, "properties");
    property(w, "resource_type", "string", NULL);
    property(w, "resource_id", "integer", NULL);
    property(w, "resource_url", "string", "Address at which the listener reads the object.");
    if (is_post) {
        open_member(w, "customer_resource_url");
        jw_key_raw(w, S("type"));
        jw_raw(w, S("[\"string\",\"null\"]"));
        jw_end(w);
        open_member(w, "agent_resource_url");
        jw_key_raw(w, S("type"));
        jw_raw(w, S("[\"string\",\"null\"]"));
        jw_end(w);
        property(
            w, "case_id", "integer",
            "Id of the conversation. A comment, and a note on a person or an organization, have no members "
            "of conversations.");
    }
    property(w, "changed_properties", is_post ? "array" : "object",
             is_post
                 ? "Names of the changed properties."
                 : "Changed properties as a GET shows them: references as ids, times in seconds since 1970.");
    property(w, "cursor", "string", "Place of the event, if the join asked for cursors.");
    jw_end(w);
    jw_end(w);
}

static void write_messages(struct json_writer *w) {
    open_member(w, "messages");
    for (const struct event_word *e = event_words; e < event_words + EVENT_KINDS; e++) {
        open_member(w, e->name);
        describe_text(w, "name", e->name);
        describe_text(w, "summary", e->doc);
        write_payload(w, e->is_post);
        jw_end(w);
    }
    jw_end(w);
}

#define EVENTS_OF_POSTS (1u << EVENT_POST_CREATED | 1u << EVENT_POST_CHANGED)

/* events: bits of 1u << enum event_kind. */
static void write_channel(struct json_writer *w, struct arena *a, const char *name, const char *address,
                          const char *about, unsigned events) {
    open_member(w, name);
    describe_text(w, "address", address);
    describe_text(w, "description", about);
    open_member(w, "messages");
    for (int i = 0; i < EVENT_KINDS; i++) {
        if (!(events & 1u << i)) continue;
        jw_key_raw(w, str_of(event_words[i].name));
        write_ref(w, str_fmt(a, "#/components/messages/%s", event_words[i].name).p);
    }
    jw_end(w);
    jw_end(w);
}

static void write_presence_channel(struct json_writer *w, const struct desk *d, struct arena *a) {
    open_member(w, "user_presence");
    describe_text(w, "address", str_fmt(a, "user_presence-%s@{hash}", d->installation.p).p);
    describe_text(
        w, "description",
        "Whether a person is online: presence_state after the join, then presence_diff. Who may GET "
        "/users/:id may listen. The person's own sockets that join are present.");
    open_member(w, "messages");
    jw_end(w);
    jw_end(w);
}

static void asyncapi_channels(struct json_writer *w, const struct desk *d, struct arena *a) {
    open_member(w, "channels");
    for (const struct live_object *o = live_objects; o->name; o++)
        write_channel(w, a, o->name, str_fmt(a, "presence-%s@v1_%s_{id}", d->installation.p, o->name).p,
                      str_fmt(a, "%s Who may GET %s may listen.", o->about, o->path).p,
                      1u << EVENT_CHANGED | (o->kind == LIVE_VIEW ? 0 : EVENTS_OF_POSTS));
    write_channel(w, a, "inbox", str_fmt(a, "presence-%s@v1_inbox", d->installation.p).p,
                  "All conversations that the caller sees, for staff.",
                  1u << EVENT_CHANGED | 1u << EVENT_CREATED | EVENTS_OF_POSTS);
    write_channel(
        w, a, "comments", str_fmt(a, "presence-%s@v1_comments", d->installation.p).p,
        "Comments on all articles that the caller sees, for staff. Who may GET /comments may listen.",
        EVENTS_OF_POSTS);
    write_channel(w, a, "notifications", str_fmt(a, "user_notifications-%s@{hash}", d->installation.p).p,
                  "The caller's own notifications, for staff: `notification_channel` of GET /me. Who may GET "
                  "/notifications may listen. CHANGE tells that one was read, or without `resource_id` that "
                  "several were.",
                  1u << EVENT_CHANGED | 1u << EVENT_NOTIFIED);
    write_presence_channel(w, d, a);
    jw_end(w);
}

static void asyncapi_operations(struct json_writer *w, struct arena *a) {
    open_member(w, "operations");
    for (const struct live_object *o = live_objects; o->name; o++) {
        open_member(w, str_fmt(a, "hear_%s", o->name).p);
        describe_text(w, "action", "send");
        jw_key_raw(w, S("channel"));
        write_ref(w, str_fmt(a, "#/channels/%s", o->name).p);
        jw_end(w);
    }
    jw_end(w);
}

void asyncapi_write(const struct desk *d, struct buf *out) {
    struct arena *a = arena_new();
    struct json_writer w;
    jw_init(&w, out);
    jw_object(&w);
    describe_text(&w, "asyncapi", "3.0.0");
    open_member(&w, "info");
    describe_text(&w, "title", "deskd realtime");
    describe_text(&w, "version", "1");
    describe_text(&w, "description",
                  "Phoenix channels over a WebSocket, and the same events as Server-Sent Events.");
    jw_end(&w);
    open_member(&w, "servers");
    open_member(&w, "socket");
    jw_key_raw(&w, S("host"));
    jw_str(&w, d->host);
    describe_text(&w, "protocol", str_starts(d->base_url, S("https:")) ? "wss" : "ws");
    describe_text(&w, "pathname", "/socket/websocket");
    jw_end(&w);
    jw_end(&w);
    asyncapi_channels(&w, d, a);
    asyncapi_operations(&w, a);
    open_member(&w, "components");
    write_messages(&w);
    jw_end(&w);
    jw_end(&w);
    arena_free(a);
}
