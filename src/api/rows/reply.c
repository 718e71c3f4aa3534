#include "api/rows/reply.h"

#include "api/rows/problem.h"
#include "api/rows/results.h"
#include "base/limits.h"
#include "core/letters/letter.h"
#include "core/words.h"

#include <assert.h>
#include <stdlib.h>

void call_header(struct call *c, const char *name, struct str value) {
    struct header *h = ARENA_NEW(c->work.arena, struct header);
    *h = (struct header){name, str_dup(c->work.arena, value), c->headers};
    c->headers = h;
}

int call_wait(struct call *c, int64_t seconds) {
    c->retry_after = seconds;
    return fail(&c->work, ERR_RATE_LIMIT_REACHED);
}

void call_warn(struct call *c, struct str message) {
    struct warned **end = &c->warnings, *made = ARENA_NEW(c->work.arena, struct warned);
    while (*end) end = &(*end)->next;
    *made = (struct warned){message, NULL};
    *end = made;
}

void call_mailed(struct call *c, const char *sent, const char *what) {
    static const char *const staff = "It leaves as soon as an owner sets mail.smtp_host and "
                                     "mail.from_address (PUT /settings).";
    bool is_staff = c->work.actor.rank >= ROLE_COLLABORATOR;
    if (letters_leave(&c->work, false)) c->notification = sent ? str_of(sent) : c->notification;
    else
        c->notification = str_fmt(c->work.arena, "%s waits, because this desk can't send e-mail yet. %s",
                                  what, is_staff ? staff : "Please ask its staff.");
}

/* ---- envelope -------------------------------------------------------------------------------- */

#define ROOM_OF_ONE 4096 /* most replies of one row are shorter */

void envelope_begin(struct view *v) {
    buf_reserve(v->w.out, ROOM_OF_ONE);
    jw_object(&v->w);
    jw_key(&v->w, S("status"));
    jw_int(&v->w, v->c->status);
}

void envelope_resource(struct view *v) {
    const char *label = v->c->route->label ? v->c->route->label : v->c->resource->type;
    if (strcmp(label, "-") == 0) return;
    jw_key(&v->w, S("resource"));
    view_type(v, label);
    if (!v->c->options.flat) return;
    jw_key(&v->w, S("resources"));
    view_flat(v);
}

static void write_logs(struct json_writer *w, const struct work *work) {
    if (work->notices == NULL) return;
    jw_key(w, S("logs"));
    jw_array(w);
    for (const struct notice *n = work->notices; n; n = n->next) {
        jw_object(w);
        jw_key(w, S("level"));
        jw_str(w, str_of(n->level));
        jw_key(w, S("message"));
        jw_str(w, n->message);
        jw_end(w);
    }
    jw_end(w);
}

static void put_notification(struct json_writer *w, const char *type, struct str message) {
    jw_object(w);
    jw_key(w, S("type"));
    jw_str(w, str_of(type));
    jw_key(w, S("message"));
    jw_str(w, message);
    jw_key(w, S("sticky"));
    jw_bool(w, false);
    jw_end(w);
}

static void write_notification(struct json_writer *w, const struct call *c) {
    if (c->notification.p == NULL && (c->warnings == NULL || c->status >= 400)) return;
    jw_key(w, S("notifications"));
    jw_array(w);
    if (c->notification.p) put_notification(w, c->status < 400 ? "INFO" : "ERROR", c->notification);
    for (const struct warned *n = c->warnings; n && c->status < 400; n = n->next)
        put_notification(w, "WARNING", n->message);
    jw_end(w);
}

/* A text that opens something. */
static void write_plain(struct json_writer *w, struct call *c, struct str text) {
    struct span *s = ARENA_NEW(c->work.arena, struct span);
    size_t began = w->out->n;
    jw_str(w, text);
    *s = (struct span){began, w->out->n - began, c->plain};
    c->plain = s;
}

static void reply_write_session(struct json_writer *w, struct call *c) {
    if (c->session_id.p == NULL) return;
    jw_key(w, S("session_id"));
    write_plain(w, c, c->session_id);
}

void envelope_end(struct view *v) {
    write_logs(&v->w, &v->c->work);
    write_notification(&v->w, v->c);
    reply_write_session(&v->w, v->c);
    jw_end(&v->w);
}

int envelope_row(struct view *v, const struct row *row) {
    envelope_begin(v);
    jw_key(&v->w, S("data"));
    view_row(v, row);
    envelope_resource(v);
    envelope_end(v);
    return 0;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static int problem_status(const struct problem *p) { return error_info((int)p->code)->status; }

/* The place of a status in the order of checks: a failure of the server replaces what was found before it,
 * and a caller who lacks a right learns nothing about values. */
static int check_place(int status) {
    if (status >= 500) return 0;
    return status == 403 ? 1 : status == 404 ? 2 : 3;
}

/* Problems of several checks are gathered. The reply has those of one status: of the first check that
 * failed. Returns the status. */
static int keep_one_status(struct work *w) {
    int status = problem_status(w->problems);
    for (const struct problem *p = w->problems; p; p = p->next)
        if (check_place(problem_status(p)) < check_place(status)) status = problem_status(p);
    for (struct problem **at = &w->problems; *at;) {
        if (problem_status(*at) == status) at = &(*at)->next;
        else *at = (*at)->next;
    }
    return status;
}

void reply_error(struct call *c, int rc) {
    struct json_writer w;
    if (!failed(&c->work)) fail(&c->work, rc < 0 ? error_of_result(rc) : ERR_INTERNAL_ERROR);
    c->out.n = 0;
    c->secrets = c->plain = NULL;
    c->etag = (struct str){0};
    c->modified = 0;
    c->status = keep_one_status(&c->work);
    jw_init(&w, &c->out);
    w.name_case = c->options.name_case;
    w.pretty = c->options.pretty;
    jw_object(&w);
    jw_key(&w, S("status"));
    jw_int(&w, c->status);
    results_write_refused(&w, c);
    write_logs(&w, &c->work);
    write_notification(&w, c);
    jw_key(&w, S("errors"));
    jw_array(&w);
    for (const struct problem *p = c->work.problems; p; p = p->next) write_problem(&w, c, p);
    jw_end(&w);
    if (c->auth_token.p) {
        jw_key(&w, S("auth_token"));
        write_plain(&w, c, c->auth_token);
    }
    if (c->posts.p) {
        jw_key(&w, S("posts"));
        jw_raw(&w, c->posts);
    }
    reply_write_session(&w, c);
    jw_end(&w);
}

/* ---- pages ----------------------------------------------------------------------------------- */

struct pair {
    struct str name, value;
    size_t place; /* position in the query: values of a repeated name keep their order */
};

static int compare_pairs(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
    int order = n ? memcmp(x->name.p, y->name.p, n) : 0;
    if (order == 0) order = (x->name.n > y->name.n) - (x->name.n < y->name.n);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void pair_add(struct pair *pairs, size_t *n, struct str name, struct str value) {
    pairs[*n] = (struct pair){name, value, *n};
    ++*n;
}

static void percent_encode(struct buf *out, struct str s) {
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool plain =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || in_set(c, "-_.~");
        if (plain) buf_char(out, (char)c);
        else buf_add(out, (char[]){'%', hex[c >> 4], hex[c & 15]}, 3);
    }
}

static bool paging(struct str name) {
    return name_eq(name, S("offset")) || name_eq(name, S("limit")) || name_eq(name, S("after_id")) ||
           name_eq(name, S("before_id")) || name_eq(name, S("after")) || name_eq(name, S("before"));
}

static struct str name_cased(struct call *c, const char *name) {
    struct buf b = {0};
    name_in_case(&b, str_of(name), c->options.name_case);
    return buf_take(&b, c->work.arena);
}

/* Spells the operation's arguments in the requested case. Other arguments stay as sent. */
static struct str argument_cased(struct call *c, struct str sent) {
    for (int i = 0; i < c->arg_count; i++)
        if (name_eq(c->args[i].name, sent)) return name_cased(c, c->args[i].name.p);
    return sent;
}

/* The sent arguments, without those of paging. Returns their number; the array has room for two more. */
static size_t sent_pairs(struct call *c, const char *key, struct pair **out) {
    struct arena *a = c->work.arena;
    size_t n = 0, most = 3;
    for (size_t i = 0; i < c->http->query.n; i++) most += c->http->query.p[i] == '&';
    struct pair *pairs = *out = arena_array(a, most, sizeof *pairs);
    for (struct str rest = c->http->query; rest.p;) {
        struct str sent = str_cut(&rest, '&'), name = str_cut(&sent, '=');
        struct str cased = argument_cased(c, form_decode(a, name));
        if ((name.n || sent.p) && !paging(cased) && !name_eq(cased, str_of(key)))
            pair_add(pairs, &n, cased, form_decode(a, sent));
    }
    return n;
}

/* The call's URL with these paging arguments: sorted, percent-encoded, the path with .json. */
static struct str page_url(struct call *c, const char *key, struct str value) {
    struct arena *a = c->work.arena;
    struct str path = c->http->path;
    struct pair *pairs;
    char limit[INT_TEXT];
    size_t n = sent_pairs(c, key, &pairs);
    struct buf b = {0};
    while (str_starts(path, S("//"))) path.p++, path.n--;
    if (path.n > 5 && str_eq((struct str){path.p + path.n - 5, 5}, S(".json"))) path.n -= 5;
    buf_str(&b, c->work.desk->base_url);
    buf_str(&b, path);
    buf_text(&b, ".json");
    if (c->options.limit != DEFAULT_PAGE)
        pair_add(pairs, &n, name_cased(c, "limit"), str_int(limit, c->options.limit));
    if (value.p) pair_add(pairs, &n, name_cased(c, key), value);
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < n; i++) {
        buf_char(&b, i ? '&' : '?');
        percent_encode(&b, pairs[i].name);
        buf_char(&b, '=');
        percent_encode(&b, pairs[i].value);
    }
    return buf_take(&b, a);
}

static struct str offset_url(struct call *c, int64_t offset) {
    char number[INT_TEXT];
    return page_url(c, "offset", offset ? str_int(number, offset) : (struct str){0});
}

static void link_add(struct view *v, struct buf *links, const char *member, const char *rel, struct str url) {
    jw_key(&v->w, str_of(member));
    jw_str(&v->w, url);
    buf_text(links, links->n ? ", <" : "<");
    buf_str(links, url);
    buf_text(links, ">; rel=\"");
    buf_text(links, rel);
    buf_char(links, '"');
}

void reply_links(struct view *v, int64_t total, int64_t served) {
    struct call *c = v->c;
    struct buf links = {0};
    int64_t limit = c->options.limit, offset = c->options.offset,
            last = total > 0 ? (total - 1) / limit * limit : 0;
    if (offset > 0) {
        link_add(v, &links, "first_url", "first", offset_url(c, 0));
        link_add(v, &links, "previous_url", "prev", offset_url(c, offset > limit ? offset - limit : 0));
    }
    if (offset < total && served < total - offset)
        link_add(v, &links, "next_url", "next", offset_url(c, offset + served));
    if (offset != last && !v->total_is_bound) link_add(v, &links, "last_url", "last", offset_url(c, last));
    if (links.n) call_header(c, "Link", buf_view(&links));
    buf_free(&links);
}

void reply_next_key(struct view *v, const char *key, int64_t id) {
    char number[INT_TEXT];
    reply_next(v, key, str_int(number, id));
}

void reply_both(struct view *v, struct str before, struct str after) {
    struct buf links = {0};
    if (before.p) link_add(v, &links, "previous_url", "prev", page_url(v->c, "before", before));
    if (after.p) link_add(v, &links, "next_url", "next", page_url(v->c, "after", after));
    if (links.n) call_header(v->c, "Link", buf_view(&links));
    buf_free(&links);
}

void reply_next(struct view *v, const char *argument, struct str value) {
    struct buf links = {0};
    link_add(v, &links, "next_url", "next", page_url(v->c, argument, value));
    call_header(v->c, "Link", buf_view(&links));
    buf_free(&links);
}

/* ---- conditional requests -------------------------------------------------------------------- */

/* Conditional requests: RFC 9110 section 13.2.2.
 *
 * The tag of one resource is a hash of its own members. The tag of a list or a bulk call is a hash of the
 * ids in order. In AJAX mode, the tag is a hash of the rendered reply. It never equals a plain tag, so it
 * is useless for PUT and DELETE, which compare plain tags. */

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
