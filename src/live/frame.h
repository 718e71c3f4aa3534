/* Frames of Phoenix channels, as JSON texts.
 *
 *     version 1.0: {"topic": T, "event": E, "payload": P, "ref": R}, with "join_ref" in some clients
 *     version 2.0: [join_ref, ref, topic, event, payload]
 *
 * References are numbers or strings of the client. They return as they came. */
#ifndef LIVE_FRAME_H
#define LIVE_FRAME_H

#include "json/json.h"

struct frame {
    struct str join_ref, ref; /* JSON: `"1"`, `1` or `null` */
    struct str topic, event;
    const struct json *payload; /* NULL: none */
};

bool frame_read(struct arena *a, int version, struct str text, struct frame *out); /* false: it is none */

/* payload: JSON. The references of a version 1.0 frame are null unless it is a reply. */
void frame_write(struct buf *out, int version, struct str join_ref, struct str ref, struct str topic,
                 struct str event, struct str payload);

/* One event of a stream (WHATWG HTML, server-sent events): id, event, and a line of data with the topic and the
 * payload. id p NULL: none. */
void stream_event_write(struct buf *out, struct str id, struct str event, struct str topic,
                        struct str payload);

#endif
