/* The files of a move: --files-to. files/copy.c carries them. */
#include "commands/commands.h"

#include "files/copy.h"
#include "files/check.h"
#include "files/content.h"

#include <inttypes.h>
#include <sys/stat.h>

struct files_move {
    const struct contents *from, *to;
    const char *from_name, *to_name; /* for messages */
};

static bool same_files(const struct files_move *m) {
    struct stat x, y;
    if (str_eq(str_of(m->from_name), str_of(m->to_name))) return true;
    return !m->from->remote && !m->to->remote && stat(m->from->folder, &x) == 0 &&
           stat(m->to->folder, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int files_move_read(const struct command_line *o, struct arena *a, const char *beside,
                    struct files_move **out) {
    struct files_move *m = ARENA_NEW(a, struct files_move);
    struct str to = option_text(o, OPT_FILES_TO), from = option_text(o, OPT_FILES);
    *out = NULL;
    if (to.p == NULL) return 0;
    if (from.p == NULL) from = str_of(beside);
    if (from.p == NULL)
        return complain("--files-to needs --files, because the source is a database"), EXIT_USAGE;
    *m = (struct files_move){.from = contents_named(o, a, from)};
    if (m->from) m->to = contents_named(o, a, to);
    *out = m;
    if (m->to == NULL) return EXIT_FAULT;
    m->from_name = contents_name(a, m->from);
    m->to_name = contents_name(a, m->to);
    return same_files(m) ? complain("--files and --files-to are the same place") : 0;
}

void files_move_free(const struct files_move *m) {
    if (m == NULL) return;
    contents_let_go(m->from);
    contents_let_go(m->to);
}

static void print_failure(void *arg, const char *line) {
    (void)arg;
    puts(line);
}

static void carry_progress(int64_t done, int64_t total) { progress_bar("files", done, total); }
static void carry_check_progress(int done, int total) { progress_bar("check", done, total); }

/* Lists what the bucket has now. A folder was read while it was filled. */
static int files_move_check(const struct files_move *m, struct conn *c) {
    if (m->to->remote == NULL) return 0;
    return contents_check(c, &(struct contents_checking){.contents = m->to,
                                                         .only_rows = true,
                                                         .report = print_failure,
                                                         .progress = carry_check_progress});
}

static int say_carried(const struct files_move *m, const struct carried *n, bool served) {
    printf("deskd: %" PRId64 " contents of files, %" PRId64 " bytes, are in %s: %" PRId64
           " were copied now, %" PRId64 " were there\n",
           n->contents, n->bytes, m->to_name, n->sent, n->found);
    if (served)
        return complain("the desk is running, so files that come now are missing there: stop it and run this "
                        "command again, which copies what is new");
    printf("deskd: the files are complete: serve with --files %s; %s still has them, too\n", m->to_name,
           m->from_name);
    return 0;
}

int files_move_run(const struct files_move *m, struct db *source, bool served) {
    char err[USAGE_MAX] = "";
    struct conn *c = db_reader(source);
    struct carried n;
    struct carrying how = {m->from, m->to, print_failure, NULL, carry_progress};
    if (c == NULL) return complain("the source can't be read");
    if (carry_open(c, m->to, err, sizeof err) < 0) return complain("--files-to: %s", err);
    if (contents_carry(c, &how, &n) < 0) return complain("the source can't be read");
    if (n.failed)
        return complain("the files are not complete in %s: %" PRId64 " contents were copied, %" PRId64
                        " were there; run this command again, which copies what is missing",
                        m->to_name, n.sent, n.found);
    int findings = served ? 0 : files_move_check(m, c);
    if (findings < 0) return complain("the source can't be read");
    if (findings)
        return complain("the files are not complete in %s: %d contents are not there as they were",
                        m->to_name, findings);
    return say_carried(m, &n, served);
}
