/* Conditional requests: RFC 9110 section 13.2.2.
 *
 * The tag of one resource is a hash of its own members. The tag of a list or a bulk call is a hash of the
 * ids in order. In AJAX mode, the tag is a hash of the rendered reply. It never equals a plain tag, so it
 * is useless for PUT and DELETE, which compare plain tags. */
#include "api/rows/reply.h"

#include "base/clock.h"

bool tag_listed(struct str list, struct str tag) {
    while (list.p) {
        struct str item = str_trim(str_cut(&list, ','));
        if (str_eq(item, S("*"))) return tag.p != NULL;
        if (str_starts(item, S("W/")) || str_starts(item, S("w/"))) item.p += 2, item.n -= 2;
        if (item.n >= 2 && item.p[0] == '"' && item.p[item.n - 1] == '"') item.p++, item.n -= 2;
        if (tag.p && str_eqi(item, tag)) return true;
    }
    return false;
}

static bool modified_since(const struct call *c, struct str date, bool *known) {
    int64_t since;
    *known = c->modified != 0 && time_parse_http(date, &since);
    return *known && c->modified / 1000 > since / 1000;
}

int conditional(struct call *c) {
    struct str match = http_header(c->http, "If-Match"), none = http_header(c->http, "If-None-Match");
    struct str unmodified = http_header(c->http, "If-Unmodified-Since"),
               modified = http_header(c->http, "If-Modified-Since");
    bool known, read = c->method == GET;
    c->compared = true;
    if (match.p) {
        if (!tag_listed(match, c->etag)) return fail(&c->work, ERR_RESOURCE_MODIFIED);
    } else if (unmodified.p && modified_since(c, unmodified, &known)) {
        return fail(&c->work, ERR_RESOURCE_MODIFIED);
    }
    if (none.p) {
        if (!tag_listed(none, c->etag)) return 0;
        if (!read) return fail(&c->work, ERR_RESOURCE_MODIFIED);
    } else if (!read || modified.p == NULL || modified_since(c, modified, &known) || !known) {
        return 0;
    }
    c->status = 304;
    return 1;
}
