/* Searches of the help center and suggestions while typing (docs/HELPCENTER.md). */
#include "core/helpcenter/search.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/desk/locale.h"
#include "core/desk/setting.h"
#include "core/search/index.h"

extern const struct resource article_search_resource, suggestion_resource;

/* ---- members --------------------------------------------------------------------------------- */

static void article_link(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    jw_str(&v->w, STR_CAT(v->c->work.arena, v->c->work.desk->base_url, row_cell(row, "path")->s));
}

#define LINK                                                                                       \
    {                                                                                              \
        "link", F_COMPUTED, READONLY,                                                              \
            .render = article_link, .doc = "Address of the public page.",                          \
            .example = "\"https://desk.example/helpcenter/en-us/articles/12-reset-your-password\"" \
    }
#define ORIGINAL \
    { "original", F_REF, READONLY, .ref = "article", .doc = "The article." }
#define PATH \
    { "path", F_TEXT, HIDDEN, .doc = "Address below that of the desk." }
#define TITLE                                                                     \
    {                                                                             \
        "title", F_TEXT, READONLY,                                                \
            .doc = "Title in the requested locale, or in another if it has none " \
                   "there.",                                                      \
            .example = "\"Reset your password\""                                  \
    }

static const struct field article_search_fields[] = {
    PATH,
    {"uuid", F_TEXT, READONLY, .doc = "Universal id of the article."},
    TITLE,
    {"contents", F_LONG, READONLY,
     .doc = "Part of the contents that has the words, as HTML: the words are in <em>, everything else is "
            "escaped.",
     .example = "\"Choose <em>Reset</em> on the page of the login.\""},
    LINK,
    ORIGINAL,
    {"created_at", F_TIME, READONLY, .doc = "Time when the article was created."},
    {"updated_at", F_TIME, READONLY, .doc = "Time of the last change of the article."},
    {0},
};

static const struct field suggestion_fields[] = {PATH, TITLE, LINK, ORIGINAL, {0}};

/* ---- arguments ------------------------------------------------------------------------------- */

static int check_locale_argument(struct call *c, struct in *in) {
    struct str locale;
    if (in->value.type == V_NULL) return 0;
    int rc = locale_find(&c->work, in->value.s, &locale);
    TRY(rc);
    if (rc) return in->value.s = locale, 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer,
                   "There is no such locale. GET /locales lists them.");
}

static const struct word searched_kinds[] = {{SEARCH_ARTICLES, "ARTICLES"}, {0}};

#define WHERE_TO_SEARCH                                                                                    \
    {"locale",                                                                                             \
     F_TEXT,                                                                                               \
     NULLABLE,                                                                                             \
     .max = LIMIT_LOCALE,                                                                                  \
     .check = check_locale_argument,                                                                       \
     .doc = "Locale of the reader: its words are stemmed, and articles are shown in it. An article "       \
            "without it is searched in the locale of the brand, otherwise in its oldest one. Default: "    \
            "account.default_language.",                                                                   \
     .example = "\"en-us\""},                                                                              \
    {                                                                                                      \
        "brand_id", F_INT, NULLABLE, .min = 1, .max = INT64_MAX,                                           \
                                     .doc = "Only articles of this brand and of all brands. Default: all." \
    }

static const struct field article_search_args[] = {
    {"query", F_TEXT, PRESENT, .max = LIMIT_SEARCH_QUERY,
     .doc = "Words that an article has: at most 32. The last word may be the beginning of a word. \"...\": "
            "these words in this order. word*: words that begin so. -word: without it.",
     .example = "\"reset password\""},
    {"in", F_WORDS, .words = searched_kinds, .doc = "ARTICLES: the only kind of results."},
    WHERE_TO_SEARCH,
    {0},
};

static const struct field suggestion_args[] = {
    {"query", F_TEXT, NULLABLE, .max = LIMIT_SEARCH_QUERY,
     .doc = "Words of a title, or a sentence. The last word may be incomplete. Without a text there are no "
            "suggestions.",
     .example = "\"reset pass\""},
    WHERE_TO_SEARCH,
    {0},
};

/* A POST has the arguments of the GET as parameters. */
static const struct in *search_asked(struct call *c, const char *name) {
    return c->method == POST ? in(c, name) : arg(c, name);
}

static struct help_center_query query_given(struct call *c) {
    const struct in *locale = search_asked(c, "locale"), *brand = search_asked(c, "brand_id"),
                    *text = search_asked(c, "query");
    int64_t widget = c->work.actor.widget_brand_id; /* a page there gets nothing of other brands */
    bool localised = locale->given && locale->value.type == V_TEXT;
    return (struct help_center_query){
        .text = text->given && text->value.type == V_TEXT ? text->value.s : S(""),
        .locale = localised ? locale->value.s : setting_text(c->work.desk, LOCALE_SETTING, c->work.arena),
        .brand_id = widget                                       ? widget
                    : brand->given && brand->value.type == V_INT ? brand->value.i
                                                                 : 0,
        .offset = c->options.offset,
        .limit = c->options.limit,
    };
}

/* ---- the lists ------------------------------------------------------------------------------- */

static struct row *article_found_row(struct view *v, const struct resource *r,
                                     const struct help_center_hit *h) {
    struct row *row = row_new(v, layout_of(r), 0);
    *row_cell(row, "original") = (struct value){V_INT, .i = h->article_id};
    *row_cell(row, "path") = value_text(h->path);
    *row_cell(row, "title") = value_text(h->title);
    if (r != &article_search_resource) return row;
    *row_cell(row, "uuid") = value_text(h->uuid);
    *row_cell(row, "contents") = value_text(h->snippet);
    *row_cell(row, "created_at") = (struct value){V_INT, .i = h->created_at};
    *row_cell(row, "updated_at") = (struct value){V_INT, .i = h->updated_at};
    return row;
}

static void note_search(struct call *c, const struct help_center_result *found) {
    struct work *w = &c->work;
    for (const struct search_remark *r = found->remarks; r; r = r->next) notice(w, "NOTICE", "%s", r->text);
    if (found->empty) notice(w, "NOTICE", "The search has no word.");
    if (found->instead_of.p) notice(w, "NOTICE", "Showing results for `%s`.", found->instead_of.p);
    if (found->some) notice(w, "NOTICE", "No article has all words: these have most of them.");
    if (found->more)
        notice(w, "NOTICE",
               "The words are common: total_count is a lower bound, and some "
               "results may be missing.");
    if (found->whole && found->total == 0) notice(w, "NOTICE", SEARCH_WHOLE_NOTICE);
    if (search_is_building(w) > 0)
        notice(w, "NOTICE", "The search index is being built: results may be missing.");
}

/* Rows of the page; the others are counted only. */
static int article_search_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct help_center_query q = query_given(c);
    struct help_center_result found;
    (void)name; /* can't be read alone */
    TRY(help_center_search(&c->work, &q, &found));
    note_search(c, &found);
    v->total_is_bound = found.more;
    int64_t first = q.offset < found.total ? q.offset : found.total;
    for (int64_t i = 0; i < found.total; i++, out = &(*out)->next)
        *out = i >= first && i < first + found.count
                   ? article_found_row(v, &article_search_resource, &found.hits[i - first])
                   : ARENA_NEW(c->work.arena, struct row);
    return 0;
}

static int suggestion_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct help_center_query q = query_given(c);
    struct help_center_result found;
    (void)name;
    TRY(help_center_suggest(&c->work, &q, &found));
    for (int i = 0; i < found.count; i++, out = &(*out)->next)
        *out = article_found_row(v, &suggestion_resource, &found.hits[i]);
    return 0;
}

static const struct route article_search_routes[] = {
    {GET, "/helpcenter/search", PUBLIC | WIDGET, "", LIST, api_list, .args = article_search_args,
     .is_heavy = true, .executor = POOL, .summary = "Search the help center",
     .doc = "Finds published articles that the caller may see, whatever the role. The most relevant one "
            "comes first. If no article has a word, similar words are searched, and `logs` names them. If "
            "no article has all words, articles with most of them are shown."},
    {POST, "/helpcenter/search/articles", PUBLIC, "", LIST, api_list, .input = article_search_args,
     .reads = true, .is_heavy = true, .executor = POOL, .summary = "Search the articles of the help center",
     .doc = "The same search as GET /helpcenter/search, with the words in the body."},
    {0},
};
static const struct route suggestion_routes[] = {
    {GET, "/helpcenter/search/suggestions", PUBLIC | WIDGET, "", LIST_COUNT, api_list,
     .args = suggestion_args, .summary = "Suggest articles while typing",
     .doc = "At most ten published articles that the caller may see and whose titles have all words. "
            "Without such a title, those whose titles have most of the rare words, so that a sentence finds "
            "articles."},
    {0},
};

const struct resource article_search_resource = {.type = "search",
                                                 .scope = "conversations",
                                                 .title = "Search of the help center",
                                                 .doc = "Articles that have the words of a search.",
                                                 .fields = article_search_fields,
                                                 .routes = article_search_routes,
                                                 .rows = article_search_rows,
                                                 .is_item = true};
const struct resource suggestion_resource = {.type = "suggestion",
                                             .scope = "conversations",
                                             .title = "Suggestions",
                                             .doc = "Articles whose titles begin with what is being typed.",
                                             .fields = suggestion_fields,
                                             .routes = suggestion_routes,
                                             .rows = suggestion_rows,
                                             .is_item = true};
