/* The order of an export: (1) open the snapshot, (2) write the tables, (3) copy the contents, (4) write
 * desk.json, (5) sync and rename. The caller holds the guard of the contents (files/content.h), so the
 * contents that the snapshot's rows refer to stay until they are copied. Each content is read again from
 * the copy. */
#include "transfer/export.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/all/catch_up.h"
#include "base/disk.h"
#include "base/error.h"
#include "files/check.h"
#include "files/content.h"
#include "files/copy.h"
#include "transfer/contents.h"
#include "transfer/row_line.h"

enum { WRITE_BYTES = 1 << 18 }; /* gathered before they are written */

struct exporting {
    const struct desk_export *x;
    struct arena *arena;
    struct manifest *m;
    const char *draft, *tables; /* folders */
    const char *path;           /* the file that is being written */
    FILE *file;
    struct buf text;
    crypto_hash_sha256_state sum;
    int room; /* number of parts that m->parts has room for */
};

static int export_failed(struct why why, const char *path) {
    return db_refuse(why, "%s can't be written: %s", path, strerror(errno));
}

/* ---- one table ------------------------------------------------------------------------------- */

static struct part *part_written(struct exporting *g) { return &g->m->parts[g->m->count - 1]; }

static int export_begin(void *arg, const struct move_table *t, struct why why) {
    struct exporting *g = arg;
    g->m->parts = arena_more(g->arena, g->m->parts, g->m->count, &g->room, sizeof *g->m->parts);
    struct part *p = &g->m->parts[g->m->count++];
    *p = (struct part){.table = *t};
    p->table.rows = 0;
    p->table.name = str_dup(g->arena, str_of(t->name)).p;
    p->table.columns = arena_array(g->arena, (size_t)t->count, sizeof *t->columns);
    memcpy(p->table.columns, t->columns, (size_t)t->count * sizeof *t->columns);
    for (int i = 0; i < t->count; i++)
        p->table.columns[i].name = str_dup(g->arena, str_of(t->columns[i].name)).p;
    g->path = str_fmt(g->arena, "%s/%s.ndjson", g->tables, t->name).p;
    g->file = fopen(g->path, "wxe");
    crypto_hash_sha256_init(&g->sum);
    return g->file ? 0 : export_failed(why, g->path);
}

static int export_flush(struct exporting *g, struct why why) {
    crypto_hash_sha256_update(&g->sum, (const unsigned char *)g->text.p, g->text.n);
    bool kept = fwrite(g->text.p, 1, g->text.n, g->file) == g->text.n;
    part_written(g)->bytes += (int64_t)g->text.n;
    g->text.n = 0;
    return kept ? 0 : export_failed(why, g->path);
}

static int export_row(void *arg, const struct move_table *t, const struct value *row, struct why why) {
    struct exporting *g = arg;
    TRY(row_write(&g->text, t, row, why));
    part_written(g)->table.rows++;
    return g->text.n < WRITE_BYTES ? 0 : export_flush(g, why);
}

static int export_end(void *arg, const struct move_table *t, struct why why) {
    struct exporting *g = arg;
    unsigned char sum[crypto_hash_sha256_BYTES];
    (void)t;
    if (g->text.n) TRY(export_flush(g, why));
    crypto_hash_sha256_final(&g->sum, sum);
    sodium_bin2hex(part_written(g)->sha256, sizeof part_written(g)->sha256, sum, sizeof sum);
    bool kept = fflush(g->file) == 0 && fsync(fileno(g->file)) == 0;
    kept = fclose(g->file) == 0 && kept;
    g->file = NULL;
    return kept ? 0 : export_failed(why, g->path);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int export_tables(struct exporting *g, struct why why) {
    const struct db_dump dump = {.derived = derived_tables,
                                 .begin = export_begin,
                                 .row = export_row,
                                 .end = export_end,
                                 .arg = g,
                                 .progress = g->x->progress};
    int rc = db_dump(g->x->conn, &dump, why);
    if (g->file) fclose(g->file);
    return rc < 0 ? rc : sync_path(g->tables) == 0 ? 0 : export_failed(why, g->tables);
}

static int export_contents(struct exporting *g, struct why why) {
    const char *to = str_fmt(g->arena, "%s/" FILES_FOLDER, g->draft).p;
    const struct contents copy = {.folder = to};
    if (contents_copy(g->x->contents, &copy, NULL, why.p, why.n) < 0) return -ERR_SERVICE_UNAVAILABLE;
    int found =
        contents_check(g->x->conn, &(struct contents_checking){.contents = &copy, .report = g->x->report});
    if (found < 0) return db_refuse(why, "the contents of files can't be checked");
    return contents_counted(g->arena, to, &g->m->contents, &g->m->content_bytes, why);
}

static int export_manifest(struct exporting *g, struct why why) {
    const char *path = str_fmt(g->arena, "%s/" MANIFEST_FILE, g->draft).p;
    FILE *f = fopen(path, "wxe");
    g->text.n = 0;
    manifest_write(&g->text, g->m);
    bool kept =
        f && fwrite(g->text.p, 1, g->text.n, f) == g->text.n && fflush(f) == 0 && fsync(fileno(f)) == 0;
    if (f) kept = fclose(f) == 0 && kept;
    return kept ? 0 : export_failed(why, path);
}

static int export_finish(struct exporting *g, struct why why) {
    const char *parent = str_fmt(g->arena, "%s/..", g->x->to).p;
    if (sync_path(g->draft) != 0 || rename(g->draft, g->x->to) != 0 || sync_path(parent) != 0)
        return export_failed(why, g->x->to);
    return 0;
}

static int export_all(struct exporting *g, struct why why) {
    if (mkdir(g->tables, 0700) != 0) return export_failed(why, g->tables);
    if (db_read_begin(g->x->conn, 0) < 0) return db_refuse(why, "the store can't be read");
    int rc = export_tables(g, why);
    if (rc == 0) rc = export_contents(g, why);
    db_read_end(g->x->conn);
    if (rc == 0) rc = export_manifest(g, why);
    return rc < 0 ? rc : export_finish(g, why);
}

static int export_remove(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st, (void)kind, (void)at;
    return remove(path);
}

int desk_export(const struct desk_export *x, struct arena *a, struct manifest *out, struct why why) {
    struct exporting g = {.x = x, .arena = a, .m = out};
    *out = (struct manifest){.format = TRANSFER_FORMAT,
                             .exported_at = x->now,
                             .program = S(DESKD_VERSION),
                             .base_url = x->base_url,
                             .key_proof = x->key_proof};
    while (schema_files[out->schema].name) out->schema++;
    g.draft = str_fmt(a, "%s.draft", x->to).p;
    g.tables = str_fmt(a, "%s/" TABLES_FOLDER, g.draft).p;
    if (access(x->to, F_OK) == 0) return db_refuse(why, "%s exists already: name a new folder", x->to);
    if (mkdir(g.draft, 0700) != 0 && errno == EEXIST)
        return db_refuse(why,
                         "%s is left from an interrupted export, or another export is running: remove "
                         "it if none is",
                         g.draft);
    if (access(g.draft, F_OK) != 0) return export_failed(why, g.draft);
    int rc = export_all(&g, why);
    if (rc < 0) nftw(g.draft, export_remove, 16, FTW_DEPTH | FTW_PHYS);
    buf_free(&g.text);
    return rc;
}
