/* export: writes the desk as a folder of NDJSON files. src/transfer does the work. This file opens the
 * store and the key. */
#include "base/clock.h"
#include "commands/commands.h"
#include "core/all/desk.h"
#include "core/change/audit.h"
#include "core/change/audit_pending.h"
#include "files/content.h"
#include "transfer/export.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static void export_finding(void *arg, const char *line) {
    (void)arg;
    complain("%s: the export lacks it", line);
}

static int export_store(const struct command_line *o, struct db *db, const struct contents *contents,
                        const struct key *key, struct arena *a) {
    const char *to = option_text(o, OPT_EXPORT_TO).p;
    char err[USAGE_MAX] = "";
    struct manifest m;
    int64_t began = clock_now(&(struct clock){0}), rows = 0;
    struct desk_export x = {.conn = db_reader(db),
                            .to = to,
                            .contents = contents,
                            .base_url = option_text(o, OPT_BASE_URL),
                            .key_proof = mac_hex(a, key, S("key proof")),
                            .now = began,
                            .progress = progress_bar,
                            .report = export_finding};
    int state = x.conn ? desk_state(x.conn) : -1;
    if (state < 0) return complain("%s can't be read", store_name(o));
    if (state != DESK_READY)
        return complain("there is no complete desk in %s: nothing to export", store_name(o));
    if (desk_export(&x, a, &m, (struct why){err, sizeof err}) < 0) return complain("%s", err);
    for (int i = 0; i < m.count; i++) rows += m.parts[i].table.rows;
    int64_t ms = clock_now(&(struct clock){0}) - began;
    printf("deskd: exported %" PRId64 " objects of %d tables and %" PRId64
           " contents of files to %s (%" PRId64 " objects a second)\n",
           rows, m.count, m.contents, to, rows * 1000 / (ms > 0 ? ms : 1));
    printf("deskd: the export does not contain the server key: keep a copy of secret.key elsewhere\n");
    return 0;
}

/* ---- the audit log --------------------------------------------------------------------------- */

struct traced {
    int64_t now;
    struct key audit_key;
};

static int trace_run(struct conn *c, void *arg) {
    const struct traced *t = arg;
    return audit_command(
        c, &(struct audit_command){t->now, 0, &t->audit_key, AUDIT_DESK_EXPORTED, S("deskd export")});
}

/* A desk that runs in a folder, or a store that can't be opened, gets the entry from a file. */
static void trace_export(const struct command_line *o, const struct key *key) {
    struct db_config cfg = store_config(o);
    struct traced t = {.now = command_now(o)};
    struct audit_command left = {t.now, 0, &t.audit_key, AUDIT_DESK_EXPORTED, S("deskd export")};
    char err[USAGE_MAX];
    struct db *db = NULL;
    cfg.at_once = true;
    int rc = db_open(&cfg, &db, err, sizeof err);
    audit_key_derive(&t.audit_key, key);
    if (rc == 0) rc = db_write(db, trace_run, &t);
    if (db) db_close(db);
    if (rc < 0 && (cfg.url || audit_pending_leave(cfg.dir, &left) != 0))
        complain("the audit log got no entry of this export, because %s can't be written", store_name(o));
    explicit_bzero(&t, sizeof t);
}

int command_export(const struct command_line *o) {
    struct db_config cfg = store_config(o);
    struct arena *a = arena_new();
    const struct contents *files = contents_chosen(o, a, NULL);
    char err[USAGE_MAX];
    struct key key;
    struct db *db;
    int guard = files ? contents_guard(files) : -1, status = EXIT_FAULT;
    cfg.read_only = true;
    if (files == NULL) guard = -1;
    else if (guard < 0 && errno != ENOENT)
        complain("the folder of files %s can't be locked: %s", files->folder, strerror(errno));
    else if (secret_key(o, false, &key) >= 0) {
        if (db_open(&cfg, &db, err, sizeof err) < 0) complain("%s", err);
        else {
            status = export_store(o, db, files, &key, a);
            db_close(db);
            if (status == 0) trace_export(o, &key);
        }
    }
    explicit_bzero(&key, sizeof key);
    if (guard >= 0) close(guard);
    contents_let_go(files);
    arena_free(a);
    return status;
}
