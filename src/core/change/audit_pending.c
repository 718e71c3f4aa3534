#include "core/change/audit_pending.h"

#include "base/disk.h"
#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PENDING "audit.pending"
#define LINE_MAX 200
#define AT_ONCE 100

/* Commands that leave entries. */
static const struct pending_act {
    enum audit_action action;
    const char *command;
} acts[] = {{AUDIT_DESK_EXPORTED, "deskd export"}};

static const char *pending_folder(struct arena *a, const char *dir) {
    return str_fmt(a, "%s/" PENDING, dir).p;
}

static const char *pending_path(struct arena *a, const char *dir, struct str name) {
    return str_fmt(a, "%s/" PENDING "/%.*s", dir, (int)name.n, name.p).p;
}

static struct str pending_mac(struct arena *a, const struct key *k, struct str name, const char *command,
                              int64_t time) {
    return mac_hex(a, k, str_fmt(a, "pending|%.*s|%s|%lld", (int)name.n, name.p, command, (long long)time));
}

/* ---- leaving --------------------------------------------------------------------------------- */

static int write_pending(const char *draft, struct str line) {
    int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    int rc = write(fd, line.p, line.n) == (ssize_t)line.n && fsync(fd) == 0 ? 0 : -1, why = errno;
    close(fd);
    errno = why;
    return rc;
}

int audit_pending_leave(const char *dir, const struct audit_command *of) {
    struct arena *a = arena_new();
    const char *folder = pending_folder(a, dir);
    struct str name = random_hex(a, 16);
    const char *draft = str_fmt(a, "%s/.%s", folder, name.p).p;
    struct str line = str_fmt(a, "%.*s %lld %s\n", (int)of->command.n, of->command.p, (long long)of->now,
                              pending_mac(a, of->audit_key, name, of->command.p, of->now).p);
    int rc = mkdir(folder, 0700) == 0 || errno == EEXIST ? write_pending(draft, line) : -1;
    if (rc == 0) rc = rename(draft, pending_path(a, dir, name));
    if (rc == 0) rc = sync_path(folder);
    if (rc == 0) rc = sync_path(dir);
    int why = errno;
    arena_free(a);
    errno = why;
    return rc;
}

/* ---- taking ---------------------------------------------------------------------------------- */

static int compare_pending(const void *x, const void *y) {
    return strcmp(((const struct str *)x)->p, ((const struct str *)y)->p);
}

int audit_pending_list(struct arena *a, const char *dir, struct str **names) {
    DIR *d = opendir(pending_folder(a, dir));
    int n = 0;
    if (d == NULL) return 0;
    *names = arena_array(a, AT_ONCE, sizeof **names);
    for (struct dirent *e; n < AT_ONCE && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') (*names)[n++] = str_dup(a, str_of(e->d_name)); /* others are drafts */
    closedir(d);
    qsort(*names, (size_t)n, sizeof **names, compare_pending);
    return n;
}

static struct str pending_line(struct arena *a, const char *path) {
    char line[LINE_MAX];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line);
    if (fd >= 0) close(fd);
    return n > 0 ? str_dup(a, str_trim((struct str){line, (size_t)n})) : (struct str){0};
}

/* Reads "COMMAND TIME MAC". Returns the act, or NULL: the file was not left by a command that has the key. */
static const struct pending_act *pending_read(struct arena *a, const struct key *k, const char *dir,
                                              struct str name, int64_t *time) {
    struct str line = pending_line(a, pending_path(a, dir, name));
    for (const struct pending_act *act = acts; act < acts + sizeof acts / sizeof *acts; act++) {
        struct str command = str_of(act->command);
        if (!str_starts(line, command)) continue;
        struct str rest = str_trim((struct str){line.p + command.n, line.n - command.n}),
                   number = str_cut(&rest, ' ');
        if (str_to_int(number, time) && rest.p &&
            secret_eq(rest, pending_mac(a, k, name, act->command, *time)))
            return act;
    }
    return NULL;
}

int audit_pending_take(struct work *w, const char *dir, const struct str *names, int n) {
    const struct key *key = &w->desk->audit_key;
    for (int i = 0; i < n; i++) {
        int64_t time = 0;
        const struct pending_act *act = pending_read(w->arena, key, dir, names[i], &time);
        if (act == NULL)
            log_warn("%s is not of a command with the key of this desk: it is removed",
                     pending_path(w->arena, dir, names[i]));
        else
            TRY(audit_command(w->conn,
                              &(struct audit_command){time, 0, key, act->action, str_of(act->command)}));
    }
    return 0;
}

void audit_pending_remove(struct arena *a, const char *dir, const struct str *names, int n) {
    for (int i = 0; i < n; i++)
        if (unlink(pending_path(a, dir, names[i])) != 0 && errno != ENOENT)
            log_warn("%s can't be removed: %s", pending_path(a, dir, names[i]), strerror(errno));
}
