#include "mail/inbox.h"

#include "base/disk.h"
#include "base/limits.h"
#include "base/random.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path_of(struct arena *a, struct str inbox, const char *folder, struct str name) {
    return str_fmt(a, "%s/%s/%s", inbox.p, folder, name.p).p;
}

static struct str inbox_of(struct arena *a, struct str data) { return str_fmt(a, "%s/mail", data.p); }

/* ---- the folders ------------------------------------------------------------------------------------------------------- */

static bool inbox_make_folder(const char *path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }

static void empty_folder(struct arena *a, const char *path) {
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') unlink(str_fmt(a, "%s/%s", path, e->d_name).p);
    if (d) closedir(d);
}

struct str inbox_open(struct arena *a, struct str data) {
    static const char *const folders[] = {"", "/tmp", "/failed", "/new"}; /* new comes last: if it exists, all exist */
    struct str inbox = inbox_of(a, data);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!inbox_make_folder(str_fmt(a, "%s%s", inbox.p, folders[i]).p)) return (struct str){0};
    if (sync_path(inbox.p) != 0 || sync_path(data.p) != 0) return (struct str){0};
    empty_folder(a, str_fmt(a, "%s/tmp", inbox.p).p);
    return inbox;
}

/* ---- storing --------------------------------------------------------------------------------------------------------------- */

static bool write_all(int fd, struct str rest) {
    while (rest.n) {
        ssize_t n = write(fd, rest.p, rest.n);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        rest = (struct str){rest.p + n, rest.n - (size_t)n};
    }
    return true;
}

static bool write_file(const char *path, struct str mail) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool kept = write_all(fd, mail) && fsync(fd) == 0;
    int fault = errno;
    if (close(fd) != 0 && kept) return false;
    errno = fault;
    return kept;
}

int inbox_put(struct arena *a, struct str data, struct str mail) {
    struct str inbox = inbox_of(a, data), name = random_uuid(a);
    const char *draft = path_of(a, inbox, "tmp", name), *kept = path_of(a, inbox, "new", name);
    int folder = open(str_fmt(a, "%s/new", inbox.p).p, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fault = 0;
    if (folder < 0) return errno;
    if (!write_file(draft, mail) || rename(draft, kept) != 0) {
        fault = errno == ENOENT ? EAGAIN : errno; /* the desk has just started and removed the draft */
        unlink(draft);
    } else if (fsync(folder) != 0) {
        fault = errno;
        unlink(kept); /* the desk may have taken it already: then it comes twice */
    }
    close(folder);
    return fault;
}

/* ---- taking ------------------------------------------------------------------------------------------------------------------ */

int inbox_list(struct arena *a, struct str inbox, struct str *names, int most) {
    DIR *d = opendir(str_fmt(a, "%s/new", inbox.p).p);
    int n = 0;
    for (struct dirent *e; d && n < most && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') names[n++] = str_dup(a, str_of(e->d_name));
    if (d) closedir(d);
    return n;
}

static struct str inbox_read_all(struct arena *a, int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0) return (struct str){0};
    if (!S_ISREG(st.st_mode) || st.st_size > LIMIT_MAIL) {
        errno = EFBIG;
        return (struct str){0};
    }
    char *bytes = arena_bytes(a, (size_t)st.st_size + 1);
    size_t n = 0;
    for (ssize_t got; n < (size_t)st.st_size && (got = read(fd, bytes + n, (size_t)st.st_size - n)) != 0;) {
        if (got < 0 && errno != EINTR) return (struct str){0};
        if (got > 0) n += (size_t)got;
    }
    return (struct str){bytes, n};
}

struct str inbox_read(struct arena *a, struct str inbox, struct str name) {
    int fd = open(path_of(a, inbox, "new", name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return (struct str){0};
    struct str mail = inbox_read_all(a, fd);
    int fault = errno;
    close(fd);
    errno = fault;
    return mail;
}

bool inbox_done(struct arena *a, struct str inbox, struct str name) {
    return unlink(path_of(a, inbox, "new", name)) == 0 || errno == ENOENT;
}

bool inbox_fail(struct arena *a, struct str inbox, struct str name) {
    return rename(path_of(a, inbox, "new", name), path_of(a, inbox, "failed", name)) == 0 || errno == ENOENT;
}
