/* The page of an article. Forms are handled by the pages that act: POST <page>/vote (vote: up, down), POST
 * <page>/comments (contents, parent_id). */
#include "pages/handlers.h"
#include "base/encoding.h"
#include "pages/icon.h"
#include "pages/outline.h"
#include "pages/rows.h"

#include "base/link.h"
#include "core/helpcenter/article_attachment.h"
#include "core/helpcenter/comment.h"
#include "core/helpcenter/related.h"
#include "core/words.h"
#include "files/html_clean.h"
#include "json/json.h"

#include <inttypes.h>

#define COMMENTS_SHOWN 50
#define TOC_LEAST 3 /* headings; a shorter list helps nobody */

struct article_row {
    int64_t id, section_id, category_id, published_at, updated_at, comments, attachments;
    struct site_text title, contents, section, category;
    struct str author;
    int status;
    bool allow_comments, tagged, worded; /* worded: it has keywords */
};

static int load_article(struct site_visit *v, int64_t id, struct article_row *out) {
    struct stmt *row;
    struct arena *a = v->arena;
    TRY(rows_start(
        v, access_articles,
        "SELECT " SITE_TEXT("11", "t.id") ", " SITE_TEXT("12", "t.id") ", " SITE_TEXT("9", "t.section_id") ", " SITE_TEXT(
            "7", "s.category_id") ", t.section_id, s.category_id, t.published_at, "
                                  "t.updated_at, t.total_comments, t.status, t.allow_comments, "
                                  "u.full_name, EXISTS (SELECT 1 FROM article_tags k "
                                  "WHERE k.article_id = t.id), EXISTS (SELECT 1 "
                                  "FROM article_attachments f "
                                  "WHERE f.article_id = t.id), COALESCE(t.keywords, '') "
                                  "FROM articles t JOIN sections s ON s.id = t.section_id "
                                  "LEFT JOIN users u ON u.id = t.author_id "
                                  "WHERE",
        "AND t.id = :id AND " ARTICLE_OF_BRAND, BINDS(B_INT("id", id)), &row));
    int rc = stmt_step(row);
    if (rc == 1) {
        *out = (struct article_row){.id = id,
                                    .section_id = col_int(row, 4),
                                    .category_id = col_int(row, 5),
                                    .published_at = col_int(row, 6)};
        out->title = rows_text(v, row, 0);
        out->contents = rows_text(v, row, 1);
        out->section = rows_text(v, row, 2);
        out->category = rows_text(v, row, 3);
        out->updated_at = col_int(row, 7);
        out->comments = col_int(row, 8);
        out->status = (int)col_int(row, 9);
        out->allow_comments = col_int(row, 10) != 0;
        out->author = col_null(row, 11) ? (struct str){0} : str_dup(a, col_text(row, 11));
        out->tagged = col_int(row, 12) != 0;
        out->attachments = col_int(row, 13);
        out->worded = col_text(row, 14).n > 0;
    }
    stmt_end(row);
    return rc;
}

/* ---- the text -------------------------------------------------------------------------------- */

static void article_date(struct site_visit *v, enum site_word word, int64_t at) {
    char iso[TIME_ISO_SIZE], room[48];
    time_iso(iso, at);
    struct str day = word_date(room, v->language, at);
    html(&v->main, " <span>%s <time datetime=\"%s\">%s</time></span>", SAY(v, word), iso,
         str_dup(v->arena, day).p);
}

static void article_byline(struct site_visit *v, const struct article_row *x) {
    buf_text(&v->main, "<p class=\"byline\">");
    if (x->author.p) html(&v->main, "<span>%s <bdi>%s</bdi></span>", SAY(v, WORD_BY), x->author.p);
    v->head.has_times = true;
    if (x->published_at) article_date(v, WORD_PUBLISHED, x->published_at);
    if (x->updated_at / TIME_DAY > x->published_at / TIME_DAY) article_date(v, WORD_UPDATED, x->updated_at);
    buf_text(&v->main, "</p>\n");
}

static void toc_list(struct site_visit *v, const struct article_row *x, const struct outline *o) {
    buf_text(&v->main, "<ul");
    site_text_lang(&v->main, v, &x->contents);
    buf_text(&v->main, ">\n");
    for (int i = 0; i < o->count; i++)
        html(&v->main, "<li%h><a href=\"#%s\">%s</a></li>\n",
             o->items[i].level == 3 ? " class=\"deeper\"" : "", o->items[i].id.p, o->items[i].text.p);
    buf_text(&v->main, "</ul>\n");
}

/* In a narrow window the list stands above the text, folded; in a wide one beside it (style.css shows one of
 * both). */
static void toc_above(struct site_visit *v, const struct article_row *x, const struct outline *o) {
    if (o->count < TOC_LEAST) return;
    html(&v->main, "<details class=\"toc\"><summary>%s</summary>\n", SAY(v, WORD_ON_THIS_PAGE));
    toc_list(v, x, o);
    buf_text(&v->main, "</details>\n");
}

static void toc_beside(struct site_visit *v, const struct article_row *x, const struct outline *o) {
    if (o->count < TOC_LEAST) return;
    html(&v->main, "<nav class=\"toc\" aria-labelledby=\"toc\">\n<h2 id=\"toc\">%s</h2>\n",
         SAY(v, WORD_ON_THIS_PAGE));
    toc_list(v, x, o);
    buf_text(&v->main, "</nav>\n");
}

static void article_text(struct site_visit *v, const struct article_row *x, struct outline *o) {
    struct str shown =
        x->contents.text.p
            ? site_pictures(v, article_contents_shown(v->arena, v->work.desk, x->id, x->contents.text))
            : S("");
    shown = outline_of(v->arena, shown, o);
    if (x->status != ARTICLE_PUBLISHED) html(&v->main, "<p class=\"notice\">%s</p>\n", SAY(v, WORD_DRAFT));
    buf_text(&v->main, "<h1");
    site_text_lang(&v->main, v, &x->title);
    html(&v->main, ">%s</h1>\n", v->head.title.p);
    article_byline(v, x);
    toc_above(v, x, o);
    buf_text(&v->main, "<div class=\"contents\"");
    site_text_lang(&v->main, v, &x->contents);
    buf_char(&v->main, '>');
    buf_str(&v->main, shown);
    buf_text(&v->main, "</div>\n");
}

/* ---- tags and attachments -------------------------------------------------------------------- */

QUERY(site_article_tags, "SELECT g.name FROM article_tags k JOIN tags g ON g.id = k.tag_id "
                         "WHERE k.article_id = :id AND g.name <> '' ORDER BY g.name_key "
                         "LIMIT 50");

static int article_tags(struct site_visit *v, const struct article_row *x) {
    int rc;
    if (!x->tagged) return 0;
    html(&v->main, "<ul class=\"tags\" aria-label=\"%s\">\n", SAY(v, WORD_TAGS));
    DB_ROWS(rc, v->work.conn, &site_article_tags, BINDS(B_INT("id", x->id)), row) {
        struct str name = str_dup(v->arena, col_text(row, 0));
        html(&v->main, "<li><a href=\"%s/search?query=%s\" rel=\"nofollow\"><bdi>%s</bdi></a></li>\n",
             v->root.p, url_encoded(v->arena, name).p, name.p);
    }
    buf_text(&v->main, "</ul>\n");
    return rc;
}

QUERY(site_article_files, "SELECT k.id, f.name, f.size FROM article_attachments k "
                          "JOIN files f ON f.id = k.file_id WHERE k.article_id = :id AND k.is_inline = 0 "
                          "ORDER BY k.sort_order, k.id LIMIT 100");

static struct str size_text(struct arena *a, int64_t n) {
    return n < 10240          ? str_fmt(a, "%" PRId64 " B", n)
           : n < 10240 * 1024 ? str_fmt(a, "%" PRId64 " KB", n / 1024)
                              : str_fmt(a, "%" PRId64 " MB", n / 1048576);
}

static int article_files(struct site_visit *v, const struct article_row *x) {
    int rc, n = 0;
    if (!x->attachments) return 0;
    DB_ROWS(rc, v->work.conn, &site_article_files, BINDS(B_INT("id", x->id)), row) {
        if (n++ == 0)
            html(&v->main, "<section class=\"files\">\n<h2>%s</h2>\n<ul>\n", SAY(v, WORD_ATTACHMENTS));
        buf_text(&v->main, "<li>");
        icon_write(&v->main, ICON_FILE);
        html(&v->main,
             "<span><a href=\"%s/api/v1/articles/%s/attachments/%s/download\" download><bdi>%s</bdi></a> "
             "<span class=\"count\">%s</span></span></li>\n",
             v->prefix.p, str_fmt(v->arena, "%" PRId64, x->id).p,
             str_fmt(v->arena, "%" PRId64, col_int(row, 0)).p, str_dup(v->arena, col_text(row, 1)).p,
             size_text(v->arena, col_int(row, 2)).p);
    }
    if (n) buf_text(&v->main, "</ul>\n</section>\n");
    return rc;
}

/* ---- forms ----------------------------------------------------------------------------------- */

static void vote_button(struct site_visit *v, const char *value, enum icon icon, enum site_word word) {
    html(&v->form_html, "<button name=\"vote\" value=\"%h\">", value);
    icon_write(&v->form_html, icon);
    html(&v->form_html, "%s</button>\n", SAY(v, word));
}

static void vote_form(struct site_visit *v) {
    html(
        &v->form_html,
        "<section class=\"vote\" aria-labelledby=\"helpful\">\n<h2 id=\"helpful\">%s</h2>\n<form method=\"post\" action=\"%s%s/vote\">\n",
        SAY(v, WORD_HELPFUL), v->root.p, v->head.path.p);
    site_token_field(v, &v->form_html);
    vote_button(v, "up", ICON_UP, WORD_YES);
    vote_button(v, "down", ICON_DOWN, WORD_NO);
    buf_text(&v->form_html, "</form>\n");
    if (str_eq(site_query(v, "done"), S("voted")))
        html(&v->form_html, "<p class=\"done\" role=\"status\">%s</p>\n", SAY(v, WORD_DONE_VOTED));
    html(&v->form_html, "<p>%s <a href=\"%s/contact?article=%s\">%s</a></p>\n</section>\n",
         SAY(v, WORD_STILL_STUCK), v->root.p, str_fmt(v->arena, "%" PRId64, rows_id(v)).p,
         SAY(v, WORD_CONTACT));
}

static void comment_form(struct site_visit *v) {
    if (!site_logged_in(v)) {
        html(&v->form_html, "<p><a href=\"%s/login?to=%s\" rel=\"nofollow\">%s</a></p>\n", v->root.p,
             url_encoded(v->arena, v->head.path).p, SAY(v, WORD_LOG_IN_TO_COMMENT));
        return;
    }
    html(&v->form_html, "<form class=\"comment\" method=\"post\" action=\"%s%s/comments\">\n", v->root.p,
         v->head.path.p);
    site_token_field(v, &v->form_html);
    html(
        &v->form_html,
        "<label for=\"contents\">%s</label>\n<textarea id=\"contents\" name=\"contents\" rows=\"4\" required></textarea>\n"
        "<button>%s</button>\n</form>\n",
        SAY(v, WORD_COMMENT), SAY(v, WORD_SEND_COMMENT));
}

/* ---- comments -------------------------------------------------------------------------------- */

static void one_comment(struct site_visit *v, struct stmt *row) {
    struct buf *out = &v->form_html;
    char iso[TIME_ISO_SIZE], room[48];
    int64_t at = col_int(row, 4);
    struct str name = col_null(row, 5) ? S("") : str_dup(v->arena, col_text(row, 5)),
               text = str_dup(v->arena, col_text(row, 2));
    time_iso(iso, at);
    html(
        out,
        "<li id=\"comment-%s\"%h>\n<p class=\"byline\"><bdi>%s</bdi> <time datetime=\"%s\">%s</time></p>\n<div dir=\"auto\">",
        str_fmt(v->arena, "%" PRId64, col_int(row, 0)).p, col_null(row, 1) ? "" : " class=\"reply\"", name.p,
        iso, str_dup(v->arena, word_date(room, v->language, at)).p);
    buf_str(out, col_int(row, 3) ? text : text_to_html(v->arena, text));
    buf_text(out, "</div>\n");
    comment_actions(v, out,
                    &(struct shown_comment){.id = col_int(row, 0),
                                            .article_id = col_int(row, 6),
                                            .author_id = col_int(row, 7),
                                            .created_at = at,
                                            .likes = col_int(row, 8),
                                            .liked = col_int(row, 9) != 0});
    buf_text(out, "</li>\n");
}

/* Spam, and replies to it, are not shown to staff, either: they moderate elsewhere. */
static int list_comments(struct site_visit *v, int64_t id, int64_t page, int *n) {
    struct stmt *row;
    int rc;
    TRY(rows_start(
        v, access_comments,
        "SELECT t.id, t.parent_id, t.contents, t.is_html, t.created_at, u.full_name, t.article_id, "
        "t.user_id, t.like_count, EXISTS (SELECT 1 FROM comment_likes l WHERE l.comment_id = t.id "
        "AND l.user_id = :reader) FROM article_comments t "
        "LEFT JOIN users u ON u.id = t.user_id WHERE",
        "AND t.article_id = :id AND t.status = 1 ORDER BY t.created_at, t.id LIMIT :most OFFSET :first",
        BINDS(B_INT("id", id), B_INT("reader", v->work.actor.user_id), B_INT("most", COMMENTS_SHOWN + 1),
              B_INT("first", (page - 1) * COMMENTS_SHOWN)),
        &row));
    while ((rc = stmt_step(row)) == 1)
        if ((*n)++ < COMMENTS_SHOWN) one_comment(v, row);
    stmt_end(row);
    return rc;
}

static int article_comments(struct site_visit *v, const struct article_row *x) {
    int64_t page = site_query_int(v, "comments", 1, 1000);
    int rc = 0, n = 0;
    if (x->comments == 0 && !x->allow_comments) return 0;
    html(&v->form_html, "<section class=\"comments\" id=\"comments\">\n<h2>%s</h2>\n", SAY(v, WORD_COMMENTS));
    if (x->comments) {
        buf_text(&v->form_html, "<ol>\n");
        rc = list_comments(v, x->id, page, &n);
        buf_text(&v->form_html, "</ol>\n");
    }
    if (page > 1)
        html(&v->form_html, "<p><a href=\"?comments=%d#comments\">%s</a></p>\n", (int)page - 1,
             SAY(v, WORD_EARLIER_COMMENTS));
    if (n > COMMENTS_SHOWN)
        html(&v->form_html, "<p><a href=\"?comments=%d#comments\">%s</a></p>\n", (int)page + 1,
             SAY(v, WORD_MORE_COMMENTS));
    if (x->allow_comments) comment_form(v);
    buf_text(&v->form_html, "</section>\n");
    return rc;
}

/* ---- structured data ------------------------------------------------------------------------- */

/* JSON in a script element must not contain "</script" or "<!--": each < is escaped. */
static struct str data_escaped(struct arena *a, struct str json) {
    struct buf b = {0};
    while (json.p) {
        buf_str(&b, str_cut(&json, '<'));
        if (json.p) buf_text(&b, "\\u003c");
    }
    return buf_take(&b, a);
}

static void data_member(struct json_writer *w, const char *name, struct str value) {
    jw_key_raw(w, str_of(name));
    jw_str(w, value);
}

static void data_crumb(struct json_writer *w, const struct site_visit *v, int place, struct str name,
                       struct str path) {
    jw_object(w);
    data_member(w, "@type", S("ListItem"));
    jw_key_raw(w, S("position"));
    jw_int(w, place);
    data_member(w, "name", name);
    jw_key_raw(w, S("item"));
    JW_CAT(w, v->origin, v->root, path);
    jw_end(w);
}

static void data_crumbs(struct json_writer *w, struct site_visit *v, const struct article_row *x) {
    jw_object(w);
    data_member(w, "@type", S("BreadcrumbList"));
    jw_key_raw(w, S("itemListElement"));
    jw_array(w);
    data_crumb(w, v, 1, str_of(SAY(v, WORD_HOME)), S(""));
    if (x->category.text.p)
        data_crumb(w, v, 2, x->category.text, rows_path(v, "categories", x->category_id, x->category.text));
    if (x->section.text.p)
        data_crumb(w, v, 3, x->section.text, rows_path(v, "sections", x->section_id, x->section.text));
    jw_end(w);
    jw_end(w);
}

static void data_article(struct json_writer *w, const struct site_visit *v, const struct article_row *x) {
    jw_object(w);
    data_member(w, "@type", S("Article"));
    data_member(w, "headline", v->head.title);
    jw_key_raw(w, S("url"));
    JW_CAT(w, v->origin, v->root, v->head.path);
    data_member(w, "inLanguage", x->title.locale);
    jw_key_raw(w, S("datePublished"));
    jw_time(w, x->published_at);
    jw_key_raw(w, S("dateModified"));
    jw_time(w, x->updated_at);
    if (x->author.p) {
        jw_key_raw(w, S("author"));
        jw_object(w);
        data_member(w, "@type", S("Person"));
        data_member(w, "name", x->author);
        jw_end(w);
    }
    jw_end(w);
}

static void structured_data(struct site_visit *v, const struct article_row *x) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_object(&w);
    data_member(&w, "@context", S("https://schema.org"));
    jw_key_raw(&w, S("@graph"));
    jw_array(&w);
    data_article(&w, v, x);
    data_crumbs(&w, v, x);
    jw_end(&w);
    jw_end(&w);
    v->head.data = data_escaped(v->arena, buf_view(&b));
    buf_free(&b);
}

/* ---- the page -------------------------------------------------------------------------------- */

static int related_to(struct site_visit *v, const struct article_row *x) {
    int64_t ids[RELATED_CANDIDATES];
    int n;
    if (!x->tagged && !x->worded) { /* with their titles, in one statement */
        n = rows_articles(v, SAY(v, WORD_RELATED), "AND " RELATED_BY_RANK,
                          BINDS(B_INT("section", x->section_id), B_INT("id", x->id), B_INT("most", RELATED)),
                          RELATED, NULL);
        return n < 0 ? n : 0;
    }
    n = related_articles(&v->work, x->id, ids);
    return n <= 0 ? n : rows_listed(v, SAY(v, WORD_RELATED), ids, n, RELATED);
}

/* Behind the forms: a narrow window asks whether the article was helpful before it leads on. */
static int article_side(struct site_visit *v, const struct article_row *x, const struct outline *o) {
    size_t contents = v->main.n;
    buf_text(&v->main, "<aside class=\"side\">\n");
    toc_beside(v, x, o);
    TRY(related_to(v, x));
    buf_text(&v->main, "</aside>\n");
    buf_add(&v->form_html, v->main.p + contents, v->main.n - contents);
    v->main.n = contents;
    return 0;
}

static int article_body(struct site_visit *v, const struct article_row *x) {
    const struct site_crumb crumbs[] = {
        {x->category, rows_path(v, "categories", x->category_id, x->category.text)},
        {x->section, rows_path(v, "sections", x->section_id, x->section.text)}};
    site_crumbs(v, crumbs, 2);
    struct outline *o = ARENA_NEW(v->arena, struct outline);
    v->head.kind = "article";
    buf_text(&v->main, "<article>\n");
    article_text(v, x, o);
    TRY(article_files(v, x));
    TRY(article_tags(v, x));
    buf_text(&v->main, "</article>\n");
    vote_form(v);
    TRY(article_comments(v, x));
    return article_side(v, x, o);
}

int show_article(struct site_visit *v) {
    struct article_row x;
    int64_t id = rows_id(v);
    int rc = id ? load_article(v, id, &x) : 0;
    if (rc <= 0) return rc < 0 ? rc : site_not_found(v);
    v->head.title = x.title.text.n ? x.title.text : S("?");
    v->head.path = rows_path(v, "articles", id, x.title.text);
    if (rows_moved(v, v->head.path)) return 0;
    v->head.unindexed = x.status != ARTICLE_PUBLISHED;
    if (x.contents.text.n) v->head.description = rows_summary(v->arena, x.contents.text);
    if (!v->head.unindexed) structured_data(v, &x);
    TRY(rows_languages(v, TITLE_OF_ARTICLE, id, "articles", &v->head.languages));
    TRY(article_body(v, &x));
    if (x.status == ARTICLE_PUBLISHED) v->viewed = id;
    return 0;
}
