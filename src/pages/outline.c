#include "pages/outline.h"

#include "base/buf.h"
#include "core/helpcenter/slug.h"
#include "pages/rows.h"

/* "h-turn-the-key"; a heading with the words of an earlier one gets its number, too. Elements of the frame
 * have ids without "h-". */
static struct str outline_id(struct arena *a, const struct outline *o, struct str text) {
    char number[INT_TEXT];
    struct str slug = slug_of(a, 0, text), id = STR_CAT(a, S("h"), ((struct str){slug.p + 1, slug.n - 1}));
    for (int i = 0; i < o->count; i++)
        if (str_eq(o->items[i].id, id)) return STR_CAT(a, id, S("-"), str_int(number, o->count + 1));
    return id;
}

/* The next heading from `at`, at its "<h"; NULL: none. *level: 2 or 3. */
static const char *next_heading(const char *at, const char *end, int *level) {
    for (; (at = memmem(at, (size_t)(end - at), "<h", 2)) != NULL && end - at > 8; at += 2) {
        *level = at[2] - '0';
        if ((*level == 2 || *level == 3) && (at[3] == '>' || at[3] == ' ')) return at;
    }
    return NULL;
}

static struct str heading_text(struct arena *a, const char *at, const char *end, int level) {
    const char close[] = {'<', '/', 'h', (char)('0' + level), '>'};
    const char *from = memchr(at, '>', (size_t)(end - at));
    const char *to = from ? memmem(from, (size_t)(end - from), close, sizeof close) : NULL;
    return to ? rows_summary(a, (struct str){from + 1, (size_t)(to - from - 1)}) : S("");
}

struct str outline_of(struct arena *a, struct str contents, struct outline *out) {
    const char *from = contents.p, *end = contents.p + contents.n, *at;
    struct buf b = {0};
    int level;
    out->count = 0;
    if (contents.n == 0) return contents;
    for (const char *next = from; out->count < OUTLINE_MOST && (at = next_heading(next, end, &level));
         next = at + 3) {
        struct str text = heading_text(a, at, end, level);
        if (text.n == 0) continue;
        struct str id = outline_id(a, out, text);
        out->items[out->count++] = (struct outline_item){id, text, level};
        buf_add(&b, from, (size_t)(at + 3 - from));
        html(&b, " id=\"%s\"", id.p);
        from = at + 3;
    }
    if (out->count == 0) return contents;
    buf_add(&b, from, (size_t)(end - from));
    return buf_take(&b, a);
}
