/* The server key: 32 random bytes in a file that others can't read. */
#include "commands/commands.h"

#include "core/change/audit_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_READ, KEY_MADE, KEY_THERE, KEY_NONE };

static const char *key_path(const struct command_line *o, struct arena *a) {
    struct str given = option_text(o, OPT_SECRET_FILE);
    return given.p ? given.p : str_fmt(a, "%s/secret.key", option_text(o, OPT_DATA).p).p;
}

const char *audit_mark_path(const struct command_line *o, struct arena *a) {
    const char *key = key_path(o, a), *slash = strrchr(key, '/');
    return str_fmt(a, "%.*s" AUDIT_MARK_FILE, slash ? (int)(slash + 1 - key) : 0, key).p;
}

static const char *file_kind(mode_t mode) {
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a named pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

static int key_read(const char *path, int fd, struct key *out) {
    struct stat st;
    unsigned char extra;
    if (fstat(fd, &st) != 0)
        return complain("the server key %s can't be read: %s", path, strerror(errno)), -1;
    if (!S_ISREG(st.st_mode))
        return complain("the server key %s is %s, not a regular file: put a copy of the file with the key's "
                        "32 bytes there",
                        path, file_kind(st.st_mode)),
               -1;
    if (st.st_mode & S_IRWXO)
        return complain("the server key %s is readable by all users: chmod 600 %s", path, path), -1;
    if (read(fd, out->bytes, sizeof out->bytes) != (ssize_t)sizeof out->bytes || read(fd, &extra, 1) != 0)
        return complain("the server key %s is not 32 bytes: put the right file there", path), -1;
    return 0;
}

/* Writes the key under another name and links it, so that a crash never leaves an incomplete key. Returns
 * KEY_MADE, or KEY_THERE if another process has just made one, which counts. Negative after a complaint. */
static int key_write(const char *path, struct arena *a, const struct key *key) {
    const char *draft = str_fmt(a, "%s.new%ld", path, (long)getpid()).p;
    int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), rc = -1;
    bool kept =
        fd >= 0 && write(fd, key->bytes, sizeof key->bytes) == (ssize_t)sizeof key->bytes && fsync(fd) == 0;
    if (fd >= 0) kept = close(fd) == 0 && kept;
    if (kept && link(draft, path) == 0) rc = KEY_MADE;
    else if (kept && errno == EEXIST) rc = KEY_THERE;
    else complain("the server key %s can't be made: %s", path, strerror(errno));
    unlink(draft);
    return rc;
}

/* Returns KEY_READ, or KEY_NONE if there is no such file. Negative after a complaint. */
static int key_open(const char *path, struct key *out) {
    /* without O_NONBLOCK a named pipe without a writer would block */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return KEY_NONE;
    if (fd < 0 && errno == ENXIO)
        return complain(
                   "the server key %s is a socket or a device, not a regular file: put a copy of the file "
                   "with the key's 32 bytes there",
                   path),
               -1;
    if (fd < 0) return complain("the server key %s can't be read: %s", path, strerror(errno)), -1;
    int rc = key_read(path, fd, out);
    close(fd);
    return rc;
}

int secret_key(const struct command_line *o, bool create, struct key *out) {
    struct arena *a = arena_new();
    const char *path = key_path(o, a);
    /* with a database, the store makes no folder */
    if (option_text(o, OPT_DATABASE).p) mkdir(option_text(o, OPT_DATA).p, 0700);
    int rc = key_open(path, out);
    if (rc == KEY_NONE && create) {
        random_bytes(out->bytes, sizeof out->bytes);
        rc = key_write(path, a, out);
        if (rc == KEY_THERE) rc = key_open(path, out);
    }
    if (rc == KEY_NONE) rc = (complain("there is no server key %s: restore it from your copy", path), -1);
    arena_free(a);
    return rc;
}

struct str key_proof(struct arena *a, const struct key *server) {
    return mac_hex(a, server, S("key proof"));
}

int secret_key_if_there(const struct command_line *o, struct key *out) {
    struct arena *a = arena_new();
    int rc = key_open(key_path(o, a), out);
    arena_free(a);
    return rc < 0 ? rc : rc == KEY_READ;
}

int secret_copy(const char *from, const char *to, bool look) {
    struct arena *a = arena_new();
    struct key key, there;
    int rc = key_open(from, &key), held = rc < 0 ? rc : key_open(to, &there);
    if (rc == KEY_NONE) rc = (complain("there is no server key %s", from), -1);
    if (held < 0) rc = held;
    if (rc == 0 && held == 0 && memcmp(&key, &there, sizeof key) != 0)
        rc = (complain("%s and %s are different keys: remove the one that does not belong to this desk", to,
                       from),
              -1);
    if (rc == 0 && held == KEY_NONE && !look) rc = key_write(to, a, &key);
    explicit_bzero(&key, sizeof key);
    explicit_bzero(&there, sizeof there);
    arena_free(a);
    return rc < 0 ? rc : 0;
}
