#include "core/cases/attachment.h"

#include "core/desk/file.h"
#include "json/json.h"

#include <inttypes.h>

QUERY(attachment_insert, "INSERT INTO post_attachments (post_id, file_id, content_id, is_inline, sort_order) "
                         "VALUES (:post, :file, NULL, 0, :place)");
QUERY(attachment_shown,
      "UPDATE post_attachments SET content_id = CAST(file_id AS TEXT), is_inline = 1, alt = :alt "
      "WHERE post_id = :post AND file_id = :file");
QUERY(attachments_hidden, "UPDATE post_attachments SET content_id = NULL, is_inline = 0, alt = NULL "
                          "WHERE post_id = :post AND is_inline = 1");
QUERY(attachment_files, "SELECT a.file_id FROM post_attachments a WHERE a.post_id = :post");
QUERY(attachments_counted, "UPDATE cases SET attachments_count = attachments_count + :more WHERE id = :case");
QUERY(attachments_delete, "DELETE FROM post_attachments WHERE post_id = :post");

static int count_attachments(struct work *w, int64_t case_id, int more) {
    return case_id && more
               ? db_later(w->conn, &attachments_counted, BINDS(B_INT("case", case_id), B_INT("more", more)))
               : 0;
}

/* The text between two marks; p NULL: a mark is missing. */
static struct str text_between(struct str s, struct str from, struct str to) {
    const char *begin = memmem(s.p, s.n, from.p, from.n);
    if (begin == NULL) return (struct str){0};
    begin += from.n;
    const char *end = memmem(begin, (size_t)(s.p + s.n - begin), to.p, to.n);
    return end ? (struct str){begin, (size_t)(end - begin)} : (struct str){0};
}

/* Clean HTML has four escapes (files/html_check.c). */
static struct str unescaped(struct arena *a, struct str s) {
    static const struct {
        const char *escape;
        char is;
    } escapes[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
    char *out = arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        size_t e = 0;
        while (e < 4 && !str_starts((struct str){s.p + i, s.n - i}, str_of(escapes[e].escape))) e++;
        out[n++] = e < 4 ? escapes[e].is : s.p[i];
        if (e < 4) i += strlen(escapes[e].escape) - 1;
    }
    return (struct str){out, n};
}

bool html_shows_inline(struct arena *a, struct str html, struct str content_id, struct str *alt) {
    struct str attributes = text_between(html, STR_CAT(a, S(" src=\"cid:"), content_id, S("\"")), S(">"));
    *alt = attributes.p ? text_between(attributes, S(" alt=\""), S("\"")) : (struct str){0};
    if (alt->p) *alt = unescaped(a, *alt);
    return attributes.p != NULL;
}

/* Gives attachments that the HTML shows their content id. */
static int attachments_show(struct work *w, struct attached_post p) {
    char id[INT_TEXT];
    struct str alt;
    int64_t *files;
    if (p.html.p == NULL || memmem(p.html.p, p.html.n, "cid:", 4) == NULL) return 0;
    int n = db_ids(w->conn, &attachment_files, BINDS(B_INT("post", p.id)), w->arena, &files);
    for (int i = 0; i < n; i++)
        if (html_shows_inline(w->arena, p.html, str_int(id, files[i]), &alt))
            TRY(db_later(w->conn, &attachment_shown,
                         BINDS(B_INT("post", p.id), B_INT("file", files[i]), B_TEXT("alt", alt))));
    return n < 0 ? n : 0;
}

int attachments_refer(struct work *w, struct attached_post p) {
    TRY(db_later(w->conn, &attachments_hidden, BINDS(B_INT("post", p.id))));
    return attachments_show(w, p);
}

int attachments_add(struct work *w, struct attached_post p, const int64_t *files, int n) {
    if (n == 0) return 0;
    for (int i = 0; i < n; i++)
        TRY(db_later(w->conn, &attachment_insert,
                     BINDS(B_INT("post", p.id), B_INT("file", files[i]), B_INT("place", i))));
    TRY(count_attachments(w, p.case_id, n));
    TRY(attachments_show(w, p));
    return files_attached(w, json_ids(w->arena, files, (size_t)n));
}

int attachments_drop(struct work *w, struct attached_post p) {
    const struct bind *binds = BINDS(B_INT("post", p.id));
    struct str files;
    int n = files_listed(w, &attachment_files, binds, &files);
    if (n <= 0) return n;
    int dropped = db_exec(w->conn, &attachments_delete, binds);
    TRY(dropped);
    TRY(count_attachments(w, p.case_id, -dropped));
    return files_released(w, files);
}
