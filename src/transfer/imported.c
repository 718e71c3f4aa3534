#include "transfer/imported.h"

QUERY(import_source_there, "SELECT id FROM import_sources WHERE address = :address");
QUERY(import_source_new, "INSERT INTO import_sources (address, created_at, imported_at) "
                         "VALUES (:address, :now, 0) @RETURN_ID@");
QUERY(import_source_ends, "UPDATE import_sources SET imported_at = :now WHERE id = :id");
QUERY(imported_there, "SELECT here_id, changed_at, carried FROM imported_ids "
                      "WHERE source_id = :source AND kind = :kind AND foreign_id = :id");
QUERY(imported_put, "INSERT INTO imported_ids (source_id, kind, foreign_id, here_id, changed_at) "
                    "VALUES (:source, :kind, :id, :here, :at) ON CONFLICT (source_id, kind, foreign_id) "
                    "DO UPDATE SET here_id = excluded.here_id, changed_at = excluded.changed_at");
QUERY(imported_carried, "UPDATE imported_ids SET carried = :carried "
                        "WHERE source_id = :source AND kind = :kind AND foreign_id = :id");

int imported_source(struct foreign *f, struct str address) {
    int rc = db_int(f->conn, &import_source_there, BINDS(B_TEXT("address", address)), &f->source_id);
    if (rc == 0)
        rc = db_insert(f->conn, &import_source_new, BINDS(B_TEXT("address", address), B_INT("now", f->now)),
                       &f->source_id);
    return rc < 0 ? rc : 0;
}

int imported_ends(struct foreign *f) {
    int rc = db_exec(f->conn, &import_source_ends, BINDS(B_INT("now", f->now), B_INT("id", f->source_id)));
    return rc < 0 ? rc : 0;
}

int imported_find(struct foreign *f, const char *kind, int64_t id, struct imported *out) {
    struct stmt *row;
    *out = (struct imported){0};
    if (f->source_id == 0 || id <= 0) return 0;
    int rc =
        db_row(f->conn, &imported_there,
               BINDS(B_INT("source", f->source_id), B_TEXT("kind", str_of(kind)), B_INT("id", id)), &row);
    if (rc != 1) return rc;
    *out = (struct imported){.here = col_int(row, 0), .changed_at = col_int(row, 1)};
    if (!col_null(row, 2)) out->carried = str_dup(f->item, col_text(row, 2));
    stmt_end(row);
    return 1;
}

int imported_keep(struct foreign *f, const char *kind, int64_t id, int64_t here, int64_t changed_at) {
    if (f->source_id == 0 || id <= 0 || here <= 0) return 0;
    return db_later(f->conn, &imported_put,
                    BINDS(B_INT("source", f->source_id), B_TEXT("kind", str_of(kind)), B_INT("id", id),
                          B_INT("here", here), B_INT("at", changed_at)));
}

int imported_carry(struct foreign *f, const char *kind, int64_t id, struct str carried) {
    if (f->source_id == 0 || id <= 0) return 0;
    return db_later(f->conn, &imported_carried,
                    BINDS(B_TEXT("carried", carried), B_INT("source", f->source_id),
                          B_TEXT("kind", str_of(kind)), B_INT("id", id)));
}

const struct json *imported_given(struct foreign *f, const struct imported *row) {
    struct json *j;
    struct json_error wrong;
    bool known = row->carried.p && json_parse(f->item, row->carried, &j, &wrong) == 0;
    return known ? j : NULL;
}
