/* Pages without articles: the entrance, and the files of the pages. */
#include "pages/files.h"
#include "pages/rows.h"
#include "pages/handlers.h"

#include "core/desk/brand_logo.h"
#include "core/desk/brand_picture.h"
#include "core/words.h"
#include "pages/color.h"
#include "pages/site_template.h"

#include <assert.h>

/* The locales that the help center has texts in. */
QUERY(site_locales_used,
      "SELECT DISTINCT n.locale FROM locales n "
      "WHERE n.is_public = 1 OR EXISTS (SELECT 1 FROM categories g JOIN locale_fields l "
      "ON l.owner_kind = 7 AND l.owner_id = g.id AND l.locale = n.locale WHERE g.deleted_at IS NULL) "
      "ORDER BY n.locale");

int show_help_center(struct site_visit *v) {
    struct str accept = http_header(v->http, "Accept-Language"), best = v->brand.locale;
    int rc, score = 0;
    v->varies_by_language = true;
    if (accept.n) {
        locale_better(accept, v->brand.locale, &best, &score); /* first, so that it wins among equals */
        DB_ROWS(rc, v->work.conn, &site_locales_used, NULL, row)
        locale_better(accept, str_dup(v->arena, col_text(row, 0)), &best, &score);
        if (rc < 0) return rc;
    }
    return site_redirect(v, 302, STR_CAT(v->arena, S("/helpcenter/"), best));
}

/* Returns 1 if the visitor sees a published article of the brand. */
static int has_article(struct site_visit *v) {
    struct stmt *row;
    TRY(rows_start(v, access_articles, "SELECT t.id FROM articles t WHERE",
                   "AND t.status = 3 AND t.deleted_at IS NULL AND " ARTICLE_OF_BRAND " LIMIT 1", NULL, &row));
    int rc = stmt_step(row);
    stmt_end(row);
    return rc;
}

/* Says what this is, to visitors of a desk without articles. */
static int show_welcome(struct site_visit *v) {
    v->head = (struct site_head){.title = str_of(SAY(v, WORD_HELP_CENTER)), .unindexed = true};
    html(&v->main,
         "<h1>%s</h1>\n<p class=\"lead\">%s</p>\n<p><a class=\"button\" href=\"%s/contact\">%s</a></p>\n",
         v->brand.name.p, SAY(v, WORD_WELCOME), v->root.p, SAY(v, WORD_CONTACT));
    if (v->api->cfg.console)
        html(&v->main, "<p>%s <a href=\"%s/agent\">%s</a></p>\n", SAY(v, WORD_FOR_STAFF), v->prefix.p,
             SAY(v, WORD_CONSOLE));
    html(&v->main, "<p>%s <a href=\"%s/docs\">%s</a></p>\n", SAY(v, WORD_FOR_PROGRAMS), v->prefix.p,
         SAY(v, WORD_API_DOCS));
    return 0;
}

/* The domain of a brand leads to its help center. The desk's own host leads staff to the console, and
 * visitors to the help center if it has an article for them. */
int show_first(struct site_visit *v) {
    if (v->brand.by_domain) return site_redirect(v, 302, S("/helpcenter"));
    if (site_is_staff(v)) return site_redirect(v, 302, v->api->cfg.console ? S("/agent") : S("/docs"));
    int rc = has_article(v);
    TRY(rc);
    return rc ? site_redirect(v, 302, S("/helpcenter")) : show_welcome(v);
}

struct str page_file_text(const char *name) {
    const struct page_file *f = page_files;
    while (strcmp(f->name, name) != 0) f++;
    return str_of(f->text);
}

int show_file(struct site_visit *v) {
    struct str name = str_leaf(v->http->path);
    for (const struct page_file *f = page_files; f->name; f++) {
        if (!str_eq(name, str_of(f->name))) continue;
        buf_text(&v->main, f->text);
        bool script = name.n > 3 && str_eq((struct str){name.p + name.n - 3, 3}, S(".js"));
        return site_bytes(v, script ? "text/javascript; charset=utf-8" : "text/css; charset=utf-8");
    }
    return site_not_found(v);
}

/* ---- the look of the brand ------------------------------------------------------------------- */

#define DARK "@media (prefers-color-scheme: dark)"

static void style_color(struct buf *out, const char *name, struct rgb c) {
    buf_fmt(out, " --%s: ", name);
    color_write(out, c);
    buf_char(out, ';');
}

/* The colour of a token in the styles, which have "--third: #eceef2". */
static struct rgb style_token(struct str css, struct str name) {
    const char *at = memmem(css.p, css.n, name.p, name.n);
    struct rgb c = {{0, 0, 0}};
    bool found =
        at && (size_t)(css.p + css.n - at) >= name.n + 9 && color_read((struct str){at + name.n + 2, 7}, &c);
    assert(found); /* the styles are a part of the program */
    return c;
}

/* The colours of one scheme: --tint is a ground with a touch of the brand; --act, the colour of links and
 * buttons, can be read on it and on all grounds, of which --third is the farthest from --ground. */
static void style_scheme(struct buf *out, struct rgb brand, struct str css, int touch) {
    struct rgb tint = color_between(style_token(css, S("--ground")), brand, touch),
               act = color_readable(color_readable(brand, style_token(css, S("--third"))), tint);
    style_color(out, "tint", tint);
    style_color(out, "act", act);
    style_color(out, "on-act", color_on(act));
}

/* The styles of the brand's theme; empty: those of style.css. */
static struct str theme_text(int theme) {
    return theme == THEME_CALM    ? page_file_text("theme_calm.css")
           : theme == THEME_PAPER ? page_file_text("theme_paper.css")
                                  : S("");
}

/* css: the file that has the grounds, first those of the light scheme */
static void brand_colors(struct buf *out, struct rgb brand, struct str css) {
    struct str dark = css, light = css;
    const char *at = memmem(css.p, css.n, DARK, sizeof DARK - 1);
    if (at) light.n = (size_t)(at - css.p), dark = (struct str){at, css.n - light.n};
    buf_text(out, ":root {");
    style_color(out, "brand", brand);
    style_color(out, "deep", color_deep(brand));
    style_color(out, "on-brand", color_on(brand));
    style_scheme(out, brand, light, 3);
    buf_text(out, " }\n" DARK " { :root {");
    style_scheme(out, brand, dark, 5);
    buf_text(out, " } }\n");
}

int show_brand_style(struct site_visit *v) {
    struct rgb color;
    struct str theme = theme_text(v->brand.theme);
    bool grounds = v->brand.theme == THEME_PAPER;
    buf_str(&v->main, theme);
    if (v->brand.color.p && color_read(v->brand.color, &color))
        brand_colors(&v->main, color, grounds ? theme : page_file_text("style.css"));
    TRY(template_styles(v));
    return site_bytes(v, "text/css; charset=utf-8");
}

int show_logo(struct site_visit *v) {
    struct str type, data;
    int64_t id;
    if (!str_to_int(v->vars[0], &id)) return site_not_found(v);
    int rc = brand_logo_find(&v->work, id, &type, &data);
    if (rc <= 0) return rc < 0 ? rc : site_not_found(v);
    buf_str(&v->main, data);
    return site_bytes(v, str_eq(type, S("image/jpeg")) ? "image/jpeg" : "image/png");
}

int show_brand_picture(struct site_visit *v) {
    int64_t id, width;
    struct str data;
    if (!str_to_int(v->vars[0], &id) || !str_to_int(v->vars[1], &width)) return site_not_found(v);
    int rc = brand_picture_find(&v->work, id, width, &data);
    if (rc <= 0) return rc < 0 ? rc : site_not_found(v);
    buf_str(&v->main, data);
    return site_bytes(v, "image/jpeg");
}
