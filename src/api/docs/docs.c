/* The frame of all pages, and the pages of the reference. */
#include "api/docs/docs.h"

#include "api/docs/site.h"

/* ---- the frame ------------------------------------------------------------------------------- */

static void nav_link(struct buf *out, const struct manual *m, const char *path, const char *at,
                     const char *title) {
    bool here = strcmp(path, at) == 0;
    html(out, "<li><a href=\"%s%s\"%h>%s</a></li>\n", m->root.p, path, here ? " aria-current=\"page\"" : "",
         title);
}

bool docs_has_chapter(const struct resource *r) {
    return (r->routes && r->routes->path) || (r->fields && r->fields->name);
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

static void write_nav(struct buf *out, const struct manual *m, const char *at) {
    buf_text(out, "<nav id=\"contents\" aria-label=\"Contents\">\n<h2>Guides</h2>\n<ul>\n");
    nav_guides(out, m, at);
    buf_text(out, "</ul>\n<h2>Reference</h2>\n<ul>\n");
    nav_reference(out, m, at);
    buf_text(out, "</ul>\n<h2>Values inside replies</h2>\n<ul>\n");
    nav_chapters(out, m, at, false);
    html(
        out,
        "</ul>\n<h2>For programs</h2>\n<ul>\n<li><a href=\"%s/openapi.json\">openapi.json</a> (OpenAPI 3.1)</li>\n</ul>\n</nav>\n",
        m->root.p);
}

void docs_begin(struct buf *out, const struct manual *m, const char *title) {
    const char *root = m->root.p;
    html(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s - deskd</title>\n"
        "<link rel=\"stylesheet\" href=\"%s/docs/style.css\">\n",
        title, root);
    html(out,
         "</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the text</a>\n"
         "<header>\n<a class=\"home\" href=\"%s/docs\">deskd</a>\n"
         "<a href=\"%s/docs/operations\">All operations</a>\n"
         "<a class=\"to-contents\" href=\"#contents\">Contents</a>\n</header>\n"
         "<div class=\"page\">\n<main id=\"main\" tabindex=\"-1\">\n",
         root, root);
    html(out, "<h1>%s</h1>\n", title);
}

void docs_end(struct buf *out, const struct manual *m, const char *path) {
    buf_text(out, "</main>\n");
    write_nav(out, m, path);
    buf_text(out, "</div>\n</body>\n</html>\n");
}

/* ---- the first page -------------------------------------------------------------------------- */

void docs_index(struct buf *out, const struct manual *m) {
    docs_begin(out, m, "The API of this desk");
    html(
        out,
        "<p>A help desk as a JSON REST API. All addresses begin with <code>%s/api/v1</code>. What do you want to do?</p>\n",
        str_dup(m->arena, m->base_url).p);
    docs_tasks(out, m);
    buf_text(out, "<h2>Guides</h2>\n<p>Read the first two before you write a program. Each example is a "
                  "command that works on the demo desk.</p>\n<ul class=\"cards\">\n");
    nav_guides(out, m, "");
    buf_text(out, "</ul>\n<h2>Reference</h2>\n<p>One page for each chapter, with all members, parameters, "
                  "roles and errors.</p>\n<ul class=\"cards\">\n");
    nav_reference(out, m, "");
    buf_text(out, "</ul>\n");
    docs_end(out, m, "/docs");
}

/* ---- common to all operations ---------------------------------------------------------------- */

void docs_arguments_table(struct buf *out, const struct manual *m) {
    (void)m;
    docs_table_begin(out, "Arguments and headers of requests", "Name, Where, Meaning");
    for (const struct common *c = commons; c->name; c++)
        html(out, "<tr><th scope=\"row\"><code>%s</code></th><td>%s</td><td>%s</td></tr>\n", c->name, c->in,
             c->doc);
    docs_table_end(out);
}

void docs_headers_table(struct buf *out, const struct manual *m) {
    (void)m;
    docs_table_begin(out, "Headers of replies", "Name, Meaning");
    for (const struct reply_header *h = reply_headers; h->name; h++)
        html(out, "<tr><th scope=\"row\"><code>%s</code></th><td>%s</td></tr>\n", h->name, h->doc);
    docs_table_end(out);
}

static void roles_table(struct buf *out) {
    docs_table_begin(out, "Callers", "Name, Meaning");
    for (const struct role_name *role = role_names; role->bit; role++)
        html(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", role->name, role->means);
    docs_table_end(out);
}

void docs_general(struct buf *out, const struct manual *m) {
    docs_begin(out, m, "Arguments, headers, roles");
    buf_text(out, "<p>Each operation lists which of these it takes. Unknown arguments are ignored, and a "
                  "notice in <code>logs</code> names them.</p>\n<h2 id=\"arguments\">Arguments and headers "
                  "of requests</h2>\n");
    docs_arguments_table(out, m);
    buf_text(out, "<h2 id=\"headers\">Headers of replies</h2>\n");
    docs_headers_table(out, m);
    buf_text(out, "<h2 id=\"roles\">Roles</h2>\n");
    roles_table(out);
    buf_text(out, "<h2 id=\"examples\">Examples</h2>\n<p>The commands of a chapter run in their order on a "
                  "new demo desk (<code>make run</code>). A command that another one needs keeps the id of "
                  "its object in a variable. These lines prepare the shell:</p>\n<pre tabindex=\"0\"><code>");
    struct buf lines = {0};
    story_prepare(&lines);
    html_text(out, buf_view(&lines));
    buf_free(&lines);
    buf_text(out, "</code></pre>\n");
    docs_end(out, m, "/docs/reference");
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

void docs_operations(struct buf *out, const struct manual *m) {
    docs_begin(out, m, "All operations");
    buf_text(out, "<p>The search of your browser finds an operation here by its words and its path.</p>\n");
    for (const struct resource *const *r = resources; *r; r++) {
        if (!docs_has_chapter(*r) || !has_routes(*r)) continue;
        html(out, "<h2><a href=\"%s%s\">%s</a></h2>\n", m->root.p, chapter_path(m, *r), (*r)->title);
        list_operations(out, m, *r);
    }
    docs_end(out, m, "/docs/operations");
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
    const char *path = chapter_path(m, r);
    docs_begin(out, m, r->title ? r->title : r->type);
    if (r->doc) html(out, "<p>%s</p>\n", r->doc);
    if (has_routes(r)) write_operations(out, m, r);
    if (r->fields && r->fields->name) {
        buf_text(out, "<h2 id=\"members\">Members</h2>\n");
        docs_members(out, m, r);
    }
    docs_end(out, m, path);
}

/* ---- errors ---------------------------------------------------------------------------------- */

void docs_errors_table(struct buf *out, const struct manual *m) {
    docs_table_begin(out, "Error codes", "Code, Status, Operations, Meaning");
    for (int err = 1; err < ERR_COUNT; err++) {
        const struct error_info *e = error_info(err);
        html(out, "<tr><th scope=\"row\"><a href=\"%s/docs/errors/%s\"><code>%s</code></a></th>", m->root.p,
             e->code, e->code);
        html(out, "<td>%d</td><td>%h</td><td>%s</td></tr>\n", e->status,
             error_common(err) ? "<em>any</em>" : "some", e->message);
    }
    docs_table_end(out);
}

void docs_errors(struct buf *out, const struct manual *m) {
    docs_begin(out, m, "Errors");
    html(out,
         "<p>Every operation can answer with the codes that are marked <em>any</em>. The guide <a "
         "href=\"%s/docs/handling-errors\">Handling errors</a> shows the form of an error.</p>\n",
         m->root.p);
    docs_errors_table(out, m);
    docs_end(out, m, "/docs/errors");
}

/* e->doc is HTML (errors.def). */
void docs_error(struct buf *out, const struct manual *m, const struct error_info *e) {
    const char *path = str_fmt(m->arena, "/docs/errors/%s", e->code).p;
    docs_begin(out, m, e->code);
    html(
        out,
        "<p><strong>%s</strong></p>\n<dl>\n<dt>HTTP status</dt><dd>%d</dd>\n<dt>What to do</dt><dd>%h</dd>\n</dl>\n",
        e->message, e->status, e->doc);
    html(out, "<p><a href=\"%s/docs/errors\">All errors</a></p>\n", m->root.p);
    docs_end(out, m, path);
}
