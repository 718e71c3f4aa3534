/* The address of the socket outside of the API, as existing clients know it. */
#include "live/address.h"

#include "json/json.h"

/* The arguments of these clients, and what the API calls them. */
static struct str renamed(struct str name) {
    if (str_eq(name, S("session_id"))) return S("_session_id");
    if (str_eq(name, S("fingerprint_id"))) return S("_fingerprint_id");
    return name;
}

bool socket_handle(struct api *api, struct http_request *r) {
    struct buf query = {0};
    (void)api;
    if (!str_eq(r->path, S("/socket/websocket"))) return false;
    for (struct str rest = r->query; rest.p;) {
        struct str value = str_cut(&rest, '&'), name = str_cut(&value, '=');
        if (str_eq(name, S("user_agent")) && value.n)
            http_header_set(r, "User-Agent", form_decode(r->arena, value));
        if (query.n) buf_char(&query, '&');
        buf_str(&query, renamed(name));
        if (value.p) buf_char(&query, '='), buf_str(&query, value);
    }
    r->path = S("/api/v1/realtime/socket");
    r->query = query.n ? buf_take(&query, r->arena) : (struct str){0};
    return false;
}
