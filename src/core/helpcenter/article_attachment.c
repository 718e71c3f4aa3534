#include "core/helpcenter/article_attachment.h"

#include "base/limits.h"
#include "core/cases/attachment.h"
#include "core/change/change.h"
#include "core/desk/file.h"
#include "json/json.h"

#include <inttypes.h>

/* ---- rows ------------------------------------------------------------------------------------ */

QUERY(article_attachments_count, "SELECT COUNT(*) FROM article_attachments WHERE article_id = :article");
QUERY(article_attachment_add,
      "INSERT INTO article_attachments (article_id, file_id, is_inline, sort_order) "
      "SELECT CAST(:article AS BIGINT), CAST(:file AS BIGINT), 0, COALESCE(MAX(a.sort_order), 0) + 1 "
      "FROM article_attachments a WHERE a.article_id = :article");
QUERY(article_attachment_touched, "UPDATE articles SET updated_at = :now WHERE id = :article");
QUERY(article_attachment_file,
      "SELECT file_id FROM article_attachments WHERE id = :id AND article_id = :article");
QUERY(article_attachment_drop, "DELETE FROM article_attachments WHERE id = :id AND article_id = :article");

static int attachments_touch(struct work *w, int64_t article_id) {
    change_named(w, (struct changed){"article", article_id, 0}, "attachments");
    return db_exec(w->conn, &article_attachment_touched,
                   BINDS(B_INT("article", article_id), B_INT("now", w->now)));
}

int article_attachments_add(struct work *w, int64_t article_id, const int64_t *files, int count) {
    int64_t present = 0;
    if (count == 0) return 0;
    TRY(db_int(w->conn, &article_attachments_count, BINDS(B_INT("article", article_id)), &present));
    if (present + count > LIMIT_ATTACHMENTS)
        return fail_field(w, ERR_FIELD_INVALID, S("attachment_file_ids"),
                          "An article has at most %d attachments. It has %" PRId64 ".", LIMIT_ATTACHMENTS,
                          present);
    for (int i = 0; i < count; i++)
        TRY(db_exec(w->conn, &article_attachment_add,
                    BINDS(B_INT("article", article_id), B_INT("file", files[i]))));
    TRY(attachments_touch(w, article_id));
    return files_attached(w, json_ids(w->arena, files, (size_t)count));
}

int article_attachment_delete(struct work *w, int64_t article_id, int64_t id) {
    const struct bind *binds = BINDS(B_INT("id", id), B_INT("article", article_id));
    struct str files;
    int n = files_listed(w, &article_attachment_file, binds, &files);
    if (n <= 0) return n;
    TRY(db_exec(w->conn, &article_attachment_drop, binds));
    TRY(attachments_touch(w, article_id));
    return files_released(w, files);
}

/* ---- pictures -------------------------------------------------------------------------------- */

QUERY(article_pictures,
      "SELECT id, file_id FROM article_attachments WHERE article_id = :article ORDER BY sort_order, id");
QUERY(article_picture_shown,
      "UPDATE article_attachments "
      "SET content_id = CAST(:content AS TEXT), is_inline = 1, alt = CAST(:alt AS TEXT) "
      "WHERE id = :id");
QUERY(article_pictures_hidden, "UPDATE article_attachments SET content_id = NULL, is_inline = 0, alt = NULL "
                               "WHERE article_id = :article AND is_inline = 1");

#define INLINE S(" src=\"cid:")
#define OWN "attachment."

static struct str replaced(struct arena *a, struct str s, struct str from, struct str to) {
    const char *at = s.p, *end = s.p + s.n, *found = s.n ? memmem(at, s.n, from.p, from.n) : NULL;
    struct buf b = {0};
    if (found == NULL) return s;
    for (; found; found = memmem(at, (size_t)(end - at), from.p, from.n)) {
        buf_add(&b, at, (size_t)(found - at));
        buf_str(&b, to);
        at = found + from.n;
    }
    buf_add(&b, at, (size_t)(end - at));
    return buf_take(&b, a);
}

static struct str picture_address(struct arena *a, const struct desk *d, int64_t article_id) {
    return str_fmt(a, "%.*s/api/v1/articles/%" PRId64 "/attachments/", (int)d->base_url.n, d->base_url.p,
                   article_id);
}

struct article_picture {
    int64_t id, file_id;
};

static int pictures_load(struct work *w, int64_t article_id, struct article_picture list[LIMIT_ATTACHMENTS]) {
    int n = 0, rc;
    DB_ROWS(rc, w->conn, &article_pictures, BINDS(B_INT("article", article_id)), row)
    if (n < LIMIT_ATTACHMENTS) list[n++] = (struct article_picture){col_int(row, 0), col_int(row, 1)};
    return rc < 0 ? rc : n;
}

static bool may_show_pictures(const struct article_texts *texts, struct str address) {
    for (int i = 0; i < texts->count; i++) {
        struct str s = texts->list[i].contents;
        if (s.n && (memmem(s.p, s.n, INLINE.p, INLINE.n) || memmem(s.p, s.n, address.p, address.n)))
            return true;
    }
    return false;
}

int article_pictures_stored(struct work *w, int64_t article_id, struct article_texts *texts) {
    struct arena *a = w->arena;
    struct article_picture list[LIMIT_ATTACHMENTS];
    struct str address = picture_address(a, w->desk, article_id);
    if (!may_show_pictures(texts, address)) return 0;
    int n = pictures_load(w, article_id, list);
    TRY(n);
    for (int i = 0; i < texts->count; i++)
        for (int k = 0; k < n; k++) {
            struct str *html = &texts->list[i].contents,
                       stored = str_fmt(a, " src=\"cid:" OWN "%" PRId64 "\"", list[k].id);
            struct str shown = str_fmt(a, "src=\"%s%" PRId64 "/url\"", address.p, list[k].id);
            *html = replaced(a, *html, str_fmt(a, " src=\"cid:%" PRId64 "\"", list[k].file_id), stored);
            *html = replaced(a, *html, STR_CAT(a, S(" "), shown), stored);
            /* Texts of a desk without https: */
            *html = replaced(a, *html, STR_CAT(a, S(" data-"), shown), stored);
        }
    return 0;
}

static int picture_marked(struct work *w, int64_t id, const struct article_texts *texts) {
    struct str content = str_fmt(w->arena, OWN "%" PRId64, id), alt;
    for (int i = 0; i < texts->count; i++)
        if (html_shows_inline(w->arena, texts->list[i].contents, content, &alt))
            return db_exec(w->conn, &article_picture_shown,
                           BINDS(B_INT("id", id), B_TEXT("content", content), B_TEXT("alt", alt)));
    return 0;
}

int article_pictures_marked(struct work *w, int64_t article_id, const struct article_texts *texts) {
    struct article_picture list[LIMIT_ATTACHMENTS];
    int n = pictures_load(w, article_id, list);
    if (n <= 0) return n;
    TRY(db_exec(w->conn, &article_pictures_hidden, BINDS(B_INT("article", article_id))));
    for (int i = 0; i < n; i++) TRY(picture_marked(w, list[i].id, texts));
    return 0;
}

/* Clean HTML has quotes only around values, so these words are always an attribute. */
struct str article_contents_shown(struct arena *a, const struct desk *d, int64_t article_id,
                                  struct str contents) {
    const struct str stored = S(" src=\"cid:" OWN);
    struct buf b = {0};
    if (contents.n == 0 || memmem(contents.p, contents.n, stored.p, stored.n) == NULL) return contents;
    struct str address = picture_address(a, d, article_id);
    const char *at = contents.p, *end = contents.p + contents.n, *found;
    while ((found = memmem(at, (size_t)(end - at), stored.p, stored.n)) != NULL) {
        struct str rest = {found + stored.n, (size_t)(end - found) - stored.n}, id = str_cut(&rest, '"');
        buf_add(&b, at, (size_t)(found - at));
        buf_text(&b, " src=\"");
        buf_str(&b, address);
        buf_str(&b, id);
        buf_text(&b, "/url\"");
        at = rest.p ? rest.p : end;
    }
    buf_add(&b, at, (size_t)(end - at));
    return buf_take(&b, a);
}
