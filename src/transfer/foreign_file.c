/* Attachments of other systems: FOLDER/attachments/ID. */
#include "transfer/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "core/desk/file.h"
#include "files/content.h"
#include "files/picture.h"

/* Copies a file to the folder of temporary files, and computes its SHA-256. */
static int copy_hashed(int in, int out, unsigned char sum[crypto_hash_sha256_BYTES]) {
    static unsigned char piece[1 << 16];
    crypto_hash_sha256_state state;
    ssize_t n;
    crypto_hash_sha256_init(&state);
    while ((n = read(in, piece, sizeof piece)) > 0) {
        crypto_hash_sha256_update(&state, piece, (size_t)n);
        if (write(out, piece, (size_t)n) != n) return -1;
    }
    crypto_hash_sha256_final(&state, sum);
    return n < 0 ? -1 : 0;
}

static int keep_copy(struct foreign *f, int in, int64_t size, struct str *sha256) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    const char *draft = str_fmt(f->item, "%s/import", contents_tmp(f->item, f->contents).p).p;
    if (!f->is_open && contents_open(f->contents, f->why.p, f->why.n) < 0) return -ERR_SERVICE_UNAVAILABLE;
    f->is_open = true;
    unlink(draft);
    int out = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600),
        rc = out < 0 ? -1 : copy_hashed(in, out, sum);
    if (out >= 0) close(out);
    if (rc < 0) db_refuse(f->why, "%s can't be written: %s", draft, strerror(errno));
    *sha256 = rc < 0 ? (struct str){0} : str_hex(f->item, sum, sizeof sum);
    if (rc == 0) rc = content_lay(f->item, f->contents, *sha256, draft, size);
    unlink(draft);
    return rc < 0 ? -ERR_SERVICE_UNAVAILABLE : 0;
}

static bool type_valid(struct str type) {
    for (size_t i = 0; i < type.n; i++)
        if (type.p[i] <= ' ' || type.p[i] >= 0x7F) return false;
    return type.n && type.n <= 100 && memchr(type.p, '/', type.n);
}

int foreign_file(struct foreign *f, struct work *w, const struct foreign_attachment *a, int64_t *id) {
    const char *path =
        str_fmt(f->item, "%s/%s/%lld", f->from, a->folder ? a->folder : "attachments", (long long)a->id).p;
    struct stat st;
    struct str sha256;
    int in = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (in < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : db_refuse(f->why, "%s can't be read: %s", path, strerror(errno));
    if (fstat(in, &st) != 0 || !S_ISREG(st.st_mode))
        return close(in), db_refuse(f->why, "%s is not a file", path);
    int rc = keep_copy(f, in, st.st_size, &sha256);
    close(in);
    TRY(rc);
    struct picture picture;
    int looked = picture_look(path, &picture);
    TRY(looked);
    if (looked == 0) picture = (struct picture){0};
    struct str name = str_leaf(a->name);
    const struct file_new n = {
        .name = name.n && text_wrong(f->item, name, 255, true) == NULL ? name : S("attachment"),
        .content_type = type_valid(a->content_type) ? a->content_type : S("application/octet-stream"),
        .sha256 = sha256,
        .size = st.st_size,
        .width = picture.width,
        .height = picture.height,
        .picture_type = (int)picture.type};
    TRY(file_create(w, &n, id));
    return 1;
}
