/* Earlier texts of articles, for writers, and the permissions of writers. */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "core/access/permission.h"
#include "core/helpcenter/article.h"
#include "core/helpcenter/article_attachment.h"
#include "core/helpcenter/diff.h"
#include "core/helpcenter/version.h"
#include "res/help_center.h"

/* ---- permissions ----------------------------------------------------------------------------- */

/* section_id in the body, unchecked; 0: none */
static int64_t article_section_given(const struct call *c) {
    int64_t id = 0;
    const struct json *j = json_named(c->body, S("section_id"));
    return j && (j->type == JSON_STRING || j->type == JSON_NUMBER) && str_to_int(j->text, &id) && id > 0 ? id
                                                                                                         : 0;
}

int article_may_publish(struct call *c) {
    return permitted(&c->work.actor, "help_center_articles.publish") ? 0
                                                                     : fail(&c->work, ERR_PERMISSIONS_DENIED);
}

QUERY(article_is_published, "SELECT a.id FROM articles a WHERE a.id = :id AND a.status = 3");

/* The article is locked. */
static int may_change_published(struct call *c, int64_t article_id) {
    int64_t id;
    int rc = db_int(c->work.conn, &article_is_published, BINDS(B_INT("id", article_id)), &id);
    return rc <= 0 ? rc : article_may_publish(c);
}

int article_may_change(struct call *c, int64_t article_id) {
    TRY(article_sections_lock(&c->work, json_ids(c->work.arena, &article_id, 1), article_section_given(c)));
    TRY(db_lock_row(c->work.conn, "articles", article_id));
    return may_change_published(c, article_id);
}

int article_target(struct call *c) {
    int64_t id = c->vars[0].id;
    TRY(article_sections_lock(&c->work, json_ids(c->work.arena, &id, 1), article_section_given(c)));
    TRY(api_target(c));
    return may_change_published(c, c->id);
}

/* ---- members --------------------------------------------------------------------------------- */

static void render_version_texts(struct view *v, const struct row *row, bool titles) {
    const struct work *w = &v->c->work;
    struct article_texts texts = {0};
    if (article_texts_parse(w->arena, row_cell(row, "texts")->s, &texts) < 0) texts.count = 0;
    jw_array(&v->w);
    for (int i = 0; i < texts.count; i++) {
        const struct article_text *t = &texts.list[i];
        jw_object(&v->w);
        jw_key(&v->w, S("locale"));
        jw_str(&v->w, t->locale);
        jw_key(&v->w, S("translation"));
        jw_str(&v->w, titles ? t->title
                             : article_contents_shown(w->arena, w->desk, row_cell(row, "article_id")->i,
                                                      t->contents));
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

static void render_version_titles(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    render_version_texts(v, row, true);
}

static void render_version_contents(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    render_version_texts(v, row, false);
}

static const struct field article_version_fields[] = {
    {"article_id", F_INT, HIDDEN, .column = "t.article_id"},
    {"texts", F_LONG, HIDDEN, .column = "t.texts"},
    {"article", F_REF, READONLY, .ref = "article", .doc = "The article."},
    {"user", F_REF, READONLY, .ref = "user_minimal", .doc = "Person who wrote these texts."},
    {"titles", F_COMPUTED, READONLY, .render = render_version_titles, .doc = "Titles of the version.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"Reset your password\"}]"},
    {"contents", F_COMPUTED, READONLY, .render = render_version_contents, .doc = "Contents of the version.",
     .example = "[{\"locale\": \"en-us\", \"translation\": \"<p>Open the settings.</p>\"}]"},
    {"created_at", F_TIME, READONLY, .doc = "Time at which these texts were written."},
    {0},
};

/* ---- comparison ------------------------------------------------------------------------------ */

#define COMPARED 4000000 /* comparisons of words for one reply: about 20 ms */

struct comparison {
    struct article_texts from, to;
    int64_t work, article_id;
};

static void write_text_difference(struct view *v, const char *name, struct str from, struct str to,
                                  int64_t *work) {
    static const char *const operations[] = {NULL, "EQUAL", "INSERTED", "DELETED"};
    jw_key(&v->w, str_of(name));
    jw_array(&v->w);
    for (const struct diff_part *p = diff_texts(v->c->work.arena, from, to, work); p; p = p->next) {
        jw_object(&v->w);
        jw_key(&v->w, S("operation"));
        jw_str(&v->w, str_of(operations[p->operation]));
        jw_key(&v->w, S("text"));
        jw_str(&v->w, p->text);
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

/* from, to: NULL if the locale is missing. */
static void write_locale(struct view *v, struct comparison *k, const struct article_text *from,
                         const struct article_text *to) {
    static const struct article_text none;
    const struct work *w = &v->c->work;
    const struct article_text *x = from ? from : &none, *y = to ? to : &none;
    jw_object(&v->w);
    jw_key(&v->w, S("locale"));
    jw_str(&v->w, from ? from->locale : to->locale);
    write_text_difference(v, "title", x->title, y->title, &k->work);
    write_text_difference(v, "contents",
                          article_contents_shown(w->arena, w->desk, k->article_id, x->contents),
                          article_contents_shown(w->arena, w->desk, k->article_id, y->contents), &k->work);
    jw_end(&v->w);
}

static void render_comparison(struct view *v, const struct row *row, const struct value *own) {
    struct comparison *k = v->c->prepared;
    (void)row;
    (void)own;
    jw_array(&v->w);
    for (int i = 0; k && i < k->from.count; i++)
        write_locale(v, k, &k->from.list[i], article_text_in(&k->to, k->from.list[i].locale));
    for (int i = 0; k && i < k->to.count; i++)
        if (!article_text_in(&k->from, k->to.list[i].locale)) write_locale(v, k, NULL, &k->to.list[i]);
    jw_end(&v->w);
}

static const struct field comparison_fields[] = {
    {"article", F_REF, READONLY, .ref = "article", .doc = "The article."},
    {"version", F_REF, READONLY, .ref = "article_version", .doc = "The version that is compared."},
    {"with", F_REF, READONLY, .ref = "article_version",
     .doc = "The version that it is compared with. Null: the present texts."},
    {"locales", F_COMPUTED, READONLY, .render = render_comparison,
     .doc = "For each locale {locale, title, contents}. title and contents are lists of {operation, text}: "
            "EQUAL in both, DELETED only in the version, INSERTED only in the other.",
     .example = "[{\"locale\": \"en-us\", \"title\": [{\"operation\": \"EQUAL\", \"text\": \"Reset\"}], "
                "\"contents\": []}]"},
    {0},
};

static const struct field comparison_args[] = {{"with", F_INT, .min = 1, .max = INT64_MAX,
                                                .doc = "Id of another version. Default: the present texts.",
                                                .example = "2"},
                                               {0}};

static int get_article_comparison(struct call *c) {
    struct work *w = &c->work;
    struct comparison *k = ARENA_NEW(w->arena, struct comparison);
    int64_t article = c->vars[0].id, version = c->vars[1].id;
    TRY(api_of(c));
    *k = (struct comparison){.work = COMPARED, .article_id = article};
    TRY_FOUND(w, article_version_load(w, article, version, &k->from));
    TRY(api_input(c));
    const struct in *with = arg(c, "with");
    int rc = with->given ? article_version_load(w, article, with->value.i, &k->to)
                         : article_texts_load(w, article, &k->to);
    TRY(rc);
    if (with->given && rc == 0)
        return fail_field(w, ERR_FIELD_INVALID, S("with"),
                          "The article has no version with this id. GET /articles/:id/versions lists them.");
    c->prepared = k;
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "article") = (struct value){V_INT, .i = article};
    *row_cell(row, "version") = (struct value){V_INT, .i = version};
    if (with->given) *row_cell(row, "with") = (struct value){V_INT, .i = with->value.i};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

/* ---- restore --------------------------------------------------------------------------------- */

const struct field article_restore_input[] = {{"version_id", F_INT, PRESENT, .min = 1, .max = INT64_MAX,
                                               .doc = "Id of the version to restore.", .example = "2"},
                                              {0}};

int put_article_restore(struct call *c) {
    struct article_texts texts;
    TRY(article_target(c));
    TRY(api_input(c));
    int rc = article_version_load(&c->work, c->id, in_int(c, "version_id"), &texts);
    TRY(rc);
    if (rc == 0)
        return in_fail(c, "version_id", ERR_FIELD_INVALID,
                       "The article has no version with this id. GET /articles/:id/versions lists them.");
    TRY(article_change(&c->work, c->id, &(struct article_change){.texts = &texts}));
    return api_reply(c);
}

/* ---- routes ---------------------------------------------------------------------------------- */

#define WRITERS AG_PLUS, "conversations"
#define MANAGE .permission = "help_center_articles.manage"

static const struct route article_version_routes[] = {
    {GET, "/articles/:id/versions", WRITERS, LIST, api_list, MANAGE, .order = {.descending = true},
     .summary = "List the versions of an article",
     .doc = "The newest first. At most 1000 are kept, of very long texts fewer. If a change removes an "
            "older version, its reply says so."},
    {GET, "/articles/:id/versions/:version_id", WRITERS, ONE, api_get, MANAGE,
     .summary = "Get a version of an article",
     .sample = {.path = "1,$VERSION",
                .setup = "curl {owner} -X PUT -d \"titles=Another title\" -d \"contents=Another text.\" "
                         "\"{api}/articles/1\"\nVERSION=$(curl {owner} \"{api}/articles/1/versions\" | "
                         "member id)"}},
    {GET, "/articles/:id/versions/:version_id/comparison", WRITERS, ONE, get_article_comparison, MANAGE,
     .of = "article", .reply = "article_comparison", .args = comparison_args, .executor = POOL,
     .lane = LANE_READ, .summary = "Compare a version of an article",
     .doc = "Texts that differ in more than a thousand words are compared by paragraphs, or shown as one "
            "deletion and one insertion.",
     .sample = {.path = "1,$VERSION"}},
    {0},
};

const struct resource article_version_resource = {.type = "article_version",
                                                  .scope = "conversations",
                                                  .title = "Versions of articles",
                                                  .doc = "Earlier texts of articles.",
                                                  .url = "articles/:article_id/versions/:id",
                                                  .table = "article_versions",
                                                  .fields = article_version_fields,
                                                  .routes = article_version_routes,
                                                  .within = {"article", "article_id"},
                                                  .unlogged = "a version is made by a change of the article"};

const struct resource article_comparison_resource = {.type = "article_comparison",
                                                     .scope = "conversations",
                                                     .title = "Comparisons of articles",
                                                     .doc = "Differences between texts of an article.",
                                                     .fields = comparison_fields};
