/* The commands of the reference. A test runs them all, in the order of the pages, on a new demo desk.
 *
 * A command needs the objects of its path. Each variable of a path is one of these:
 * - a parent, or the object of a read at the top level: a row of the demo desk (.sample of its resource).
 *   No command changes it for good;
 * - otherwise an object of the command's own: the POST of the collection makes it, and the shell keeps its
 *   id in a variable named after the type. The next commands of the chapter use the same object, until a
 *   DELETE ends it. If there is no object, the example first shows the POST, so that an example that
 *   deletes never touches what others use.
 * .sample of a route replaces these rules where its path does not tell the object. */
#include "api/docs/docs.h"
#include "api/table/fields.h"

#include <ctype.h>

void story_begin(struct story *s, const struct manual *m) {
    *s = (struct story){.m = m, .made = arena_array(m->arena, (size_t)m->count, sizeof *s->made)};
}

void story_prepare(struct buf *out) {
    buf_text(out,
             "PASSWORD=$(cat data/demo-password)\n"
             "member() { grep -o \"\\\"$1\\\":\\\"\\?[^,}\\\"]*\" | head -n 1 | sed 's/.*://; s/\"//'; }\n"
             "below() { grep -o \"/$1/[0-9]*\" | head -n 1 | sed 's/.*\\///'; }");
}

/* ---- the objects of a path ------------------------------------------------------------------- */

/* An operation by method and path; NULL: none. */
static const struct operation *find(const struct manual *m, enum method method, struct str path) {
    for (int i = 0; i < m->count; i++)
        if (m->operations[i].route->method == method && path_same(m->operations[i].route->path, path.p))
            return &m->operations[i];
    return NULL;
}

/* The part of a path before the last variable that is an id, "/users/:id/notes" of
 * "/users/:id/notes/:note_id/pin". p is NULL if there is none. */
static struct str collection_of(const struct manual *m, const char *path) {
    struct str whole = str_of(path), rest = whole, found = {0};
    struct segment s = {0};
    while (path_next(&rest, &s))
        if (s.variable && variable_is_id(str_dup(m->arena, s.text).p))
            found = (struct str){whole.p, (size_t)(s.text.p - whole.p) - 2};
    return found.p ? str_dup(m->arena, found) : found;
}

/* The POST that makes the object of the operation; NULL: the object is a row of the demo desk. */
static const struct operation *maker_of(const struct manual *m, const struct operation *op) {
    const struct route *r = op->route;
    if (r->sample.made_by) return find(m, POST, str_of(r->sample.made_by));
    if (operation_bulk(op)) return find(m, POST, str_of(r->path));
    struct str collection = collection_of(m, r->path);
    if (collection.p == NULL || op->route->sample.path) return NULL;
    const struct operation *maker = find(m, POST, collection);
    if (maker == NULL || maker->route->shape != ONE) return NULL;
    if (str_eq(str_of(maker->home->sample), S("")) && maker->home->sample) return maker;
    if (op->route->method == GET) return path_has_variable(collection.p) ? maker : NULL;
    return maker->home == op->home ? maker : NULL;
}

/* The shell variable of an object, "USER_NOTE". */
static const char *variable_of(const struct manual *m, const struct operation *maker) {
    const struct resource *r = maker->reply ? maker->reply : maker->home;
    bool own = strncmp(maker->route->path, "/profile/", strlen("/profile/")) == 0;
    struct buf name = {0};
    if (own) buf_text(&name, "OWN_");
    for (const char *c = r->type; *c; c++) buf_char(&name, (char)toupper((unsigned char)*c));
    return buf_take(&name, m->arena).p;
}

/* The row of the demo desk that stands for the variable behind `collection`. */
static const char *sample_below(const struct manual *m, struct str collection) {
    const struct operation *one =
        find(m, GET, str_fmt(m->arena, "%.*s/:id", (int)collection.n, collection.p));
    const char *sample = one ? one->home->sample : NULL;
    return sample && sample[0] ? sample : "1";
}

/* The part `place`, from 1, of .sample; p is NULL if it is missing or empty. */
static struct str sample_given(const struct operation *op, int place) {
    struct str rest = str_of(op->route->sample.path), part = {0};
    for (int i = 0; i < place && rest.p; i++) part = str_cut(&rest, ',');
    return part.n ? part : (struct str){0};
}

/* ---- a command ------------------------------------------------------------------------------- */

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

/* The same for a text with variables of the shell. */
static void shell_quote_with_variables(struct buf *out, struct str s) {
    buf_char(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"') buf_char(out, '\\');
        buf_char(out, s.p[i]);
    }
    buf_char(out, '"');
}

static void url_encode(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (isalnum(c) || c == '-' || c == '_' || c == '.' || c == '~' || c == ',') buf_char(out, (char)c);
        else buf_fmt(out, "%%%02X", c);
    }
}

/* An example value as text; lists with commas. */
static struct str example_value_text(const struct manual *m, const struct operation *op,
                                     const struct field *f) {
    struct buf b = {0};
    struct json_writer w;
    struct json *v = NULL;
    struct json_error err;
    jw_init(&w, &b);
    example_sent(&w, m, op, f);
    struct str text = buf_take(&b, m->arena);
    if (json_parse(m->arena, text, &v, &err) < 0) return text;
    if (v->type == JSON_STRING) return v->text;
    if (v->type != JSON_ARRAY) return text;
    text = S("");
    for (const struct json *item = v->first; item; item = item->next)
        text = str_fmt(m->arena, "%s%s%.*s", text.p, item == v->first ? "" : ",", (int)item->text.n,
                       item->text.p);
    return text;
}

/* Writes the value of a variable of the path. */
static void path_value(struct buf *out, const struct manual *m, const struct operation *op,
                       const struct segment *v) {
    const struct operation *maker = maker_of(m, op);
    struct str given = sample_given(op, v->place),
               before = {op->route->path, (size_t)(v->text.p - op->route->path) - 2};
    bool id = variable_is_id(str_dup(m->arena, v->text).p);
    bool object = maker && (op->route->sample.made_by || collection_of(m, op->route->path).n == before.n);
    if (given.p) {
        buf_str(out, given);
    } else if (object) {
        buf_fmt(out, "$%s", variable_of(m, maker));
    } else if (id) {
        buf_text(out, sample_below(m, before));
    } else {
        for (const struct field *f = fields_of(op->home->fields); f && f->name; f++)
            if (str_eq(str_of(f->name), v->text) && f->example) url_encode(out, example_value_text(m, op, f));
    }
}

static void command_url(struct buf *out, const struct manual *m, const struct operation *op) {
    struct str rest = str_of(op->route->path);
    struct segment v = {0};
    const char *before = "?";
    buf_char(out, '"');
    buf_str(out, m->base_url);
    buf_text(out, "/api/v1");
    while (path_next(&rest, &v)) {
        buf_char(out, '/');
        if (v.variable) path_value(out, m, op, &v);
        else buf_str(out, v.text);
    }
    if (operation_bulk(op)) {
        const struct operation *maker = maker_of(m, op);
        if (op->route->sample.path) buf_fmt(out, "?ids=%s", op->route->sample.path);
        else buf_fmt(out, "?ids=%s%s", maker ? "$" : "", maker ? variable_of(m, maker) : "1,2");
        before = "&";
    }
    for (const struct field *f = op->args; f && f->name; f++) {
        if (!argument_mandatory(f)) continue;
        buf_fmt(out, "%s%s=", before, sent_name(m, f));
        url_encode(out, example_value_text(m, op, f));
        before = "&";
    }
    if (op->route->sample.query) buf_fmt(out, "%s%s", before, op->route->sample.query);
    buf_char(out, '"');
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
        const char *given = op->route->sample.body;
        buf_fmt(out, " \\\n%s  -H 'Content-Type: application/json' \\\n  -d ", posts ? "" : "  -X PUT");
        jw_init(&w, &body);
        example_request(&w, m, op);
        if (given && strchr(given, '$')) shell_quote_with_variables(out, str_of(given));
        else shell_quote(out, buf_view(&body));
        buf_free(&body);
    } else if (operation_writes(op)) {
        buf_fmt(out, " -X %s", method_name(op->route->method));
    }
}

static void command(struct buf *out, const struct manual *m, const struct operation *op) {
    buf_text(out, "curl");
    if (!(op->route->roles & 1)) buf_fmt(out, " -u \"%s@example.com:$PASSWORD\"", login_of(op->route->roles));
    size_t short_form = out->n;
    command_body(out, m, op);
    buf_text(out, memchr(out->p + short_form, '\n', out->n - short_form) ? " \\\n  " : " ");
    command_url(out, m, op);
}

/* ---- the story ------------------------------------------------------------------------------- */

/* True if a later command of the chapter uses the object that the operation makes. */
static bool object_is_used(const struct manual *m, const struct operation *maker) {
    for (int i = 0; i < m->count; i++)
        if (m->operations[i].home == maker->home && maker_of(m, &m->operations[i]) == maker) return true;
    return false;
}

/* The member of the reply that names the object: its id, unless a variable of the path has another name. */
static const char *kept_member(const struct manual *m, const struct operation *op) {
    struct str rest = str_of(op->route->path);
    struct segment v = {0};
    while (op->route->sample.made_by && path_next(&rest, &v))
        if (v.variable && !variable_is_id(str_dup(m->arena, v.text).p)) return str_dup(m->arena, v.text).p;
    return "id";
}

/* The command of `maker`, whose object is kept for `user`. */
static void make_object(struct buf *out, struct story *s, const struct operation *maker,
                        const struct operation *user) {
    buf_fmt(out, "%s=$(", variable_of(s->m, maker));
    command(out, s->m, maker);
    buf_fmt(out, " | member %s)", kept_member(s->m, user));
    for (int i = 0; i < s->m->count; i++) /* the variable names the newest object */
        if (strcmp(variable_of(s->m, &s->m->operations[i]), variable_of(s->m, maker)) == 0)
            s->made[i] = false;
    s->made[maker - s->m->operations] = true;
}

/* Writes lines of .setup, with the address of the API for {api} and the login for {owner}. */
static void setup(struct buf *out, const struct manual *m, struct str lines) {
    static const struct str api = {"{api}", 5}, owner = {"{owner}", 7};
    while (lines.n) {
        if (str_starts(lines, api)) {
            buf_fmt(out, "%.*s/api/v1", (int)m->base_url.n, m->base_url.p);
            lines = (struct str){lines.p + api.n, lines.n - api.n};
        } else if (str_starts(lines, owner)) {
            buf_text(out, "-u \"owner@example.com:$PASSWORD\"");
            lines = (struct str){lines.p + owner.n, lines.n - owner.n};
        } else {
            buf_char(out, lines.p[0]);
            lines = (struct str){lines.p + 1, lines.n - 1};
        }
    }
    buf_char(out, '\n');
}

void story_commands(struct buf *out, struct story *s, const struct operation *op) {
    const struct operation *maker = maker_of(s->m, op);
    const char *last = strrchr(op->route->path, '/');
    bool ends = op->route->method == DELETE && (operation_bulk(op) || last[1] == ':');
    if (op->route->sample.setup) setup(out, s->m, str_of(op->route->sample.setup));
    if (maker && !s->made[maker - s->m->operations]) {
        make_object(out, s, maker, op);
        buf_char(out, '\n');
    }
    if (op->route->method == POST && op->route->shape == ONE && object_is_used(s->m, op))
        make_object(out, s, op, op);
    else command(out, s->m, op);
    if (maker && ends) s->made[maker - s->m->operations] = false;
}
