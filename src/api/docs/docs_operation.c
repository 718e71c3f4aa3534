/* An operation in the reference: roles, input, reply, errors, and the commands that try it. */
#include "api/docs/docs.h"

/* ---- facts ----------------------------------------------------------------------------------- */

static void say_roles(struct buf *out, const struct operation *op) {
    const char *comma = "";
    buf_text(out, "<dt>Allowed</dt><dd>");
    for (const struct role_name *role = role_names; role->bit; role++) {
        if (!role_listed(role, op->route->roles)) continue;
        html(out, "%h%s", comma, role->means);
        comma = ", ";
    }
    buf_text(out, "</dd>\n");
}

static void say_scope(struct buf *out, const struct operation *op) {
    buf_text(out, "<dt>Scope of a token</dt><dd><code>");
    operation_scope(out, op);
    buf_text(out, "</code></dd>\n");
    if (op->route->permission)
        html(out, "<dt>Permission</dt><dd><code>%s</code></dd>\n", op->route->permission);
}

static void say_answer(struct buf *out, const struct manual *m, const struct operation *op) {
    static const char *const shapes[] = {[ONE] = "one",
                                         [LIST] = "a page of",
                                         [LIST_COUNT] = "all of",
                                         [LIST_CURSOR] = "a page of",
                                         [COUNT] =
                                             "the number of changed resources, as <code>total_count</code>",
                                         [NONE] = "no data"};
    const struct route *r = op->route;
    html(out, "<dt>Answers</dt><dd>%d, %h", operation_status(op),
         r->is_download ? "a file" : shapes[r->shape]);
    if (r->also_status) html(out, "; or %d, %h", r->also_status, shapes[r->also]);
    else if (r->also) html(out, " or %h", shapes[r->also]);
    if (r->also_reply)
        html(out, " <a href=\"%s/docs/reference/%s#members\">%s</a>", m->root.p, r->also_reply,
             r->also_reply);
    if (op->reply)
        html(out, " <a href=\"%s/docs/reference/%s#members\">%s</a>", m->root.p, op->reply->type,
             op->reply->type);
    if (r->has_ranges)
        buf_text(out, "; 206, the part that <code>Range</code> names; or 307, "
                      "its address in the object store, if the desk sends downloads there");
    buf_text(out, "</dd>\n");
}

static void say_errors(struct buf *out, const struct manual *m, const struct operation *op) {
    int last = 0;
    buf_text(out, "<dt>Errors</dt><dd>");
    for (int err = 1; err < ERR_COUNT; err++) {
        const struct error_info *e = error_info(err);
        if (error_common(err) || !operation_errors(op, err)) continue;
        if (e->status != last) html(out, "%h%d ", last ? "; " : "", e->status);
        else buf_text(out, ", ");
        html(out, "<a href=\"%s/docs/errors/%s\"><code>%s</code></a>", m->root.p, e->code, e->code);
        last = e->status;
    }
    html(out, "%h<a href=\"%s/docs/errors\">the errors of every operation</a></dd>\n", last ? "; and " : "",
         m->root.p);
}

static void say_commons(struct buf *out, const struct manual *m, const struct operation *op) {
    const char *comma = "";
    buf_text(out, "<dt>Also takes</dt><dd>");
    for (const struct common *c = commons; c->name; c++) {
        if (!c->taken(op) || strcmp(c->name, "ids") == 0) continue;
        html(out, "%h<code>%s</code>", comma, c->name);
        comma = ", ";
    }
    html(out, " (<a href=\"%s/docs/reference#arguments\">their meaning</a>)</dd>\n", m->root.p);
}

/* ---- the article ----------------------------------------------------------------------------- */

static void say_reply(struct buf *out, const struct manual *m, const struct operation *op) {
    struct buf json = {0};
    struct json_writer w;
    if (op->route->is_download) return;
    jw_init(&w, &json);
    w.pretty = true;
    example_reply(&w, m, op);
    buf_text(out, "<details><summary>Example of the reply</summary>\n<pre tabindex=\"0\"><code>");
    html_text(out, buf_view(&json));
    buf_text(out, "</code></pre>\n</details>\n");
    buf_free(&json);
}

static void say_command(struct buf *out, struct story *s, const struct operation *op) {
    struct buf text = {0};
    story_commands(&text, s, op);
    buf_text(out, "<pre tabindex=\"0\"><code>");
    html_text(out, buf_view(&text));
    buf_text(out, "</code></pre>\n");
    buf_free(&text);
    const char *refused = op->route->sample.refused;
    if (refused == NULL) return;
    html(
        out,
        "<p class=\"refused\">On the demo desk, the reply is <a href=\"%s/docs/errors/%s\"><code>%s</code></a>.</p>\n",
        s->m->root.p, refused, refused);
}

void docs_operation(struct buf *out, struct story *s, const struct operation *op) {
    const struct manual *m = s->m;
    const struct route *r = op->route;
    const char *method = method_name(r->method);
    html(out, "<article id=\"%s\">\n<h3><a href=\"#%s\">%s</a></h3>\n", op->anchor, op->anchor, r->summary);
    html(out, "<p class=\"address\"><strong class=\"%s\">%s</strong> <code>/api/v1%s</code></p>\n", method,
         method, r->path);
    if (r->doc) html(out, "<p>%s</p>\n", r->doc);
    buf_text(out, "<dl>\n");
    say_roles(out, op);
    say_scope(out, op);
    say_answer(out, m, op);
    say_errors(out, m, op);
    say_commons(out, m, op);
    buf_text(out, "</dl>\n");
    docs_input(out, m, op);
    say_command(out, s, op);
    say_reply(out, m, op);
    buf_text(out, "</article>\n");
}
