#include "live/frame.h"

/* A reference as JSON; anything but a number or a string counts as none. */
static struct str reference(struct arena *a, const struct json *j) {
    return j && (j->type == JSON_NUMBER || j->type == JSON_STRING) ? json_text(a, j) : S("null");
}

static bool frame_text(const struct json *j, struct str *out) {
    *out = j && j->type == JSON_STRING ? j->text : (struct str){0};
    return out->p != NULL;
}

static bool frame_take(struct arena *a, const struct json *join_ref, const struct json *ref,
                       const struct json *topic, const struct json *event, const struct json *payload,
                       struct frame *out) {
    *out = (struct frame){.join_ref = reference(a, join_ref), .ref = reference(a, ref), .payload = payload};
    return frame_text(topic, &out->topic) && frame_text(event, &out->event);
}

bool frame_read(struct arena *a, int version, struct str text, struct frame *out) {
    struct json *j;
    struct json_error err;
    if (json_parse(a, text, &j, &err) < 0) return false;
    if (version == 1)
        return j->type == JSON_OBJECT &&
               frame_take(a, json_member(j, S("join_ref")), json_member(j, S("ref")),
                          json_member(j, S("topic")), json_member(j, S("event")),
                          json_member(j, S("payload")), out);
    if (j->type != JSON_ARRAY || j->count != 5) return false;
    const struct json *join = j->first, *ref = join->next, *topic = ref->next, *event = topic->next;
    return frame_take(a, join, ref, topic, event, event->next, out);
}

void frame_write(struct buf *out, int version, struct str join_ref, struct str ref, struct str topic,
                 struct str event, struct str payload) {
    struct json_writer w;
    jw_init(&w, out);
    if (version == 1) jw_object(&w);
    else jw_array(&w);
    if (version == 2) jw_raw(&w, join_ref), jw_raw(&w, ref);
    if (version == 1) jw_key(&w, S("topic"));
    jw_str(&w, topic);
    if (version == 1) jw_key(&w, S("event"));
    jw_str(&w, event);
    if (version == 1) jw_key(&w, S("payload"));
    jw_raw(&w, payload);
    if (version == 1) jw_key(&w, S("ref")), jw_raw(&w, ref);
    jw_end(&w);
}

void stream_event_write(struct buf *out, struct str id, struct str event, struct str topic,
                        struct str payload) {
    struct json_writer w;
    if (id.p) buf_text(out, "id: "), buf_str(out, id), buf_char(out, '\n');
    buf_text(out, "event: ");
    buf_str(out, event);
    buf_text(out, "\ndata: ");
    jw_init(&w, out);
    jw_object(&w);
    jw_key(&w, S("topic"));
    jw_str(&w, topic);
    jw_key(&w, S("payload"));
    jw_raw(&w, payload);
    jw_end(&w);
    buf_text(out, "\n\n");
}
