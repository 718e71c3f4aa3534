/* The pages of the reference, and the marks in the files of docs/site. */
#include "api/docs/docs.h"

#include "api/docs/site.h"

/* ---- contents -------------------------------------------------------------------------------- */

static void nav_link(struct buf *out, const struct manual *m, const char *path, const char *at,
                     const char *title) {
    bool here = strcmp(path, at) == 0;
    html(out, "<li><a href=\"%s%s\"%h>%s</a></li>\n", m->root.p, path, here ? " aria-current=\"page\"" : "",
         title);
}

static const char *chapter_path(const struct manual *m, const struct resource *r) {
    return str_fmt(m->arena, "/docs/reference/%s", r->type).p;
}

static bool has_routes(const struct resource *r) { return r->routes && r->routes->path; }

static void nav_chapters(struct buf *out, const struct manual *m, const char *at, bool routed) {
    for (const struct resource *const *r = resources; *r; r++)
        if (docs_has_chapter(*r) && has_routes(*r) == routed)
            nav_link(out, m, chapter_path(m, *r), at, (*r)->title ? (*r)->title : (*r)->type);
}

static void nav_guides(struct buf *out, const struct manual *m, const char *at) {
    for (const struct docs_file *f = docs_files; f->name; f++) {
        struct str slug = guide_slug(f);
        if (slug.p)
            nav_link(out, m, str_fmt(m->arena, "/docs/%.*s", (int)slug.n, slug.p).p, at,
                     str_dup(m->arena, guide_title(f)).p);
    }
}

static void nav_reference(struct buf *out, const struct manual *m, const char *at) {
    nav_link(out, m, "/docs/operations", at, "All operations");
    nav_link(out, m, "/docs/reference", at, "Arguments, headers, roles");
    nav_link(out, m, "/docs/errors", at, "Errors");
    nav_chapters(out, m, at, true);
}

void docs_write(struct buf *out, const struct docs_view *v) {
    const struct docs_file *f = docs_files;
    while (strcmp(f->name, "site/frame.html") != 0) f++;
    docs_fill(out, str_of(f->text), docs_marks, v);
}

/* ---- common to all operations ---------------------------------------------------------------- */

static void insert_arguments(struct buf *out, const struct docs_view *v) {
    (void)v;
    docs_table_begin(out, "Arguments and headers of requests", "Name, Where, Meaning");
    for (const struct common *c = commons; c->name; c++)
        html(out, "<tr><th scope=\"row\"><code>%s</code></th><td>%s</td><td>%s</td></tr>\n", c->name, c->in,
             c->doc);
    docs_table_end(out);
}

static void insert_headers(struct buf *out, const struct docs_view *v) {
    (void)v;
    docs_table_begin(out, "Headers of replies", "Name, Meaning");
    for (const struct reply_header *h = reply_headers; h->name; h++)
        html(out, "<tr><th scope=\"row\"><code>%s</code></th><td>%s</td></tr>\n", h->name, h->doc);
    docs_table_end(out);
}

static void insert_roles(struct buf *out, const struct docs_view *v) {
    (void)v;
    docs_table_begin(out, "Callers", "Name, Meaning");
    for (const struct role_name *role = role_names; role->bit; role++)
        html(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", role->name, role->means);
    docs_table_end(out);
}

static void insert_prepare(struct buf *out, const struct docs_view *v) {
    struct buf lines = {0};
    (void)v;
    story_prepare(&lines);
    html_text(out, buf_view(&lines));
    buf_free(&lines);
}

/* ---- chapters -------------------------------------------------------------------------------- */

static void list_operations(struct buf *out, const struct manual *m, const struct resource *r) {
    buf_text(out, "<ul class=\"operations\">\n");
    for (int i = 0; i < m->count; i++) {
        const struct operation *op = &m->operations[i];
        const char *method = method_name(op->route->method);
        if (op->home != r) continue;
        html(out, "<li><a href=\"%s%s#%s\"><strong class=\"%s\">%s</strong> <code>%s</code> ", m->root.p,
             chapter_path(m, r), op->anchor, method, method, op->route->path);
        html(out, "%s</a></li>\n", op->route->summary);
    }
    buf_text(out, "</ul>\n");
}

static void insert_operations(struct buf *out, const struct docs_view *v) {
    for (const struct resource *const *r = resources; *r; r++) {
        if (!docs_has_chapter(*r) || !has_routes(*r)) continue;
        html(out, "<h2><a href=\"%s%s\">%s</a></h2>\n", v->m->root.p, chapter_path(v->m, *r), (*r)->title);
        list_operations(out, v->m, *r);
    }
}

static void write_operations(struct buf *out, const struct manual *m, const struct resource *r) {
    buf_text(out, "<h2 id=\"operations\">Operations</h2>\n");
    list_operations(out, m, r);
    html(out,
         "<p>The commands below run in this order on a new demo desk. <a "
         "href=\"%s/docs/reference#examples\">Three lines</a> prepare the shell.</p>\n",
         m->root.p);
    struct story story;
    story_begin(&story, m);
    for (int i = 0; i < m->count; i++)
        if (m->operations[i].home == r) docs_operation(out, &story, &m->operations[i]);
}

void docs_chapter(struct buf *out, const struct manual *m, const struct resource *r) {
    if (r->doc) html(out, "<p>%s</p>\n", r->doc);
    if (has_routes(r)) write_operations(out, m, r);
    if (r->fields && r->fields->name) {
        buf_text(out, "<h2 id=\"members\">Members</h2>\n");
        docs_members(out, m, r);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void insert_errors(struct buf *out, const struct docs_view *v) {
    docs_table_begin(out, "Error codes", "Code, Status, Operations, Meaning");
    for (int err = 1; err < ERR_COUNT; err++) {
        const struct error_info *e = error_info(err);
        html(out, "<tr><th scope=\"row\"><a href=\"%s/docs/errors/%s\"><code>%s</code></a></th>",
             v->m->root.p, e->code, e->code);
        html(out, "<td>%d</td><td>%h</td><td>%s</td></tr>\n", e->status,
             error_common(err) ? "<em>any</em>" : "some", e->message);
    }
    docs_table_end(out);
}

/* e->doc is HTML (errors.def). */
void docs_error(struct buf *out, const struct manual *m, const struct error_info *e) {
    html(
        out,
        "<p><strong>%s</strong></p>\n<dl>\n<dt>HTTP status</dt><dd>%d</dd>\n<dt>What to do</dt><dd>%h</dd>\n</dl>\n",
        e->message, e->status, e->doc);
    html(out, "<p><a href=\"%s/docs/errors\">All errors</a></p>\n", m->root.p);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void insert_base_url(struct buf *out, const struct docs_view *v) { html_text(out, v->m->base_url); }
static void insert_root(struct buf *out, const struct docs_view *v) { html_text(out, v->m->root); }
static void insert_title(struct buf *out, const struct docs_view *v) { html_text(out, v->title); }
static void insert_main(struct buf *out, const struct docs_view *v) { buf_str(out, v->main); }
static void insert_tasks(struct buf *out, const struct docs_view *v) { docs_tasks(out, v->m); }
static void insert_guides(struct buf *out, const struct docs_view *v) { nav_guides(out, v->m, v->path); }
static void insert_reference(struct buf *out, const struct docs_view *v) {
    nav_reference(out, v->m, v->path);
}
static void insert_values(struct buf *out, const struct docs_view *v) {
    nav_chapters(out, v->m, v->path, false);
}

const struct docs_mark docs_marks[] = {
    {"{base_url}", insert_base_url},   {"{root}", insert_root},       {"{title}", insert_title},
    {"{main}", insert_main},           {"{tasks}", insert_tasks},     {"{guides}", insert_guides},
    {"{reference}", insert_reference}, {"{values}", insert_values},   {"{operations}", insert_operations},
    {"{arguments}", insert_arguments}, {"{headers}", insert_headers}, {"{roles}", insert_roles},
    {"{prepare}", insert_prepare},     {"{errors}", insert_errors},   {0},
};
