/* The server key: 32 random bytes in a file that nobody else reads. */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_MADE = 1, KEY_THERE };

static const char *key_path(const struct command_line *o, struct arena *a) {
    struct str given = option_text(o, OPT_SECRET_FILE);
    return given.p ? given.p : str_fmt(a, "%s/secret.key", option_text(o, OPT_DATA).p).p;
}

static int key_read(const char *path, int fd, struct key *out) {
    struct stat st;
    unsigned char extra;
    if (fstat(fd, &st) != 0) return complain("the server key %s can't be read: %s", path, strerror(errno)), -1;
    if (st.st_mode & S_IRWXO) return complain("the server key %s is open to everybody: chmod 600 %s", path, path), -1;
    if (read(fd, out->bytes, sizeof out->bytes) != (ssize_t)sizeof out->bytes || read(fd, &extra, 1) != 0)
        return complain("the server key %s is not 32 bytes: put the right file there", path), -1;
    return 0;
}

/* Written whole under another name first: a key cut short by a crash must never be taken for one. KEY_THERE: another
 * process made one at the same time, and that one counts. */
static int key_make(const char *path, struct arena *a, struct key *out) {
    const char *draft = str_fmt(a, "%s.new%ld", path, (long)getpid()).p;
    random_bytes(out->bytes, sizeof out->bytes);
    int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), rc = -1;
    bool kept = fd >= 0 && write(fd, out->bytes, sizeof out->bytes) == (ssize_t)sizeof out->bytes && fsync(fd) == 0;
    if (fd >= 0) kept = close(fd) == 0 && kept;
    if (kept && link(draft, path) == 0) rc = KEY_MADE;
    else if (kept && errno == EEXIST) rc = KEY_THERE;
    else complain("the server key %s can't be made: %s", path, strerror(errno));
    unlink(draft);
    return rc;
}

int secret_key(const struct command_line *o, bool create, struct key *out) {
    struct arena *a = arena_new();
    const char *path = key_path(o, a);
    if (option_text(o, OPT_DATABASE).p) mkdir(option_text(o, OPT_DATA).p, 0700); /* there the store makes no folder */
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = KEY_THERE;
    if (fd < 0 && errno == ENOENT && create && (rc = key_make(path, a, out)) == KEY_THERE)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (rc == KEY_THERE && fd < 0)
        rc = (complain("the server key %s can't be read: %s; put it back from where you keep its copy", path,
                       strerror(errno)), -1);
    else if (rc == KEY_THERE)
        rc = key_read(path, fd, out);
    if (fd >= 0) close(fd);
    arena_free(a);
    return rc;
}
