/* Guides: converts a small part of Markdown to HTML. A file of docs/guides has one line "# Title", then:
 *
 *     ## Heading             - item              | a | b |   a table; the first row is its head
 *     text, over lines       continued line
 *     ```sh ... ```          a command that the tests run; {base_url} is the base URL of the desk
 *     ```out ... ```         the output of the command before it; ... stands for anything
 *     ```text ... ```        any other text
 *     ```python ... ```      or js, typescript: a file; its first line is a comment with its name. The tests write it, commands use it
 *     @arguments @headers @errors                      tables of the reference
 *
 * {LIMIT_IDS} is the value of the limit in base/limits.h, so that no guide repeats it. Inline: `code`,
 * **strong**, [text](address). An address that begins with / belongs to this site. Empty lines separate
 * blocks. The files are trusted, so anything else is text. */
#include "api/docs/docs.h"

#include "api/docs/site.h"
#include "base/limits.h"

struct str guide_slug(const struct docs_file *f) {
    struct str name = str_of(f->name), folder = S("guides/"), end = S(".md");
    if (!str_starts(name, folder)) return (struct str){0};
    struct str rest = {name.p + folder.n, name.n - folder.n - end.n};
    str_cut(&rest, '-'); /* the number gives the order of guides */
    return rest;
}

struct str guide_title(const struct docs_file *f) {
    struct str rest = str_of(f->text), line = str_cut(&rest, '\n'); /* "# Title" */
    return (struct str){line.p + 2, line.n - 2};
}

/* ---- limits ---------------------------------------------------------------------------------- */

enum unit { COUNTED, BYTES, SECONDS };
#define LIMIT(name, unit) \
    { #name, name, unit }
static const struct limit {
    const char *name;
    int64_t value;
    enum unit unit;
} limits[] = {LIMIT(LIMIT_BODY, BYTES),
              LIMIT(LIMIT_UPLOAD, BYTES),
              LIMIT(LIMIT_URI, BYTES),
              LIMIT(LIMIT_HEAD, BYTES),
              LIMIT(LIMIT_HEADERS, COUNTED),
              LIMIT(LIMIT_JSON_DEPTH, COUNTED),
              LIMIT(LIMIT_IDS, COUNTED),
              LIMIT(LIMIT_RECORDS, COUNTED),
              LIMIT(LIMIT_PAGE, COUNTED),
              LIMIT(LIMIT_REPLY, BYTES),
              LIMIT(LIMIT_HELD_EACH, BYTES),
              LIMIT(LIMIT_PIXELS, COUNTED),
              LIMIT(LIMIT_TITLE, COUNTED),
              LIMIT(LIMIT_CONTENTS, COUNTED),
              LIMIT(LIMIT_PASSWORD, COUNTED),
              LIMIT(LIMIT_OWNED, COUNTED),
              LIMIT(DEFAULT_PAGE, COUNTED),
              LIMIT(LIMIT_CONNECTIONS_PER_ADDRESS, COUNTED),
              {"DEADLINE_HEAD", DEADLINE_HEAD_MS / 1000, SECONDS}};

/* 524288 -> "524,288" */
static void write_count(struct buf *out, int64_t n) {
    if (n >= 1000) write_count(out, n / 1000);
    if (n >= 1000) buf_fmt(out, ",%03d", (int)(n % 1000));
    else buf_int(out, n);
}

static void write_limit(struct buf *out, const struct limit *l) {
    int64_t mega = 1024 * 1024;
    if (l->unit == COUNTED) write_count(out, l->value);
    else if (l->unit == SECONDS) buf_fmt(out, "%d seconds", (int)l->value);
    else if (l->value >= mega) buf_fmt(out, "%d MiB", (int)(l->value / mega));
    else buf_fmt(out, "%d KiB", (int)(l->value / 1024));
}

static bool write_named_limit(struct buf *out, struct str *rest) {
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t n = strlen(limits[i].name);
        if (rest->n < n + 2 || memcmp(rest->p + 1, limits[i].name, n) != 0 || rest->p[n + 1] != '}') continue;
        write_limit(out, &limits[i]);
        rest->p += n + 2;
        rest->n -= n + 2;
        return true;
    }
    return false;
}

/* ---- inside text ----------------------------------------------------------------------------- */

static bool take_until(struct str *rest, const char *end, struct str *inside) {
    const char *at = memmem(rest->p, rest->n, end, strlen(end));
    if (at == NULL) return false;
    *inside = (struct str){rest->p, (size_t)(at - rest->p)};
    size_t gone = inside->n + strlen(end);
    rest->p += gone;
    rest->n -= gone;
    return true;
}

static void skip_bytes(struct str *s, size_t n) { s->p += n, s->n -= n; }

static void guide_write_text(struct buf *out, const struct manual *m, struct str s);

static bool write_link(struct buf *out, const struct manual *m, struct str *rest) {
    struct str s = *rest, text, address;
    skip_bytes(&s, 1);
    if (!take_until(&s, "](", &text) || !take_until(&s, ")", &address)) return false;
    bool ours = address.n && address.p[0] == '/';
    buf_text(out, "<a href=\"");
    if (ours) html_text(out, m->root);
    html_text(out, address);
    buf_text(out, "\">");
    guide_write_text(out, m, text);
    buf_text(out, "</a>");
    *rest = s;
    return true;
}

/* Writes text as it is, except {base_url}. */
static void write_raw(struct buf *out, const struct manual *m, struct str s) {
    for (struct str before; take_until(&s, "{base_url}", &before);) {
        html_text(out, before);
        html_text(out, m->base_url);
    }
    html_text(out, s);
}

static bool write_marked(struct buf *out, const struct manual *m, struct str *rest, const char *mark,
                         const char *element) {
    struct str s = *rest, inside;
    skip_bytes(&s, strlen(mark));
    if (!take_until(&s, mark, &inside)) return false;
    buf_fmt(out, "<%s>", element);
    write_raw(out, m, inside);
    buf_fmt(out, "</%s>", element);
    *rest = s;
    return true;
}

static void guide_write_text(struct buf *out, const struct manual *m, struct str s) {
    while (s.n) {
        if (s.p[0] == '`' && write_marked(out, m, &s, "`", "code")) continue;
        if (str_starts(s, S("**")) && write_marked(out, m, &s, "**", "strong")) continue;
        if (s.p[0] == '[' && write_link(out, m, &s)) continue;
        if (s.p[0] == '{' && write_named_limit(out, &s)) continue;
        html_text(out, (struct str){s.p, 1});
        skip_bytes(&s, 1);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static struct str take_line(struct str *rest) { return str_cut(rest, '\n'); }

/* "Cookies and CSRF" -> "cookies-and-csrf" */
static void write_anchor(struct buf *out, struct str heading) {
    for (size_t i = 0; i < heading.n; i++) {
        char c = heading.p[i];
        if (c >= 'A' && c <= 'Z') buf_char(out, (char)(c - 'A' + 'a'));
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) buf_char(out, c);
        else if (c == ' ' || c == '-') buf_char(out, '-');
    }
}

static void write_heading(struct buf *out, const struct manual *m, struct str line) {
    skip_bytes(&line, 3);
    buf_text(out, "<h2 id=\"");
    write_anchor(out, line);
    buf_text(out, "\">");
    guide_write_text(out, m, line);
    buf_text(out, "</h2>\n");
}

static void guide_write_code(struct buf *out, const struct manual *m, struct str first, struct str *rest) {
    struct str kind = {first.p + 3, first.n - 3}, code = {0};
    if (!take_until(rest, "\n```", &code)) code = *rest, *rest = (struct str){0};
    take_line(rest);
    html(out, "<pre tabindex=\"0\" class=\"%s\"><code>", str_dup(m->arena, kind).p);
    write_raw(out, m, code);
    buf_text(out, "</code></pre>\n");
}

static void write_cells(struct buf *out, const struct manual *m, struct str line, const char *element) {
    skip_bytes(&line, 1);
    buf_text(out, "<tr>");
    for (struct str cell; take_until(&line, "|", &cell);) {
        buf_fmt(out, "<%s>", element);
        guide_write_text(out, m, str_trim(cell));
        buf_fmt(out, "</%.2s>", element);
    }
    buf_text(out, "</tr>\n");
}

static bool goes_on(struct str rest, const char *with) { return str_starts(rest, str_of(with)); }

static void write_table(struct buf *out, const struct manual *m, struct str line, struct str *rest) {
    buf_text(out, "<div class=\"wide\" tabindex=\"0\">\n<table>\n<thead>");
    write_cells(out, m, line, "th scope=\"col\"");
    take_line(rest); /* |---|---| */
    buf_text(out, "</thead>\n<tbody>\n");
    while (goes_on(*rest, "|")) write_cells(out, m, take_line(rest), "td");
    buf_text(out, "</tbody>\n</table>\n</div>\n");
}

/* Takes the lines of a paragraph or item, up to an empty line or the next block. */
static struct str take_lines(struct str first, struct str *rest) {
    struct str all = first;
    while (rest->n && rest->p[0] != '\n' && rest->p[0] != '-' && rest->p[0] != '`' && rest->p[0] != '|') {
        struct str line = take_line(rest);
        all.n = (size_t)(line.p + line.n - all.p);
    }
    return all;
}

static void write_list(struct buf *out, const struct manual *m, struct str line, struct str *rest) {
    buf_text(out, "<ul>\n");
    for (;;) {
        struct str item = take_lines(line, rest);
        skip_bytes(&item, 2);
        buf_text(out, "<li>");
        guide_write_text(out, m, item);
        buf_text(out, "</li>\n");
        if (!goes_on(*rest, "- ")) break;
        line = take_line(rest);
    }
    buf_text(out, "</ul>\n");
}

static void write_table_of(struct buf *out, const struct manual *m, struct str line) {
    if (str_eq(line, S("@arguments"))) docs_arguments_table(out, m);
    else if (str_eq(line, S("@headers"))) docs_headers_table(out);
    else if (str_eq(line, S("@errors"))) docs_errors_table(out, m);
}

static void write_block(struct buf *out, const struct manual *m, struct str line, struct str *rest) {
    if (line.n == 0) return;
    if (str_starts(line, S("## "))) {
        write_heading(out, m, line);
    } else if (str_starts(line, S("```"))) {
        guide_write_code(out, m, line, rest);
    } else if (str_starts(line, S("- "))) {
        write_list(out, m, line, rest);
    } else if (line.p[0] == '|') {
        write_table(out, m, line, rest);
    } else if (line.p[0] == '@') {
        write_table_of(out, m, line);
    } else {
        buf_text(out, "<p>");
        guide_write_text(out, m, take_lines(line, rest));
        buf_text(out, "</p>\n");
    }
}

void guide_write(struct buf *out, const struct manual *m, const struct docs_file *f) {
    struct str slug = guide_slug(f), rest = str_of(f->text);
    const char *path = str_fmt(m->arena, "/docs/%.*s", (int)slug.n, slug.p).p;
    docs_begin(out, m, str_dup(m->arena, guide_title(f)).p);
    take_line(&rest);
    while (rest.n) {
        struct str line = take_line(&rest);
        write_block(out, m, line, &rest);
    }
    docs_end(out, m, path);
}
