#include "files/zip.h"

#include "base/buf.h"

#define NAME_BYTES 200
#define NAME_ENDING 20 /* bytes of an ending that is kept when a name is cut */

/* With a mark of direction, "photo_gpj.exe" is shown as "photo_exe.jpg". */
static bool is_direction(struct str s, size_t i) { return utf8_turns_direction(s.p + i, s.n - i); }

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* The ending with its stop; n 0: none. */
static struct str ending_of(struct str name) {
    for (size_t i = name.n; i-- > 1 && name.n - i <= NAME_ENDING;)
        if (name.p[i] == '.') return (struct str){name.p + i, name.n - i};
    return (struct str){name.p + name.n, 0};
}

/* The first part of a text, of at most so many bytes, in whole characters. */
static struct str whole_characters(struct str s, size_t most) {
    if (s.n <= most) return s;
    while (most && is_continuation(s.p[most])) most--;
    return (struct str){s.p, most};
}

static struct str with_suffix(struct arena *a, struct str name, struct str suffix) {
    struct str ending = ending_of(name);
    struct str stem =
        whole_characters((struct str){name.p, name.n - ending.n}, NAME_BYTES - ending.n - suffix.n);
    return STR_CAT(a, stem, suffix, ending);
}

/* Without "." and "..", and what Windows drops. */
static struct str without_end(struct str name) {
    while (name.n && in_set(name.p[name.n - 1], ". \t\r\n")) name.n--;
    return name;
}

struct str file_name_safe(struct arena *a, struct str name) {
    struct buf b = {0};
    struct str leaf = str_leaf(name.p ? name : S(""));
    bool valid = utf8_valid(leaf);
    for (size_t i = 0; i < leaf.n; i++) {
        char c = leaf.p[i];
        if (valid && is_direction(leaf, i)) i += 2;
        else if ((unsigned char)c < ' ' || c == 0x7F) continue;
        else buf_char(&b, in_set(c, "<>:\"|?*") || (!valid && (unsigned char)c > 0x7F) ? '_' : c);
    }
    struct str safe = without_end(str_trim(buf_view(&b)));
    struct str made = without_end(safe.n ? with_suffix(a, safe, S("")) : safe); /* a cut makes a new end */
    buf_free(&b);
    return made.n ? str_dup(a, made) : S("file");
}

struct str file_name_without_directions(struct arena *a, struct str name) {
    char *kept = arena_alloc(a, name.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (is_direction(name, i)) i += 2;
        else kept[n++] = name.p[i];
    }
    return (struct str){kept, n};
}

static int earlier_alike(const struct str *names, int n, struct str name) {
    int alike = 0;
    for (int i = 0; i < n; i++) alike += str_eqi(names[i], name);
    return alike;
}

void file_names_unique(struct arena *a, struct str *names, int n) {
    struct str *wanted = arena_array(a, (size_t)n + 1, sizeof *wanted);
    for (int i = 0; i < n; i++) {
        wanted[i] = names[i];
        int nth = earlier_alike(wanted, i, names[i]) + 1;
        for (; earlier_alike(names, i, names[i]) > 0; nth++)
            names[i] = with_suffix(a, wanted[i], str_fmt(a, " (%d)", nth > 1 ? nth : 2));
    }
}
