#include "files/copy.h"

#include "base/disk.h"
#include "files/content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

static int contents_make_folder(const char *path) {
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -1;
}

static int copy_folder(const char *from, const char *to, int nth) {
    struct arena *a = arena_new();
    struct str *list;
    const char *sub = str_fmt(a, "%s/%02x", to, nth).p;
    int n = contents_listed(a, from, nth, &list), rc = n > 0 ? contents_make_folder(to) : n;
    if (n > 0 && rc == 0) rc = contents_make_folder(sub);
    for (int i = 0; i < n && rc == 0; i++)
        rc = copy_one(a, content_path(a, from, list[i]).p, content_path(a, to, list[i]).p);
    if (n > 0 && rc == 0) rc = sync_path(sub);
    if (n > 0 && rc == 0) rc = sync_path(to);
    int why = errno;
    arena_free(a);
    errno = why;
    return rc < 0 ? rc : n;
}

int contents_copy(const char *from, const char *to, void (*progress)(int done, int total), char *err,
                  size_t err_size) {
    int sum = 0;
    for (int nth = 0; nth < CONTENT_FOLDERS; nth++) {
        int n = copy_folder(from, to, nth);
        if (n < 0)
            return snprintf(err, err_size, "contents of files can't be copied from %s to %s: %s", from, to,
                            strerror(errno)),
                   -1;
        sum += n;
        if (progress) progress(nth + 1, CONTENT_FOLDERS);
    }
    return sum;
}
