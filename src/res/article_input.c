/* Contents of articles are cleaned before the write, in the pool, because cleaning waits for a process of
 * 25 ms. That holds for bulk imports, too: the request cleans the contents of all records and stores clean
 * HTML in the job. So the job, which runs on the writer thread, starts no process. It checks that the HTML
 * is clean (files/html_clean.h), which reads it once. HTML that can't be cleaned stays as it was sent,
 * and the check refuses it by name. */
#include "res/help_center.h"
#include "res/attachment.h"
#include "res/case_parts.h"

#include "api/input/input.h"
#include "api/rows/generic.h"
#include "base/limits.h"
#include "core/helpcenter/article.h"
#include "core/words.h"
#include "files/html_clean.h"
#include "res/tag.h"
#include "res/translation.h"

/* ---- before the write ------------------------------------------------------------------------ */

/* The body belongs to this call, and nothing else has read it yet. */
static struct json *body_part(const struct json *j) { return (struct json *)(uintptr_t)j; }

static void become_list(struct json *j, const struct json *list) {
    j->type = JSON_ARRAY;
    j->count = list->count;
    j->first = list->first;
    j->last = list->last;
}

/* In a form, a list may be JSON text. */
static void read_json_text(struct call *c, struct json *j) {
    struct json *list = NULL;
    struct json_error err;
    if (j->type != JSON_STRING || !str_starts(str_trim(j->text), S("["))) return;
    if (json_parse(c->work.arena, j->text, &list, &err) >= 0 && list->type == JSON_ARRAY)
        become_list(j, list);
}

/* *most: how many texts may still be cleaned. */
static int clean_text(struct call *c, struct json *text, int *most) {
    if (text == NULL || text->type != JSON_STRING || html_article_is_clean(text->text) || --*most < 0)
        return 0;
    int rc = html_article_clean(c->work.arena, text->text, &text->text);
    return rc < 0 ? rc : 0;
}

/* Contents are a text, a {locale, translation}, or a list of these. */
static int clean_contents(struct call *c, const struct json *article, int *most) {
    struct json *contents = body_part(json_named(article, S("contents")));
    if (contents == NULL) return 0;
    read_json_text(c, contents);
    if (contents->type == JSON_STRING) return clean_text(c, contents, most);
    if (contents->type == JSON_OBJECT)
        return clean_text(c, body_part(json_named(contents, S("translation"))), most);
    for (struct json *j = contents->type == JSON_ARRAY ? contents->first : NULL; j; j = j->next)
        TRY(clean_text(c, body_part(json_named(j, S("translation"))), most));
    return 0;
}

/* A caller who may not write articles costs no process. The handler reports refusals. */
int article_prepare(struct call *c) {
    int most = LIMIT_ARTICLE_TEXTS;
    TRY(clean_contents(c, c->body, &most));
    return attachments_prepare(c);
}

int article_import_prepare(struct call *c) {
    const struct json *records = json_named(c->body, S("articles"));
    int most = LIMIT_ARTICLE_TEXTS, count = 0;
    if (records == NULL || records->type != JSON_ARRAY || records->count > LIMIT_RECORDS) return 0;
    for (const struct json *j = records->first; j && count <= LIMIT_RECORDS; j = j->next, count++)
        TRY(clean_contents(c, j, &most));
    return 0;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int check_article_titles(struct call *c, struct in *in) {
    return check_translations(c, in, TITLE_OF_ARTICLE);
}

/* The place of the text `i` of a parameter. */
static struct str place_of_text(struct call *c, const struct in *in, int i) {
    struct str place = in->pointer.p ? in->pointer : in->name;
    if (in->single && in->json->first->type == JSON_STRING) return place;
    if (in->single) return STR_CAT(c->work.arena, place, S("/translation"));
    return str_fmt(c->work.arena, "%.*s/%d/translation", (int)place.n, place.p, i);
}

static int check_article_contents(struct call *c, struct in *in) {
    int problems = c->work.problem_count;
    TRY(check_translations(c, in, CONTENTS_OF_ARTICLE));
    const struct translations *made = in->made;
    for (int i = 0; i < made->count; i++)
        if (!html_article_is_clean(made->list[i].text))
            fail_at(&c->work, ERR_FIELD_INVALID, in->name, place_of_text(c, in, i),
                    "This HTML is too complex or too long. Send simpler HTML, or fewer texts at a time.");
    return c->work.problem_count > problems ? -(int)failure(&c->work) : 0;
}

const struct field article_input[] = {
    {"titles", F_MANY, REQUIRED | SINGLE_TOO | BY_HANDLER, .ref = "locale_field",
     .many = TRANSLATIONS_OF("11"), .check = check_article_titles,
     .doc = "Titles in several locales: a list of {locale, translation}. A plain text is the title in the "
            "default locale.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"Reset your password\"}]"},
    {"contents", F_MANY, REQUIRED | SINGLE_TOO | BY_HANDLER, .ref = "locale_field",
     .many = TRANSLATIONS_OF("12"), .check = check_article_contents,
     .doc = "Contents as HTML, in the same locales: a list of {locale, translation}. A plain text is that of "
            "the default locale. The HTML is cleaned. `src=\"cid:7\"` shows the attached file 7.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"<p>Open the settings.</p>\"}]"},
    {"section", F_REF, REQUIRED | BY_HANDLER, .ref = "section", .doc = "Section of the article."},
    {"status", F_WORD, BY_HANDLER, .words = article_statuses, .initial = "DRAFT",
     .doc = "DRAFT, PENDINGAPPROVAL or PUBLISHED. PUBLISHED needs the permission "
            "help_center_articles.publish.",
     .example = "\"DRAFT\""},
    {"author", F_REF, 0, .ref = "user", .check = check_assigned_agent,
     .doc = "Member of staff who is named as author. Default: the caller."},
    {"legacy_id", F_TEXT, NULLABLE | UNIQUE, .doc = "Id in the system that the article was imported from.",
     .example = "\"A-7\""},
    {"keywords", F_TEXT, NULLABLE, .max = 1000,
     .doc = "Words, separated by commas, by which readers find the article.",
     .example = "\"login, sign in\""},
    {"is_featured", F_BOOL, 0, .initial = "0", .doc = "True if the article is pinned."},
    {"allow_comments", F_BOOL, 0, .initial = "1", .doc = "True if readers may comment."},
    {"tags", F_MANY, NULLABLE | RECORDS, .ref = "tag", .many = TAGS_OF("article_tags", "article_id"),
     .check = check_tags, .store = store_article_tags, .doc = "The complete list of tags.",
     .example = "[\"login\"]"},
    {"attachment_file_ids", F_IDS, INPUT_ONLY | BY_HANDLER, .column = "", .check = check_file_ids,
     .doc = "Ids of your uploaded files to attach. A PUT adds them to the present ones.", .example = "[7]"},
    {0},
};

/* ---- after api_input ------------------------------------------------------------------------- */

/* Replaces the titles, or the contents, of all locales by the given ones; by a single text only that of
 * its locale. */
static void put_given(struct call *c, const char *name, bool titles, struct article_texts *texts) {
    const struct in *in_list = in(c, name);
    const struct translations *made = in_list->made;
    if (!in_list->given || made == NULL) return;
    for (int i = 0; !made->single && i < texts->count; i++)
        *(titles ? &texts->list[i].title : &texts->list[i].contents) = (struct str){0};
    for (int i = 0; i < made->count; i++) {
        struct article_text *t = article_text_in(texts, made->list[i].locale);
        if (t == NULL) {
            t = &texts->list[texts->count++];
            *t = (struct article_text){.locale = made->list[i].locale};
        }
        *(titles ? &t->title : &t->contents) = made->list[i].text;
    }
}

static int given_count(struct call *c, const char *name) {
    const struct translations *made = in(c, name)->made;
    return made ? made->count : 0;
}

/* Drops locales without texts. Each other locale needs both. */
static int check_complete(struct call *c, struct article_texts *texts) {
    int n = 0;
    for (int i = 0; i < texts->count; i++) {
        struct article_text t = texts->list[i];
        if (t.title.p == NULL && t.contents.p == NULL) continue;
        texts->list[n++] = t;
        if (t.title.p && t.contents.p) continue;
        in_fail(c, t.title.p ? "contents" : "titles", ERR_FIELD_REQUIRED,
                "The locale %.*s needs a title and contents.", (int)t.locale.n, t.locale.p);
    }
    texts->count = n;
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

int article_texts_given(struct call *c, struct article_texts *out, bool *changed) {
    struct article_texts present = {0};
    *changed = given(c, "titles") || given(c, "contents");
    if (!*changed) return 0;
    if (c->method == PUT) TRY(article_texts_load(&c->work, c->id, &present));
    size_t room =
        (size_t)present.count + (size_t)given_count(c, "titles") + (size_t)given_count(c, "contents");
    *out = (struct article_texts){.list = arena_array(c->work.arena, room + 1, sizeof *out->list),
                                  .count = present.count};
    for (int i = 0; i < present.count; i++) out->list[i] = present.list[i];
    put_given(c, "titles", true, out);
    put_given(c, "contents", false, out);
    return check_complete(c, out);
}
