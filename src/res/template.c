/* Brand templates: the texts of e-mails and pages of a brand. */
#include "api/call/machine.h"
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/html.h"
#include "base/limits.h"
#include "base/link.h"
#include "core/change/last_change.h"
#include "core/desk/setting.h"
#include "core/text/template.h"
#include "res/framed.h"

/* ---- previews -------------------------------------------------------------------------------- */

/* Sample values. Those with html stand for elements. */
struct sample {
    const char *name, *value, *html;
};
static const struct sample page_samples[] = {
    {"form", "x",
     "<form><label>Sample field <input name=\"sample\"></label> <button "
     "disabled>Send</button></form>"},
    {"contents", "x",
     "<h1>Sample title</h1><p>Sample contents with a <a "
     "href=\"#main\">link</a>.</p><ul><li>One</li><li>Two</li></ul>"},
    {"header", "x",
     "<header class=\"top\"><a class=\"brand\" href=\"#main\"><span>Sample "
     "brand</span></a></header>"},
    {"footer", "x", "<footer class=\"end\"><p>Sample brand</p></footer>"},
    {"title", "Sample title", NULL},
    {0},
};
static const struct sample mail_samples[] = {
    {"name", "Alice Sample", NULL},
    {"address", "alice@example.com", NULL},
    {"changed", "new@example.com", NULL},
    {"life", "24 hours", NULL},
    {"case", "1234", NULL},
    {"subject", "Sample subject", NULL},
    {"author", "Bob Sample", NULL},
    {"contents", "Sample text of the message.", NULL},
    {0},
};

static struct str preview_filled(struct arena *a, struct str block, const struct meaning *meanings,
                                 bool in_html) {
    struct buf b = {0};
    if (block.p) template_fill(&b, block, meanings, in_html);
    return buf_take(&b, a);
}

QUERY(preview_brand, "SELECT name FROM brands WHERE id = :id");

/* All meanings of a template: those of its kind, the desk, the brand and addresses. */
static int preview_meanings(struct call *c, const struct template *t, struct meaning *out) {
    struct arena *a = c->work.arena;
    struct str brand, base = c->work.desk->base_url;
    int n = 0, rc = db_text(c->work.conn, &preview_brand, BINDS(B_INT("id", c->vars[0].id)), a, &brand);
    TRY(rc);
    for (const struct sample *m = t->app == TEMPLATE_MAIL ? mail_samples : page_samples; m->name; m++)
        out[n++] = (struct meaning){.name = m->name, .value = str_of(m->value), .html = str_of(m->html)};
    out[n++] = (struct meaning){.name = "desk", .value = setting_text(c->work.desk, "desk.name", a)};
    out[n++] = (struct meaning){.name = "brand", .value = brand};
    out[n++] = (struct meaning){.name = "url", .value = base};
    out[n++] = (struct meaning){.name = "link",
                                .value = STR_CAT(a, base, t->path ? S("/") : S(""),
                                                 str_of(t->path ? t->path : ""), S("?hash=sample"))};
    out[n] = (struct meaning){0};
    return 0;
}

/* A whole document. A page of the help center has the style of the brand's pages. */
static struct str preview_document(struct call *c, const struct template *t, const struct template_blocks *b,
                                   const struct meaning *m) {
    struct arena *a = c->work.arena;
    struct buf out = {0};
    bool mail = t->app == TEMPLATE_MAIL, site = t->app == TEMPLATE_SITE;
    const char *base = str_dup(a, c->work.desk->base_url).p;
    html(&out, "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n",
         preview_filled(a, b->block[mail ? BLOCK_SUBJECT : BLOCK_TITLE], m, false).p);
    if (site)
        html(
            &out,
            "<link rel=\"stylesheet\" href=\"%s/helpcenter/style.css\">\n<link rel=\"stylesheet\" href=\"%s/helpcenter/brand.css\">\n",
            base, base);
    if (b->block[BLOCK_STYLE].p)
        html(&out, "<style>\n%h</style>\n", preview_filled(a, b->block[BLOCK_STYLE], m, false).p);
    buf_text(&out, "</head>\n<body id=\"main\">\n");
    if (mail && b->block[BLOCK_HTML].p == NULL)
        buf_str(&out, text_to_html(a, preview_filled(a, b->block[BLOCK_TEXT], m, false)));
    else buf_str(&out, preview_filled(a, b->block[mail ? BLOCK_HTML : BLOCK_BODY], m, true));
    buf_text(&out, "\n</body>\n</html>\n");
    return buf_take(&out, a);
}

static const struct field template_preview_fields[] = {
    {"html", F_LONG, READONLY,
     .doc = "The e-mail or the page as an HTML document, filled with sample "
            "values.",
     .example = "\"<!DOCTYPE html>...\""},
    {0},
};

const struct resource template_preview_resource = {
    .type = "template_preview",
    .scope = "configuration",
    .title = "Previews of templates",
    .doc = "The e-mail or page of a template, filled with sample values. "
           "Nothing is changed.",
    .fields = template_preview_fields};

/* Replies with the blocks of parsed contents, filled with sample values. */
static int template_preview_reply(struct call *c, const struct template *t,
                                  const struct template_blocks *blocks) {
    struct meaning meanings[24];
    TRY(preview_meanings(c, t, meanings));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "html") = value_text(preview_document(c, t, blocks, meanings));
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

static const struct template *template_of(const struct call *c) { return template_named(c->vars[1].text); }

/* Contents are checked before they are stored, so that no mistake is found only when an e-mail is sent. */
static int template_check_contents(struct call *c, struct in *in) {
    struct template_blocks blocks;
    const char *why;
    if (template_parse(c->work.arena, template_of(c), in->value.s, &blocks, &why)) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", why);
}

static const char contents_doc[] = "The text is a list of blocks: {% block NAME %} ... {% endblock %}. An "
                                   "e-mail has the blocks subject and text. It may have html. A page has "
                                   "the blocks title and body. It may have style. Blocks may use values, "
                                   "like {{desk}}. Values of e-mails: desk, name, address and url; with a "
                                   "link also link and life. Values of pages: desk and url; with a form "
                                   "also form. Values of pages of the help center: brand, url, title and "
                                   "contents; with forms also form. The frame (helpcenter_layout) has "
                                   "brand, url, title, header, contents and footer.";

#define CONTENTS_EXAMPLE                                              \
    "\"{% block subject %}Your password was changed{% endblock %}\\n" \
    "{% block text %}\\nHello {{name}}, if it was not you, tell us.\\n{% endblock %}\\n\""

/* [{"name": "link", "is_required": true}, ...] */
static void render_template_variables(struct view *v, const struct row *row, const struct value *own) {
    struct json_writer *w = &v->w;
    const struct template *t = template_named(row_cell(row, "name")->s);
    (void)own;
    jw_array(w);
    for (struct str rest = str_of(t->values); rest.p;) {
        struct str name = str_cut(&rest, ' ');
        jw_object(w);
        jw_key(w, S("name"));
        jw_str(w, name);
        jw_key(w, S("is_required"));
        jw_bool(w, template_needs(t, name));
        jw_end(w);
    }
    jw_end(w);
}

static const struct field template_fields[] = {
    {"brand_id", F_INT, HIDDEN, .doc = "Brand of the template."},
    {"name", F_TEXT, READONLY, .doc = "Name of the template, as in addresses.",
     .example = "\"password_changed\""},
    {"app", F_WORD, READONLY, .words = template_apps,
     .doc = "MAIL: an e-mail. PAGE: a page that a mailed link opens. HELPCENTER: a page of the help center.",
     .example = "\"MAIL\""},
    {"category", F_WORD, READONLY, .words = template_categories,
     .doc = "Subject of the template: an e-mail address, or an account."},
    {"contents", F_LONG, PRESENT, .max = LIMIT_TEMPLATE, .check = template_check_contents,
     .doc = contents_doc, .example = CONTENTS_EXAMPLE},
    {"is_custom", F_BOOL, READONLY,
     .doc = "True if the brand has a text of its own in place of the original."},
    {"variables", F_JSON, READONLY | ON_DEMAND, .column = "", .render = render_template_variables,
     .doc = "Values that the contents may use in {{braces}}. Each block of text must have the required "
            "ones.",
     .example = "[{\"name\": \"link\", \"is_required\": true}]"},
    {0},
};

/* The original may differ from the one before an upgrade. */
static int template_last_change(struct call *c, const struct template *t, bool custom, int64_t *at) {
    int rc = last_change_time(&c->work, last_change_of_template(c->work.arena, c->vars[0].id, t->name), at);
    int64_t started = custom && rc == 1 ? 0 : c->api->started_at;
    if (rc == 0 || (rc == 1 && *at < started)) *at = started;
    return rc < 0 ? rc : 0;
}

static int template_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct str own[TEMPLATES_MAX];
    TRY(templates_of_brand(&c->work, c->vars[0].id, name, own));
    for (const struct template *t = templates; t->name; t++) {
        if (name.p && !str_eq(name, str_of(t->name))) continue;
        struct row *row = *out = row_new(v, layout_of(c->resource), 0);
        struct str mine = own[t - templates];
        *row_cell(row, "brand_id") = (struct value){V_INT, .i = c->vars[0].id};
        *row_cell(row, "name") = value_text(str_of(t->name));
        *row_cell(row, "app") = (struct value){V_INT, .i = t->app};
        *row_cell(row, "category") = (struct value){V_INT, .i = t->category};
        *row_cell(row, "contents") = value_text(mine.p ? mine : str_of(t->original));
        if (name.p) TRY(template_last_change(c, t, mine.p != NULL, &row->modified));
        *row_cell(row, "is_custom") = (struct value){V_INT, .i = mine.p != NULL};
        out = &row->next;
    }
    return 0;
}

static int put_template(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    TRY(template_put(&c->work, c->vars[0].id, template_of(c), in_text(c, "contents")));
    return api_reply(c);
}

/* A version may be invalid now, even if it was valid when it was written. */
static int read_version(struct call *c, struct str *contents) {
    struct template_blocks blocks;
    const char *why;
    const struct template *t = template_of(c);
    int rc = template_version(&c->work, c->vars[0].id, t, in_int(c, "version_id"), contents);
    TRY(rc);
    if (rc == 0)
        return in_fail(c, "version_id", ERR_FIELD_INVALID,
                       "The template has no version with this id. GET /brands/:id/templates/:name/versions "
                       "lists them.");
    if (template_parse(c->work.arena, t, *contents, &blocks, &why)) return 0;
    return in_fail(c, "version_id", ERR_FIELD_INVALID,
                   "The contents of this version are not valid any more. %s", why);
}

static int put_template_restore(struct call *c) {
    struct str contents = {0};
    TRY(api_target(c));
    TRY(api_input(c));
    if (in(c, "version_id")->value.type == V_INT) TRY(read_version(c, &contents));
    TRY(template_put(&c->work, c->vars[0].id, template_of(c), contents));
    return api_reply(c);
}

static int post_template_preview(struct call *c) {
    struct template_blocks blocks;
    const char *why;
    TRY(api_of(c));
    if (template_of(c) == NULL) return fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    TRY(api_input(c));
    /* template_check_contents has seen no error */
    template_parse(c->work.arena, template_of(c), in_text(c, "contents"), &blocks, &why);
    return template_preview_reply(c, template_of(c), &blocks);
}

/* The style of the help center is a file of this desk, that of a template stands in the page. */
#define TEMPLATE_POLICY                                                                                   \
    FRAMED_SANDBOX "; default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:;" \
                   " base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

/* The console shows a preview of unsaved contents by replacing the contents of this page in its frame: the
 * policy of the console itself allows neither frames without an address nor inline styles. */
static int get_template_document(struct call *c) {
    struct arena *a = c->work.arena;
    struct template_blocks blocks;
    struct meaning meanings[24];
    struct str own[TEMPLATES_MAX];
    const char *why;
    const struct template *t = template_of(c);
    TRY(api_of(c));
    if (t == NULL) return fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    TRY(api_input(c));
    if (framed_elsewhere(c))
        return fail_state(
            &c->work, "This page is shown only in a frame of the desk. Open the template in the console.");
    TRY(templates_of_brand(&c->work, c->vars[0].id, str_of(t->name), own));
    struct str contents = own[t - templates];
    /* Contents that are not valid any more have the original as their page, as letters have. */
    if (contents.p == NULL || !template_parse(a, t, contents, &blocks, &why))
        template_parse(a, t, str_of(t->original), &blocks, &why);
    TRY(preview_meanings(c, t, meanings));
    return framed_reply(c, S(TEMPLATE_POLICY), preview_document(c, t, &blocks, meanings));
}

static const struct field preview_input[] = {
    {"contents", F_LONG, PRESENT, .column = "", .max = LIMIT_TEMPLATE, .check = template_check_contents,
     .doc = contents_doc, .example = CONTENTS_EXAMPLE},
    {0},
};

static const struct field restore_input[] = {
    {"version_id", F_INT, NULLABLE, .min = 1, .max = INT64_MAX,
     .doc = "Id of the version to restore. Default: the original."},
    {0},
};

#define OF_BRAND AD, "configuration"
#define SAID .of = "brand"

static const struct route template_routes[] = {
    {GET, "/brands/:id/templates", OF_BRAND, LIST, api_list, SAID, .summary = "List the templates of a brand",
     .doc = "There is one template for each e-mail and each page. The server uses those of the default "
            "brand."},
    {GET, "/brands/:id/templates/:name", OF_BRAND, ONE, api_get, SAID, .summary = "Get a template"},
    {GET, "/brands/:id/templates/:name/document", OF_BRAND, ONE, get_template_document, SAID,
     .is_download = true, .sample = {.path = "1,password_changed"},
     .summary = "Show a template as a page for a frame",
     .doc = "The e-mail or page, filled with sample values, as HTML whose policy allows no script and no "
            "form. Only pages of the desk may have the frame; a browser that asks for the page outside of "
            "one is refused.",
     .errors = "RESOURCE_ACTION_NOT_AVAILABLE"},
    {PUT, "/brands/:id/templates/:name", OF_BRAND, ONE, put_template, SAID, .permission = "brands.manage",
     .summary = "Update a template",
     .doc = "The text before becomes a version. If the new text equals the original, the template is the "
            "original again."},
    {POST, "/brands/:id/templates/:name/preview", OF_BRAND, ONE, post_template_preview, SAID,
     .reply = "template_preview", .status = 200, .input = preview_input, .summary = "Preview a template",
     .doc = "Fills contents with sample values. Nothing is stored."},
    {PUT, "/brands/:id/templates/:name/restore", OF_BRAND, ONE, put_template_restore, SAID,
     .permission = "brands.manage", .input = restore_input, .summary = "Restore a template",
     .doc = "Restores a version, or the original. The text before becomes a version."},
    {0},
};

const struct resource template_resource = {.type = "template",
                                           .scope = "configuration",
                                           .title = "Templates",
                                           .doc = "Texts of e-mails and pages.",
                                           .url = "brands/:brand_id/templates/:name",
                                           .fields = template_fields,
                                           .routes = template_routes,
                                           .rows = template_rows};

/* ---- versions -------------------------------------------------------------------------------- */

static const struct field version_fields[] = {
    {"contents", F_LONG, READONLY, .doc = "Text of the version.",
     .example = "\"{% block title %}Done{% endblock %}{% block body %}<p>Thank you.</p>{% endblock %}\""},
    {"creator", F_REF, READONLY, .ref = "user", .doc = "Author of the version. Null for the original."},
    {"created_at", F_TIME, READONLY, .doc = "Time at which the version was written. Null for the original."},
    {0},
};

static int get_template_versions(struct call *c) {
    TRY(api_of(c));
    return template_of(c) ? api_list(c) : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

static const struct route version_routes[] = {
    {GET, "/brands/:id/templates/:name/versions", OF_BRAND, LIST_COUNT, get_template_versions,
     .within = {"brand", "brand_id"}, .where = "t.name = :name", .summary = "List the versions of a template",
     .doc = "The list keeps the last 1000 versions, or the last 100 of very long texts. If a change removes "
            "an older version, its reply says so.",
     .sample = {.path = "1,password_changed"}},
    {0},
};

const struct resource template_version_resource = {.type = "template_version",
                                                   .scope = "configuration",
                                                   .title = "Versions of templates",
                                                   .doc = "Earlier texts of templates.",
                                                   .table = "template_versions",
                                                   .texts_kept = CONFIGURATION_TEXTS,
                                                   .fields = version_fields,
                                                   .routes = version_routes,
                                                   .visible = access_staff};
