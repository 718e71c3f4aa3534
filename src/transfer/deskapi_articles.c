/* The help center: categories, sections, and articles with their files and comments. */
#include "transfer/deskapi_parts.h"

#include <inttypes.h>

#include "base/error.h"
#include "core/change/change.h"
#include "core/helpcenter/article.h"
#include "core/helpcenter/article_attachment.h"
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
    bool is_attached;    /* the article has it already */
};

QUERY(article_file_attached,
      "SELECT id FROM article_attachments WHERE article_id = :article AND file_id = :file");

/* An article that an earlier run has carried. here 0: there is none. */
struct article_earlier {
    int64_t here;
    const struct json *files;   /* pairs of ids: of the attachment at the source, of the file here */
    const struct json *locales; /* of the texts of the source */
    const struct json *given;   /* all of it; NULL: not known */
};

/* Returns 1 with the file here of an attachment of an earlier run, 0 or a negative error. */
static int file_earlier(struct foreign *f, const struct article_earlier *e, struct article_file *one) {
    int64_t id, file, attachment;
    for (const struct json *j = e->files ? e->files->first : NULL; j; j = j->next) {
        bool is_it = j->type == JSON_ARRAY && j->count == 2 && whole_number(j->first, &id) &&
                     whole_number(j->last, &file) && id == one->id;
        int found = is_it ? db_int(f->conn, &article_file_attached,
                                   BINDS(B_INT("article", e->here), B_INT("file", file)), &attachment)
                          : 0;
        if (found == 1) *one = (struct article_file){id, file, true};
        if (found) return found;
    }
    return 0;
}

static int files_of_article(struct foreign *f, struct work *w, const struct json *item,
                            const struct article_earlier *e, struct article_file **out) {
    const struct json *list = item_list(item, "attachments");
    int n = 0;
    *out = arena_array(f->item, (list ? list->count : 0) + 1, sizeof **out);
    for (const struct json *j = list ? list->first : NULL; j && n < LIMIT_ATTACHMENTS; j = j->next) {
        const struct foreign_attachment a = {.id = item_int(j, "id"),
                                             .name = json_member_text(j, "name"),
                                             .content_type = json_member_text(j, "type"),
                                             .folder = "article-attachments"};
        struct article_file *one = &(*out)[n];
        *one = (struct article_file){.id = a.id};
        int found = a.id > 0 ? file_earlier(f, e, one) : 0;
        if (found == 0 && a.id > 0) found = foreign_file(f, w, &a, &one->file_id);
        TRY(found);
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
        bool left;
        struct str locale = json_member_text(j, "locale"),
                   html = api_links(f, translated(contents, locale), locale, &left);
        int known = locale_find(w, locale, &t.locale);
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

/* Remembers what an article has been given. */
static int article_carried(struct foreign *f, const struct json *item, const struct article_file *files,
                           int count, const struct article_texts *texts) {
    struct buf b = {0};
    struct str *locales = arena_array(f->item, (size_t)texts->count + 1, sizeof *locales);
    for (int i = 0; i < texts->count; i++) locales[i] = texts->list[i].locale;
    struct str codes = json_texts(f->item, locales, (size_t)texts->count);
    buf_fmt(&b, "{\"locales\":%.*s,\"files\":[", (int)codes.n, codes.p);
    for (int i = 0; i < count; i++)
        buf_fmt(&b, "%s[%" PRId64 ",%" PRId64 "]", i ? "," : "", files[i].id, files[i].file_id);
    struct str tags = foreign_tag_keys(f, tags_of_article(f, item));
    buf_fmt(&b, "],\"tags\":%.*s}", (int)tags.n, tags.p);
    return imported_carry(f, foreign_article.kind, item_int(item, "id"), buf_take(&b, f->item));
}

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
    int count = files_of_article(f, &w, item, &(struct article_earlier){0}, &files);
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
    if (rc >= 0) rc = article_carried(f, item, files, count, &n.texts);
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

/* ---- links between articles ------------------------------------------------------------------ */

/* Links to articles that were not here yet when the article was taken. */
static int links_give(struct foreign *f, struct work *w, int64_t here, int64_t id) {
    struct article_texts texts;
    bool left = false, changed = false;
    TRY(article_texts_load(w, here, &texts));
    for (int i = 0; i < texts.count; i++) {
        struct article_text *t = &texts.list[i];
        bool one;
        struct str html = t->contents.n ? api_links(f, t->contents, t->locale, &one) : t->contents;
        left = left || (t->contents.n && one);
        changed = changed || !str_eq(html, t->contents);
        t->contents = html;
    }
    if (left) report_links(f, id);
    if (!changed) return 0;
    change_named(w, (struct changed){"article", here, 0}, "contents");
    return article_texts_store(w, here, &texts);
}

int take_api_links(struct foreign *f, const struct json *item) {
    struct work w;
    int64_t id = item_int(item, "id"), here = foreign_find(f, foreign_article.kind, id);
    const struct json *contents = item_list(item, "contents");
    bool named = false;
    for (const struct json *j = contents ? contents->first : NULL; j; j = j->next)
        named = named || api_names_source(f, json_member_text(j, "translation"));
    if (!named || here == 0) return 0;
    foreign_work(f, &w, api_time(f, item, "updated_at"), foreign_owner(f));
    return foreign_done(f, &w, links_give(f, &w, here, id));
}

/* ---- articles of an earlier run -------------------------------------------------------------- */

QUERY(article_now, "SELECT allow_comments, updated_at FROM articles WHERE id = :id AND deleted_at IS NULL");
QUERY(article_files_count, "SELECT COUNT(*) FROM article_attachments WHERE article_id = :article");

struct article_here {
    struct article_earlier earlier;
    int64_t updated_at, allows; /* allows: comments */
};

/* Removes the attachments that an earlier run has made, and that the source has no more. */
static int files_gone(struct foreign *f, struct work *w, const struct article_earlier *e,
                      const struct article_file *files, int count) {
    int64_t id, file, attachment;
    for (const struct json *j = e->files ? e->files->first : NULL; j; j = j->next) {
        bool known = !(j->type == JSON_ARRAY && j->count == 2 && whole_number(j->first, &id) &&
                       whole_number(j->last, &file));
        for (int i = 0; i < count && !known; i++) known = files[i].file_id == file;
        int found = known ? 0
                          : db_int(f->conn, &article_file_attached,
                                   BINDS(B_INT("article", e->here), B_INT("file", file)), &attachment);
        TRY(found);
        if (found) TRY(article_attachment_delete(w, e->here, attachment));
    }
    return 0;
}

/* The files that the article does not have yet, as far as there is room. Returns their number. */
static int files_added(struct foreign *f, const struct article_earlier *e, const struct article_file *files,
                       int count, int64_t *ids, int64_t article) {
    int64_t present = 0;
    int n = 0;
    TRY(db_int(f->conn, &article_files_count, BINDS(B_INT("article", e->here)), &present));
    for (int i = 0; i < count; i++) {
        if (files[i].is_attached) continue;
        if (present + n < LIMIT_ATTACHMENTS) ids[n++] = files[i].file_id;
        else foreign_skip(f, "attachments of articles that have as many as they may", article);
    }
    return n;
}

/* Adds the texts in languages that this desk has added. */
static int texts_kept(struct work *w, const struct article_earlier *e, struct article_texts *texts) {
    struct article_texts present;
    TRY(article_texts_load(w, e->here, &present));
    struct article_text *all = arena_array(w->arena, (size_t)(texts->count + present.count) + 1, sizeof *all);
    int n = texts->count;
    memcpy(all, texts->list, (size_t)n * sizeof *all);
    for (int i = 0; i < present.count; i++) {
        bool known = article_text_in(texts, present.list[i].locale) != NULL;
        for (const struct json *j = e->locales ? e->locales->first : NULL; j; j = j->next)
            known = known || str_eq(j->text, present.list[i].locale);
        if (!known) all[n++] = present.list[i];
    }
    *texts = (struct article_texts){all, n};
    return 0;
}

static int article_give(struct foreign *f, struct work *w, const struct json *item,
                        const struct article_earlier *e) {
    struct article_file *files;
    struct article_texts texts;
    int64_t id = item_int(item, "id"), author = staff_of(f, item, "author");
    struct column columns[] = {
        COLUMN_UNRECORDED(B_TEXT, "keywords", foreign_line(f, json_member_text(item, "keywords"), "")),
        COLUMN_UNRECORDED(B_INT, "is_featured", json_member_true(item, "is_featured")),
        COLUMN_UNRECORDED(B_INT, "author_id", author)};
    struct article_change change = {.columns = columns,
                                    .column_count = author ? 3 : 2,
                                    .section_id = api_here(f, "section", api_reference(item, "section")),
                                    .status = api_word(article_statuses, json_member_text(item, "status")),
                                    .texts = &texts};
    if (!json_member_text(item, "keywords").n)
        columns[0].value = (struct bind)B_TEXT("keywords", (struct str){0});
    TRY(article_sections_lock(w, json_ids(f->item, &e->here, 1), change.section_id));
    int count = files_of_article(f, w, item, e, &files);
    TRY(count);
    TRY(texts_of(f, w, item, files, count, &texts));
    if (texts.count == 0) return 0;
    TRY(article_carried(f, item, files, count, &texts));
    TRY(texts_kept(w, e, &texts));
    TRY(files_gone(f, w, e, files, count));
    int64_t *ids = arena_array(f->item, (size_t)count + 1, sizeof *ids);
    TRY(change.file_count = files_added(f, e, files, count, ids, id));
    change.files = ids;
    TRY(article_change(w, e->here, &change));
    return foreign_tags_follow(f, w, &article_tagging, e->here, tags_of_article(f, item), e->given, id);
}

/* A change at the source wins over one here, as in conversations. */
static int article_changed(struct foreign *f, const struct json *item, const struct article_here *now,
                           int64_t carried_at) {
    struct work w;
    struct author by = foreign_owner(f);
    int64_t id = item_int(item, "id"), author = staff_of(f, item, "author"),
            at = api_time(f, item, "updated_at");
    if (now->updated_at != carried_at)
        foreign_skip(
            f, "changes of articles here since: the former texts are among the versions of the article", id);
    if (author) by.user_id = author;
    if (now->updated_at > at && now->updated_at <= f->now) at = now->updated_at;
    foreign_work(f, &w, at, by);
    int rc = article_give(f, &w, item, &now->earlier);
    if (rc >= 0) rc = imported_keep(f, foreign_article.kind, id, now->earlier.here, f->changed_at);
    foreign_made(f, "articles with changes", 1);
    return foreign_done(f, &w, rc);
}

static int article_allows(struct foreign *f, const struct article_here *now, bool allows) {
    struct work w;
    const struct column column = COLUMN_UNRECORDED(B_INT, "allow_comments", allows);
    foreign_work(f, &w, now->updated_at, foreign_owner(f));
    return foreign_done(
        f, &w, record_update(&w, (struct record){NULL, "articles", NULL}, &now->earlier.here, 1, &column, 1));
}

/* The article here, if it was not deleted. Returns 1, 0 or a negative error. */
static int article_here(struct foreign *f, const struct imported *row, struct article_here *out) {
    struct stmt *s;
    const struct json *given = imported_given(f, row);
    *out = (struct article_here){.earlier = {.here = row->here, .given = given}};
    if (given) {
        out->earlier.files = json_member(given, S("files"));
        out->earlier.locales = json_member(given, S("locales"));
    }
    int found = db_row(f->conn, &article_now, BINDS(B_INT("id", row->here)), &s);
    if (found != 1) return found;
    out->allows = col_int(s, 0);
    out->updated_at = col_int(s, 1);
    stmt_end(s);
    return 1;
}

/* Comments of an article that did not change may be new or other ones, too. Returns 1 if it takes comments
 * now, 0 if not, or a negative error. */
static int comments_follow(struct foreign *f, const struct json *item, const struct article_here *now) {
    const struct json *list = item_list(item, "_posts");
    int added = now->allows ? 0 : api_comments_new(f, list);
    TRY(added);
    if (added) TRY(article_allows(f, now, true));
    TRY(take_api_comments(f, list, now->earlier.here));
    if (!json_member_true(item, "_partial")) foreign_ids_add(f->memory, &f->articles, now->earlier.here);
    return added > 0;
}

static int article_follow(struct foreign *f, const struct json *item, const struct imported *row) {
    struct article_here now;
    bool changed = row->changed_at != f->changed_at;
    int64_t id = item_int(item, "id");
    int found = article_here(f, row, &now);
    TRY(found);
    if (found == 0) {
        if (changed) foreign_skip(f, "changes of articles that were deleted here", id);
        return imported_keep(f, foreign_article.kind, id, row->here, f->changed_at);
    }
    if (changed) TRY(article_changed(f, item, &now, row->changed_at));
    int opened = comments_follow(f, item, &now);
    TRY(opened);
    if (changed) return article_end(f, item, row->here);
    return opened ? article_allows(f, &now, false) : 0;
}

int take_api_article(struct foreign *f, const struct json *item) {
    struct imported row;
    int64_t here, id = item_int(item, "id");
    int there = f->maps_ids ? imported_find(f, foreign_article.kind, id, &row) : 0;
    TRY(there);
    if (there) {
        foreign_here(f, foreign_article.kind, id, row.here);
        return article_follow(f, item, &row);
    }
    int64_t section = api_here(f, "section", api_reference(item, "section"));
    if (section == 0) return 0;
    int made = article_begin(f, item, section, &here);
    if (made <= 0) return made;
    foreign_made(f, "articles", 1);
    foreign_here(f, "article", id, here);
    if (item_int(item, "upvote_count") + item_int(item, "downvote_count") > 0)
        foreign_skip(f, "votes on articles", id);
    TRY(article_publish(f, item, here));
    TRY(take_api_comments(f, item_list(item, "_posts"), here));
    return article_end(f, item, here);
}
