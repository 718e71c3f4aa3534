#include "res/mail_source.h"

#include "files/content.h"
#include "files/html_clean.h"
#include "res/html_view.h"

#include <fcntl.h>
#include <unistd.h>

/* Length of the valid UTF-8 sequence at the start of a text, or 0. */
static size_t utf8_length_at(struct str s) {
    unsigned char c = (unsigned char)s.p[0];
    size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    return n && n <= s.n && utf8_valid((struct str){s.p, n}) ? n : 0;
}

struct str utf8_mended(struct arena *a, struct str bytes) {
    if (utf8_valid(bytes)) return bytes;
    struct buf b = {0};
    for (size_t i = 0; i < bytes.n;) {
        size_t n = utf8_length_at((struct str){bytes.p + i, bytes.n - i});
        buf_str(&b, n ? (struct str){bytes.p + i, n} : S("\xEF\xBF\xBD"));
        i += n ? n : 1;
    }
    struct str copy = str_dup(a, buf_view(&b));
    buf_free(&b);
    return copy;
}

/* Reads at most `most` bytes of a content. p NULL: it is not there. */
static struct str content_beginning(struct call *c, struct str sha256, size_t most) {
    struct arena *a = c->work.arena;
    int fd = open(content_path(a, c->work.desk->files, sha256).p, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return (struct str){0};
    char *bytes = arena_alloc(a, most);
    size_t n = 0;
    for (ssize_t got; n < most && (got = read(fd, bytes + n, most - n)) > 0;) n += (size_t)got;
    close(fd);
    return (struct str){bytes, n};
}

/* A character that the limit cuts is left out. */
static struct str without_half_character(struct str s) {
    size_t back = 0;
    while (back < 3 && back < s.n && ((unsigned char)s.p[s.n - 1 - back] & 0xC0) == 0x80) back++;
    struct str tail = {s.p + s.n - 1 - back, back + 1};
    if (s.n > back && (unsigned char)tail.p[0] >= 0xC2 && utf8_length_at(tail) == 0) s.n -= back + 1;
    return s;
}

void render_mail_source(struct view *v, const struct row *row, const struct value *own) {
    struct arena *a = v->c->work.arena;
    (void)row;
    if (own->type != V_TEXT || v->c->work.desk->files == NULL) {
        jw_null(&v->w);
        return;
    }
    struct arena_mark mark = arena_mark(a);
    struct str bytes = content_beginning(v->c, own->s, MAIL_SOURCE_MOST + 1);
    bool cut = bytes.n > MAIL_SOURCE_MOST;
    if (cut) bytes = without_half_character((struct str){bytes.p, MAIL_SOURCE_MOST});
    struct str text = bytes.p ? utf8_mended(a, bytes) : bytes;
    if (cut) text = STR_CAT(a, text, S("\n[The rest is left out. GET /mails/:id/source has the whole mail.]\n"));
    jw_str(&v->w, text);
    arena_return(a, mark);
}

static struct str no_inline_picture(void *ctx, struct str content_id) {
    (void)ctx, (void)content_id;
    return (struct str){0};
}

void render_mail_html(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    if (own->type == V_TEXT) jw_str(&v->w, html_show(v->c->work.arena, own->s, html_shows_remote(v->c), no_inline_picture, NULL));
    else jw_null(&v->w);
}
