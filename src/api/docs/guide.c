/* Texts of files: guides, which the build converts from docs/guides/NAME.md to HTML (tools/guide.sh), and
 * docs/site. The first line is the title. Marks stand for what only the running desk has; docs/ADDING.md has
 * them. The files are trusted, so anything else is text. */
#include "api/docs/docs.h"

#include "api/docs/site.h"
#include "base/limits.h"

struct str guide_slug(const struct docs_file *f) {
    struct str name = str_of(f->name), folder = S("guides/"), end = S(".html");
    if (!str_starts(name, folder)) return (struct str){0};
    struct str rest = {name.p + folder.n, name.n - folder.n - end.n};
    str_cut(&rest, '-'); /* the number gives the order of guides */
    return rest;
}

struct str guide_title(const struct docs_file *f) {
    struct str rest = str_of(f->text);
    return str_cut(&rest, '\n');
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
              LIMIT(LIMIT_NOTIFICATIONS, COUNTED),
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

/* {LIMIT_IDS} is the value of the limit in base/limits.h, so that no guide repeats it. Returns the length of
 * the mark, or 0. */
static size_t write_named_limit(struct buf *out, struct str at) {
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t n = strlen(limits[i].name);
        if (at.n < n + 2 || memcmp(at.p + 1, limits[i].name, n) != 0 || at.p[n + 1] != '}') continue;
        write_limit(out, &limits[i]);
        return n + 2;
    }
    return 0;
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* Writes the text that a mark stands for. Returns the length of the mark, or 0 if there is none. */
static size_t write_mark(struct buf *out, const struct docs_mark *marks, const struct docs_view *v,
                         struct str at) {
    for (const struct docs_mark *mark = marks; mark->mark; mark++) {
        if (!str_starts(at, str_of(mark->mark))) continue;
        mark->write(out, v);
        return strlen(mark->mark);
    }
    return write_named_limit(out, at);
}

void docs_fill(struct buf *out, struct str text, const struct docs_mark *marks, const struct docs_view *v) {
    while (text.n) {
        size_t plain = strcspn(text.p, "{");
        buf_add(out, text.p, plain);
        text = (struct str){text.p + plain, text.n - plain};
        if (text.n == 0) break;
        size_t mark = write_mark(out, marks, v, text);
        if (mark == 0) buf_char(out, text.p[0]), mark = 1;
        text = (struct str){text.p + mark, text.n - mark};
    }
}
