/* The job of an import. It reads the file in parts. A part is one write: the rows, their counts, their
 * errors and the place behind them are one commit, so a crash repeats a part or does not, but never a row. A
 * dry run does the same, and undoes the rows before the commit.
 *
 * A dry run reads the file once before, for the keys that several rows have (csv_trial.c).
 *
 * A row is checked before it writes. If it nevertheless fails later, the part is undone, and begins again
 * and ends before this row, which is then the first of the next part and is undone alone. */
#include "core/access/access.h"
#include "core/access/permission.h"
#include "core/all/finish.h"
#include "core/desk/file.h"
#include "core/desk/job.h"
#include "core/words.h"
#include "files/content.h"
#include "res/csv_import.h"
#include "res/csv_reason.h"
#include "res/csv_repeats.h"
#include "res/csv_trial.h"

#include <inttypes.h>

#define PART_ROWS 200
#define PART_MS 100 /* other writes wait for a part */
#define READ_MS 1000

struct csv_note {
    int64_t line;
    struct str header, code, message; /* header.p NULL: the whole row */
    struct csv_note *next;
};

struct csv_part {
    struct work *work;
    int64_t id, file_id, creator_id, noted; /* noted: errors of the parts before */
    enum csv_existing existing;
    bool is_dry_run;
    struct str path, sha256; /* of the file */
    enum csv_encoding encoding;
    char delimiter;
    struct csv_columns columns;
    struct csv_place place;
    struct csv_rows *rows;
    struct csv_trial *trial; /* of a dry run; NULL: none */
    struct str repeats;
    bool has_changes;
    /* the results */
    int64_t counts[CSV_UNDONE];
    struct csv_note *notes, **last_note;
    int note_count;
    bool is_undone, is_over;
    struct str failure; /* p NULL: none */
};

struct str csv_import_input(struct arena *a, int64_t id, bool scans) {
    return str_fmt(a, scans ? "{\"id\":%" PRId64 ",\"scan\":1}" : "{\"id\":%" PRId64 "}", id);
}

/* ---- the row of the import --------------------------------------------------------------------- */

#define CSV_IMPORT_LOAD                                                                                  \
    "SELECT i.kind, i.existing, i.is_dry_run, i.file_id, f.sha256, i.encoding, i.delimiter, i.columns, " \
    "COALESCE(i.creator_id, 0), i.position, i.line_seq, i.row_seq, i.error_count, i.repeats, "           \
    "CASE WHEN EXISTS (SELECT 1 FROM csv_import_changes c WHERE c.import_id = i.id) THEN 1 ELSE 0 END "  \
    "FROM csv_imports i JOIN files f ON f.id = i.file_id WHERE i.id = :id AND i.status IN (1, 2)"
QUERY(csv_import_read, CSV_IMPORT_LOAD);
QUERY(csv_import_load, CSV_IMPORT_LOAD " @LOCK@");
QUERY(csv_import_progress,
      "UPDATE csv_imports SET status = :status, position = :position, line_seq = :line, row_seq = :row, "
      "created_count = created_count + :created, updated_count = updated_count + :updated, "
      "skipped_count = skipped_count + :skipped, rejected_count = rejected_count + :rejected, "
      "error_count = error_count + :errors, failure = :failure, updated_at = :now WHERE id = :id");
QUERY(csv_import_end, "UPDATE csv_imports SET file_id = NULL, repeats = NULL WHERE id = :id");
QUERY(csv_import_result, "SELECT row_seq - 1, created_count + updated_count, rejected_count FROM csv_imports "
                         "WHERE id = :id");
QUERY(csv_error_insert, "INSERT INTO csv_import_errors (import_id, line_seq, header, code, message) "
                        "VALUES (:import, :line, :header, :code, :message)");

/* Returns 1, 0 if the import has ended or is gone, or a negative error. */
static int part_load(struct work *w, const struct query *load, int64_t id, struct csv_part *p) {
    struct arena *a = w->arena;
    struct stmt *row;
    int rc = db_row(w->conn, load, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc;
    enum csv_kind kind = (enum csv_kind)col_int(row, 0);
    p->work = w;
    p->id = id;
    p->existing = (enum csv_existing)col_int(row, 1);
    p->is_dry_run = col_int(row, 2) != 0;
    p->file_id = col_int(row, 3);
    p->sha256 = str_dup(a, col_text(row, 4));
    p->path = content_path(a, w->desk->files, p->sha256);
    p->encoding = (enum csv_encoding)col_int(row, 5);
    p->delimiter = CSV_DELIMITERS[col_int(row, 6) - 1];
    struct str columns = str_dup(a, col_text(row, 7)), repeats = col_text(row, 13);
    p->repeats = repeats.p ? str_dup(a, repeats) : repeats;
    p->has_changes = col_int(row, 14) != 0;
    p->creator_id = col_int(row, 8);
    p->place = (struct csv_place){col_int(row, 9), col_int(row, 10), col_int(row, 11)};
    p->noted = col_int(row, 12);
    stmt_end(row);
    TRY(csv_columns_of_text(a, kind, columns, &p->columns));
    return 1;
}

/* Sets the actor of the rows. Returns 1, 0 if the person may not import any more, or a negative error. */
static int part_actor(const struct csv_part *p, struct work *w) {
    int rc = actor_of_person(w, p->creator_id, &w->actor);
    w->actor.cause = S("CSV import");
    if (rc < 0) return rc;
    return rc == ACTOR_ABLE && w->actor.rank >= ROLE_ADMIN && permitted(&w->actor, "users.update") &&
           (p->columns.kind == CSV_USERS || permitted(&w->actor, "organizations.update"));
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The column of a problem, by its name in the file. */
static struct str header_of_problem(const struct csv_part *p, const struct problem *problem) {
    struct arena *a = p->work->arena;
    struct str values = S("field_values/"), none = {0};
    if (str_starts(problem->pointer, values))
        return csv_header_of(a, &p->columns, CSV_FIELD_VALUE,
                             (struct str){problem->pointer.p + values.n, problem->pointer.n - values.n});
    return problem->parameter.p
               ? csv_header_of(a, &p->columns, csv_target_of_parameter(problem->parameter), none)
               : none;
}

static void part_note(struct csv_part *p, int64_t line, struct str header, struct str code,
                      struct str message) {
    struct csv_note *note = ARENA_NEW(p->work->arena, struct csv_note);
    *note = (struct csv_note){line, header, code, message, NULL};
    *p->last_note = note;
    p->last_note = &note->next;
    p->note_count++;
}

static void part_note_problems(struct csv_part *p, const struct csv_row *row) {
    for (const struct problem *problem = p->rows->call.work.problems; problem; problem = problem->next) {
        const struct error_info *info = error_info((int)problem->code);
        part_note(p, row->line, header_of_problem(p, problem), str_of(info->code),
                  problem->message.p ? problem->message : str_of(info->message));
    }
    p->counts[CSV_REJECTED]++;
}

static void part_fail(struct csv_part *p, int64_t line, const char *why) {
    p->failure = str_fmt(p->work->arena, "Line %lld: %s", (long long)line, why);
    p->is_over = true;
}

static const char *why_of(const struct csv_part *p, enum csv_reason reason) {
    return csv_reason_text(p->work->arena, reason, 0).p;
}

static int part_take(struct csv_part *p, const struct csv_row *row) {
    struct csv_cells cells;
    if (!csv_rows_read(p->rows, row, &cells)) return CSV_REJECTED;
    return p->trial ? csv_trial_take(p->trial, &cells) : csv_rows_take(p->rows, &cells);
}

/* Reads up to `most` rows from the place on. Returns 0, a negative error, or the number of rows after which
 * the part must end when it begins again. */
static int part_read_rows(struct csv_part *p, struct csv_reader *r, int most) {
    int64_t until = clock_monotonic() + PART_MS;
    for (int n = 0; n < most && (n == 0 || clock_monotonic() < until); n++) {
        struct csv_row row;
        int rc = csv_next(r, p->work->arena, &row);
        if (rc < 0) part_fail(p, csv_line(r), csv_why(r));
        else if (rc && row.number > LIMIT_CSV_ROWS + 1) part_fail(p, row.line, why_of(p, CSV_TOO_MANY_ROWS));
        if (rc == 0) p->is_over = true;
        if (p->is_over) return 0;
        int result = part_take(p, &row);
        TRY(result);
        if (result == CSV_UNDONE && n > 0) return n;
        if (result == CSV_UNDONE || result == CSV_REJECTED) part_note_problems(p, &row);
        else p->counts[result]++;
        csv_mark(r, &p->place);
        p->is_undone = result == CSV_UNDONE;
        if (p->is_undone) return 0;
    }
    return 0;
}

static int part_run_once(struct csv_part *p, const struct work *as, int most) {
    struct csv_place from = p->place;
    struct csv_reader *r = csv_open(p->path.p, p->encoding, p->delimiter);
    if (r == NULL) return -ERR_SERVICE_UNAVAILABLE;
    memset(p->counts, 0, sizeof p->counts);
    p->notes = NULL;
    p->last_note = &p->notes;
    p->note_count = 0;
    csv_rows_begin(p->rows, as, &p->columns, p->existing == CSV_SKIP);
    if (p->trial) csv_trial_begin(p->trial, p->rows, p->id, p->repeats, p->has_changes);
    int rc = csv_return(r, &from) < 0 ? -ERR_SERVICE_UNAVAILABLE : part_read_rows(p, r, most);
    csv_close(r);
    buf_free(&p->rows->call.out);
    work_set_aside(&p->rows->call.work);
    if (rc > 0) p->place = from;
    return rc;
}

/* One part, and again without the row that failed late. */
static int part_run(struct csv_part *p, const struct work *as) {
    struct conn *conn = p->work->conn;
    int most = PART_ROWS;
    p->rows = ARENA_NEW(p->work->arena, struct csv_rows);
    if (p->is_dry_run) p->trial = ARENA_NEW(p->work->arena, struct csv_trial);
    for (;;) {
        TRY(db_savepoint(conn, "csv_import"));
        int rc = part_run_once(p, as, most);
        TRY(rc);
        bool kept = rc == 0 && !p->is_dry_run && !p->is_undone;
        TRY(kept ? db_release(conn, "csv_import") : db_undo(conn, "csv_import"));
        if (kept) *p->work = p->rows->call.work; /* with the changes, for work_finish */
        if (rc == 0) return 0;
        most = rc;
    }
}

/* ---- the job --------------------------------------------------------------------------------- */

static int part_store(struct csv_part *p, enum job_status status) {
    struct work *w = p->work;
    int64_t room = LIMIT_CSV_ERRORS - p->noted;
    if (p->trial && !p->is_over) TRY(csv_trial_store(p->trial, w));
    TRY(db_exec(w->conn, &csv_import_progress,
                BINDS(B_INT("id", p->id), B_INT("status", status), B_INT("position", p->place.offset),
                      B_INT("line", p->place.line), B_INT("row", p->place.rows),
                      B_INT("created", p->counts[CSV_CREATED]), B_INT("updated", p->counts[CSV_UPDATED]),
                      B_INT("skipped", p->counts[CSV_SKIPPED]), B_INT("rejected", p->counts[CSV_REJECTED]),
                      B_INT("errors", p->note_count), B_TEXT("failure", p->failure), B_INT("now", w->now))));
    for (const struct csv_note *note = p->notes; note && room > 0; note = note->next, room--)
        TRY(db_later(w->conn, &csv_error_insert,
                     BINDS(B_INT("import", p->id), B_INT("line", note->line), B_TEXT("header", note->header),
                           B_TEXT("code", note->code), B_TEXT("message", note->message))));
    return 0;
}

static int import_end(struct work *w, const struct job *j, const struct csv_part *p, enum job_status status) {
    struct stmt *row;
    TRY(db_exec(w->conn, &csv_import_end, BINDS(B_INT("id", p->id))));
    TRY(files_released(w, json_ids(w->arena, &p->file_id, 1)));
    TRY_FOUND(w, db_row(w->conn, &csv_import_result, BINDS(B_INT("id", p->id)), &row));
    int total = (int)col_int(row, 0), stored = (int)col_int(row, 1), rejected = (int)col_int(row, 2);
    stmt_end(row);
    return job_finish(w, j->id, status, total, p->is_dry_run ? 0 : stored, rejected, S("[]"));
}

/* ---- the first reading of a dry run -------------------------------------------------------------- */

QUERY(csv_import_repeats, "UPDATE csv_imports SET repeats = :repeats WHERE id = :id");

struct csv_scan {
    int64_t id;
    struct csv_part part;
    struct str repeats; /* of csv_repeats_read */
};

/* Returns false if the input of the job is not readable. */
static bool csv_job_read(struct arena *a, const struct job *j, int64_t *id, bool *scans) {
    struct json *input;
    struct json_error err;
    if (json_parse(a, j->input, &input, &err) < 0) return false;
    const struct json *member = json_member(input, S("id"));
    *scans = json_member(input, S("scan")) != NULL;
    return member && str_to_int(member->text, id);
}

static int scan_load(struct work *w, void *arg) {
    struct csv_scan *scan = arg;
    return part_load(w, &csv_import_read, scan->id, &scan->part);
}

static void *csv_import_scan(struct work *w, const struct job *j, const atomic_bool *stopping) {
    struct csv_scan *scan = ARENA_NEW(w->arena, struct csv_scan);
    struct csv_part *p = &scan->part;
    bool scans;
    if (!csv_job_read(w->arena, j, &scan->id, &scans)) return NULL;
    scan->repeats = S(""); /* read again */
    if (work_read(w, READ_MS, scan_load, scan) <= 0) return scan;
    content_fetch(w->arena, w->desk->files, p->sha256, -1); /* csv_import_run looks for the file */
    if (!scans) return NULL;
    struct csv_reader *r = csv_open(p->path.p, p->encoding, p->delimiter);
    if (r && csv_return(r, &p->place) == 0) scan->repeats = csv_repeats_read(w, r, &p->columns, stopping);
    csv_close(r);
    return scan;
}

static int scan_store(struct work *w, const struct job *j, const struct csv_scan *scan) {
    if (scan->repeats.p && scan->repeats.n == 0) return job_wait(w, j, w->now + TIME_SECOND);
    TRY(db_exec(w->conn, &csv_import_repeats,
                BINDS(B_INT("id", scan->id), B_BLOB("repeats", scan->repeats))));
    return job_continue(w, j, csv_import_input(w->arena, scan->id, false));
}

static int csv_import_run(struct work *w, const struct job *j) {
    struct csv_part *p = ARENA_NEW(w->arena, struct csv_part);
    struct work as = *w;
    int64_t id;
    bool scans;
    if (!csv_job_read(w->arena, j, &id, &scans)) return -ERR_INTERNAL_ERROR;
    int there = part_load(w, &csv_import_load, id, p);
    if (there <= 0) return there < 0 ? there : job_finish(w, j->id, JOB_COMPLETED, 0, 0, 0, S("[]"));
    if (scans) return scan_store(w, j, j->outcome);
    if (!content_is_here(w->arena, w->desk->files, p->sha256, -1))
        return job_wait(w, j, w->now + TIME_MINUTE);
    int able = part_actor(p, &as);
    TRY(able);
    p->last_note = &p->notes;
    if (able) TRY(part_run(p, &as));
    else p->failure = str_of(why_of(p, CSV_IMPORTER_NOT_PERMITTED)), p->is_over = true;
    enum job_status status = !p->is_over ? JOB_RUNNING : p->failure.p ? JOB_FAILED : JOB_COMPLETED;
    TRY(part_store(p, status));
    return p->is_over ? import_end(w, j, p, status) : job_continue(w, j, j->input);
}
JOB_CODE(CSV_IMPORT) = {
    .run = csv_import_run, .outside = csv_import_scan, .threads = 1, .never_failed = true};
