/* Realtime: the addresses at which a connection becomes long-lived (live/live.h). */
#include "api/rows/generic.h"
#include "live/live.h"

static const struct word socket_versions[] = {{1, "1.0.0"}, {2, "2.0.0"}, {0}};

static const struct field socket_args[] = {
    {"vsn", F_WORD, .words = socket_versions, .initial = "1.0.0",
     .doc = "Version of the frames. 1.0.0: objects. 2.0.0: arrays.", .example = "\"2.0.0\""},
    {"user_agent", F_TEXT, .max = 512, .doc = "Ignored here: it stands for the header User-Agent."},
    {"instance", F_TEXT, .doc = "Accepted for existing clients, and ignored."},
    {0},
};

static const struct field stream_args[] = {
    {"channels", F_TEXT, REQUIRED, .max = 8192, .doc = "Names of channels, separated by commas, at most 50.",
     .example = "\"presence-0f@v1_cases_23\""},
    {"after", F_TEXT, .max = 4096,
     .doc = "The id of the last event that was received, in place of the header Last-Event-ID."},
    {0},
};

static const struct field realtime_fields[] = {{0}}; /* its replies are no JSON */

static int get_socket(struct call *c) {
    TRY(api_input(c));
    return live_open_socket(c, (int)arg(c, "vsn")->value.i);
}

static int get_stream(struct call *c) {
    TRY(api_input(c));
    struct str sent = http_header(c->http, "Last-Event-ID");
    return live_open_stream(c, arg(c, "channels")->value.s, sent.n ? sent : arg(c, "after")->value.s);
}

static const struct route realtime_routes[] = {
    {GET, "/realtime", ALL | FINGERPRINT | WIDGET, "", NONE, get_stream, .bearer = BEARER_ANY,
     .args = stream_args, .is_download = true, .status = 200,
     .sample = {.refused = "FIELD_INVALID"}, /* its example names no channel */
     .summary = "Follow channels as a stream of events",
     .doc =
         "Server-Sent Events. A channel that you may not see, and one that does not exist, are refused with "
         "the same error. A client that comes back with the id of its last event gets every event since, once "
         "and in order, or the event `resync`: then read the objects again."},
    {GET, "/realtime/socket", ALL | FINGERPRINT, "", NONE, get_socket, .bearer = BEARER_ANY,
     .args = socket_args, .is_download = true, .status = 101,
     .sample = {.refused = "FIELD_INVALID"}, /* curl opens no WebSocket */
     .summary = "Open a WebSocket",
     .doc = "The same as /socket/websocket: Phoenix channels over a WebSocket (RFC 6455)."},
    {0},
};

const struct resource realtime_resource = {
    .type = "realtime",
    .scope = "",
    .title = "Realtime",
    .doc = "Connections that stay open, on which the server tells changes when they are committed.",
    .fields = realtime_fields,
    .routes = realtime_routes};
