/* compact: rewrites a store, so that nothing of deleted rows is left in it. */
#include "commands/commands.h"

#include "base/clock.h"
#include "core/all/desk.h"
#include "core/search/index.h"
#include "jobs/periodic.h"

QUERY(compact_files, "SELECT COUNT(*) FROM files WHERE expires_at IS NOT NULL AND expires_at <= :now");
QUERY(compact_erasures, "SELECT COUNT(*) FROM erasures WHERE status = 1");

static int64_t counted(struct db *db, const struct query *q, int64_t now) {
    struct conn *c = db_reader(db);
    int64_t n = -1;
    if (c == NULL || db_read_begin(c, 0) < 0) return -1;
    if (db_int(c, q, BINDS(B_INT("now", now)), &n) < 0) n = -1;
    db_read_end(c);
    return n;
}

static int rebuild_index(struct conn *c, void *arg) {
    int rc = search_rebuild(c);
    return rc < 0 ? rc : search_is_built(c, *(int64_t *)arg);
}

static int compact(const struct command_line *o, struct db *db, struct arena *a) {
    enum { STEPS = 3 };
    char err[USAGE_MAX];
    struct desk d = {.db = db, .files = files_folder(o, a), .clock.file = option_text(o, OPT_CLOCK).p};
    int64_t now = clock_now(&d.clock), running = counted(db, &compact_erasures, now);
    if (running > 0)
        return complain("%lld erasures are not complete: start the desk until their status is COMPLETED, "
                        "then run compact again",
                        (long long)running);
    progress_bar("contents", 0, STEPS);
    sweep_files(&d);
    if (running < 0 || counted(db, &compact_files, now) != 0)
        return complain("contents of expired files can't be removed from %s", d.files);
    progress_bar("search index", 1, STEPS);
    if (db_write(db, rebuild_index, &now) < 0) return complain("%s can't be written", store_name(o));
    progress_bar("store", 2, STEPS);
    int rc = db_compact(db, err, sizeof err);
    progress_bar("store", STEPS, STEPS);
    if (rc < 0) return complain("%s", err);
    return 0;
}

int command_compact(const struct command_line *o) {
    struct db_config cfg = store_config(o);
    struct db *db;
    char err[USAGE_MAX];
    if (db_open(&cfg, &db, err, sizeof err) < 0) return complain("%s", err);
    struct arena *a = arena_new();
    int status = compact(o, db, a);
    arena_free(a);
    if (db_close(db) < 0 && status == 0) status = complain("%s can't be written", store_name(o));
    if (status == 0) printf("deskd: rewrote %s; nothing of deleted rows is left in it\n", store_name(o));
    return status;
}
