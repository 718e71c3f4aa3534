#include "core/search/show.h"

#include "base/buf.h"
#include "base/html.h"
#include "core/fields/translation.h"
#include "core/query/token.h"
#include "json/json.h"

/* ---- snippets -------------------------------------------------------------------------------- */

#define SNIPPET 200 /* bytes between the first and the last shown match */
#define BEFORE 60   /* bytes shown before the first match */
#define SPANS 512   /* matches of a text that are considered */

struct snippet_span {
    size_t at, end;
    int unit;
};

struct spans {
    struct snippet_span list[SPANS];
    int count;
};

/* Places of the last positions, because a unit of several words begins before the position where it ends. */
struct recent {
    size_t at[SEARCH_TERMS];
    unsigned n;
};

static int unit_length(const struct search_query *q, int last) {
    return last - search_unit_start(q, last) + 1;
}

static void note_span(const struct search_query *q, struct spans *s, const struct recent *r, int last,
                      size_t end) {
    if (s->count == SPANS) return;
    size_t at = r->at[(r->n - (unsigned)unit_length(q, last)) % SEARCH_TERMS];
    s->list[s->count++] = (struct snippet_span){at, end, q->unit[last]};
}

static bool meets_address(const struct search_query *q, struct str address) {
    for (int i = 0; i < q->count; i++)
        if (str_eq(q->terms[i].exact, address)) return true;
    return false;
}

static void find_spans(struct arena *a, struct str language, const struct search_query *q, struct str text,
                       struct spans *s) {
    struct token_reader r;
    struct token t;
    struct recent recent = {.n = 0};
    uint64_t state = 0;
    s->count = 0;
    token_begin(&r, a, language, text);
    while (s->count < SPANS && token_next(&r, &t)) {
        struct str forms[3] = {t.exact};
        int n = 1;
        if (t.stem.p) forms[n++] = t.stem;
        if (t.address.p) forms[n++] = t.address;
        recent.at[recent.n++ % SEARCH_TERMS] = t.at;
        uint64_t ended = search_step(q, &state, search_position(q, forms, n)) & ~q->excluded;
        size_t end = t.at + (ended && t.address.p && meets_address(q, t.address) ? t.address.n : t.n);
        for (; ended; ended &= ended - 1) note_span(q, s, &recent, __builtin_ctzll(ended), end);
    }
    token_end(&r);
}

/* Chooses the first match of the window that has most units, then most matches. */
static int best_window(const struct spans *s) {
    int best = 0, best_score = -1;
    for (int i = 0; i < s->count; i++) {
        uint64_t units = 0;
        int n = 0;
        for (int k = i; k < s->count && s->list[k].end - s->list[i].at <= SNIPPET; k++, n++)
            units |= UINT64_C(1) << s->list[k].unit;
        int score = __builtin_popcountll(units) * (SPANS + 1) + n;
        if (score > best_score) best_score = score, best = i;
    }
    return best;
}

static bool is_inner(struct str s, size_t at) { return at < s.n && ((unsigned char)s.p[at] & 0xC0) == 0x80; }
static bool is_blank_byte(char c) { return (unsigned char)c <= ' '; }

/* Moves a place back to the beginning of a word, but at most 20 bytes. */
static size_t snippet_begin(struct str s, size_t at) {
    size_t back = at, least = at > 20 ? at - 20 : 0;
    while (back > least && !is_blank_byte(s.p[back - 1])) back--;
    if (back > 0 && back == least) back = at;
    while (is_inner(s, back)) back++;
    return back;
}

static size_t snippet_end(struct str s, size_t at) {
    size_t end = at < s.n ? at : s.n, most = end + 20 < s.n ? end + 20 : s.n, on = end;
    while (on < most && !is_blank_byte(s.p[on])) on++;
    if (on == s.n || on < most) end = on;
    while (is_inner(s, end)) end++;
    return end;
}

/* Runs of blanks become one. */
static void snippet_text(struct arena *a, struct buf *out, struct str s) {
    char *plain = arena_bytes(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool space = is_blank_byte(s.p[i]);
        if (space && ((n && plain[n - 1] == ' ') || (n == 0 && out->n && out->p[out->n - 1] == ' ')))
            continue;
        plain[n++] = space ? ' ' : s.p[i];
    }
    html_escape(out, (struct str){plain, n});
}

static void write_snippet(struct arena *a, struct buf *out, struct str text, const struct spans *s,
                          size_t from, size_t to) {
    size_t at = from;
    for (int i = 0; i < s->count; i++) {
        struct snippet_span span = s->list[i];
        /* pairs overlap */
        while (i + 1 < s->count && s->list[i + 1].at <= span.end && s->list[i + 1].at >= span.at) {
            i++;
            if (s->list[i].end > span.end) span.end = s->list[i].end;
        }
        if (span.at < at || span.end > to) continue;
        snippet_text(a, out, (struct str){text.p + at, span.at - at});
        buf_text(out, "<em>");
        snippet_text(a, out, (struct str){text.p + span.at, span.end - span.at});
        buf_text(out, "</em>");
        at = span.end;
    }
    snippet_text(a, out, (struct str){text.p + at, to - at});
}

struct str search_snippet(struct arena *a, struct str language, const struct search_query *q,
                          struct str text) {
    struct buf b = {0};
    struct spans *s = arena_bytes(a, sizeof *s);
    text = str_trim(text);
    find_spans(a, language, q, text, s);
    size_t first = s->count ? s->list[best_window(s)].at : 0;
    size_t from = snippet_begin(text, first > BEFORE ? first - BEFORE : 0),
           to = snippet_end(text, from + SNIPPET + BEFORE);
    if (from > 0) buf_text(&b, "… ");
    write_snippet(a, &b, text, s, from, to);
    if (to < text.n) buf_text(&b, b.n && b.p[b.n - 1] == ' ' ? "…" : " …");
    return buf_take(&b, a);
}

/* ---- hits ------------------------------------------------------------------------------------ */

QUERY(search_titles_of_cases,
      "SELECT t.id, t.subject, t.created_at, COALESCE(t.last_note_preview, t.last_message_preview) "
      "FROM cases t WHERE t.id IN @LIST(:ids)");
QUERY(search_titles_of_users,
      "SELECT t.id, t.full_name, t.created_at, t.designation FROM users t WHERE t.id IN @LIST(:ids)");
QUERY(search_titles_of_organizations,
      "SELECT t.id, t.name, t.created_at, NULL FROM organizations t WHERE t.id IN @LIST(:ids)");
QUERY(search_titles_of_articles,
      "SELECT t.id, " TRANSLATION_OF("11") ", t.created_at, t.keywords FROM articles t "
                                           "WHERE t.id IN @LIST(:ids)");

static const struct query *const title_queries[] = {[SEARCH_CASES] = &search_titles_of_cases,
                                                    [SEARCH_USERS] = &search_titles_of_users,
                                                    [SEARCH_ORGANIZATIONS] = &search_titles_of_organizations,
                                                    [SEARCH_ARTICLES] = &search_titles_of_articles};

static int hit_at(const struct search_hit *hits, int count, int kind, int64_t id) {
    int i = 0;
    while (i < count && (hits[i].kind != kind || hits[i].id != id)) i++;
    return i;
}

static int show_titles(struct work *w, struct str language, const struct search_query *q,
                       const struct search_hit *hits, int count, int kind, struct search_shown *shown) {
    int64_t *ids = arena_array(w->arena, (size_t)count, sizeof *ids);
    size_t chosen = 0;
    int rc;
    for (int i = 0; i < count; i++)
        if (hits[i].kind == kind) ids[chosen++] = hits[i].id;
    if (chosen == 0) return 0;
    DB_ROWS(rc, w->conn, title_queries[kind], BINDS(B_TEXT("ids", json_ids(w->arena, ids, chosen))), row) {
        int at = hit_at(hits, count, kind, col_int(row, 0));
        if (at == count) continue;
        shown[at].title = str_dup(w->arena, col_text(row, 1));
        shown[at].created_at = col_int(row, 2);
        struct str other = str_dup(w->arena, col_text(row, 3));
        if (hits[at].text_id == 0)
            shown[at].snippet = search_snippet(w->arena, language, q, other.p ? other : S(""));
    }
    return rc;
}

/* Shows the matched text. For an article, the title and the contents of its locale. */
static void show_text(struct arena *a, struct str language, const struct search_query *q,
                      const struct search_hit *hit, const struct search_text *text,
                      struct search_shown *shown) {
    enum search_source source = search_source_of(text->id);
    if (search_kind_of(text->id) != SEARCH_ARTICLES) {
        if (hit->text_id == text->id) shown->snippet = search_snippet(a, language, q, text->text);
    } else if (search_kind_of(hit->text_id) == SEARCH_ARTICLES &&
               search_row_of(hit->text_id) == search_row_of(text->id)) {
        if (source == SEARCH_TITLE) shown->title = text->text, shown->locale = text->locale;
        if (source == SEARCH_CONTENTS) shown->snippet = search_snippet(a, text->locale, q, text->text);
    }
}

static int show_texts(struct work *w, struct str language, const struct search_query *q,
                      const struct search_hit *hits, int count, enum search_table table,
                      struct search_shown *shown) {
    int64_t *ids = arena_array(w->arena, (size_t)count, sizeof *ids);
    struct search_text *list;
    size_t chosen = 0;
    for (int i = 0; i < count; i++)
        if (hits[i].text_id && search_table_of(hits[i].text_id) == table)
            ids[chosen++] = table == TEXTS_OF_ARTICLES ? hits[i].id : search_row_of(hits[i].text_id);
    TRY(search_texts_read(w->conn, w->arena, table, ids, chosen, &list));
    for (; list; list = list->next)
        for (int i = 0; i < count; i++) show_text(w->arena, language, q, &hits[i], list, &shown[i]);
    return 0;
}

int search_show(struct work *w, struct str language, const struct search_query *q,
                const struct search_hit *hits, int count, struct search_shown *shown) {
    for (int i = 0; i < count; i++) shown[i] = (struct search_shown){.title = S(""), .snippet = S("")};
    if (count == 0) return 0;
    for (int kind = SEARCH_CASES; kind <= SEARCH_ARTICLES; kind++)
        TRY(show_titles(w, language, q, hits, count, kind, shown));
    for (int table = 0; table < SEARCH_TABLES; table++)
        TRY(show_texts(w, language, q, hits, count, (enum search_table)table, shown));
    return 0;
}
