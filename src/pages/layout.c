#include "pages/layout.h"
#include "pages/icon.h"
#include "pages/site_template.h"

#include <inttypes.h>

/* ---- texts and their languages --------------------------------------------------------------- */

static const char *direction_of(bool rtl) { return rtl ? "rtl" : "ltr"; }

struct site_text site_text_of(struct arena *a, struct str read) {
    if (read.p == NULL) return (struct site_text){0};
    struct str text = str_dup(a, read), locale = str_cut(&text, ' ');
    return (struct site_text){str_dup(a, locale), text};
}

/* The language of the page's own words: its locale if the server has this language. */
static struct str frame_locale(const struct site_visit *v) {
    struct str rest = v->locale, first = str_cut(&rest, '-'), own = str_of(language_code(v->language));
    return str_eq(first, own) ? v->locale : own;
}

void site_text_lang(struct buf *out, const struct site_visit *v, const struct site_text *t) {
    if (t->text.p && !str_eq(t->locale, frame_locale(v)))
        html(out, " lang=\"%s\" dir=\"%h\"", t->locale.p, direction_of(locale_is_rtl(&v->brand, t->locale)));
}

struct str site_initial(struct arena *a, struct str text) {
    size_t n = text.n ? 1 : 0;
    while (n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80) n++;
    return str_dup(a, (struct str){text.p, n});
}

void site_description(struct site_visit *v, const struct site_text *description) {
    if (description->text.p == NULL || description->text.n == 0) return;
    buf_text(&v->main, "\n<p class=\"hint\"><bdi");
    site_text_lang(&v->main, v, description);
    html(&v->main, ">%s</bdi></p>", description->text.p);
}

void site_crumbs(struct site_visit *v, const struct site_crumb *crumbs, int count) {
    struct buf *out = &v->main;
    html(out, "<nav class=\"crumbs\" aria-label=\"%s\"><ol>\n<li><a href=\"%s\">%s</a></li>\n",
         SAY(v, WORD_BREADCRUMBS), v->root.p, SAY(v, WORD_HOME));
    for (int i = 0; i < count; i++) {
        const struct site_crumb *c = &crumbs[i];
        if (c->path.p) html(out, "<li><a href=\"%s%s\"", v->root.p, c->path.p);
        else buf_text(out, "<li aria-current=\"page\"><bdi");
        site_text_lang(out, v, &c->text); /* not of the item: the mark between two items follows the page */
        html(out, ">%s</%h></li>\n", c->text.text.p, c->path.p ? "a" : "bdi");
    }
    buf_text(out, "</ol></nav>\n");
}

/* ---- head ------------------------------------------------------------------------------------ */

static const char *path_in(const struct site_visit *v, const struct site_language *l) {
    return l->path.p ? l->path.p : v->head.path.p ? v->head.path.p : "";
}

static void alternates(struct buf *out, const struct site_visit *v) {
    const struct site_head *h = &v->head;
    html(out, "<link rel=\"canonical\" href=\"%s%s%s\">\n", v->origin.p, v->root.p, h->path.p);
    for (const struct site_language *l = h->languages; l; l = l->next)
        html(out, "<link rel=\"alternate\" hreflang=\"%s\" href=\"%s%s/helpcenter/%s%s\">\n", l->locale.p,
             v->origin.p, v->prefix.p, l->locale.p, path_in(v, l));
}

static void layout_head(struct buf *out, const struct site_visit *v, struct str title) {
    const struct site_head *h = &v->head;
    html(out,
         "<!DOCTYPE html>\n<html lang=\"%s\" dir=\"%h\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n",
         frame_locale(v).p, direction_of(v->rtl), title.p);
    if (h->description.p) html(out, "<meta name=\"description\" content=\"%s\">\n", h->description.p);
    if (h->unindexed || h->path.p == NULL) buf_text(out, "<meta name=\"robots\" content=\"noindex\">\n");
    html(
        out,
        "<link rel=\"stylesheet\" href=\"%s/helpcenter/style.css\">\n<link rel=\"stylesheet\" href=\"%s/helpcenter/brand.css\">\n",
        v->prefix.p, v->prefix.p);
    if (h->path.p && !h->unindexed) alternates(out, v);
    html(out, "<link rel=\"alternate\" type=\"application/atom+xml\" title=\"%s\" href=\"%s%s\">\n",
         SAY(v, WORD_FEED), v->root.p, h->feed.p ? h->feed.p : "/feed.atom");
    if (h->data.p) {
        buf_text(out, "<script type=\"application/ld+json\">");
        buf_str(out, h->data);
        buf_text(out, "</script>\n");
    }
    if (h->has_times) html(out, "<script src=\"%s/helpcenter/times.js\" defer></script>\n", v->prefix.p);
    buf_text(out, "</head>\n");
}

/* ---- header and footer ----------------------------------------------------------------------- */

/* The page in another language of the help center, also if its texts are not translated: they are shown in
 * their own language then. */
static const char *menu_path(const struct site_visit *v, struct str locale) {
    for (const struct site_language *l = v->head.languages; l; l = l->next)
        if (str_eq(l->locale, locale)) return path_in(v, l);
    return v->menu_path.p;
}

static void language_menu(struct buf *out, const struct site_visit *v) {
    if (v->brand.languages == NULL || v->brand.languages->next == NULL) return;
    html(out, "<nav class=\"languages\" aria-label=\"%s\"><ul>\n", SAY(v, WORD_LANGUAGE));
    for (const struct site_language *l = v->brand.languages; l; l = l->next)
        html(out, "<li><a href=\"%s/helpcenter/%s%s\" lang=\"%s\" hreflang=\"%s\" dir=\"%h\"%h>%s</a></li>\n",
             v->prefix.p, l->locale.p, menu_path(v, l->locale), l->locale.p, l->locale.p,
             direction_of(locale_is_rtl(&v->brand, l->locale)),
             str_eq(l->locale, v->locale) ? " aria-current=\"true\"" : "", l->native_name.p);
    buf_text(out, "</ul></nav>\n");
}

void site_search_form(const struct site_visit *v, struct buf *out) {
    html(out,
         "<form class=\"search\" role=\"search\" action=\"%s/search\">\n<label class=\"unseen\" "
         "for=\"query\">%s</label>\n",
         v->root.p, SAY(v, WORD_SEARCH_LABEL));
    icon_write(out, ICON_SEARCH);
    html(
        out,
        "<input id=\"query\" name=\"query\" type=\"search\" maxlength=\"200\" autocomplete=\"off\" placeholder=\"%s\" value=\"%s\">\n"
        "<button>%s</button>\n</form>\n",
        SAY(v, WORD_SEARCH_LABEL), v->searched.p ? v->searched.p : "", SAY(v, WORD_SEARCH));
}

static void person_menu(struct buf *out, const struct site_visit *v) {
    html(out, "<nav class=\"person\"><ul>\n<li><a href=\"%s/contact\">%s</a></li>\n", v->root.p,
         SAY(v, WORD_CONTACT));
    if (site_is_staff(v) && v->api->cfg.console)
        html(out, "<li><a href=\"%s/agent\">%s</a></li>\n", v->prefix.p, SAY(v, WORD_CONSOLE));
    if (site_logged_in(v))
        html(out,
             "<li><a href=\"%s/conversations\">%s</a></li>\n<li><form method=\"post\" "
             "action=\"%s/logout\"><input type=\"hidden\" name=\"_token\" value=\"%s\"><button "
             "class=\"link\">%s</button></form></li>\n",
             v->root.p, SAY(v, WORD_MY_CONVERSATIONS), v->root.p, v->csrf.p ? v->csrf.p : "",
             SAY(v, WORD_LOG_OUT));
    else html(out, "<li><a href=\"%s/login\" rel=\"nofollow\">%s</a></li>\n", v->root.p, SAY(v, WORD_LOG_IN));
    buf_text(out, "</ul></nav>\n");
}

static void layout_header(struct buf *out, const struct site_visit *v) {
    html(out, "<header class=\"top\">\n<a class=\"brand\" href=\"%s\">", v->root.p);
    if (v->brand.logo_at)
        html(out, "<img src=\"%s\" alt=\"\" height=\"40\">",
             str_fmt(v->arena, "%.*s/helpcenter/logo/%" PRId64 "?v=%" PRId64, (int)v->prefix.n, v->prefix.p,
                     v->brand.id, v->brand.logo_at)
                 .p);
    html(out, "<span>%s</span></a>\n", v->brand.name.p);
    if (!v->head.has_search) site_search_form(v, out);
    person_menu(out, v);
    buf_text(out, "</header>\n");
}

static void layout_footer(struct buf *out, const struct site_visit *v) {
    buf_text(out, "<footer class=\"end\">\n");
    language_menu(out, v);
    html(out, "<p>%s</p>\n</footer>\n", v->brand.name.p);
}

static void layout_main(struct buf *out, const struct site_visit *v) {
    html(out, "<main id=\"main\" tabindex=\"-1\"");
    if (v->head.kind) html(out, " class=\"%h\"", v->head.kind);
    buf_text(out, ">\n");
    buf_str(out, buf_view(&v->main));
    buf_str(out, buf_view(&v->form_html));
    buf_text(out, "</main>\n");
}

static struct str part_text(struct site_visit *v, void (*part)(struct buf *out, const struct site_visit *v)) {
    struct buf b = {0};
    part(&b, v);
    return buf_take(&b, v->arena);
}

/* With the brand's own frame. Returns false if it has none. */
static bool write_own_frame(struct site_visit *v, struct buf *body, struct str *title) {
    if (v->brand.layout.p == NULL) return false;
    const struct site_frame frame = {v->head.title, part_text(v, layout_header), part_text(v, layout_main),
                                     part_text(v, layout_footer)};
    return site_template_frame(v, &frame, title, body);
}

void layout_write(struct site_visit *v, struct buf *out) {
    struct buf body = {0};
    /* the layouts of style.css are for the pages' own elements, which stand in those of a template */
    if (site_template_page(v)) v->head.kind = NULL;
    struct str title = STR_CAT(v->arena, v->head.title, S(" - "), v->brand.name);
    bool own = write_own_frame(v, &body, &title);
    buf_reserve(out, v->main.n + v->form_html.n + body.n + 4096);
    layout_head(out, v, title);
    html(out, "<body>\n<a class=\"skip\" href=\"#main\">%s</a>\n", SAY(v, WORD_SKIP));
    if (own) {
        buf_str(out, buf_view(&body));
    } else {
        layout_header(out, v);
        layout_main(out, v);
        layout_footer(out, v);
    }
    buf_text(out, "</body>\n</html>\n");
    buf_free(&body);
}
