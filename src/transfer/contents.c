#include "transfer/contents.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/error.h"
#include "files/content.h"

struct contents_sum {
    const char *folder;
    int64_t count, bytes;
    bool verify;
    struct why why;
};

static int contents_add(struct contents_sum *s, struct arena *a, struct str sha256) {
    const struct contents here = {.folder = s->folder};
    const char *path = content_path(a, &here, sha256).p;
    struct stat st;
    if (lstat(path, &st) != 0) return db_refuse(s->why, "%s can't be read: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return db_refuse(s->why, "%s is not a regular file", path);
    const char *fault = s->verify ? content_fault(a, &here, sha256, st.st_size) : NULL;
    if (fault) return db_refuse(s->why, "%s %s: copy the export again", path, fault);
    s->count++;
    s->bytes += st.st_size;
    return 0;
}

static int contents_of_one(struct contents_sum *s, struct arena *a, int nth) {
    const struct contents here = {.folder = s->folder};
    struct str *list;
    struct stat st;
    const char *folder = str_fmt(a, "%s/%02x", s->folder, nth).p;
    if (lstat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        return db_refuse(s->why, "%s is not a folder", folder);
    int n = contents_listed(a, &here, nth, &list), rc = 0;
    if (n < 0) return db_refuse(s->why, "%s can't be read: %s", folder, strerror(errno));
    for (int i = 0; i < n && rc == 0; i++) rc = contents_add(s, a, list[i]);
    return rc;
}

static int contents_walk(struct arena *a, struct contents_sum *s, int64_t *count, int64_t *bytes) {
    struct stat st;
    if (lstat(s->folder, &st) == 0 && !S_ISDIR(st.st_mode))
        return db_refuse(s->why, "%s is not a folder", s->folder);
    int rc = 0;
    for (int nth = 0; nth < CONTENT_FOLDERS && rc == 0; nth++) {
        struct arena_mark m = arena_mark(a);
        rc = contents_of_one(s, a, nth);
        arena_return(a, m);
    }
    *count = s->count;
    *bytes = s->bytes;
    return rc;
}

int contents_counted(struct arena *a, const char *folder, int64_t *count, int64_t *bytes, struct why why) {
    return contents_walk(a, &(struct contents_sum){.folder = folder, .why = why}, count, bytes);
}

int contents_verified(struct arena *a, const char *folder, int64_t *count, int64_t *bytes, struct why why) {
    return contents_walk(a, &(struct contents_sum){.folder = folder, .verify = true, .why = why}, count,
                         bytes);
}
