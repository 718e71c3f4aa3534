#include "res/html.h"

#include "base/limits.h"
#include "base/link.h"
#include "files/html_clean.h"
#include "res/attachment.h"

bool json_says_yes(const struct json *j) {
    if (j == NULL) return false;
    bool text = j->type == JSON_STRING || j->type == JSON_NUMBER;
    return j->type == JSON_TRUE || (text && (str_eq(j->text, S("1")) || name_eq(j->text, S("true"))));
}

static bool contents_are_html(const struct call *c) {
    const struct json *options = json_named(c->body, S("channel_options"));
    return json_says_yes(json_named(c->body, S("is_html"))) ||
           (options && json_says_yes(json_named(options, S("html"))));
}

/* A text that is too long costs no process: api_input refuses it. */
int html_clean_contents(struct call *c, size_t most) {
    const struct json *j = json_named(c->body, S("contents"));
    if (j == NULL || j->type != JSON_STRING || utf8_count(j->text) > most) return 0;
    struct html_cleaned *clean = ARENA_NEW(c->work.arena, struct html_cleaned);
    int rc = html_clean(c->work.arena, j->text, clean);
    if (rc > 0) c->prepared = clean;
    return rc < 0 ? rc : 0;
}

int html_prepare(struct call *c) { return contents_are_html(c) ? html_clean_contents(c, LIMIT_CONTENTS) : 0; }

bool html_needs_prepare(const struct call *c) { return contents_are_html(c); }

int html_and_files_prepare(struct call *c) {
    TRY(html_prepare(c));
    return attachments_prepare(c);
}

bool html_and_files_need_prepare(const struct call *c) {
    return contents_are_html(c) || attachments_need_prepare(c);
}

int html_contents(struct call *c, struct str *text, struct str *html, struct str *original) {
    const struct html_cleaned *clean = c->prepared;
    *text = in_text(c, "contents");
    *original = (struct str){0};
    if (!contents_are_html(c)) {
        *html = text_to_html(c->work.arena, *text);
        return 0;
    }
    if (clean == NULL || clean->cut)
        return in_fail(c, "contents", ERR_FIELD_INVALID,
                       "This HTML is too complex or too long. Send plain text.");
    *original = *text;
    *text = clean->text;
    *html = clean->html;
    return 0;
}

/* ---- showing --------------------------------------------------------------------------------- */

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
