/* move: moves a desk from a folder into a database, or back, and its files from a folder into a bucket, or
 * back. db/fill.c moves the rows, move_files.c the files. This file opens the two stores, checks them, and
 * copies the server key, which is not a row. Files go first: their move can be repeated, and the target of
 * the rows stays empty until it is complete. Without --files-to they stay, because contents never change.
 * A message at the end says what to do with their folder. */
#include "commands/commands.h"

#include "core/all/desk.h"
#include "core/all/catch_up.h"
#include "commands/listen.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    struct db_config config;
    const char *name; /* for messages, because a URL may contain a password */
};

struct move {
    struct arena *memory;
    struct place from, to;
    const char *key;          /* path of the source's server key; NULL: unknown */
    const char *key_to;       /* its path in the target folder; NULL: the target is a database */
    struct files_move *files; /* NULL: they stay where they are */
};

static struct place place_named(struct str text) {
    if (db_url_valid(text)) return (struct place){{.url = text.p}, "the database"};
    const char *dir = text.p + sizeof STORE_FOLDER - 1;
    return (struct place){{.dir = dir}, dir};
}

static bool same_folder(const char *a, const char *b) {
    struct stat x, y;
    return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool same_place(const struct place *a, const struct place *b) {
    bool one_url = a->config.url && b->config.url && strcmp(a->config.url, b->config.url) == 0;
    return one_url || same_folder(a->config.dir, b->config.dir);
}

/* ---- the key --------------------------------------------------------------------------------- */

static void find_key(struct move *m, const struct command_line *o) {
    const char *beside =
        m->from.config.dir ? str_fmt(m->memory, "%s/secret.key", m->from.config.dir).p : NULL;
    m->key = option_text(o, OPT_SECRET_FILE).p;
    if (m->key == NULL && beside && access(beside, F_OK) == 0) m->key = beside;
    if (m->to.config.dir) m->key_to = str_fmt(m->memory, "%s/secret.key", m->to.config.dir).p;
}

static void say_key(const struct move *m) {
    if (m->key && m->key_to)
        printf("deskd: the server key is in %s; serve with --data %s\n", m->key_to, m->to.config.dir);
    else if (m->key)
        printf("deskd: the desk still needs its server key: serve with --secret-file %s, or a copy of it "
               "that you keep with each process\n",
               m->key);
    else if (m->key_to)
        printf("deskd: put the desk's server key to %s before you serve it; with a new key all sessions end "
               "and encrypted secrets are lost\n",
               m->key_to);
    else
        printf("deskd: serve with --secret-file and the server key that the desk had; with a new key all "
               "sessions end and encrypted secrets are lost\n");
}

/* ---- contents of files ----------------------------------------------------------------------- */

QUERY(files_moved, "SELECT COUNT(*) FROM files");

static int64_t moved_file_count(struct db *source) {
    struct conn *c = db_reader(source);
    int64_t n = 0;
    return c && db_int(c, &files_moved, NULL, &n) == 1 ? n : 0;
}

static void say_files(const struct move *m, int64_t files) {
    if (files == 0) return;
    const char *where = m->from.config.dir ? str_fmt(m->memory, "%s/files", m->from.config.dir).p
                                           : "the folder that --files named";
    const char *to = m->to.config.dir ? str_fmt(m->memory, "move it to %s/files", m->to.config.dir).p
                                      : "copy it to where all processes reach it, and serve with --files";
    printf(
        "deskd: contents of %" PRId64
        " files are not rows and were not moved: they are in %s; serve with --files and that folder, or %s\n",
        files, where, to);
}

/* ---- the rows -------------------------------------------------------------------------------- */

static int vacant(struct conn *c) {
    int state = desk_state(c);
    return state < 0 ? state : state == DESK_EMPTY;
}

static void print_table(const struct db_moved *t) {
    bool same = t->rows[0] == t->rows[1] && strcmp(t->sum[0], t->sum[1]) == 0;
    printf("%-28s %10" PRId64 "  %s  %s\n", t->table, t->rows[0], t->sum[0],
           same ? "the same" : "DIFFERENT:");
    if (!same) printf("%-28s %10" PRId64 "  %s\n", "  in the target", t->rows[1], t->sum[1]);
}

static int open_source(const struct move *m, bool alone, struct db **out) {
    struct db_config cfg = m->from.config;
    char err[USAGE_MAX];
    cfg.read_only = true;
    cfg.alone = alone;
    if (db_open(&cfg, out, err, sizeof err) < 0) return complain("the source: %s", err);
    struct conn *c = db_reader(*out);
    int state = c ? desk_state(c) : -1;
    if (state == DESK_READY) return 0;
    db_close(*out);
    if (state < 0) return complain("%s can't be read", m->from.name);
    return complain("there is no complete desk in %s: nothing to move", m->from.name);
}

static int fill_target(const struct move *m, struct db *source, struct db *target) {
    struct db_move move = {.derived = derived_tables,
                           .from = source,
                           .to = target,
                           .vacant = vacant,
                           .progress = progress_bar,
                           .report = print_table};
    char err[USAGE_MAX];
    if (db_move(&move, err, sizeof err) == 0) return 0;
    return complain("nothing was moved to %s: %s", m->to.name, err);
}

static int move_store(const struct move *m, struct db *source) {
    struct db_config cfg = m->to.config;
    struct db *target;
    char err[USAGE_MAX];
    cfg.create = cfg.bulk = cfg.filling = true;
    if (db_open(&cfg, &target, err, sizeof err) < 0) return complain("the target: %s", err);
    int status = fill_target(m, source, target);
    if (db_close(target) < 0 && status == 0)
        status = complain("%s may be incomplete on its disk: free some space there, remove it and move "
                          "again",
                          m->to.name);
    return status;
}

static int move_rows(const struct move *m, struct db *source) {
    int status = move_store(m, source);
    int64_t files = m->files ? 0 : moved_file_count(source);
    if (status == 0 && m->key && m->key_to && secret_copy(m->key, m->key_to, false) < 0) status = EXIT_FAULT;
    if (status) return status;
    printf("deskd: moved from %s to %s; counts and checksums of all tables are the same\n", m->from.name,
           m->to.name);
    say_key(m);
    say_files(m, files);
    return 0;
}

static int move(const struct move *m) {
    struct db *source;
    if (same_place(&m->from, &m->to)) return complain("--from and --to are the same store");
    if (m->key && m->key_to && secret_copy(m->key, m->key_to, true) < 0) return EXIT_FAULT;
    int status = open_source(m, true, &source);
    if (status) return status;
    if (m->files) status = files_move_run(m->files, source, false);
    if (status == 0) status = move_rows(m, source);
    db_close(source);
    return status;
}

/* A store that is not alone is served by a desk, whose files are carried while it runs. */
static bool source_is_served(const struct move *m) {
    struct db_config cfg = m->from.config;
    struct db *db;
    char err[USAGE_MAX];
    cfg.read_only = cfg.alone = cfg.at_once = true;
    if (db_open(&cfg, &db, err, sizeof err) < 0) return true;
    db_close(db);
    return false;
}

static int move_only_files(const struct move *m) {
    struct db *source;
    bool served = source_is_served(m);
    int status = open_source(m, !served, &source);
    if (status) return status;
    status = files_move_run(m->files, source, served);
    db_close(source);
    return status;
}

int command_move(const struct command_line *o) {
    struct move m = {.memory = arena_new(), .from = place_named(option_text(o, OPT_MOVE_FROM))};
    struct str to = option_text(o, OPT_MOVE_TO);
    const char *beside = m.from.config.dir ? str_fmt(m.memory, "%s/files", m.from.config.dir).p : NULL;
    int status = files_move_read(o, m.memory, beside, &m.files);
    if (to.p) m.to = place_named(to);
    find_key(&m, o);
    if (status == 0 && to.p == NULL && m.files == NULL) {
        complain("move needs --to STORE, or --files-to PLACE to move the files only");
        status = EXIT_USAGE;
    } else if (status == 0) {
        status = to.p ? move(&m) : move_only_files(&m);
    }
    files_move_free(m.files);
    arena_free(m.memory);
    return status;
}
