/* A reply stays in memory until its client has read it, so a page has at most LIMIT_REPLY bytes, or one
 * item.
 *
 * Three things are limited, in this order:
 *   1. the rows that are read: read_rows (list.c) ends at LIMIT_LOADED;
 *   2. the rows that they refer to: view_follow stops at LIMIT_LOADED more, and is repeated with fewer rows;
 *   3. the JSON: rows are written until LIMIT_REPLY is exceeded, and the last row is removed. With _flat,
 *      included rows follow the items. If they don't fit, the page is written again with fewer items. */
#include "api/rows/page_size.h"

#include "api/rows/generic.h"
#include "api/rows/list_cursor.h"
#include "api/rows/reply.h"
#include "base/limits.h"
#include "base/random.h"

#define LIST_REPLY (16 * 1024) /* most lists of ten are smaller */
#define TOO_LONG 1

/* Computed rows have no ids, so their contents identify them. */
static void tag_page(struct view *v, const struct page *p) {
    char hex[33], own[33];
    struct tag t;
    tag_init(&t);
    for (const struct row *row = p->rows; row; row = row->next) {
        if (row->layout->resource->rows) view_tag(v, row, own), tag_text(&t, str_of(own));
        else tag_int(&t, view_id(v, row->layout, row->id));
    }
    tag_end(&t, hex);
    v->c->etag = str_dup(v->c->work.arena, str_of(hex));
}

/* Returns 1 if the reply is a 304, 0, or a negative error. */
static int tagged(struct view *v, const struct page *p) {
    const struct call *c = v->c;
    tag_page(v, p);
    return c->method == GET && !c->options.ajax ? conditional(v->c) : 0;
}

static void page_cut(struct page *p, int count) {
    struct row **end = &p->rows;
    for (int i = 0; i < count; i++) end = &(*end)->next;
    *end = NULL;
    p->cut = p->cut || count < p->count;
    p->more = p->more || p->cut;
    p->count = count;
}

static void take_back(struct call *c, size_t at) {
    c->out.n = at;
    while (c->secrets && c->secrets->at >= at) c->secrets = c->secrets->next;
}

static bool is_paged(const struct call *c) { return c->route->shape == LIST; }

/* Returns the number of rows written. */
static int fit_write_rows(struct view *v, const struct row *rows) {
    struct call *c = v->c;
    int n = 0;
    v->shown_people = NULL;
    jw_key(&v->w, S("data"));
    jw_array(&v->w);
    for (const struct row *row = rows; row; row = row->next) {
        size_t at = c->out.n;
        const struct shown_person *people = v->shown_people;
        view_row(v, row);
        if (n > 0 && is_paged(c) && c->out.n > LIMIT_REPLY) {
            take_back(c, at);
            v->shown_people = people;
            break;
        }
        n++;
    }
    jw_end(&v->w);
    return n;
}

static struct row *reversed(struct row *rows) {
    struct row *out = NULL;
    while (rows) {
        struct row *next = rows->next;
        rows->next = out;
        out = rows;
        rows = next;
    }
    return out;
}

/* Dropped rows are those read last. Backwards, these are the first of the list, so the rows are
 * written twice: in the order of reading, to see how many fit, and in the order of the list. */
static void write_data(struct view *v, struct page *p) {
    size_t at = v->c->out.n;
    page_cut(p, fit_write_rows(v, p->rows));
    if (!v->c->options.backwards) return;
    take_back(v->c, at);
    p->rows = reversed(p->rows);
    fit_write_rows(v, p->rows);
    p->rows = reversed(p->rows);
}

static void write_number(struct view *v, struct str name, int64_t n) {
    jw_key(&v->w, name);
    jw_int(&v->w, n);
}

static const struct row *last_of(const struct row *rows) {
    while (rows && rows->next) rows = rows->next;
    return rows;
}

static int write_links(struct view *v, const struct page *p) {
    const struct options *o = &v->c->options;
    const struct row *last = last_of(p->rows);
    bool goes_on = p->rows && (o->before_id ? p->cut : p->more);
    if (v->c->cursor)
        return list_cursor_links(v, o->backwards ? last : p->rows, o->backwards ? p->rows : last, p->more);
    if (!o->keyset) reply_links(v, p->total, p->cut ? p->count : o->limit);
    else if (goes_on)
        reply_next_key(v, o->before_id ? "before_id" : "after_id", view_id(v, p->rows->layout, last->id));
    return 0;
}

static void say_cut(struct view *v, const struct page *p) {
    if (p->cut)
        notice(&v->c->work, "NOTICE",
               "The page ends after %d items, because a reply has at most %d MiB. next_url leads to the "
               "following items.",
               p->count, LIMIT_REPLY >> 20);
}

/* Returns 0, TOO_LONG if the included resources of these items don't fit, or a negative error. */
static int fit_write_page(struct view *v, struct page *p) {
    struct call *c = v->c;
    buf_reserve(&c->out, LIST_REPLY);
    envelope_begin(v);
    write_data(v, p);
    envelope_resource(v);
    if (is_paged(c) && p->count > 1 && c->options.flat && c->out.n > LIMIT_REPLY) return TOO_LONG;
    if (is_paged(c) && !c->options.keyset) write_number(v, S("offset"), c->options.offset);
    if (is_paged(c)) write_number(v, S("limit"), p->cut ? p->count : c->options.limit);
    write_number(v, S("total_count"), p->total);
    if (is_paged(c)) TRY(write_links(v, p));
    say_cut(v, p);
    envelope_end(v);
    return 0;
}

/* Returns 0, a positive number if it did not fit, or a negative error. */
static int try_page(struct view *v, struct page *p) {
    if (is_paged(v->c) && p->count > 1) v->room = arena_size(v->c->work.arena) + LIMIT_LOADED;
    int rc = p->is_followed ? 0 : view_follow(v, p->rows);
    v->room = 0;
    return rc ? rc : fit_write_page(v, p);
}

static int write_fitting(struct view *v, struct page *p) {
    int rc;
    while ((rc = try_page(v, p)) > 0) {
        take_back(v->c, 0);
        page_cut(p, p->count > 4 ? p->count / 4 : 1);
        view_restart(v, p->rows);
        p->is_followed = false;
    }
    return rc;
}

int page_reply(struct view *v, struct page *p) {
    bool whole = !p->cut;
    int rc = view_pseudonyms(v, p->rows);
    if (rc == 0) rc = tagged(v, p);
    if (rc == 0) rc = write_fitting(v, p);
    if (rc == 0 && whole && p->cut) rc = tagged(v, p);
    return rc < 0 ? rc : 0;
}
