/* A parser of HTML takes "<" and a letter as the beginning of a tag only outside of comments, scripts,
 * quoted values and so on. To know which of these holds, the whole parser is needed. So each "<" with a
 * letter begins a tag here. Then many tags are open at one place. But a tag is read by a machine of a few
 * states, and tags that are in the same state read the same from there on. So only the one with the most
 * attributes is kept for each state. */
#include "files/html_attributes.h"

#include "base/limits.h"

#include <ctype.h>

/* The states of a tag (HTML, section 13.2.5). */
enum tag_state {
    TAG_NAME,
    TAG_BETWEEN,
    TAG_ATTRIBUTE,
    TAG_BEHIND,
    TAG_VALUE,
    TAG_QUOTED,
    TAG_APOSTROPHE,
    TAG_UNQUOTED,
    TAG_STATES,
    TAG_END
};

struct open_tag {
    size_t at;
    int attributes;
};

/* The tags that are open, one for each state whose bit is set. */
struct open_tags {
    struct open_tag in[TAG_STATES];
    unsigned set;
};

static bool is_tag_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/* Behind the name of an attribute and blanks. */
static enum tag_state tag_behind(char c) {
    if (is_tag_blank(c)) return TAG_BEHIND;
    return c == '=' ? TAG_VALUE : TAG_ATTRIBUTE;
}

static enum tag_state tag_value(char c) {
    if (is_tag_blank(c)) return TAG_VALUE;
    return c == '"' ? TAG_QUOTED : c == '\'' ? TAG_APOSTROPHE : TAG_UNQUOTED;
}

/* Returns the state after the character. */
static enum tag_state tag_next(enum tag_state s, char c) {
    if (s == TAG_QUOTED) return c == '"' ? TAG_BETWEEN : s;
    if (s == TAG_APOSTROPHE) return c == '\'' ? TAG_BETWEEN : s;
    if (c == '>') return TAG_END;
    if (s == TAG_VALUE) return tag_value(c);
    if (s == TAG_UNQUOTED) return is_tag_blank(c) ? TAG_BETWEEN : s;
    if (c == '/') return TAG_BETWEEN;
    if (s == TAG_BEHIND) return tag_behind(c);
    if (s == TAG_ATTRIBUTE) return is_tag_blank(c) ? TAG_BEHIND : c == '=' ? TAG_VALUE : s;
    if (is_tag_blank(c)) return TAG_BETWEEN;
    return s == TAG_NAME ? TAG_NAME : TAG_ATTRIBUTE;
}

static void keep_tag(struct open_tags *t, enum tag_state s, struct open_tag tag) {
    bool there = t->set & 1U << s;
    if (!there || tag.attributes > t->in[s].attributes) t->in[s] = tag;
    t->set |= 1U << s;
}

/* Reads one character of all open tags. Returns the attributes of the tag that has the most. */
static struct open_tag tags_read(struct open_tags *t, char c) {
    struct open_tags next = {.set = 0};
    struct open_tag most = {0};
    for (unsigned s = 0; s < TAG_STATES; s++) {
        if (!(t->set & 1U << s)) continue;
        struct open_tag tag = t->in[s];
        enum tag_state to = tag_next((enum tag_state)s, c);
        tag.attributes += to == TAG_ATTRIBUTE && s != TAG_ATTRIBUTE;
        if (tag.attributes > most.attributes) most = tag;
        if (to != TAG_END) keep_tag(&next, to, tag);
    }
    *t = next;
    return most;
}

static bool tag_may_begin(struct str html, size_t i) {
    size_t name = i + 1 + (i + 1 < html.n && html.p[i + 1] == '/');
    return html.p[i] == '<' && name < html.n && isalpha((unsigned char)html.p[name]);
}

struct str html_few_attributes(struct str html) {
    struct open_tags tags = {.set = 0};
    for (size_t i = 0; i < html.n; i++) {
        if (tags.set == 0) {
            const char *next = memchr(html.p + i, '<', html.n - i);
            if (next == NULL) break;
            i = (size_t)(next - html.p);
        }
        struct open_tag most = tags_read(&tags, html.p[i]);
        if (most.attributes > LIMIT_HTML_ATTRIBUTES) return (struct str){html.p, most.at};
        if (tag_may_begin(html, i)) keep_tag(&tags, TAG_NAME, (struct open_tag){.at = i});
    }
    return html;
}
