/* An operation in the reference: roles, input, reply, errors, and a command to try it. */
#include "api/docs/docs.h"
#include "api/fields.h"

/* ---- the command ---------------------------------------------------------------------------------------- */

/* The demo login (`deskd demo`) of the highest rank that the operation admits. */
static const char *login_of(unsigned roles) {
    if (roles & OWNERS) return "owner";
    if (roles & ADMINS) return "admin";
    if (roles & AGENTS) return "agent";
    return roles & COLLABORATORS ? "collaborator" : "customer";
}

/* Quotes a text for the shell. */
static void shell_quote(struct buf *out, struct str s) {
    buf_char(out, '\'');
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\'') buf_text(out, "'\\''");
        else buf_char(out, s.p[i]);
    buf_char(out, '\'');
}

static void url_encode(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
        if (letter || digit || (c && strchr("-_.~,", c))) buf_char(out, (char)c);
        else buf_fmt(out, "%%%02X", c);
    }
}

/* An example value as text; lists with commas. */
static struct str example_value_text(const struct manual *m, const struct operation *op, const struct field *f) {
    struct buf b = {0};
    struct json_writer w;
    struct json *v = NULL;
    struct json_error err;
    jw_init(&w, &b);
    example_sent(&w, m, op, f);
    struct str text = str_dup(m->arena, buf_view(&b));
    buf_free(&b);
    if (json_parse(m->arena, text, &v, &err) < 0) return text;
    if (v->type == JSON_STRING) return v->text;
    if (v->type != JSON_ARRAY) return text;
    text = S("");
    for (const struct json *item = v->first; item; item = item->next)
        text = str_fmt(m->arena, "%s%s%.*s", text.p, item == v->first ? "" : ",", (int)item->text.n, item->text.p);
    return text;
}

static const char *variable_value(const struct manual *m, const struct operation *op, struct str name) {
    if (variable_is_id(str_dup(m->arena, name).p)) return "1";
    for (const struct field *f = fields_of(op->home->fields); f && f->name; f++)
        if (str_eq(str_of(f->name), name) && f->example) return example_value_text(m, op, f).p;
    return "NAME";
}

static void command_url(struct buf *out, const struct manual *m, const struct operation *op) {
    struct str rest = str_of(op->route->path);
    struct segment s = {0};
    const char *before = "?";
    buf_str(out, m->base_url);
    buf_text(out, "/api/v1");
    while (path_next(&rest, &s)) {
        buf_char(out, '/');
        if (s.variable) url_encode(out, str_of(variable_value(m, op, s.text)));
        else buf_str(out, s.text);
    }
    if (operation_bulk(op)) {
        buf_text(out, "?ids=1,2");
        before = "&";
    }
    for (const struct field *f = op->args; f && f->name; f++) {
        if (!argument_mandatory(f)) continue;
        buf_fmt(out, "%s%s=", before, sent_name(m, f));
        url_encode(out, example_value_text(m, op, f));
        before = "&";
    }
}

static void command_body(struct buf *out, const struct manual *m, const struct operation *op) {
    struct buf body = {0};
    struct json_writer w;
    bool posts = op->route->method == POST;
    const struct field *first = operation_input(op); /* the main parameter comes first */
    const struct field *file = first && first->name && file_sent(op, first) ? first : NULL;
    if (op->route->body == RAW_FILE) {
        buf_text(out, " \\\n  -H 'Content-Type: application/octet-stream' --data-binary @report.pdf");
    } else if (file) {
        buf_fmt(out, "%s -F %s=@picture.png", posts ? "" : " -X PUT", sent_name(m, file));
    } else if (takes_anything(op)) {
        jw_init(&w, &body);
        example_request(&w, m, op);
        buf_fmt(out, " \\\n%s  -H 'Content-Type: application/json' \\\n  -d ", posts ? "" : "  -X PUT");
        shell_quote(out, buf_view(&body));
        buf_free(&body);
    } else if (operation_writes(op)) {
        buf_fmt(out, " -X %s", method_name(op->route->method));
    }
}

static void command(struct buf *out, const struct manual *m, const struct operation *op) {
    struct buf url = {0};
    buf_text(out, "curl");
    if (!(op->route->roles & 1)) buf_fmt(out, " -u %s@example.com:PASSWORD", login_of(op->route->roles));
    size_t short_form = out->n;
    command_body(out, m, op);
    buf_text(out, memchr(out->p + short_form, '\n', out->n - short_form) ? " \\\n  " : " ");
    command_url(&url, m, op);
    shell_quote(out, buf_view(&url));
    buf_free(&url);
}

/* ---- facts ---------------------------------------------------------------------------------------------- */

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
    if (op->route->permission) html(out, "<dt>Permission</dt><dd><code>%s</code></dd>\n", op->route->permission);
}

static void say_answer(struct buf *out, const struct manual *m, const struct operation *op) {
    static const char *const shapes[] = {[ONE] = "one",
                                         [LIST] = "a page of",
                                         [LIST_COUNT] = "all of",
                                         [LIST_CURSOR] = "a page of",
                                         [COUNT] = "the number of changed resources, as <code>total_count</code>",
                                         [NONE] = "no data"};
    const struct route *r = op->route;
    html(out, "<dt>Answers</dt><dd>%d, %h", operation_status(op), r->is_download ? "a file" : shapes[r->shape]);
    if (r->also_status) html(out, "; or %d, %h", r->also_status, shapes[r->also]);
    else if (r->also) html(out, " or %h", shapes[r->also]);
    if (r->also_reply) html(out, " <a href=\"%s/docs/reference/%s#members\">%s</a>", m->root.p, r->also_reply, r->also_reply);
    if (op->reply) html(out, " <a href=\"%s/docs/reference/%s#members\">%s</a>", m->root.p, op->reply->type, op->reply->type);
    if (r->has_ranges) buf_text(out, "; 206, the part that <code>Range</code> names");
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
    html(out, "%h<a href=\"%s/docs/errors\">the errors of every operation</a></dd>\n", last ? "; and " : "", m->root.p);
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

/* ---- the article ---------------------------------------------------------------------------------------- */

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

static void say_command(struct buf *out, const struct manual *m, const struct operation *op) {
    struct buf text = {0};
    command(&text, m, op);
    buf_text(out, "<pre tabindex=\"0\"><code>");
    html_text(out, buf_view(&text));
    buf_text(out, "</code></pre>\n");
    buf_free(&text);
}

void docs_operation(struct buf *out, const struct manual *m, const struct operation *op) {
    const struct route *r = op->route;
    const char *method = method_name(r->method);
    html(out, "<article id=\"%s\">\n<h3><a href=\"#%s\">%s</a></h3>\n", op->anchor, op->anchor, r->summary);
    html(out, "<p class=\"address\"><strong class=\"%s\">%s</strong> <code>/api/v1%s</code></p>\n", method, method, r->path);
    if (r->doc) html(out, "<p>%s</p>\n", r->doc);
    buf_text(out, "<dl>\n");
    say_roles(out, op);
    say_scope(out, op);
    say_answer(out, m, op);
    say_errors(out, m, op);
    say_commons(out, m, op);
    buf_text(out, "</dl>\n");
    docs_input(out, m, op);
    say_command(out, m, op);
    say_reply(out, m, op);
    buf_text(out, "</article>\n");
}
