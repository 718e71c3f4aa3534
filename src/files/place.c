#include "files/place.h"

#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NAME_SIZE 64

struct str content_path(struct arena *a, const struct contents *k, struct str sha256) {
    return str_fmt(a, "%s/%.2s/%.*s", k->folder, sha256.p, (int)sha256.n, sha256.p);
}

struct str contents_tmp(struct arena *a, const struct contents *k) {
    return str_fmt(a, "%s/tmp", k->folder);
}

/* ---- the lock -------------------------------------------------------------------------------- */

int contents_lock_open(struct arena *a, const struct contents *k) {
    return open(str_fmt(a, "%s/lock", k->folder).p, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static int lock_with(const struct contents *k, int how) {
    struct arena *a = arena_new();
    int fd = contents_lock_open(a, k);
    arena_free(a);
    if (fd < 0 || flock(fd, how) == 0) return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

int contents_guard(const struct contents *k) { return lock_with(k, LOCK_EX); }

int contents_share(const struct contents *k) {
    int guard = lock_with(k, LOCK_SH | LOCK_NB);
    if (guard < 0 && errno != EWOULDBLOCK)
        log_warn("contents can't be removed, because %s can't be locked: %s", k->folder, strerror(errno));
    return guard;
}

/* ---- listing --------------------------------------------------------------------------------- */

static bool is_content(const char *name) {
    return strlen(name) == NAME_SIZE && strspn(name, "0123456789abcdef") == NAME_SIZE;
}

int folder_listed(struct arena *a, const struct contents *k, int nth, struct str **contents) {
    struct str *list = *contents = NULL;
    int n = 0, cap = 0, fault;
    DIR *d = opendir(str_fmt(a, "%s/%02x", k->folder, nth).p);
    if (d == NULL) return errno == ENOENT ? 0 : -1;
    for (struct dirent *e; errno = 0, (e = readdir(d)) != NULL;) {
        if (!is_content(e->d_name)) continue;
        list = arena_more(a, list, n, &cap, sizeof *list);
        list[n++] = str_dup(a, str_of(e->d_name));
    }
    fault = errno;
    closedir(d);
    errno = fault;
    *contents = list;
    return fault ? -1 : n;
}
