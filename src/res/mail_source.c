#include "res/mail_source.h"

#include "files/content.h"
#include "files/html_clean.h"
#include "res/html_view.h"

#include <fcntl.h>
#include <unistd.h>

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
    if (cut) bytes = utf8_without_cut_end((struct str){bytes.p, MAIL_SOURCE_MOST});
    struct str text = bytes.p ? utf8_repaired(a, bytes) : bytes;
    if (cut)
        text = STR_CAT(a, text, S("\n[The rest is left out. GET /mails/:id/source has the whole mail.]\n"));
    jw_str(&v->w, text);
    arena_return(a, mark);
}

struct mail_pictures {
    struct view *v;
    const struct value *place;
};

/* The content id is the attachment of the message (core/mail/receive.c). A mail without a message has its
 * own content ids, and no address for them. */
static struct str mail_picture_url(void *ctx, struct str content_id) {
    const struct mail_pictures *p = ctx;
    const struct work *w = &p->v->c->work;
    int64_t id;
    if (p->place->type != V_TEXT || !str_to_int(content_id, &id) || id <= 0) return (struct str){0};
    return STR_CAT(w->arena, w->desk->base_url, S("/api/v1/"), p->place->s, S("/attachments/"), content_id,
                   S("/url"));
}

void render_mail_html(struct view *v, const struct row *row, const struct value *own) {
    struct mail_pictures p = {v, row_cell(row, "place")};
    if (own->type == V_TEXT)
        jw_str(&v->w, html_show(v->c->work.arena, own->s, html_shows_remote(v->c), mail_picture_url, &p));
    else jw_null(&v->w);
}
