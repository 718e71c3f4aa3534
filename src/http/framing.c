/* Reads the head of a request as the library has split it. scan.c has checked that it is well-formed. */
#include "http/edge.h"

struct str http_header(const struct http_request *r, const char *name) {
    const struct edge *e = (const struct edge *)r;
    struct str wanted = str_of(name);
    for (size_t i = 0; i < e->head_n; i++)
        if (str_eqi(e->head[i].name, wanted)) return e->head[i].value;
    return (struct str){0};
}

struct str http_cookie(const struct http_request *r, const char *name) {
    const struct edge *e = (const struct edge *)r;
    struct str wanted = str_of(name);
    for (size_t i = 0; i < e->head_n; i++) {
        if (!str_eqi(e->head[i].name, S("Cookie"))) continue;
        for (struct str rest = e->head[i].value; rest.p;) {
            struct str value = str_cut(&rest, ';'), key = str_trim(str_cut(&value, '='));
            if (value.p == NULL || !str_eq(key, wanted)) continue;
            value = str_trim(value);
            bool quoted = value.n >= 2 && *value.p == '"' && value.p[value.n - 1] == '"';
            return quoted ? (struct str){value.p + 1, value.n - 2} : value;
        }
    }
    return (struct str){0};
}

static enum MHD_Result add_field(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_n,
                                 const char *value, size_t value_n) {
    struct edge *e = cls;
    (void)kind;
    e->head[e->head_n++] = (struct header){
        .name = {name, name_n},
        .value = str_trim((struct str){value, value_n}),
    };
    return MHD_YES;
}

/* Returns how many bytes of reply head fit into the library's memory. The library writes the head of the
 * reply into the rest of its memory of the connection, behind its read buffer (half of all, or the head
 * and its last step of growth) and the records of fields and cookies, whose text it copies. If there is
 * too little memory, it closes without a reply, so the reply is measured first (response.c). */
static size_t reply_room(const struct edge *e, size_t head_size) {
    struct str cookie = http_header(&e->r, "Cookie");
    size_t buffer =
        head_size + 1536 > LIMIT_CONNECTION_MEMORY / 2 ? head_size + 1536 : LIMIT_CONNECTION_MEMORY / 2;
    size_t cookies = (size_t)MHD_get_connection_values(e->library, MHD_COOKIE_KIND, NULL, NULL);
    size_t used = buffer + (e->head_n + cookies) * 64 + cookie.n + 32;
    return used < LIMIT_CONNECTION_MEMORY ? LIMIT_CONNECTION_MEMORY - used : 0;
}

static bool names(struct str list, struct str token) {
    while (list.p)
        if (str_eqi(str_trim(str_cut(&list, ',')), token)) return true;
    return false;
}

/* Returns true if the library closes the connection after this request, as the client demands (RFC 9112
 * section 9.3). */
static bool is_last(const struct edge *e, const char *version) {
    bool close = false, keep = false;
    for (size_t i = 0; i < e->head_n; i++) {
        if (!str_eqi(e->head[i].name, S("Connection"))) continue;
        close = close || names(e->head[i].value, S("close"));
        keep = keep || names(e->head[i].value, S("keep-alive"));
    }
    return close || (strcmp(version, "HTTP/1.0") == 0 && !keep);
}

struct framing framing_read(struct edge *e, const char *version) {
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(e->library, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    int count = MHD_get_connection_values(e->library, MHD_HEADER_KIND, NULL, NULL);
    struct framing f = {0};
    e->head = arena_array(e->r.arena, (size_t)count + 1, sizeof *e->head);
    MHD_get_connection_values_n(e->library, MHD_HEADER_KIND, add_field, e);
    e->reply_room = reply_room(e, size ? size->header_size : 0);
    e->last = is_last(e, version);
    bool chunked = http_header(&e->r, "Transfer-Encoding").p != NULL;
    if (!chunked) str_to_int(http_header(&e->r, "Content-Length"), &f.length);
    f.has_body = chunked || f.length > 0;
    return f;
}
