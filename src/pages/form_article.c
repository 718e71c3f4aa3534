/* Readers vote for an article and comment on it. The page of the article has the forms. */
#include "pages/handlers.h"

#include "base/encoding.h"
#include "core/helpcenter/comment.h"
#include "core/helpcenter/slug.h"

#include <inttypes.h>

struct reading_of {
    int64_t article_id, comment_id;
    struct str slug, path; /* slug and path of the article, behind the locale */
    const struct json *comment;
};

static const struct form_field contents_field[] = {
    {"contents", WORD_COMMENT, .type = "textarea", .required = true}, {0}};

/* ---- replies --------------------------------------------------------------------------------- */

static int back_to_article(struct form_page *a) {
    const struct reading_of *mine = a->own;
    return form_ok(a) ? form_redirect(a, "%s%s", mine->path.p, a->step) : form_refused(a);
}

static int show_comment_form(struct form_page *a) {
    const struct reading_of *mine = a->own;
    const char *title = form_say(a, WORD_COMMENTS);
    html(form_out(a), "<h1>%s</h1>\n", title);
    form_problems(a, contents_field);
    form_open(a, form_path(a, "%s/comments", mine->path.p), NULL);
    if (form_typed(a, "parent_id").n) form_hidden(a, "parent_id", form_typed(a, "parent_id"));
    form_field(a, contents_field);
    form_close(a, WORD_SEND_COMMENT);
    return form_show(a, str_of(title));
}

static struct form_page *reading_begin(struct site_visit *v, int (*show)(struct form_page *a)) {
    struct form_page *a = form_begin(v, show);
    struct reading_of *mine = a->own = ARENA_NEW(a->arena, struct reading_of);
    mine->slug = v->vars[1];
    mine->article_id = slug_id(v->vars[1]);
    mine->path = STR_CAT(a->arena, S("/articles/"), url_encoded(a->arena, v->vars[1]));
    if (v->var_count > 2) str_to_int(v->vars[2], &mine->comment_id);
    return a;
}

/* ---- votes ----------------------------------------------------------------------------------- */

#define VISITOR_COOKIE "desk_visitor"

/* The fingerprint of a visitor without login. It is a random number, and a browser gets it with its first
 * vote. */
static struct str visitor_id(struct form_page *a) {
    struct site_visit *v = a->visit;
    struct str id = http_cookie(v->http, VISITOR_COOKIE);
    if (is_uuid(id)) return id;
    bool secure = str_starts(v->api->desk->base_url, S("https:"));
    id = random_uuid(a->arena);
    v->cookies[0] =
        STR_CAT(a->arena, S(VISITOR_COOKIE "="), id, S("; Path="), v->prefix,
                S("/helpcenter; Max-Age=31536000; HttpOnly; SameSite=Lax"), secure ? S("; Secure") : S(""));
    return id;
}

static int show_vote(struct form_page *a) {
    const struct reading_of *mine = a->own;
    const char *title = form_say(a, WORD_CONFIRM_VOTE);
    bool up = str_eq(form_typed(a, "vote"), S("up"));
    html(form_out(a), "<h1>%s</h1>\n<p>%s</p>\n", title, form_say(a, WORD_HELPFUL));
    form_open(a, form_path(a, "%s/vote", mine->path.p), NULL);
    form_hidden(a, "vote", up ? S("up") : S("down"));
    form_close(a, up ? WORD_YES : WORD_NO);
    return form_show(a, str_of(title));
}

/* The page of an article is the same for all visitors without login, so its form has no token for one of
 * them. The browser then says that the form is a page of ours. A browser that does not say so gets a form
 * with a token. */
static bool names_our_origin(const struct form_page *a) {
    const struct http_request *r = a->visit->http; /* site.c has refused foreign ones */
    return http_header(r, "Origin").n ||
           str_eqi(str_trim(http_header(r, "Sec-Fetch-Site")), S("same-origin"));
}

int page_vote(struct site_visit *v) {
    struct form_page *a = reading_begin(v, show_vote);
    const struct reading_of *mine = a->own;
    struct str vote = form_typed(a, "vote");
    bool up = str_eq(vote, S("up"));
    bool proven = !site_logged_in(v) && json_member(v->form, S("_token")) == NULL && names_our_origin(a);
    if (!up && !str_eq(vote, S("down")))
        return site_refuse(v, 400, WORD_NOT_UNDERSTOOD, WORD_NOT_UNDERSTOOD_TEXT);
    if (!proven && form_forged(a)) return show_vote(a);
    if (!site_logged_in(v)) subcall_header(&a->subcall, "X-Fingerprint-ID", visitor_id(a));
    a->step = "?done=voted#helpful";
    return form_call(a, POST, NULL, back_to_article, "/articles/%" PRId64 "/%s", mine->article_id,
                     up ? "upvote" : "downvote");
}

/* ---- comments -------------------------------------------------------------------------------- */

int page_comment(struct site_visit *v) {
    struct form_page *a = reading_begin(v, show_comment_form);
    const struct reading_of *mine = a->own;
    struct json *body = json_new(a->arena, JSON_OBJECT);
    if (!site_logged_in(v)) return form_to_login(a);
    if (form_forged(a)) return form_expired(a);
    form_add(a, body, "contents", form_typed(a, "contents"));
    if (form_typed(a, "parent_id").n) form_add(a, body, "parent_id", form_typed(a, "parent_id"));
    a->step = "#comments";
    return form_call(a, POST, body, back_to_article, "/articles/%" PRId64 "/comments", mine->article_id);
}

static int show_edit(struct form_page *a) {
    const struct reading_of *mine = a->own;
    struct form_field f[] = {contents_field[0], {0}};
    const char *title = form_say(a, WORD_EDIT);
    if (json_member_text(mine->comment, "contents").p)
        f[0].value = json_member_text(mine->comment, "contents");
    html(form_out(a), "<h1>%s</h1>\n", title);
    form_problems(a, f);
    form_open(a, form_path(a, "%s/comments/%" PRId64, mine->path.p, mine->comment_id), NULL);
    form_field(a, f);
    html(form_out(a),
         "<p class=\"buttons\"><button name=\"do\" value=\"save\">%s</button> <button name=\"do\" "
         "value=\"delete\" formnovalidate>%s</button></p>\n</form>\n",
         form_say(a, WORD_SAVE), form_say(a, WORD_DELETE));
    return form_show(a, str_of(title));
}

static int took_comment(struct form_page *a) {
    struct reading_of *mine = a->own;
    if (!form_ok(a)) return form_refused(a);
    mine->comment = form_data(a);
    return show_edit(a);
}

int page_edit_comment(struct site_visit *v) {
    struct form_page *a = reading_begin(v, show_edit);
    const struct reading_of *mine = a->own;
    if (!site_logged_in(v)) return form_to_login(a);
    return form_call(a, GET, NULL, took_comment, "/articles/%" PRId64 "/comments/%" PRId64, mine->article_id,
                     mine->comment_id);
}

/* The buttons of a comment. */
static const struct comment_action {
    const char *name; /* value of `do` */
    enum method method;
    const char *path; /* path behind the comment */
} comment_deeds[] = {{"save", PUT, ""},        {"delete", DELETE, ""},
                     {"like", POST, "/likes"}, {"unlike", DELETE, "/likes"},
                     {"spam", PUT, "/spam"},   {0}};

int page_change_comment(struct site_visit *v) {
    struct form_page *a = reading_begin(v, show_edit);
    const struct reading_of *mine = a->own;
    const struct comment_action *d = comment_deeds;
    struct json *body = json_new(a->arena, JSON_OBJECT);
    if (!site_logged_in(v)) return form_to_login(a);
    while (d->name && !str_eq(form_typed(a, "do"), str_of(d->name))) d++;
    if (d->name == NULL) return site_refuse(v, 400, WORD_NOT_UNDERSTOOD, WORD_NOT_UNDERSTOOD_TEXT);
    if (form_forged(a)) return form_expired(a);
    if (d == comment_deeds) form_add(a, body, "contents", form_typed(a, "contents"));
    a->step = "#comments";
    return form_call(a, d->method, body, back_to_article, "/articles/%" PRId64 "/comments/%" PRId64 "%s",
                     mine->article_id, mine->comment_id, d->path);
}

/* ---- on the page of the article -------------------------------------------------------------- */

static void deed_button(struct site_visit *v, struct buf *out, const char *deed, enum site_word word) {
    html(out, "<button class=\"link\" name=\"do\" value=\"%h\">%s</button>\n", deed, SAY(v, word));
}

void comment_actions(struct site_visit *v, struct buf *out, const struct shown_comment *x) {
    char id[INT_TEXT], article[INT_TEXT];
    struct arena *a = v->http->arena;
    struct str path = STR_CAT(a, v->root, v->head.path, S("/comments/"), str_int(id, x->id));
    bool own = x->author_id == v->work.actor.user_id, fresh = v->work.now - x->created_at <= COMMENT_WINDOW;
    if (!site_logged_in(v)) return;
    html(out, "<form class=\"deeds\" method=\"post\" action=\"%s\">\n", path.p);
    site_token_field(v, out);
    deed_button(v, out, x->liked ? "unlike" : "like", x->liked ? WORD_UNLIKE : WORD_LIKE);
    if (own && fresh) html(out, "<a href=\"%s\">%s</a>\n", path.p, SAY(v, WORD_EDIT));
    if (own && fresh) deed_button(v, out, "delete", WORD_DELETE);
    if (site_is_staff(v)) deed_button(v, out, "spam", WORD_SPAM);
    else if (!own) {
        struct str about = STR_CAT(a, str_of(SAY(v, WORD_REPORT)), S(": /articles/"),
                                   str_int(article, x->article_id), S("#comment-"), str_int(id, x->id));
        html(out, "<a href=\"%s/contact?subject=%s\" rel=\"nofollow\">%s</a>\n", v->root.p,
             url_encoded(a, about).p, SAY(v, WORD_REPORT));
    }
    buf_text(out, "</form>\n");
}
