#include "files/copy.h"

#include "base/disk.h"
#include "files/content.h"
#include "files/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AT_ONCE = 1 << 24 };

ssize_t copy_bytes(int from, int to, int64_t n) {
    size_t some = n < AT_ONCE ? (size_t)n : AT_ONCE;
    ssize_t done = copy_file_range(from, NULL, to, NULL, some, 0);
    bool unable = done < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP);
    return unable ? sendfile(to, from, NULL, some) : done;
}

static int copy_all(int from, int to, int64_t size) {
    for (int64_t done = 0; done < size;) {
        ssize_t n = copy_bytes(from, to, size - done);
        if (n <= 0) return n < 0 ? -1 : (errno = EIO, -1);
        done += n;
    }
    return fsync(to);
}

/* Copies under another name, and renames the file when it is complete. */
static int copy_one(struct arena *a, const char *from, const char *to) {
    const char *draft = str_fmt(a, "%s.new", to).p;
    struct stat st;
    if (access(to, F_OK) == 0) return 0;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, rc = -1;
    if (in >= 0 && fstat(in, &st) == 0) out = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out >= 0) rc = copy_all(in, out, st.st_size);
    if (rc == 0) rc = rename(draft, to);
    int why = errno;
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    errno = why;
    return rc;
}

struct copying {
    struct arena *arena;
    const struct contents *from, *to;
    struct remote_walk *reads, *finds; /* of buckets: the contents of `from`, and those of `to` */
    struct why why;                    /* of a failure that errno does not explain */
};

static int contents_copy_failed(const struct contents *from, const struct contents *to, const char *reason,
                                char *err, size_t err_size) {
    struct arena *a = arena_new();
    snprintf(err, err_size, "contents of files can't be copied from %s to %s: %s", contents_name(a, from),
             contents_name(a, to), reason);
    arena_free(a);
    return -1;
}

static int contents_make_folder(const char *path) {
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -1;
}

/* Writes the object under another name, verified, and renames the file when it is complete. */
static int copy_from_bucket(struct copying *c, const struct remote_content *from) {
    struct arena *a = c->arena;
    const char *to = content_path(a, c->to, from->sha256).p, *draft = str_fmt(a, "%s.new", to).p;
    if (access(to, F_OK) == 0) return 0;
    int out = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), rc = -1;
    if (out < 0) db_refuse(c->why, "%s can't be written: %s", draft, strerror(errno));
    else if (remote_read(c->from, from->sha256, from->size, out, c->why) == 0)
        rc = fsync(out) == 0 ? rename(draft, to) : -1;
    if (out >= 0) close(out);
    if (rc != 0) unlink(draft);
    return rc;
}

static int copy_content(struct copying *c, const struct remote_content *from) {
    const char *path = content_path(c->arena, c->from, from->sha256).p;
    struct stat st;
    if (c->to->remote == NULL)
        return c->from->remote ? copy_from_bucket(c, from)
                               : copy_one(c->arena, path, content_path(c->arena, c->to, from->sha256).p);
    if (c->from->remote) { /* from bucket to bucket: by a file in the folder of copies */
        if (content_fetch(c->arena, c->from, from->sha256, from->size) < 0) return -1;
    }
    if (stat(path, &st) != 0) return -1;
    return remote_write(c->to, from->sha256, path, st.st_size, c->why);
}

/* The contents of a subfolder. size is set if they are in a bucket. */
static int copied_contents(struct copying *c, int nth, struct remote_content **out) {
    struct str *list;
    if (c->reads) return remote_walk_next(c->reads, c->arena, nth, out, c->why);
    int n = contents_listed(c->arena, c->from, nth, &list);
    *out = arena_array(c->arena, n > 0 ? (size_t)n : 1, sizeof **out);
    for (int i = 0; i < n; i++) (*out)[i] = (struct remote_content){list[i], -1, 0};
    return n;
}

/* Contents that the bucket has already, with the same size, are not sent again. */
static int copy_to_bucket(struct copying *c, int nth, struct remote_content *list, int n) {
    struct remote_content *there;
    int count = remote_walk_next(c->finds, c->arena, nth, &there, c->why), at = 0, rc = count < 0 ? -1 : 0;
    qsort(list, (size_t)n, sizeof *list, remote_content_compare);
    for (int i = 0; i < n && rc == 0; i++) {
        struct stat st;
        int64_t size = list[i].size;
        if (size < 0 && stat(content_path(c->arena, c->from, list[i].sha256).p, &st) == 0) size = st.st_size;
        while (at < count && remote_content_compare(&there[at], &list[i]) < 0) at++;
        if (at < count && remote_content_compare(&there[at], &list[i]) == 0 && there[at].size == size)
            continue;
        rc = copy_content(c, &list[i]);
    }
    return rc;
}

static int copy_to_folder(struct copying *c, int nth, const struct remote_content *list, int n) {
    const char *sub = str_fmt(c->arena, "%s/%02x", c->to->folder, nth).p;
    int rc = n > 0 ? contents_make_folder(c->to->folder) : 0;
    if (n > 0 && rc == 0) rc = contents_make_folder(sub);
    for (int i = 0; i < n && rc == 0; i++) rc = copy_content(c, &list[i]);
    if (n > 0 && rc == 0) rc = sync_path(sub);
    if (n > 0 && rc == 0) rc = sync_path(c->to->folder);
    return rc;
}

static int copy_folder(struct copying *c, int nth) {
    struct remote_content *list;
    c->arena = arena_new();
    int n = copied_contents(c, nth, &list), rc = n < 0 ? -1 : 0;
    if (rc == 0) rc = c->to->remote ? copy_to_bucket(c, nth, list, n) : copy_to_folder(c, nth, list, n);
    int fault = errno;
    arena_free(c->arena);
    errno = fault;
    return rc < 0 ? rc : n;
}

int contents_copy(const struct contents *from, const struct contents *to,
                  void (*progress)(int done, int total), char *err, size_t err_size) {
    char said[300] = "";
    struct copying c = {.from = from, .to = to, .why = {said, sizeof said}};
    int sum = 0, n = 0;
    if (from->remote) c.reads = remote_walk_new(from);
    if (to->remote) c.finds = remote_walk_new(to);
    for (int nth = 0; nth < CONTENT_FOLDERS && n >= 0; nth++) {
        n = copy_folder(&c, nth);
        sum += n;
        if (n >= 0 && progress) progress(nth + 1, CONTENT_FOLDERS);
    }
    if (n < 0) sum = contents_copy_failed(from, to, *said ? said : strerror(errno), err, err_size);
    remote_walk_free(c.reads);
    remote_walk_free(c.finds);
    return sum;
}
