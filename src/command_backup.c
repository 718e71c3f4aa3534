/* backup and restore. A backup is one SQLite file; restoring is copying it to its place and opening it. */
#include "commands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void backup_progress(int done, int total) { progress_bar("backup", done, total); }

int command_backup(const struct command_line *o) {
    char err[USAGE_MAX];
    const char *to = option_text(o, OPT_TO).p;
    if (db_backup(option_text(o, OPT_DATA).p, to, backup_progress, err, sizeof err) < 0) return complain("%s", err);
    printf("deskd: backed up to %s\n", to);
    return 0;
}

/* Whether anything but a key and a lock is in the folder. One that does not exist is empty. Negative after a complaint.
 */
static int in_use(const char *dir) {
    DIR *d = opendir(dir);
    if (d == NULL && errno == ENOENT) return 0;
    if (d == NULL) return complain("%s can't be read: %s", dir, strerror(errno)), -1;
    int used = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        used |= strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, "secret.key") != 0 &&
                strcmp(e->d_name, "lock") != 0;
    closedir(d);
    return used;
}

static int copy(int from, int to, int64_t size) {
    for (int64_t done = 0; done < size;) {
        ssize_t n = copy_file_range(from, NULL, to, NULL, (size_t)(size - done < 1 << 24 ? size - done : 1 << 24), 0);
        if (n <= 0) return n < 0 ? -1 : (errno = EIO, -1);
        done += n;
        progress_bar("restore", done, size);
    }
    return fsync(to);
}

/* Under another name until it is whole: deskd never finds half a store. */
static int copy_store(const char *from, const char *draft, const char *store) {
    struct stat st;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, rc = -1;
    if (in < 0 || fstat(in, &st) != 0) {
        complain("the backup %s can't be read: %s", from, strerror(errno));
    } else if ((out = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0 ||
               copy(in, out, st.st_size) != 0 || rename(draft, store) != 0) {
        complain("%s can't be written: %s", store, strerror(errno));
        if (out >= 0) unlink(draft);
    } else {
        rc = 0;
    }
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return rc;
}

static int restore(const char *from, const char *dir, struct arena *a) {
    char err[USAGE_MAX];
    struct db *db;
    const char *store = str_fmt(a, "%s/desk.db", dir).p;
    int used = in_use(dir);
    if (used < 0) return EXIT_FAULT;
    if (used) return complain("%s is not empty: name a new folder with --data, or move this one away", dir);
    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        return complain("the folder %s can't be made: %s", dir, strerror(errno));
    if (copy_store(from, str_fmt(a, "%s.new", store).p, store) < 0) return EXIT_FAULT;
    if (db_open(&(struct db_config){.dir = dir}, &db, err, sizeof err) < 0) {
        unlink(store);
        return complain("%s is no backup of a desk: %s", from, err);
    }
    db_close(db);
    printf("deskd: restored to %s\n", dir);
    if (access(str_fmt(a, "%s/secret.key", dir).p, F_OK) != 0)
        printf("deskd: put your copy of secret.key there, too; with a new one all sessions end and encrypted secrets "
               "are lost\n");
    return 0;
}

int command_restore(const struct command_line *o) {
    struct arena *a = arena_new();
    int status = restore(option_text(o, OPT_FROM).p, option_text(o, OPT_DATA).p, a);
    arena_free(a);
    return status;
}
