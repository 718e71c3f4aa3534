/* The order of an import: (1) read desk.json, (2) verify the contents of files and copy them, (3) fill the
 * store in one transaction, whose last step checks what an edited file could forge. Contents come first,
 * because a committed row must have its content. A content without a row does no harm: the desk removes
 * it. */
#include "transfer/import.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/disk.h"
#include "base/error.h"
#include "core/all/check.h"
#include "core/all/desk.h"
#include "core/all/catch_up.h"
#include "core/words.h"
#include "files/content.h"
#include "files/copy.h"
#include "transfer/contents.h"
#include "transfer/part_read.h"
#include "transfer/secrets.h"

enum { MANIFEST_MAX = 4 << 20 };

struct importing {
    const struct desk_import *x;
    struct parts parts;
    struct import_summary *out;
};

/* ---- desk.json ------------------------------------------------------------------------------- */

static int file_read(struct arena *a, const char *path, struct str *out, struct why why) {
    const char *reason;
    FILE *f = plain_stream(path, &reason);
    if (!f) return db_refuse(why, "%s can't be read: %s", path, reason);
    char *text = arena_bytes(a, MANIFEST_MAX);
    *out = (struct str){text, fread(text, 1, MANIFEST_MAX, f)};
    bool failed = ferror(f) != 0;
    fclose(f);
    return failed || out->n == MANIFEST_MAX ? db_refuse(why, "%s can't be read, or is too large", path) : 0;
}

static int check_key_proof(const struct desk_import *x, const struct manifest *m, struct why why) {
    if (x->without_secrets) return 0;
    if (!x->key_proof.p)
        return db_refuse(why,
                         "there is no server key: put the exported desk's secret.key into the data folder, "
                         "or name it with --secret-file; without it, import with --without-secrets");
    if (str_eq(x->key_proof, m->key_proof)) return 0;
    return db_refuse(
        why, "the server key is not that of the exported desk, so its encrypted values can't be read: use "
             "its secret.key, or import with --without-secrets");
}

int desk_import_open(const struct desk_import *x, struct arena *a, struct manifest *out, struct why why) {
    struct str text;
    int newest = 0;
    *out = (struct manifest){0};
    while (schema_files[newest].name) newest++;
    TRY(file_read(a, str_fmt(a, "%s/" MANIFEST_FILE, x->from).p, &text, why));
    TRY(manifest_read(a, text, out, why));
    if (!is_plain_folder(str_fmt(a, "%s/" TABLES_FOLDER, x->from).p))
        return db_refuse(why, "%s/" TABLES_FOLDER " is not a folder", x->from);
    if (out->schema != newest)
        return db_refuse(why,
                         "the export has schema %" PRId64
                         ", but this deskd has %d: import it with deskd %.*s, then update "
                         "that desk",
                         out->schema, newest, (int)out->program.n, out->program.p);
    return check_key_proof(x, out, why);
}

/* ---- the last step --------------------------------------------------------------------------- */

QUERY(import_schema, "SELECT COUNT(*) FROM schema_version WHERE version BETWEEN 1 AND :newest");
QUERY(import_schema_rows, "SELECT COUNT(*) FROM schema_version");
QUERY(import_forged_role,
      "SELECT id FROM roles WHERE type NOT IN (1, 2, 3, 4, 5) OR (type = 5 AND id <> 5) OR (id <= 5 "
      "AND type <> CASE id WHEN 1 THEN 4 WHEN 2 THEN 3 WHEN 3 THEN 2 WHEN 4 THEN 1 ELSE 5 END) "
      "ORDER BY id LIMIT 1");
QUERY(import_system_roles, "SELECT COUNT(*) FROM roles WHERE id BETWEEN 1 AND 5");
QUERY(import_forged_user, "SELECT u.id FROM users u JOIN roles r ON r.id = u.role_id "
                          "WHERE u.role_type <> r.type ORDER BY u.id "
                          "LIMIT 1");
QUERY(import_people, "SELECT role_type, COUNT(*) FROM users WHERE deleted_at IS NULL GROUP BY role_type");

/* Returns 1 with the answer of a query for one number, 0, or a refusal. */
static int import_asked(struct conn *c, const struct query *q, const struct bind *binds, int64_t *out,
                        struct why why) {
    int rc = db_int(c, q, binds, out);
    return rc < 0 ? db_refuse(why, "the imported rows can't be read") : rc;
}

static int check_schema(struct importing *g, struct conn *c, struct why why) {
    int64_t versions = 0, rows = 0;
    TRY(import_asked(c, &import_schema, BINDS(B_INT("newest", g->parts.m->schema)), &versions, why));
    TRY(import_asked(c, &import_schema_rows, NULL, &rows, why));
    if (versions == g->parts.m->schema && rows == versions) return 0;
    return db_refuse(why, TABLES_FOLDER "/schema_version.ndjson does not list the schema files 1 to %" PRId64,
                     g->parts.m->schema);
}

static int refuse_row(struct importing *g, const char *table, int64_t id, const char *what, struct why why) {
    return db_refuse(why, TABLES_FOLDER "/%s.ndjson:%" PRId64 ": %s", table,
                     part_line(&g->parts, table, "id", id), what);
}

/* A file of an export may have been edited. The type of the role decides the rights of a person. */
static int check_forged_roles(struct importing *g, struct conn *c, struct why why) {
    int64_t id = 0;
    int found = import_asked(c, &import_forged_role, NULL, &id, why);
    if (found == 1)
        return refuse_row(g, "roles", id, "the role has an unknown type, or that of another built-in role",
                          why);
    if (found == 0) found = import_asked(c, &import_system_roles, NULL, &id, why);
    if (found == 1 && id != 5) return db_refuse(why, TABLES_FOLDER "/roles.ndjson lacks a built-in role");
    if (found >= 0) found = import_asked(c, &import_forged_user, NULL, &id, why);
    if (found == 1) return refuse_row(g, "users", id, "role_type differs from the type of the role", why);
    return found < 0 ? found : 0;
}

struct contradiction {
    struct why why;
    bool found;
};

static void contradiction_found(void *arg, const char *line) {
    struct contradiction *x = arg;
    if (!x->found) db_refuse(x->why, "the rows contradict each other: %s", line);
    x->found = true;
}

/* The checks of deskd check. The rows of a desk pass them, those of an edited export may not. */
static int check_contradictions(struct conn *c, struct why why) {
    struct contradiction x = {.why = why};
    int findings = desk_check(c, contradiction_found, &x);
    if (findings < 0) return db_refuse(why, "the imported rows can't be read");
    return findings ? -ERR_SERVICE_UNAVAILABLE : 0;
}

static int count_people(struct importing *g, struct conn *c, struct why why) {
    int rc;
    DB_ROWS(rc, c, &import_people, NULL, row) g->out->people[col_int(row, 0)] = col_int(row, 1);
    return rc < 0 ? db_refuse(why, "the imported rows can't be read") : 0;
}

static int import_finish(void *arg, struct conn *c, struct why why) {
    struct importing *g = arg;
    TRY(check_schema(g, c, why));
    int state = desk_state(c);
    if (state != DESK_READY) return db_refuse(why, "the export holds no complete desk");
    TRY(check_forged_roles(g, c, why));
    TRY(check_contradictions(c, why));
    TRY(count_people(g, c, why));
    if (g->x->without_secrets && secrets_drop(c, g->x->dropped) < 0)
        return db_refuse(why, "the secrets can't be deleted");
    return 0;
}

/* ---- the import ------------------------------------------------------------------------------ */

static int import_contents(const struct desk_import *x, struct arena *a, struct manifest *m, struct why why) {
    const char *from = str_fmt(a, "%s/" FILES_FOLDER, x->from).p;
    int64_t count, bytes;
    TRY(contents_verified(a, from, &count, &bytes, why));
    if (count != m->contents || bytes != m->content_bytes)
        return db_refuse(why,
                         "%s has %" PRId64 " contents, but " MANIFEST_FILE " counts %" PRId64
                         " (or their bytes differ): copy the export again",
                         from, count, m->contents);
    const struct contents copy = {.folder = from};
    return contents_copy(&copy, x->contents, NULL, why.p, why.n) < 0 ? -ERR_SERVICE_UNAVAILABLE : 0;
}

static int import_vacant(struct conn *c) {
    int state = desk_state(c);
    return state < 0 ? state : state == DESK_EMPTY;
}

int desk_import_run(const struct desk_import *x, struct arena *a, struct manifest *m,
                    struct import_summary *out, struct why why) {
    struct importing g = {.x = x, .parts = {x->from, m}, .out = out};
    *out = (struct import_summary){.contents = m->contents};
    TRY(import_contents(x, a, m, why));
    struct db_fill f = {.derived = derived_tables,
                        .from = parts_source(&g.parts),
                        .to = x->to,
                        .vacant = import_vacant,
                        .finish = import_finish,
                        .arg = &g,
                        .progress = x->progress};
    for (int i = 0; i < m->count; i++) out->rows += m->parts[i].table.rows;
    return db_fill(&f, why.p, why.n);
}
