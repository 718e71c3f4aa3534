#include "api/rows/list_cursor.h"

#include "api/rows/cursor.h"
#include "api/rows/reply.h"
#include "base/limits.h"

#include <inttypes.h>

const struct field list_cursor_args[] = {
    {"after", F_TEXT, .max = LIMIT_CURSOR,
     .doc =
         "Items behind this cursor, which `next_url` of a reply has. Empty: from the start. Such a page has "
         "no offset and costs the same at any depth. A row that does not move is shown exactly once, "
         "whatever changes between two pages. A cursor is valid for one view in one order."},
    {"before", F_TEXT, .max = LIMIT_CURSOR,
     .doc = "Items before this cursor, which `previous_url` of a reply has. Empty: from the end."},
    {0},
};

/* A place as text: "id key". */
static bool place_read(struct str place, bool is_text, struct list_cursor *out) {
    struct str id = str_cut(&place, ' ');
    out->text = place;
    return str_to_int(id, &out->id) && place.p && (is_text || str_to_int(place, &out->number));
}

int list_cursor_read(struct call *c, const struct order *order, const char *of) {
    const struct in *after = arg(c, "after"), *before = arg(c, "before"), *in = after->given ? after : before;
    struct options *o = &c->options;
    struct str place;
    if (!in->given) return 0;
    if ((after->given && before->given) || o->keyset)
        return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, in->name,
                          "Send only one of after, before, after_id and before_id.");
    struct list_cursor *made = ARENA_NEW(c->work.arena, struct list_cursor);
    *made =
        (struct list_cursor){.order = order, .of = of, .is_open = in->value.type != V_TEXT || !in->value.s.n};
    if (!made->is_open &&
        !(cursor_reveal(&c->work, of, in->value.s, &place) && place_read(place, order->is_text, made)))
        return fail_field(&c->work, ERR_FIELD_INVALID, in->name,
                          "This is no cursor of this list in this order. Follow next_url or previous_url, "
                          "or begin with an empty one.");
    o->keyset = true;
    o->backwards = in == before;
    c->cursor = made;
    if (o->offset) notice(&c->work, "NOTICE", "offset was ignored, because the page begins at a cursor.");
    return 0;
}

/* The cursor at a row. The page was read in the same snapshot. */
static int cursor_at(struct view *v, const struct row *row, struct str *out) {
    const struct list_cursor *cursor = v->c->cursor;
    struct arena *a = v->c->work.arena;
    const char *sql = str_fmt(a, "SELECT %s FROM %s WHERE t.id = :id",
                              cursor->order->key ? cursor->order->key : "t.id", row->layout->from.p)
                          .p;
    struct str place = str_fmt(a, "%" PRId64 " ", row->id);
    struct stmt *s;
    TRY(db_start(v->c->work.conn, sql, BINDS(B_INT("id", row->id)), &s));
    int rc = stmt_step(s);
    if (rc == 1 && cursor->order->is_text) place = STR_CAT(a, place, col_text(s, 0));
    else if (rc == 1) place = str_fmt(a, "%s%" PRId64, place.p, col_int(s, 0));
    stmt_end(s);
    if (rc == 1) *out = cursor_hide(&v->c->work, cursor->of, place);
    return rc < 0 ? rc : 0;
}

int list_cursor_links(struct view *v, const struct row *first, const struct row *last, bool more) {
    bool backwards = v->c->options.backwards, begun = !v->c->cursor->is_open;
    bool has_previous = backwards ? first && more : begun, has_next = backwards ? begun : last && more;
    struct str before = {0}, after = {0};
    if (has_previous) before = S("");
    if (has_next) after = S("");
    if (has_previous && first) TRY(cursor_at(v, first, &before));
    if (has_next && last) TRY(cursor_at(v, last, &after));
    reply_both(v, before, after);
    return 0;
}
