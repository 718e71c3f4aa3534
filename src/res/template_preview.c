#include "res/template_preview.h"

#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/html.h"
#include "base/link.h"
#include "core/desk/setting.h"

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
    buf_text(&out, "</head>\n<body>\n");
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

int template_preview_reply(struct call *c, const struct template *t, const struct template_blocks *blocks) {
    struct meaning meanings[24];
    TRY(preview_meanings(c, t, meanings));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "html") = value_text(preview_document(c, t, blocks, meanings));
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}
