/* backup and restore. A backup is one SQLite file and, if files were uploaded, a folder beside it with
 * their contents. A restore copies both to their places and opens the store. */
#include "commands/commands.h"

#include "base/disk.h"
#include "core/change/audit_mark.h"
#include "files/content.h"
#include "files/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void backup_progress(int done, int total) { progress_bar("backup", done, total); }
static void files_progress(int done, int total) { progress_bar("files", done, total); }

static const char *beside(struct arena *a, const char *backup) { return str_fmt(a, "%s.files", backup).p; }

static int sync_parent(struct arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    return sync_path(slash ? str_dup(a, (struct str){path, (size_t)(slash - path) + 1}).p : ".");
}

QUERY(files_counted, "SELECT COUNT(*) FROM files");

static int64_t backup_file_count(struct db *db) {
    struct conn *c = db_reader(db);
    int64_t n = 0;
    return c && db_int(c, &files_counted, NULL, &n) == 1 ? n : 0;
}

static int64_t files_in(const char *dir) {
    char err[USAGE_MAX];
    struct db *db;
    if (db_open(&(struct db_config){.dir = dir, .read_only = true}, &db, err, sizeof err) < 0) return 0;
    int64_t n = backup_file_count(db);
    db_close(db);
    return n;
}

/* Copies rows first. The contents that they refer to are there, and stay while the guard is held. Contents
 * added later are harmless. The backup gets its name when both parts are complete. */
static int back_up(const char *dir, const struct contents *files, const char *to, struct arena *a) {
    char err[USAGE_MAX];
    const char *draft = str_fmt(a, "%s.draft", to).p, *folder = beside(a, to), *drafts = beside(a, draft);
    unlink(draft); /* the remains of an interrupted backup */
    if (db_backup(dir, draft, backup_progress, err, sizeof err) < 0) return complain("%s", err);
    int64_t rows = files_in(dir);
    if (rows && !contents_there(files))
        return unlink(draft),
               complain("there are files, but no folder %s: name their folder with --files", files->folder);
    const struct contents copy = {.folder = drafts};
    int contents = contents_copy(files, &copy, files_progress, err, sizeof err);
    if (contents < 0) return unlink(draft), complain("%s", err);
    if ((contents && rename(drafts, folder) != 0) || rename_new(draft, to) != 0 || sync_parent(a, to) != 0)
        return complain("%s can't be made: %s", to, strerror(errno));
    printf("deskd: backed up to %s\n", to);
    if (contents) printf("deskd: contents of %d files are in %s: keep both together\n", contents, folder);
    else if (rows)
        printf("deskd: %lld files have no content, because %s is empty\n", (long long)rows,
               contents_name(a, files));
    return 0;
}

int command_backup(const struct command_line *o) {
    struct arena *a = arena_new();
    const char *to = option_text(o, OPT_TO).p;
    const struct contents *files = contents_chosen(o, a, NULL);
    int guard = files ? contents_guard(files) : -1, none = guard < 0 && errno == ENOENT, status = EXIT_FAULT;
    if (files == NULL) guard = -1;
    else if (access(to, F_OK) == 0) complain("%s exists already: name a new file", to);
    else if (access(beside(a, to), F_OK) == 0) complain("%s exists already: name a new file", beside(a, to));
    else if (guard < 0 && !none)
        complain("the folder of files %s can't be locked: %s", files->folder, strerror(errno));
    else status = back_up(option_text(o, OPT_DATA).p, files, to, a);
    if (guard >= 0) close(guard);
    contents_let_go(files);
    arena_free(a);
    return status;
}

/* Returns true if the folder has anything but a key, its mark of the audit log and a lock. A folder that
 * does not exist is empty. Negative after a complaint. */
static int in_use(const char *dir) {
    DIR *d = opendir(dir);
    if (d == NULL && errno == ENOENT) return 0;
    if (d == NULL) return complain("%s can't be read: %s", dir, strerror(errno)), -1;
    int used = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        used |= strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
                strcmp(e->d_name, "secret.key") != 0 && strcmp(e->d_name, AUDIT_MARK_FILE) != 0 &&
                strcmp(e->d_name, "lock") != 0;
    closedir(d);
    return used;
}

static int copy_all_bytes(int from, int to, int64_t size) {
    for (int64_t done = 0; done < size;) {
        ssize_t n = copy_bytes(from, to, size - done);
        if (n <= 0) return n < 0 ? -1 : (errno = EIO, -1);
        done += n;
        progress_bar("restore", done, size);
    }
    return fsync(to);
}

/* Copies under another name, and renames the file when it is complete, so that deskd never finds half a
 * store. */
static int copy_store(const char *from, const char *draft, const char *store) {
    struct stat st;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, rc = -1;
    if (in < 0 || fstat(in, &st) != 0) {
        complain("the backup %s can't be read: %s", from, strerror(errno));
    } else if ((out = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0 ||
               copy_all_bytes(in, out, st.st_size) != 0 || rename(draft, store) != 0) {
        complain("%s can't be written: %s", store, strerror(errno));
        if (out >= 0) unlink(draft);
    } else {
        rc = 0;
    }
    if (in >= 0) close(in);
    if (out >= 0) close(out);
    return rc;
}

static void say_what_is_missing(struct db *db, const char *dir, const char *contents, struct arena *a) {
    int64_t files = backup_file_count(db);
    if (files && access(contents, F_OK) != 0)
        printf("deskd: %lld files have no content: there is no folder %s beside the backup\n",
               (long long)files, contents);
    if (access(str_fmt(a, "%s/secret.key", dir).p, F_OK) != 0)
        printf("deskd: put your copy of secret.key there, too; with a new key all sessions end and "
               "encrypted secrets are lost\n");
}

static int restore_backup(const char *from, const char *dir, const struct contents *files, struct arena *a) {
    char err[USAGE_MAX];
    struct db *db;
    const char *store = str_fmt(a, "%s/desk.db", dir).p;
    int used = in_use(dir);
    if (used < 0) return EXIT_FAULT;
    if (used) return complain("%s is not empty: name a new folder with --data, or move this one away", dir);
    if (db_backup_look(from, err, sizeof err) < 0) return complain("%s", err);
    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        return complain("the folder %s can't be made: %s", dir, strerror(errno));
    const struct contents copy = {.folder = beside(a, from)};
    if (contents_copy(&copy, files, files_progress, err, sizeof err) < 0) return complain("%s", err);
    if (copy_store(from, str_fmt(a, "%s.new", store).p, store) < 0) return EXIT_FAULT;
    if (db_open(&(struct db_config){.dir = dir}, &db, err, sizeof err) < 0) {
        unlink(store);
        return complain("%s is not a backup of a desk: %s", from, err);
    }
    printf("deskd: restored to %s\n", dir);
    say_what_is_missing(db, dir, beside(a, from), a);
    db_close(db);
    return 0;
}

int command_restore(const struct command_line *o) {
    struct arena *a = arena_new();
    const struct contents *files = contents_chosen(o, a, NULL);
    int status =
        files ? restore_backup(option_text(o, OPT_FROM).p, option_text(o, OPT_DATA).p, files, a) : EXIT_FAULT;
    contents_let_go(files);
    arena_free(a);
    return status;
}
