/* Search: conversations, people, organizations and articles by their texts. docs/SEARCH.md has the design. */
#include "core/search/find.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/all/catch_up.h"
#include "core/desk/locale.h"
#include "core/desk/setting.h"
#include "core/search/follow.h"
#include "core/search/index.h"
#include "core/search/show.h"

extern const struct resource result_resource;

/* ---- members --------------------------------------------------------------------------------- */

static const struct {
    const char *type, *path, *member;
} found_kinds[SEARCH_KINDS] = {
    [SEARCH_CASES] = {"case", "cases", "found_case"},
    [SEARCH_USERS] = {"user", "users", "found_user"},
    [SEARCH_ORGANIZATIONS] = {"organization", "organizations", "found_organization"},
    [SEARCH_ARTICLES] = {"article", "articles", "found_article"}};

static const struct layout *found_layout(const struct row *row) {
    return layout_of(resource_of(found_kinds[row_cell(row, "kind")->i].type));
}

static void result_data(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    view_reference(v, found_layout(row), row_cell(row, "id")->i);
}

static void result_type(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    view_type(v, resource_shown_type(found_layout(row)->resource));
}

static void result_url(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    jw_str(&v->w, str_fmt(v->c->work.arena, "%s/api/v1/%s/%lld", v->c->work.desk->base_url.p,
                          found_kinds[row_cell(row, "kind")->i].path, (long long)row_cell(row, "id")->i));
}

static void result_relevance(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_raw(&v->w, str_fmt(v->c->work.arena, "%lld.%04lld", (long long)(own->i / 10000),
                          (long long)(own->i % 10000)));
}

static const struct field result_fields[] = {
    {"kind", F_INT, HIDDEN, .doc = "Kind of the result."},
    /* They load the results for include. */
    {"found_case", F_REF, HIDDEN, .ref = "case", .doc = "If it is a conversation."},
    {"found_user", F_REF, HIDDEN, .ref = "user", .doc = "If it is a person."},
    {"found_organization", F_REF, HIDDEN, .ref = "organization", .doc = "If it is an organization."},
    {"found_article", F_REF, HIDDEN, .ref = "article", .doc = "If it is an article."},
    {"id", F_INT, READONLY, .doc = "Id of the conversation, person, organization or article.",
     .example = "12"},
    {"title", F_TEXT, READONLY,
     .doc = "Subject, name or title. Null, as snippet and created_at, if the bearer token lacks the scope "
            "of the result.",
     .example = "\"The engine stalls\""},
    {"snippet", F_LONG, READONLY,
     .doc = "Part of the text that has the words, as HTML: the words are in "
            "<em>, everything else is escaped.",
     .example = "\"It <em>stops</em> after ten turns.\""},
    {"relevance", F_COMPUTED, READONLY, .render = result_relevance,
     .doc = "Between 0 and 1. Results with a higher one come first.", .example = "0.4213"},
    {"resource", F_COMPUTED, READONLY, .render = result_type,
     .doc = "Type of the result: case, user, organization or article.", .example = "\"case\""},
    {"data", F_COMPUTED, READONLY, .render = result_data,
     .doc = "The conversation, person, organization or article.",
     .example = "{\"id\": 12, \"resource_type\": \"case\"}"},
    {"resource_url", F_COMPUTED, READONLY, .render = result_url, .doc = "Address of the result.",
     .example = "\"https://desk.example/api/v1/cases/12\""},
    {"created_at", F_TIME, READONLY,
     .doc = "Time when the conversation, person, organization or article was "
            "created."},
    {0},
};

/* ---- the list -------------------------------------------------------------------------------- */

static const struct word resource_words[] = {{SEARCH_CASES, "CASES"},
                                             {SEARCH_USERS, "USERS"},
                                             {SEARCH_ORGANIZATIONS, "ORGANIZATIONS"},
                                             {SEARCH_ARTICLES, "ARTICLES"},
                                             {0}};

static const struct field search_args[] = {
    {"query", F_TEXT, PRESENT, .max = LIMIT_SEARCH_QUERY,
     .doc = "Words that a result must have, and operators. At most 32 words. The last word may be the "
            "beginning of a word. \"...\": these words in this order. word*: words that begin so. -word: "
            "without it. Operators: in:, status:, priority:, type:, agent:, team:, requester:, "
            "organization:, tag:, is:, has:, created>, updated< and similar.",
     .example = "\"engine status:open\""},
    {"resources", F_WORDS, .words = resource_words, .doc = "Only results of these kinds. Default: all."},
    {0},
};

static unsigned kinds_asked(struct call *c) {
    const struct in *asked = arg(c, "resources");
    unsigned kinds = 0;
    for (int64_t i = 0; asked->given && i < asked->value.i; i++) kinds |= 1u << asked->value.ids[i];
    return kinds
               ? kinds
               : 1u << SEARCH_CASES | 1u << SEARCH_USERS | 1u << SEARCH_ORGANIZATIONS | 1u << SEARCH_ARTICLES;
}

static struct row *result_row(struct view *v, const struct search_hit *h, const struct search_shown *shown) {
    struct row *row = row_new(v, layout_of(&result_resource), 0);
    bool read = view_may_read(v, resource_of(found_kinds[h->kind].type));
    *row_cell(row, "kind") = (struct value){V_INT, .i = h->kind};
    *row_cell(row, "id") = *row_cell(row, found_kinds[h->kind].member) = (struct value){V_INT, .i = h->id};
    *row_cell(row, "relevance") = (struct value){V_INT, .i = (int64_t)(h->relevance * 10000 + 0.5)};
    if (!read) return row;
    *row_cell(row, "title") = value_text(shown->title);
    *row_cell(row, "snippet") = value_text(shown->snippet);
    *row_cell(row, "created_at") = (struct value){V_INT, .i = shown->created_at};
    return row;
}

/* Rows of the page; the others are counted only. */
static int write_results(struct call *c, struct view *v, struct str language, const struct search_query *q,
                         const struct search_found *found, struct row **out) {
    const struct options *o = &c->options;
    int first = o->offset < found->count ? (int)o->offset : found->count;
    int count = found->count - first < o->limit ? found->count - first : (int)o->limit;
    struct search_shown *shown = arena_array(c->work.arena, (size_t)count + 1, sizeof *shown);
    TRY(search_show(&c->work, language, q, found->hits + first, count, shown));
    for (int i = 0; i < found->count; i++, out = &(*out)->next)
        *out = i >= first && i < first + count ? result_row(v, &found->hits[i], &shown[i - first])
                                               : ARENA_NEW(c->work.arena, struct row);
    return 0;
}

static void search_notes(struct call *c, const struct search_query *q, const struct search_filter *f,
                         const struct search_found *found) {
    for (const struct search_remark *r = q->remarks; r; r = r->next)
        notice(&c->work, "NOTICE", "%s", r->text);
    if (q->count == 0 && !f->any && c->work.notices == NULL)
        notice(&c->work, "NOTICE", "The search has no word.");
    if (found->more)
        notice(&c->work, "NOTICE",
               "The words are common: total_count is a lower bound, and older "
               "results may be missing.");
    if (found->whole && found->count == 0) notice(&c->work, "NOTICE", SEARCH_WHOLE_NOTICE);
    if (search_is_building(&c->work) > 0)
        notice(&c->work, "NOTICE", "The search index is being built: results may be missing.");
    if (c->behind)
        notice(&c->work, "NOTICE", "The search index is behind: the newest results may be missing.");
}

static int result_rows(struct call *c, struct view *v, struct str name, struct row **out) {
    struct work *w = &c->work;
    struct search_query *q = ARENA_NEW(w->arena, struct search_query);
    struct search_filter *f = ARENA_NEW(w->arena, struct search_filter);
    struct search_found found;
    (void)name; /* can't be read alone */
    struct str language = setting_text(w->desk, LOCALE_SETTING, w->arena);
    if (search_query_read(w->arena, language, arg(c, "query")->value.s, false, q) < 0)
        return fail_field(w, ERR_FIELD_INVALID, S("query"), "At most %d words are allowed.",
                          LIMIT_SEARCH_WORDS);
    search_query_open(q);
    TRY(search_filter_read(w, q, kinds_asked(c), f));
    TRY(search_find(w, q, f, &found));
    search_notes(c, q, f, &found);
    v->total_is_bound = found.more;
    return write_results(c, v, language, q, &found, out);
}

static const struct follower search_follower = {search_is_behind, search_catch_up};

static const struct route result_routes[] = {
    {GET, "/search", COL_PLUS, "search", LIST, api_list, .args = search_args, .is_heavy = true,
     .executor = POOL, .follows = &search_follower, .summary = "Search",
     .doc = "Finds words in subjects, messages, notes, names, addresses, tags, custom text fields and "
            "articles. The most relevant result comes first. If the words are common, a notice says that "
            "total_count is a lower bound."},
    {0},
};

const struct resource result_resource = {
    .type = "result",
    .scope = "search",
    .title = "Search",
    .doc = "Conversations, people, organizations and articles that have the "
           "words of a search.",
    .fields = result_fields,
    .routes = result_routes,
    .rows = result_rows,
    .is_item = true};
