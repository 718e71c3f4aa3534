#include "pages/site_template.h"

#include "base/log.h"
#include "core/words.h"

/* Parses the brand's own text of a template. Returns false if it is not valid any more, which the log
 * says. */
static bool own_blocks(struct site_visit *v, const char *name, struct str contents,
                       struct template_blocks *out) {
    const struct template *t = template_named(str_of(name));
    const char *why;
    if (t == NULL || contents.p == NULL) return false;
    if (template_parse(v->arena, t, contents, out, &why)) return true;
    log_often(LOG_WARN, "outdated templates",
              "template %s of a brand is not valid any more, the original is "
              "used: %s",
              name, why);
    return false;
}

static struct str site_filled(struct site_visit *v, struct str block, const struct meaning *meanings,
                              bool in_html) {
    struct buf b = {0};
    template_fill(&b, block, meanings, in_html);
    return buf_take(&b, v->arena);
}

bool site_template_page(struct site_visit *v) {
    struct template_blocks own;
    if (v->page->template == NULL || !own_blocks(v, v->page->template, v->brand.contents, &own)) return false;
    const struct meaning meanings[] = {
        {.name = "brand", .value = v->brand.name},
        {.name = "url", .value = STR_CAT(v->arena, v->origin, v->root)},
        {.name = "title", .value = v->head.title},
        {.name = "contents", .value = S("x"), .html = str_dup(v->arena, buf_view(&v->main))},
        {.name = "form", .value = S("x"), .html = str_dup(v->arena, buf_view(&v->form_html))},
        {0}};
    v->head.title = site_filled(v, own.block[BLOCK_TITLE], meanings, false);
    v->main.n = v->form_html.n = 0;
    template_fill(&v->main, own.block[BLOCK_BODY], meanings, true);
    return true;
}

bool site_template_frame(struct site_visit *v, const struct site_frame *frame, struct str *title,
                         struct buf *out) {
    struct template_blocks own;
    if (!own_blocks(v, "helpcenter_layout", v->brand.layout, &own)) return false;
    const struct meaning meanings[] = {{.name = "brand", .value = v->brand.name},
                                       {.name = "url", .value = STR_CAT(v->arena, v->origin, v->root)},
                                       {.name = "title", .value = frame->title},
                                       {.name = "header", .value = S("x"), .html = frame->header},
                                       {.name = "contents", .value = S("x"), .html = frame->contents},
                                       {.name = "footer", .value = S("x"), .html = frame->footer},
                                       {0}};
    *title = site_filled(v, own.block[BLOCK_TITLE], meanings, false);
    template_fill(out, own.block[BLOCK_BODY], meanings, true);
    return true;
}

int template_styles(struct site_visit *v) {
    struct str own[TEMPLATES_MAX];
    TRY(templates_of_brand(&v->work, v->brand.id, (struct str){0}, own));
    for (const struct template *t = templates; t->name; t++) {
        struct template_blocks blocks;
        if (t->app != TEMPLATE_SITE || !own_blocks(v, t->name, own[t - templates], &blocks) ||
            blocks.block[BLOCK_STYLE].p == NULL)
            continue;
        buf_str(&v->main, blocks.block[BLOCK_STYLE]);
        buf_char(&v->main, '\n');
    }
    return 0;
}
