#include "res/html_view.h"

#include "base/link.h"
#include "files/html_clean.h"
#include "res/attachment.h"

const struct field html_args[] = {
    {"remote_pictures", F_BOOL, 0,
     .doc = "True: the HTML shows pictures of other servers. By default they are blocked, because their "
            "servers learn who reads when."},
    {0},
};

bool html_shows_remote(const struct call *c) {
    for (int i = 0; i < c->arg_count; i++)
        if (strcmp(c->args[i].field->name, html_args[0].name) == 0) return c->args[i].value.i != 0;
    return false;
}

struct inline_pictures {
    struct view *v;
    const struct value *attachments;
};

/* p NULL: the post has no such attachment, or the caller does not see it. */
static struct str inline_picture_url(void *ctx, struct str content_id) {
    const struct inline_pictures *p = ctx;
    if (p->attachments->type != V_ROWS) return (struct str){0};
    for (const struct row *row = p->attachments->rows; row; row = row->next) {
        const struct value *own = row_cell(row, "content_id");
        if (own->type == V_TEXT && str_eq(own->s, content_id)) return attachment_address(p->v, row, "/url");
    }
    return (struct str){0};
}

static void render_html(struct view *v, const struct row *row, const struct value *html,
                        const struct value *text) {
    struct arena *a = v->c->work.arena;
    struct inline_pictures p = {v, row_cell(row, "attachments")};
    if (html->type == V_TEXT)
        jw_str(&v->w, html_show(a, html->s, html_shows_remote(v->c), inline_picture_url, &p));
    else if (text->type == V_TEXT) jw_str(&v->w, text_to_html(a, text->s));
    else jw_null(&v->w);
}

void render_content_html(struct view *v, const struct row *row, const struct value *own) {
    render_html(v, row, own, row_cell(row, "content_text"));
}

void render_body_html(struct view *v, const struct row *row, const struct value *own) {
    render_html(v, row, own, row_cell(row, "body_text"));
}
