/* Fields as table rows: members of resources, parameters and arguments of operations. */
#include "api/docs/docs.h"
#include "api/table/fields.h"

#include "api/docs/site.h"
#include "api/rows/generic.h"
#include "base/limits.h"

void docs_table_begin(struct buf *out, const char *caption, const char *columns) {
    html(out, "<div class=\"wide\" tabindex=\"0\">\n<table>\n<caption>%s</caption>\n<thead><tr>", caption);
    for (struct str rest = str_of(columns); rest.p;) {
        buf_text(out, "<th scope=\"col\">");
        html_text(out, str_trim(str_cut(&rest, ',')));
        buf_text(out, "</th>");
    }
    buf_text(out, "</tr></thead>\n<tbody>\n");
}

void docs_table_end(struct buf *out) { buf_text(out, "</tbody>\n</table>\n</div>\n"); }

/* ---- types ----------------------------------------------------------------------------------- */

static void link_type(struct buf *out, const struct manual *m, const char *before, const char *type) {
    const struct resource *r = resource_of(type);
    if (r && docs_has_chapter(r))
        html(out, "%s <a href=\"%s/docs/reference/%s#members\">%s</a>", before, m->root.p, type, type);
    else html(out, "%s %s", before, type);
}

static const char *of_example(const struct json *example) {
    if (example == NULL) return "any";
    switch (example->type) {
    case JSON_FALSE:
    case JSON_TRUE: return "boolean";
    case JSON_NUMBER: return "number";
    case JSON_STRING: return "text";
    case JSON_ARRAY: return "list";
    case JSON_OBJECT: return "object";
    default: return "any";
    }
}

static const char *plain_type(const struct manual *m, const struct field *f) {
    switch (f->type) {
    case F_TEXT: return "text";
    case F_LONG: return "text of several lines";
    case F_INT: return "integer";
    case F_BOOL: return "boolean";
    case F_TIME: return "time";
    case F_WORD: return "word";
    case F_IDS: return "list of ids";
    case F_TEXTS: return "list of texts";
    case F_WORDS: return "list of words";
    case F_OBJECT: return "object";
    case F_LIST: return "list";
    case F_EMAIL: return "e-mail address";
    case F_PASSWORD: return "password";
    case F_FILE: return "file, in a multipart body";
    default: return of_example(field_example(m, f));
    }
}

static void say_type(struct buf *out, const struct manual *m, const struct field *f, bool sent) {
    if (f->type == F_REF) link_type(out, m, sent ? "id of a" : "reference:", f->ref);
    else if (sent && (f->type == F_MANY || f->type == F_ROWS))
        link_type(out, m, "list to replace it:", f->ref);
    else if (f->type == F_ROWS) link_type(out, m, "list, in place:", f->ref);
    else if (f->type == F_MANY) link_type(out, m, "list of references:", f->ref);
    else html(out, "%s", plain_type(m, f));
}

/* ---- details --------------------------------------------------------------------------------- */

static void say_choices(struct buf *out, const struct field *f) {
    const char *before = " One of ";
    if (f->words == NULL) return;
    if (f->type == F_WORDS) before = " Some of ";
    for (const struct word *word = f->words; word->word; word++) {
        html(out, "%s<code>%s</code>", before, word->word);
        before = ", ";
    }
    buf_char(out, '.');
}

static void say_limits(struct buf *out, const struct field *f) {
    if (f->type == F_INT && (f->min || f->max))
        buf_fmt(out, " %lld to %lld.", (long long)f->min, (long long)f->max);
    if (f->type == F_PASSWORD) html(out, " At most %d bytes.", LIMIT_PASSWORD);
    int64_t most = f->max ? f->max : f->type == F_LONG ? LIMIT_TEXT : LIMIT_TITLE;
    bool text = f->type == F_LONG || (f->type == F_TEXT && most != LIMIT_TITLE);
    if (text) buf_fmt(out, " At most %lld characters.", (long long)most);
}

static const char *shown_to(const struct resource *r, const struct field *f) {
    if (!r->is_person || f->to == TO_ALL) return "";
    return f->to == TO_STAFF ? " Of other people, only staff see it."
                             : " Of other people, only logged-in callers see it.";
}

static void member_row(struct buf *out, const struct manual *m, const struct resource *r,
                       const struct field *f) {
    html(out, "<tr><th scope=\"row\"><code>%s</code></th><td>", f->name);
    say_type(out, m, f, false);
    html(out, "%h</td><td>%s", f->flags & NULLABLE ? ", or null" : "", f->doc ? f->doc : "");
    say_choices(out, f);
    if (f->flags & ON_DEMAND) html(out, " Only with <code>fields=+%s</code>.", f->name);
    html(out, "%s</td></tr>\n", shown_to(r, f));
}

/* Writes a member that resources have without a field in their table. */
static void write_own_row(struct buf *out, const char *name, const char *type, const char *doc) {
    html(out, "<tr><th scope=\"row\"><code>%s</code></th><td>%s</td><td>%s</td></tr>\n", name, type, doc);
}

void docs_members(struct buf *out, const struct manual *m, const struct resource *r) {
    docs_table_begin(out, str_fmt(m->arena, "Members of %s", r->type).p, "Member, Type, Meaning");
    if (resource_has_ids(r)) write_own_row(out, "id", "integer", "Its id.");
    for (const struct field *f = fields_of(r->fields); f && f->name; f++)
        if (field_shown(f)) member_row(out, m, r, f);
    if (resource_has_type(r))
        write_own_row(out, "resource_type", "text",
                      str_fmt(m->arena, "Always %s.", resource_shown_type(r)).p);
    if (r->url) write_own_row(out, "resource_url", "text", "Its address.");
    docs_table_end(out);
}

/* ---- input ----------------------------------------------------------------------------------- */

static const char must[] = " <strong class=\"must\">mandatory</strong>";

static void sent_row(struct buf *out, const struct manual *m, const struct field *f, bool mandatory) {
    html(out, "<tr><th scope=\"row\"><code>%s</code>%h</th><td>", sent_name(m, f), mandatory ? must : "");
    say_type(out, m, f, true);
    html(out, "</td><td>%s", f->doc ? f->doc : "");
    say_choices(out, f);
    say_limits(out, f);
    if (f->initial && f->initial[0]) html(out, " Default: <code>%s</code>.", initial_text(f));
    if (f->flags & NULLABLE) buf_text(out, " null or an empty text clears it.");
    buf_text(out, "</td></tr>\n");
}

static void sent_table(struct buf *out, const struct manual *m, const struct operation *op,
                       const char *caption, const struct field *fields) {
    docs_table_begin(out, caption, "Name, Type, Meaning");
    for (const struct field *f = fields; f->name; f++)
        if (input_sent(op, f) || file_sent(op, f)) sent_row(out, m, f, input_mandatory(op, f));
    docs_table_end(out);
}

static void docs_arguments(struct buf *out, const struct manual *m, const struct operation *op) {
    const struct field *f = op->args;
    if ((f == NULL || f->name == NULL) && !operation_bulk(op)) return;
    docs_table_begin(out, "Arguments, in the query", "Name, Type, Meaning");
    if (operation_bulk(op))
        html(out,
             "<tr><th scope=\"row\"><code>ids</code>%h</th><td>list of ids</td><td>The ids of the "
             "resources, at most %d. They may also be in the body.</td></tr>\n",
             must, LIMIT_IDS);
    for (; f && f->name; f++)
        if (!(f->flags & REFUSED)) sent_row(out, m, f, argument_mandatory(f));
    docs_table_end(out);
}

static void docs_parameters(struct buf *out, const struct manual *m, const struct operation *op) {
    const struct route *r = op->route;
    bool any = false;
    for (const struct field *f = operation_input(op); f && f->name; f++)
        any = any || input_sent(op, f) || file_sent(op, f);
    if (!any || r->body == RAW_FILE) return;
    sent_table(out, m, op, "Parameters, in the body", operation_input(op));
    if (r->records)
        sent_table(out, m, op, str_fmt(m->arena, "Each of %s", r->record_list).p,
                   fields_of(resource_record_fields(r->records)));
}

void docs_input(struct buf *out, const struct manual *m, const struct operation *op) {
    docs_arguments(out, m, op);
    docs_parameters(out, m, op);
}

bool docs_has_chapter(const struct resource *r) {
    return (r->routes && r->routes->path) || (r->fields && r->fields->name);
}
