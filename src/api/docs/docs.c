/* The reference as one HTML page without a script, and a page for each error code. */
#include "api/docs/docs.h"

#include "api/api.h"

static const char style[] =
    ":root { color-scheme: light dark; --text: #1c1c21; --soft: #55555f; --back: #fff; --box: #f4f4f6;\n"
    "  --line: #d5d5dc; --link: #0b4fc4; --get: #0a6b3c; --post: #0b4fc4; --put: #8a4700; --delete: #b3261e; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --text: #e6e6ea; --soft: #b3b3be; --back: #17181c; --box: #212329; --line: #3b3d46;\n"
    "    --link: #93b8ff; --get: #79d8a3; --post: #93b8ff; --put: #f3b36b; --delete: #ff9b93; } }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0; font: 1rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--back); }\n"
    "a { color: var(--link); }\n"
    ":focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }\n"
    ".skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--back); }\n"
    ".skip:focus { left: 0; z-index: 1; }\n"
    "main { padding: 1rem; max-width: 60rem; min-width: 0; overflow-wrap: anywhere; }\n"
    "nav { padding: 1rem; max-height: 60vh; overflow-y: auto; background: var(--box);\n"
    "  border-bottom: 1px solid var(--line); }\n"
    "nav p { margin: 0 0 .5rem; font-weight: 600; }\n"
    "nav ul { list-style: none; margin: 0; padding: 0; }\n"
    "nav summary { padding: .3rem 0; }\n"
    "nav ul ul { padding-left: 1rem; }\n"
    "nav li a { display: block; padding: .15rem 0; text-decoration: none; }\n"
    "nav li a:hover { text-decoration: underline; }\n"
    "h1 { font-size: 1.9rem; line-height: 1.2; }\n"
    "h2 { font-size: 1.5rem; margin: 3rem 0 .5rem; padding-top: 1rem; border-top: 2px solid var(--line); }\n"
    "h3 { font-size: 1.15rem; margin: 0; }\n"
    "h3 a { color: inherit; text-decoration: none; }\n"
    "h3 a:hover { text-decoration: underline; }\n"
    "article { margin: 2.5rem 0; scroll-margin-top: 1rem; }\n"
    "code, pre { font-family: ui-monospace, monospace; font-size: .92em; }\n"
    "pre { padding: .75rem; overflow-x: auto; background: var(--box); border: 1px solid var(--line);\n"
    "  border-radius: 6px; }\n"
    ".address { margin: .2rem 0 .6rem; }\n"
    ".GET { color: var(--get); } .POST { color: var(--post); }\n"
    ".PUT { color: var(--put); } .DELETE { color: var(--delete); }\n"
    ".must { color: var(--delete); font-weight: 600; font-size: .85em; }\n"
    "dl { display: grid; grid-template-columns: 1fr; margin: .5rem 0; }\n"
    "dt { color: var(--soft); } dd { margin: 0 0 .4rem; }\n"
    ".wide { overflow-x: auto; margin: 1rem 0; }\n"
    "table { border-collapse: collapse; width: 100%; }\n"
    "caption { text-align: left; font-weight: 600; padding: .25rem 0; }\n"
    "th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; overflow-wrap: normal;\n"
    "  border-bottom: 1px solid var(--line); }\n"
    "th { font-weight: 500; } thead th { color: var(--soft); } tbody th code { white-space: nowrap; }\n"
    "@media (max-width: 40rem) {\n"
    "  thead { display: none; } tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line); }\n"
    "  tbody th, td { display: block; border: 0; padding: 0; }\n"
    "  tbody th { font-weight: 700; } td:nth-child(2):not(:last-child) { color: var(--soft); } }\n"
    "@media (min-width: 60rem) {\n"
    "  .page { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }\n"
    "  nav { position: sticky; top: 0; height: 100vh; max-height: none; border-bottom: 0;\n"
    "    border-right: 1px solid var(--line); }\n"
    "  main { padding: 1rem 2.5rem; }\n"
    "  dl { grid-template-columns: 10rem minmax(0, 1fr); } }\n";

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>%s</title>\n<style>\n%h</style>\n</head>\n<body>\n";

/* ---- what holds for all operations ---------------------------------------------------------------------- */

static const char about[] =
    "<h1>deskd API reference</h1>\n"
    "<p>A support desk as a JSON REST API. Every address below begins with <code>%s</code>, and may end in"
    " <code>.json</code>. The same reference for programs: <a href=\"openapi.json\">openapi.json</a>"
    " (OpenAPI 3.1).</p>\n"
    "<section aria-labelledby=\"login\">\n<h2 id=\"login\">Logging in</h2>\n"
    "<p>Send HTTP Basic credentials (e-mail address and password) with any request. The reply carries a"
    " <code>session_id</code> and the header <code>X-CSRF-Token</code>; later requests may send the session as"
    " <code>X-Session-ID</code>, and with POST, PUT and DELETE also <code>X-CSRF-Token</code>. Programs of others use"
    " <code>Authorization: Bearer</code> with an OAuth token, whose scope must cover that of the operation.</p>\n"
    "</section>\n"
    "<section aria-labelledby=\"bodies\">\n<h2 id=\"bodies\">Requests and replies</h2>\n"
    "<p>Parameters are sent as JSON, as a form or as multipart; in forms, lists are"
    " <code>name[]=a&amp;name[]=b</code> or <code>name=a,b</code>. Times are written"
    " <code>2026-11-21T09:30:00+00:00</code>. Names may be written in snake_case, camelCase or PascalCase. A name that"
    " nobody reads is no error: the reply says so under <code>logs</code>.</p>\n"
    "<p>A success has <code>status</code>, <code>data</code> and <code>resource</code>, lists also <code>offset</code>,"
    " <code>limit</code>, <code>total_count</code> and links to other pages. Resources inside others are references of"
    " <code>id</code> and <code>resource_type</code> until <code>include</code> names their type. A member is null when"
    " it is empty or not for the caller to see. A failure has <code>status</code> and <code>errors</code>: all that was"
    " wrong at once.</p>\n"
    "</section>\n";

static void write_commons(struct buf *out) {
    buf_text(out, "<section aria-labelledby=\"arguments\">\n<h2 id=\"arguments\">Arguments of many operations</h2>\n");
    docs_table_begin(out, "Arguments and headers", "Name, Where, Meaning");
    for (const struct common *c = commons; c->name; c++)
        html(out, "<tr><th scope=\"row\"><code>%s</code></th><td>%s</td><td>%s</td></tr>\n", c->name, c->in, c->doc);
    docs_table_end(out);
    buf_text(out, "</section>\n");
}

static void write_errors(struct buf *out) {
    buf_text(out, "<section aria-labelledby=\"errors\">\n<h2 id=\"errors\">Errors</h2>\n"
                  "<p>Those marked <em>any</em> can be the answer to every operation.</p>\n");
    docs_table_begin(out, "Error codes", "Code, Status, Operations, Meaning");
    for (int err = 1; err < ERR_COUNT; err++) {
        const struct error_info *e = error_info(err);
        html(out, "<tr><th scope=\"row\"><a href=\"docs/errors/%s\"><code>%s</code></a></th>", e->code, e->code);
        html(out, "<td>%d</td><td>%h</td><td>%s</td></tr>\n", e->status, error_common(err) ? "<em>any</em>" : "some",
             e->message);
    }
    docs_table_end(out);
    buf_text(out, "</section>\n");
}

/* ---- chapters ------------------------------------------------------------------------------------------- */

static void write_nav(struct buf *out, const struct manual *m) {
    buf_text(out, "<nav aria-label=\"Contents\">\n<p>Contents</p>\n<ul>\n<li><a href=\"#login\">Logging in</a></li>\n"
                  "<li><a href=\"#bodies\">Requests and replies</a></li>\n"
                  "<li><a href=\"#arguments\">Arguments of many operations</a></li>\n"
                  "<li><a href=\"#errors\">Errors</a></li>\n");
    for (const struct resource *const *r = resources; *r; r++) {
        html(out, "<li><details><summary>%s</summary>\n<ul>\n", (*r)->title);
        html(out, "<li><a href=\"#type-%s\">Members</a></li>\n", (*r)->type);
        for (int i = 0; i < m->count; i++) {
            const struct operation *op = &m->operations[i];
            if (op->home == *r) html(out, "<li><a href=\"#%s\">%s</a></li>\n", op->anchor, op->route->summary);
        }
        buf_text(out, "</ul>\n</details></li>\n");
    }
    buf_text(out, "</ul>\n</nav>\n");
}

static void write_chapter(struct buf *out, const struct manual *m, const struct resource *r) {
    html(out, "<section aria-labelledby=\"type-%s\">\n<h2 id=\"type-%s\">%s</h2>\n", r->type, r->type, r->title);
    if (r->doc) html(out, "<p>%s</p>\n", r->doc);
    docs_members(out, m, r);
    for (int i = 0; i < m->count; i++)
        if (m->operations[i].home == r) docs_operation(out, m, &m->operations[i]);
    buf_text(out, "</section>\n");
}

void docs_write(struct buf *out, struct str base_url) {
    struct manual m;
    manual_open(&m, base_url);
    html(out, head, "deskd API reference", style);
    buf_text(out, "<a class=\"skip\" href=\"#main\">Skip to the reference</a>\n<div class=\"page\">\n");
    write_nav(out, &m);
    buf_text(out, "<main id=\"main\">\n");
    html(out, about, str_fmt(m.arena, "%.*s/api/v1", (int)base_url.n, base_url.p).p);
    write_commons(out);
    write_errors(out);
    for (const struct resource *const *r = resources; *r; r++) write_chapter(out, &m, *r);
    buf_text(out, "</main>\n</div>\n</body>\n</html>\n");
    manual_close(&m);
}

/* ---- error pages ---------------------------------------------------------------------------------------- */

/* What to do is HTML in errors.def. */
static void write_error(struct buf *out, const struct error_info *e) {
    html(out, head, e->code, style);
    html(out, "<main>\n<h1><code>%s</code></h1>\n<p><strong>%s</strong></p>\n", e->code, e->message);
    html(out, "<dl>\n<dt>HTTP status</dt><dd>%d</dd>\n<dt>What to do</dt><dd>%h</dd>\n</dl>\n", e->status, e->doc);
    buf_text(out, "<p><a href=\"../../docs#errors\">All errors</a> in the"
                  " <a href=\"../../docs\">API reference</a></p>\n</main>\n</body>\n</html>\n");
}

bool docs_error_write(struct buf *out, struct str code) {
    for (int err = 1; err < ERR_COUNT; err++)
        if (str_eq(str_of(error_info(err)->code), code)) {
            write_error(out, error_info(err));
            return true;
        }
    return false;
}
