#include "jobs/mail_files.h"

#include "base/link.h"
#include "base/log.h"
#include "core/mail/receive.h"
#include "files/content.h"
#include "files/html_rules.h"
#include "files/picture.h"
#include "files/zip.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

static bool mail_bytes_put(const char *path, struct str bytes) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t n = 0;
    for (size_t at = 0; fd >= 0 && n >= 0 && at < bytes.n; at += (size_t)(n < 0 ? 0 : n)) {
        n = write(fd, bytes.p + at, bytes.n - at);
        if (n < 0 && errno == EINTR) n = 0;
    }
    return fd >= 0 && close(fd) == 0 && n >= 0;
}

static struct str sha256_hex(struct arena *a, struct str bytes) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(sum, (const unsigned char *)bytes.p, bytes.n);
    return str_hex(a, sum, sizeof sum);
}

/* The digest of the file is set. content_keep takes a file. The file is removed at once: if the content is
 * removed before the write, the mail is taken again. */
static int keep_bytes(struct arena *a, const struct desk *d, struct str bytes, struct file_new *f) {
    struct str folder = contents_tmp(a, d->files);
    const char *path = STR_CAT(a, folder, S("/"), random_uuid(a)).p;
    struct picture picture = {0};
    f->size = (int64_t)bytes.n;
    int rc = mail_bytes_put(path, bytes) ? content_keep(a, d->files, f->sha256, path, f->size)
                                         : UNAVAILABLE("files of mails that can't be stored",
                                                       "%s can't be written: %s", path, strerror(errno));
    if (rc >= 0 && picture_look(path, &picture) == 1)
        f->width = picture.width, f->height = picture.height, f->picture_type = (int)picture.type;
    unlink(path);
    return rc < 0 ? rc : 0;
}

static bool is_type_char(char c) { return c > ' ' && c < 0x7F && !in_set(c, "()<>@,;:\\\"[]?="); }

static struct str attachment_type(struct str type) {
    const char *slash = type.n ? memchr(type.p, '/', type.n) : NULL;
    bool valid = slash && slash > type.p && slash < type.p + type.n - 1 && type.n <= 127;
    for (size_t i = 0; valid && i < type.n; i++) valid = is_type_char(type.p[i]);
    return valid ? type : S("application/octet-stream");
}

int mail_files_keep(struct arena *a, const struct desk *d, struct str raw, const struct incoming *m,
                    struct mail_files *out) {
    *out = (struct mail_files){.raw = {.name = S("mail.eml"), .content_type = S("message/rfc822")}};
    out->attachments = arena_array(a, (size_t)m->file_count + 1, sizeof *out->attachments);
    if (raw.p) {
        out->raw.sha256 = m->sha256;
        TRY(keep_bytes(a, d, raw, &out->raw));
    }
    for (; out->count < m->file_count; out->count++) {
        const struct mail_file *from = &m->files[out->count];
        struct file_new *f = &out->attachments[out->count];
        *f = (struct file_new){.name = file_name_safe(a, from->name),
                               .content_type = attachment_type(from->type),
                               .sha256 = sha256_hex(a, from->bytes)};
        TRY(keep_bytes(a, d, from->bytes, f));
    }
    return 0;
}

static int create_one(struct work *w, const struct file_new *f, int64_t *id) {
    TRY(content_hold(w, f->sha256, "", f->size));
    return file_create(w, f, id);
}

int mail_files_create(struct work *w, const struct mail_files *f, struct incoming *m, int64_t *raw_id) {
    if (f->raw.sha256.p) TRY(create_one(w, &f->raw, raw_id));
    for (int i = 0; i < f->count; i++) TRY(create_one(w, &f->attachments[i], &m->files[i].id));
    return 0;
}

int mail_files_let_go(struct work *w, const struct incoming *m) {
    int64_t *ids = arena_array(w->arena, (size_t)m->file_count + 1, sizeof *ids);
    int n = 0;
    for (int i = 0; i < m->file_count; i++)
        if (m->files[i].id) ids[n++] = m->files[i].id;
    return n ? files_dropped(w, json_ids(w->arena, ids, (size_t)n)) : 0;
}

void mail_fold_quoted(struct arena *a, struct incoming *m) {
    if (m->html.p || m->quoted.n == 0 || m->text.n == 0) return;
    m->html = STR_CAT(a, text_to_html(a, m->text), S(HTML_FOLDED_BEGIN), text_to_html(a, m->quoted),
                      S(HTML_FOLDED_END));
}
