/* Search: a list of all pages and operations. The search page shows it as links. docs/site/search.js reads
 * it as JSON and filters it. */
#include "api/docs/site.h"
#include "api/table/fields.h"

struct entry {
    struct str title, kind, path, words;
};

/* Entries are passed one by one, so that the page and the JSON contain the same ones. */
typedef void write_entry(void *out, const struct manual *m, const struct entry *e);

static void guides(void *out, const struct manual *m, write_entry *write) {
    for (const struct docs_file *f = docs_files; f->name; f++) {
        struct str slug = guide_slug(f);
        if (slug.p == NULL) continue;
        write(out, m,
              &(struct entry){guide_title(f), S("Guide"),
                              str_fmt(m->arena, "/docs/%.*s", (int)slug.n, slug.p), str_of(f->text)});
    }
}

static void headers(void *out, const struct manual *m, write_entry *write) {
    for (const struct common *c = commons; c->name; c++)
        write(out, m,
              &(struct entry){str_of(c->name),
                              str_of(strcmp(c->in, "query") == 0 ? "Argument" : "Header of requests"),
                              S("/docs/reference#arguments"), str_of(c->doc)});
    for (const struct reply_header *h = reply_headers; h->name; h++)
        write(out, m,
              &(struct entry){str_of(h->name), S("Header of replies"), S("/docs/reference#headers"),
                              str_of(h->doc)});
}

/* The title of the chapter, and the names of the operation's input. */
static struct str operation_words(const struct manual *m, const struct operation *op) {
    struct str words = str_of(op->home->title);
    for (const struct field *f = fields_of(op->route->args); f && f->name; f++)
        words = str_fmt(m->arena, "%s %s", words.p, sent_name(m, f));
    for (const struct field *f = operation_input(op); f && f->name; f++)
        if (input_sent(op, f) || file_sent(op, f))
            words = str_fmt(m->arena, "%s %s", words.p, sent_name(m, f));
    return words;
}

static void operations(void *out, const struct manual *m, write_entry *write) {
    for (int i = 0; i < m->count; i++) {
        const struct operation *op = &m->operations[i];
        struct str kind = str_fmt(m->arena, "%s %s", method_name(op->route->method), op->route->path);
        write(out, m,
              &(struct entry){str_of(op->route->summary), kind,
                              str_fmt(m->arena, "/docs/reference/%s#%s", op->home->type, op->anchor),
                              operation_words(m, op)});
    }
}

static struct str members_of(const struct manual *m, const struct resource *r) {
    struct str words = S("");
    for (const struct field *f = fields_of(r->fields); f && f->name; f++)
        if (field_shown(f)) words = str_fmt(m->arena, "%s %s", words.p, f->name);
    return words;
}

static void chapters(void *out, const struct manual *m, write_entry *write) {
    for (const struct resource *const *r = resources; *r; r++) {
        if (!docs_has_chapter(*r)) continue;
        struct str title = str_of((*r)->title ? (*r)->title : (*r)->type);
        write(out, m,
              &(struct entry){title, str_fmt(m->arena, "Resource %s", (*r)->type),
                              str_fmt(m->arena, "/docs/reference/%s", (*r)->type), members_of(m, *r)});
    }
}

static void errors(void *out, const struct manual *m, write_entry *write) {
    for (int err = 1; err < ERR_COUNT; err++) {
        const struct error_info *e = error_info(err);
        write(out, m,
              &(struct entry){str_of(e->code), str_fmt(m->arena, "Error %d", e->status),
                              str_fmt(m->arena, "/docs/errors/%s", e->code), str_of(e->message)});
    }
}

static void entries(void *out, const struct manual *m, write_entry *write) {
    guides(out, m, write);
    chapters(out, m, write);
    headers(out, m, write);
    operations(out, m, write);
    errors(out, m, write);
}

static void as_link(void *out, const struct manual *m, const struct entry *e) {
    html(out, "<li><a href=\"%s%s\">%s</a> <code>%s</code></li>\n", m->root.p, str_dup(m->arena, e->path).p,
         str_dup(m->arena, e->title).p, str_dup(m->arena, e->kind).p);
}

void search_page(struct buf *out, const struct manual *m) {
    docs_begin(out, m, "/docs/search", "All pages");
    buf_text(
        out,
        "<p>The search field needs a script. Without it, use the search of your browser in this list.</p>\n<ul class=\"all\">\n");
    entries(out, m, as_link);
    buf_text(out, "</ul>\n");
    docs_end(out, m, "/docs/search");
}

static void as_json(void *out, const struct manual *m, const struct entry *e) {
    struct json_writer *w = out;
    jw_object(w);
    put_key(w, "title");
    jw_str(w, e->title);
    put_key(w, "kind");
    jw_str(w, e->kind);
    put_key(w, "url");
    jw_str(w, str_fmt(m->arena, "%s%.*s", m->root.p, (int)e->path.n, e->path.p));
    put_key(w, "words");
    jw_str(w, e->words);
    jw_end(w);
}

void search_index(struct buf *out, const struct manual *m) {
    struct json_writer w;
    jw_init(&w, out);
    jw_array(&w);
    entries(&w, m, as_json);
    jw_end(&w);
}
