/* The help center: categories, sections, and articles with their files and comments. */
#include "transfer/deskapi_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "core/helpcenter/article.h"
#include "core/helpcenter/comment.h"
#include "core/people/tag.h"
#include "files/html_clean.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

static const struct api_kind_here categories = {"category", "/categories", "categories of the help center",
                                                NULL},
                                  sections = {"section", "/sections", "sections of the help center",
                                              "team_ids tags"};

/* ---- categories and sections ----------------------------------------------------------------- */

/* Each desk has a first category. */
int take_api_category(struct foreign *f, const struct json *item) {
    struct json *body = api_body(f, api_parameters(&categories), item, NULL);
    int64_t here;
    int there = f->maps_ids ? 0 : foreign_found(f, &foreign_category, item_int(item, "id"), &here);
    TRY(there);
    if (there) return api_row_give(f, &categories, item, body, here);
    int rc = api_row_make(f, &categories, item, body, 0, &here);
    return rc < 0 ? rc : 0;
}

static int64_t staff_of(struct foreign *f, const struct json *item, const char *name) {
    struct author person;
    int64_t id = api_reference(item, name);
    return foreign_found_person(f, id, &person) == 1 && person.rank >= ROLE_COLLABORATOR ? person.user_id : 0;
}

/* POST takes neither the place nor the order MANUAL. */
static int section_end(struct foreign *f, const struct json *item, int64_t here, bool manual) {
    struct work w;
    struct column columns[] = {COLUMN_UNRECORDED(B_INT, "sort_order", item_int(item, "sort_order")),
                               COLUMN_UNRECORDED(B_INT, "article_order_by", ARTICLES_MANUAL)};
    bool placed = item_int(item, "sort_order") > 0;
    foreign_work(f, &w, api_time(f, item, "updated_at"), foreign_owner(f));
    return foreign_done(f, &w,
                        record_update(&w, (struct record){NULL, "sections", NULL}, &here, 1,
                                      columns + (placed ? 0 : 1), placed + manual));
}

int take_api_section(struct foreign *f, const struct json *item) {
    bool manual = str_eq(json_member_text(item, "article_order_by"), S("MANUAL"));
    struct json *body = api_body(f, api_parameters(&sections), item,
                                 manual ? "team_ids article_order_by" : "team_ids"),
                *ids = api_list_here(f, "team", item_list(item, "teams"));
    int64_t here;
    if (ids->count) api_put(body, "team_ids", ids);
    int rc = api_row_make(f, &sections, item, body, staff_of(f, item, "agent"), &here);
    if (rc <= 0) return rc;
    if (manual)
        foreign_skip(f, "orders of articles by hand: they are in the order of their ids",
                     item_int(item, "id"));
    return section_end(f, item, here, manual);
}

/* ---- files of articles ----------------------------------------------------------------------- */

struct article_file {
    int64_t id, file_id; /* of the attachment at the source, of the file here */
};

static int files_of_article(struct foreign *f, struct work *w, const struct json *item,
                            struct article_file **out) {
    const struct json *list = item_list(item, "attachments");
    int n = 0;
    *out = arena_array(f->item, (list ? list->count : 0) + 1, sizeof **out);
    for (const struct json *j = list ? list->first : NULL; j && n < LIMIT_ATTACHMENTS; j = j->next) {
        const struct foreign_attachment a = {.id = item_int(j, "id"),
                                             .name = json_member_text(j, "name"),
                                             .content_type = json_member_text(j, "type"),
                                             .folder = "article-attachments"};
        struct article_file *one = &(*out)[n];
        int found = a.id > 0 ? foreign_file(f, w, &a, &one->file_id) : 0;
        TRY(found);
        one->id = a.id;
        if (found) n++;
        else foreign_skip(f, "attachments of articles that the source does not give", item_int(item, "id"));
    }
    return n;
}

static struct str with_pictures(struct foreign *f, struct str html, int64_t article,
                                const struct article_file *files, int count) {
    for (int i = 0; i < count; i++) {
        struct str end =
            str_fmt(f->item, "/articles/%" PRId64 "/attachments/%" PRId64 "/url\"", article, files[i].id);
        html = foreign_picture(f, html, end, files[i].file_id);
    }
    return html;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static struct str translated(const struct json *list, struct str locale) {
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (str_eq(json_member_text(j, "locale"), locale)) return json_member_text(j, "translation");
    return (struct str){0};
}

static const struct json *tags_of_article(struct foreign *f, const struct json *item) {
    struct json *names = json_new(f->item, JSON_ARRAY);
    const struct json *list = item_list(item, "tags");
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (json_member_text(j, "name").n)
            json_append(names, json_string(f->item, json_member_text(j, "name")));
    return names;
}

/* The texts in each language that has both. Returns their number or a negative error. */
static int texts_of(struct foreign *f, struct work *w, const struct json *item,
                    const struct article_file *files, int file_count, struct article_texts *out) {
    const struct json *titles = item_list(item, "titles"), *contents = item_list(item, "contents");
    int64_t id = item_int(item, "id");
    *out = (struct article_texts){
        .list = arena_array(f->item, (titles ? titles->count : 0) + 1, sizeof *out->list)};
    for (const struct json *j = titles ? titles->first : NULL; j; j = j->next) {
        struct article_text t = {.title =
                                     foreign_line(f, json_member_text(j, "translation"), "Without title")};
        struct str html = translated(contents, json_member_text(j, "locale"));
        int known = locale_find(w, json_member_text(j, "locale"), &t.locale);
        TRY(known);
        int clean =
            html.n ? html_article_clean(f->item, with_pictures(f, html, id, files, file_count), &t.contents)
                   : 0;
        TRY(clean);
        if (known && clean && !article_text_in(out, t.locale)) out->list[out->count++] = t;
        else foreign_skip(f, "texts of articles without contents, or in a language that is not here", id);
    }
    return out->count;
}

/* ---- articles -------------------------------------------------------------------------------- */

/* An article begins as a draft, because it has one time of publication. It takes comments until those of the
 * source are here. */
static int article_begin(struct foreign *f, const struct json *item, int64_t section, int64_t *here) {
    struct work w;
    struct str legacy;
    TRY(foreign_legacy_id(f, &foreign_article, item_int(item, "id"), json_member_text(item, "legacy_id"),
                          &legacy));
    struct article_file *files;
    struct author owner = foreign_owner(f);
    struct article_new n = {.section_id = section,
                            .author_id = staff_of(f, item, "author"),
                            .creator_id = staff_of(f, item, "creator"),
                            .status = api_word(article_statuses, json_member_text(item, "status")),
                            .legacy_id = legacy,
                            .is_featured = json_member_true(item, "is_featured"),
                            .allow_comments = true};
    if (n.author_id == 0) n.author_id = owner.user_id;
    if (n.creator_id == 0) n.creator_id = n.author_id;
    if (n.status == 0 || n.status == ARTICLE_PUBLISHED) n.status = ARTICLE_DRAFT;
    if (json_member_text(item, "keywords").n)
        n.keywords = foreign_line(f, json_member_text(item, "keywords"), "");
    owner.user_id = n.creator_id;
    foreign_work(f, &w, api_time(f, item, "created_at"), owner);
    int count = files_of_article(f, &w, item, &files);
    TRY(count);
    TRY(texts_of(f, &w, item, files, count, &n.texts));
    if (n.texts.count == 0) return 0;
    int64_t *ids = arena_array(f->item, (size_t)count + 1, sizeof *ids);
    for (int i = 0; i < count; i++) ids[i] = files[i].file_id;
    n.files = ids;
    n.file_count = count;
    if (f->keeps_ids) TRY(db_next_id(f->conn, "articles", item_int(item, "id")));
    int rc = article_insert(&w, &n, here);
    if (rc >= 0) rc = imported_keep(f, foreign_article.kind, item_int(item, "id"), *here, f->changed_at);
    if (rc >= 0)
        rc = foreign_tags(f, &w, &article_tagging, *here, tags_of_article(f, item), item_int(item, "id"));
    TRY(foreign_done(f, &w, rc));
    return 1;
}

static int article_publish(struct foreign *f, const struct json *item, int64_t here) {
    struct work w;
    const struct article_change change = {.status = ARTICLE_PUBLISHED};
    int64_t at = api_time(f, item, "published_at");
    if (!str_eq(json_member_text(item, "status"), S("PUBLISHED"))) return 0;
    foreign_work(f, &w, at > 0 ? at : api_time(f, item, "created_at"), foreign_owner(f));
    int rc = article_sections_lock(&w, json_ids(f->item, &here, 1), 0);
    if (rc >= 0) rc = article_change(&w, here, &change);
    return foreign_done(f, &w, rc);
}

static int article_end(struct foreign *f, const struct json *item, int64_t here) {
    struct work w;
    const struct json *allows = json_member(item, S("allow_comments"));
    const struct column column =
        COLUMN_UNRECORDED(B_INT, "allow_comments", !(allows && allows->type == JSON_FALSE));
    foreign_work(f, &w, api_time(f, item, "updated_at"), foreign_owner(f));
    return foreign_done(f, &w,
                        record_update(&w, (struct record){NULL, "articles", NULL}, &here, 1, &column, 1));
}

/* ---- comments -------------------------------------------------------------------------------- */

struct commented {
    int64_t article, parent;
};

static int comment_texts(struct foreign *f, const struct json *item, struct comment_new *n) {
    struct html_cleaned clean;
    n->contents = str_trim(json_member_text(item, "contents"));
    n->is_html = json_member_true(item, "is_html");
    if (!n->contents.n || !n->is_html || html_is_clean(n->contents)) return n->contents.n > 0;
    int rc = html_clean(f->item, n->contents, &clean);
    n->contents = rc > 0 ? clean.html : (struct str){0};
    return rc < 0 ? rc : n->contents.n > 0;
}

/* Comments of customers wait for staff. Those that staff have left alone do so no more. */
static int comment_kept(struct foreign *f, const struct json *item, struct commented of, int64_t *here) {
    struct work w;
    struct comment_new n = {.article_id = of.article, .parent_id = of.parent};
    struct author by;
    int64_t id = item_int(item, "id"), author = api_reference(item, "user"),
            at = api_time(f, item, "created_at");
    int rc = foreign_found_person(f, author, &by);
    if (rc == 0) rc = foreign_deleted_person(f, author, at, &by);
    if (rc > 0) rc = comment_texts(f, item, &n);
    if (rc == 0) foreign_skip(f, "comments without a text or an author", id);
    if (rc <= 0) return rc;
    foreign_work(f, &w, at, by);
    rc = comments_lock(&w, of.article);
    if (rc >= 0) rc = comment_insert(&w, &n, here);
    bool spam = str_eq(json_member_text(item, "status"), S("SPAM"));
    if (rc >= 0) rc = comment_set_status(&w, of.article, *here, spam ? COMMENT_SPAM : COMMENT_PUBLISHED);
    foreign_made(f, "comments", 1);
    if (item_int(item, "like_count") > 0) foreign_skip(f, "likes of comments", id);
    TRY(foreign_done(f, &w, rc));
    return 1;
}

static int compare_comments(const void *one, const void *two) {
    const struct json *const *a = one, *const *b = two;
    int64_t x = item_int(*a, "id"), y = item_int(*b, "id");
    return x < y ? -1 : x > y;
}

static int comments_of(struct foreign *f, const struct json *list, struct commented of) {
    const struct json **sorted = arena_array(f->item, (list ? list->count : 0) + 1, sizeof *sorted);
    size_t n = 0;
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (j->type == JSON_OBJECT) sorted[n++] = j;
    qsort(sorted, n, sizeof *sorted, compare_comments);
    for (size_t i = 0; i < n; i++) {
        const struct json *replies = item_list(sorted[i], "replies");
        int64_t here = 0;
        bool is_reply = api_reference(sorted[i], "parent") > 0;
        if (of.parent == 0 && is_reply) continue; /* it is among the replies of its parent */
        int made = comment_kept(f, sorted[i], of, &here);
        TRY(made);
        if (made && of.parent == 0 && replies)
            TRY(comments_of(f, replies, (struct commented){of.article, here}));
    }
    return 0;
}

/* Articles and comments that staff of this desk may have worked on since stay as they are. Returns 1 if an
 * earlier run has carried the article. */
static int article_there(struct foreign *f, const struct json *item) {
    struct imported row;
    int64_t id = item_int(item, "id");
    int found = f->maps_ids ? imported_find(f, foreign_article.kind, id, &row) : 0;
    if (found <= 0) return found;
    foreign_here(f, foreign_article.kind, id, row.here);
    if (row.changed_at != f->changed_at)
        foreign_skip(f, "articles that the source has changed since: they stay as they are here", id);
    return 1;
}

int take_api_article(struct foreign *f, const struct json *item) {
    int there = article_there(f, item);
    if (there) return there < 0 ? there : 0;
    int64_t section = api_here(f, "section", api_reference(item, "section")), here, id = item_int(item, "id");
    if (section == 0) return 0;
    int made = article_begin(f, item, section, &here);
    if (made <= 0) return made;
    foreign_made(f, "articles", 1);
    foreign_here(f, "article", id, here);
    if (item_int(item, "upvote_count") + item_int(item, "downvote_count") > 0)
        foreign_skip(f, "votes on articles", id);
    TRY(article_publish(f, item, here));
    TRY(comments_of(f, item_list(item, "_posts"), (struct commented){here, 0}));
    return article_end(f, item, here);
}
