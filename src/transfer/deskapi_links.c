/* Addresses of articles of the source in texts:
 *
 *     https://old.example/helpcenter/en-us/articles/35-words?a#b   https://old.example/article/35-words
 *  -> BASE/helpcenter/en-us/articles/812-words?a#b                 BASE/helpcenter/LOCALE/articles/812-words
 *
 * The page goes on to its present address, so old words are right. */
#include "core/helpcenter/slug.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"

#include <inttypes.h>
#include <string.h>

/* ---- one address ----------------------------------------------------------------------------- */

/* Two letters, and perhaps a country: "de", "en-us". */
static bool is_locale_code(struct str s) {
    bool valid = s.n == 2 || (s.n > 4 && s.n <= 12 && s.p[2] == '-');
    for (size_t i = 0; i < s.n && valid; i++) valid = (s.p[i] >= 'a' && s.p[i] <= 'z') || i == 2;
    return valid;
}

/* The number of an article in a path, behind "/": its place, and the code of a locale before it. */
struct article_address {
    int64_t id;
    struct str locale; /* p NULL: none */
    size_t from, to;   /* of the number */
};

static bool article_address_read(struct str path, struct article_address *out) {
    struct str before = {0};
    size_t at = 0;
    *out = (struct article_address){0};
    while (at < path.n && path.p[at] != '?' && path.p[at] != '#') {
        struct str rest = {path.p + at, path.n - at}, number;
        size_t n = 0;
        while (n < rest.n && !in_set(rest.p[n], "/?#")) n++;
        struct str segment = {rest.p, n};
        bool is_it = str_eq(before, S("article")) || str_eq(before, S("articles"));
        if (is_it && (out->id = slug_id(segment)) > 0) {
            number = str_cut(&segment, '-');
            out->from = at;
            out->to = at + number.n;
            return true;
        }
        if (!str_eq(segment, S("article")) && !str_eq(segment, S("articles")))
            out->locale = is_locale_code(segment) ? segment : (struct str){0};
        before = segment;
        at += n + 1;
    }
    return false;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The length of "http://HOST/" or "https://HOST/" here; 0: it is another address. */
static size_t source_begins(const struct foreign *f, struct str s) {
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t n = strlen(schemes[i]);
        bool is_it = s.n > n + f->host.n && memcmp(s.p, schemes[i], n) == 0 && s.p[n + f->host.n] == '/' &&
                     str_eqi((struct str){s.p + n, f->host.n}, f->host);
        if (is_it) return n + f->host.n + 1;
    }
    return 0;
}

/* Punctuation at the end belongs to the sentence. */
static size_t address_length(struct str s) {
    size_t n = 0;
    while (n < s.n && (unsigned char)s.p[n] > ' ' && !in_set(s.p[n], "\"'<>`")) n++;
    while (n && in_set(s.p[n - 1], ".,;:!?)")) n--;
    return n;
}

QUERY(default_locale_code, "SELECT l.locale FROM brands b JOIN locales l ON l.id = b.locale_id "
                           "WHERE b.is_default = 1");

/* The locale of an address that names none, in a text that has none: that of the default brand. */
static struct str locale_of_links(struct foreign *f) {
    struct str code = {0};
    int found = db_text(f->conn, &default_locale_code, NULL, f->item, &code);
    return found == 1 && code.n ? code : S("en-us");
}

/* Writes the address that begins here, if it is that of an article. Returns its length; 0: it is none. */
static size_t write_article_address(struct foreign *f, struct buf *b, struct str s, struct str locale,
                                    bool *left) {
    struct article_address a;
    size_t begins = source_begins(f, s), n = begins ? address_length(s) : 0;
    struct str path = {s.p + begins, n > begins ? n - begins : 0};
    if (n == 0 || !article_address_read(path, &a)) return 0;
    int64_t here = foreign_find(f, "article", a.id);
    *left = *left || here == 0 || f->base.n == 0;
    if (here == 0 || f->base.n == 0) return 0;
    struct str code = a.locale.p ? a.locale : locale.p ? locale : locale_of_links(f);
    buf_fmt(b, "%.*s/helpcenter/%.*s/articles/%" PRId64, (int)f->base.n, f->base.p, (int)code.n, code.p,
            here);
    buf_add(b, path.p + a.to, path.n - a.to);
    return n;
}

bool api_names_source(const struct foreign *f, struct str text) {
    return text.n && f->host.n && memmem(text.p, text.n, f->host.p, f->host.n);
}

struct str api_links(struct foreign *f, struct str text, struct str locale, bool *left) {
    struct buf b = {0};
    size_t at = 0, done = 0;
    *left = false;
    if (!api_names_source(f, text)) return text;
    for (const char *found; (found = memmem(text.p + at, text.n - at, "http", 4));) {
        size_t from = (size_t)(found - text.p);
        buf_add(&b, text.p + done, from - done);
        size_t n = write_article_address(f, &b, (struct str){found, text.n - from}, locale, left);
        done = from + n;
        at = n ? done : from + 4;
    }
    buf_add(&b, text.p + done, text.n - done);
    return buf_take(&b, f->item);
}

void report_links(struct foreign *f, int64_t id) {
    foreign_skip(f,
                 f->base.n ? "texts with links to articles that are not here: they lead to the source"
                           : "texts with links to articles: name this desk with --base-url",
                 id);
}
