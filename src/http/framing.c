/* Is the head of a request well-formed? (RFC 9112; RFC 9110 section 5.5)
 *
 * The library splits lines tolerantly: it takes a bare LF for a line end, joins folded lines, skips several blanks in
 * the request line, takes the first of two Content-Lengths and cuts a value at a NUL. An intermediary that reads the
 * same bytes in another way is how requests are smuggled, so all of it is refused.
 *
 * What was lost in splitting is found again by where things lie: the library puts terminators into its read buffer and
 * keeps pointers into it. In a head that is strictly CR LF, unfolded and free of NULs, each piece begins exactly two
 * bytes behind the end of the one before. That holds for 0.9.75 alone; for another version only the checks that need no
 * layout are made (server.c asks for the version). */
#include "http/edge.h"

#include <limits.h>

struct walk {
    struct edge *edge;
    const char *expected; /* where the next line has to begin */
    bool displaced;
    int hosts, lengths, encodings;
    struct str host, length, encoding;
};

static bool is_token_char(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_token_char(s.p[i])) return false;
    return s.n > 0;
}

static bool has_control(struct str s, char least) {
    for (size_t i = 0; i < s.n; i++)
        if (((unsigned char)s.p[i] < (unsigned char)least && s.p[i] != '\t') || s.p[i] == 127) return true;
    return false;
}

/* host [ ":" port ] of RFC 9110 section 7.2, loosely: what can't be in one is refused. */
static bool is_host(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] >= 127 || strchr("/\\@,?#\"<>{}|^`", s.p[i])) return false;
    return true;
}

static enum MHD_Result walk_line(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_n, const char *value,
                                 size_t value_n) {
    struct walk *w = cls;
    struct header *h = &w->edge->head[w->edge->head_n++];
    (void)kind;
    if (name != w->expected || value <= name + name_n) w->displaced = true;
    w->expected = value + value_n + 2;
    *h = (struct header){
        .name = {name,  name_n },
          .value = str_trim((struct str){value, value_n}
          )
    };
    if (str_eqi(h->name, S("Host"))) w->hosts++, w->host = h->value;
    if (str_eqi(h->name, S("Content-Length"))) w->lengths++, w->length = h->value;
    if (str_eqi(h->name, S("Transfer-Encoding"))) w->encodings++, w->encoding = (struct str){value, value_n};
    return MHD_YES;
}

static struct framing refuse(int err, const char *reason) { return (struct framing){.err = err, .reason = reason}; }
static struct framing malformed(const char *reason) { return refuse(ERR_BODY_INVALID, reason); }

static const char *check_target(const struct edge *e, struct str method) {
    struct str t = {e->conn->target, e->conn->target_n};
    for (size_t i = 0; i < t.n; i++)
        if ((unsigned char)t.p[i] <= ' ' || t.p[i] == 127)
            return "The request target has a blank or control character.";
    bool origin = t.n && *t.p == '/', absolute = str_starts(t, S("http://")) || str_starts(t, S("https://"));
    bool asterisk = str_eq(t, S("*")) && str_eq(method, S("OPTIONS"));
    return origin || absolute || asterisk ? NULL : "The request target is not a path.";
}

static const char *check_lines(const struct edge *e) {
    for (size_t i = 0; i < e->head_n; i++) {
        if (!is_token(e->head[i].name)) return "The name of a header field is malformed.";
        if (has_control(e->head[i].value, ' ')) return "A header field has a control character.";
    }
    return NULL;
}

static struct framing body_framing(const struct walk *w, bool is_1_0) {
    struct framing f = {0};
    if (w->lengths + w->encodings == 0) return f;
    if (w->lengths + w->encodings > 1) return malformed("The length of the body is given twice.");
    if (w->encodings) {
        if (is_1_0 || !str_eqi(w->encoding, S("chunked"))) return malformed("The Transfer-Encoding is not supported.");
        return (struct framing){.has_body = true, .chunked = true};
    }
    for (size_t i = 0; i < w->length.n; i++)
        if (w->length.p[i] < '0' || w->length.p[i] > '9') return malformed("The Content-Length is not a number.");
    if (!str_to_int(w->length, &f.length)) return malformed("The Content-Length is not a number.");
    f.has_body = f.length > 0;
    return f;
}

/* The whole head lies in one piece, from the method to the empty line. */
static bool layout_ok(const struct edge *e, const struct walk *w, struct str method, const char *version) {
    const union MHD_ConnectionInfo *size = MHD_get_connection_info(e->library, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const char *target = e->conn->target;
    if (!e->server->exact_layout) return true;
    return target == method.p + method.n + 1 && version == target + e->conn->target_n + 1 && !w->displaced && size &&
           w->expected + 2 == method.p + size->header_size;
}

/* The library writes the head of the reply into what its memory of the connection has left: behind its read buffer
 * (half of all, or the head and its last step of growth) and the records of fields and cookies, whose text it copies.
 * It closes without a word when that is too little, so the reply must be measured first (response.c). */
static size_t reply_room(const struct edge *e, size_t head_size) {
    struct str cookie = http_header(&e->r, "Cookie");
    size_t buffer = head_size + 1536 > LIMIT_CONNECTION_MEMORY / 2 ? head_size + 1536 : LIMIT_CONNECTION_MEMORY / 2;
    size_t cookies = (size_t)MHD_get_connection_values(e->library, MHD_COOKIE_KIND, NULL, NULL);
    size_t used = buffer + (e->head_n + cookies) * 64 + cookie.n + 32;
    return used < LIMIT_CONNECTION_MEMORY ? LIMIT_CONNECTION_MEMORY - used : 0;
}

struct framing framing_read(struct edge *e, const char *method_text, const char *version) {
    struct str method = str_of(method_text);
    struct walk w = {.edge = e, .expected = version + strlen("HTTP/1.1") + 2};
    const union MHD_ConnectionInfo *size = MHD_get_connection_info(e->library, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    int count = MHD_get_connection_values(e->library, MHD_HEADER_KIND, NULL, NULL);
    if (e->conn->target_n > LIMIT_URI) return refuse(ERR_URI_TOO_LONG, "The request target is too long.");
    if (count > LIMIT_HEADERS) return refuse(ERR_HEADERS_TOO_LARGE, "The request has too many header fields.");
    if (size && size->header_size > LIMIT_HEAD)
        return refuse(ERR_HEADERS_TOO_LARGE, "The header fields are too large.");
    e->head = arena_array(e->r.arena, (size_t)count + 1, sizeof *e->head);
    MHD_get_connection_values_n(e->library, MHD_HEADER_KIND, walk_line, &w);
    e->reply_room = reply_room(e, size ? size->header_size : 0);

    const char *reason = check_target(e, method);
    if (!is_token(method)) reason = "The method is malformed.";
    if (reason == NULL) reason = check_lines(e);
    if (reason == NULL && !layout_ok(e, &w, method, version))
        reason = "The head has a folded line, a bare line feed, a NUL or a superfluous blank.";
    bool is_1_0 = strcmp(version, "HTTP/1.0") == 0;
    if (reason == NULL && (w.hosts > 1 || (w.hosts == 0 && !is_1_0))) reason = "The request must have one Host field.";
    if (reason == NULL && !is_host(w.host)) reason = "The Host field is malformed.";
    return reason ? malformed(reason) : body_framing(&w, is_1_0);
}
