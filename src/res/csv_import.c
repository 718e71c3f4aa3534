#include "res/csv_import.h"

#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "core/access/permission.h"
#include "core/desk/file.h"
#include "core/desk/job.h"
#include "core/words.h"
#include "files/content.h"
#include "res/csv_columns.h"
#include "res/csv_reason.h"
#include "res/groups.h"

const struct word csv_encodings[] = {
    {CSV_UTF8, "UTF_8"}, {CSV_UTF16, "UTF_16"}, {CSV_WINDOWS_1252, "WINDOWS_1252"}, {0}};
static const struct word csv_delimiters[] = {
    {CSV_COMMA, "COMMA"}, {CSV_SEMICOLON, "SEMICOLON"}, {CSV_TAB, "TAB"}, {0}};
static const struct word csv_kinds[] = {{CSV_USERS, "USERS"}, {CSV_ORGANIZATIONS, "ORGANIZATIONS"}, {0}};
static const struct word csv_existings[] = {{CSV_UPDATE, "UPDATE"}, {CSV_SKIP, "SKIP"}, {0}};

/* ---- the first line of the file ---------------------------------------------------------------- */

/* Result of .prepare. */
struct csv_head {
    const char *wrong; /* NULL: no error */
    struct csv_row row;
    struct csv_place place;
    enum csv_encoding encoding;
    char delimiter;
};

static int asked_word(const struct call *c, const char *name, const struct word *words) {
    const struct json *j = json_named(c->body, str_of(name));
    int id = j && j->type == JSON_STRING ? word_id_any(words, j->text) : 0;
    return id > 0 ? id : 0;
}

static const char *csv_head_read(struct arena *a, struct csv_reader *r, struct csv_head *out) {
    int rc = csv_next(r, a, &out->row);
    if (rc == 0) return "The file is empty.";
    if (rc < 0) return csv_why(r);
    csv_mark(r, &out->place);
    out->encoding = csv_encoding(r);
    out->delimiter = csv_delimiter(r);
    return out->row.refused;
}

/* In .prepare, because it reads from the disk. */
static int read_file_head(struct call *c) {
    struct arena *a = c->work.arena;
    struct csv_head *head = c->prepared = ARENA_NEW(a, struct csv_head);
    const struct json *j = json_named(c->body, S("file_id"));
    int delimiter = asked_word(c, "delimiter", csv_delimiters);
    struct str sha256;
    int64_t id;
    if (j == NULL || (j->type != JSON_STRING && j->type != JSON_NUMBER) || !str_to_int(j->text, &id))
        return 0;
    int rc = file_own_content(&c->work, id, &sha256);
    if (rc == 0) head->wrong = "There is no such file of yours, or it has expired. Upload it again.";
    if (rc <= 0) return rc;
    TRY(call_needs_content(c, sha256, -1));
    struct csv_reader *r = csv_open(content_path(a, c->work.desk->files, sha256).p,
                                    (enum csv_encoding)asked_word(c, "encoding", csv_encodings),
                                    delimiter ? CSV_DELIMITERS[delimiter - 1] : 0);
    if (r == NULL) return -ERR_SERVICE_UNAVAILABLE;
    head->wrong = csv_head_read(a, r, head);
    csv_close(r);
    return 0;
}

static int check_csv_file(struct call *c, struct in *in) {
    const struct csv_head *head = c->prepared;
    if (head == NULL || head->wrong == NULL) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", head->wrong);
}

/* ---- handlers -------------------------------------------------------------------------------- */

QUERY(csv_import_insert,
      "INSERT INTO csv_imports (kind, status, existing, is_dry_run, file_id, encoding, delimiter, columns, "
      "creator_id, size, position, line_seq, row_seq, created_at, updated_at) "
      "SELECT CAST(:kind AS INTEGER), 1, CAST(:existing AS INTEGER), CAST(:dry_run AS INTEGER), f.id, "
      "CAST(:encoding AS INTEGER), CAST(:delimiter AS INTEGER), :columns, CAST(:creator AS BIGINT), f.size, "
      "CAST(:position AS BIGINT), CAST(:line AS BIGINT), 1, CAST(:now AS BIGINT), CAST(:now AS BIGINT) "
      "FROM files f WHERE f.id = :file RETURNING id");

static int may_import(struct call *c, int64_t kind) {
    bool permits = kind == CSV_USERS || permitted(&c->work.actor, "organizations.update");
    return permits ? 0 : fail(&c->work, ERR_PERMISSIONS_DENIED);
}

/* The file can't expire until the import has ended. */
static int hold_csv_file(struct call *c, struct str *ids) {
    int64_t *own, id = in_int(c, "file_id");
    *ids = json_ids(c->work.arena, &id, 1);
    int n = files_own(&c->work, *ids, &own);
    TRY(n);
    return n ? 0
             : in_fail(c, "file_id", ERR_FIELD_INVALID,
                       "There is no such file of yours, or it has expired. Upload it again.");
}

static int insert_csv_import(struct call *c, const struct csv_head *head, const struct csv_columns *columns) {
    struct work *w = &c->work;
    int delimiter = (int)(strchr(CSV_DELIMITERS, head->delimiter) - CSV_DELIMITERS) + 1;
    return db_insert(
        w->conn, &csv_import_insert,
        BINDS(B_INT("kind", columns->kind), B_INT("existing", in_int(c, "existing")),
              B_INT("dry_run", in_int(c, "is_dry_run")), B_INT("encoding", head->encoding),
              B_INT("delimiter", delimiter), B_TEXT("columns", csv_columns_text(w->arena, columns)),
              B_ID("creator", w->actor.user_id), B_INT("position", head->place.offset),
              B_INT("line", head->place.line), B_INT("now", w->now), B_INT("file", in_int(c, "file_id"))),
        &c->id);
}

static int post_csv_imports(struct call *c) {
    struct work *w = &c->work;
    const struct csv_head *head = c->prepared;
    struct csv_columns *columns = ARENA_NEW(w->arena, struct csv_columns);
    struct str ids;
    int64_t job;
    TRY(api_input(c));
    enum csv_kind kind = (enum csv_kind)in_int(c, "kind");
    TRY(may_import(c, kind));
    TRY(hold_csv_file(c, &ids));
    TRY(csv_columns_read(w, kind, &head->row, given(c, "mapping") ? in(c, "mapping")->json : NULL, columns));
    TRY(insert_csv_import(c, head, columns));
    TRY(files_attached(w, ids));
    TRY(job_add(w, JOB_CSV_IMPORT, csv_import_input(w->arena, c->id, in_int(c, "is_dry_run")), &job));
    return api_reply(c);
}

QUERY(csv_import_files, "SELECT file_id FROM csv_imports WHERE id IN @LIST(:ids) AND file_id IS NOT NULL");
QUERY(csv_imports_drop, "DELETE FROM csv_imports WHERE id IN @LIST(:ids)");

/* The job of a removed import finds no row, and ends. */
static int csv_imports_remove(struct work *w, struct str ids) {
    struct str files;
    TRY(files_listed(w, &csv_import_files, BINDS(B_TEXT("ids", ids)), &files));
    TRY(db_exec(w->conn, &csv_imports_drop, BINDS(B_TEXT("ids", ids))));
    return files_released(w, files);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void render_failure_reason(struct view *v, const struct row *row, const struct value *own) {
    struct str failure = row_cell(row, "failure")->s;
    int64_t line;
    (void)own;
    if (failure.n) jw_str(&v->w, str_of(word_of(csv_reasons, csv_failure_of(failure, &line))));
    else jw_null(&v->w);
}

static void render_failure_line(struct view *v, const struct row *row, const struct value *own) {
    int64_t line;
    (void)own;
    csv_failure_of(row_cell(row, "failure")->s, &line);
    if (line > 0) jw_int(&v->w, line);
    else jw_null(&v->w);
}

static const struct field csv_import_fields[] = {
    {"kind", F_WORD, CREATE_ONLY | REQUIRED | BY_HANDLER, .words = csv_kinds, .doc = "Kind of the rows.",
     .example = "\"USERS\""},
    {"file_id", F_INT, CREATE_ONLY | INPUT_ONLY | REQUIRED | BY_HANDLER, .min = 1, .max = INT64_MAX,
     .check = check_csv_file,
     .doc = "Id of the uploaded file (POST /files). Its first line has the names of the columns.",
     .example = "7"},
    {"encoding", F_WORD, CREATE_ONLY | BY_HANDLER, .words = csv_encodings,
     .doc =
         "Encoding of the file. Default: UTF-16 if a byte order mark or the first character shows it, else "
         "UTF-8."},
    {"delimiter", F_WORD, CREATE_ONLY | BY_HANDLER, .words = csv_delimiters,
     .doc = "Text between two cells. Default: the one that the first line has most often."},
    {"mapping", F_OBJECT, CREATE_ONLY | INPUT_ONLY | BY_HANDLER,
     .doc =
         "Names of columns of the file, with the name that each stands for. An empty text ignores a column.",
     .example = "{\"Mail\":\"emails\",\"Remark\":\"\"}"},
    {"existing", F_WORD, CREATE_ONLY | BY_HANDLER, .words = csv_existings, .initial = "UPDATE",
     .doc = "Rows of people and organizations that are there: UPDATE changes them, SKIP leaves them."},
    {"is_dry_run", F_BOOL, CREATE_ONLY | BY_HANDLER, .initial = "false",
     .doc = "True: the rows are checked and counted, and nothing is stored."},
    {"status", F_WORD, READONLY, .words = job_statuses,
     .doc = "PENDING, RUNNING, then COMPLETED, or FAILED if the file could not be read to its end.",
     .example = "\"COMPLETED\""},
    {"columns", F_JSON, READONLY,
     .doc =
         "The columns of the file: `header` is the name in the file, `column` what it stands for, or null.",
     .example = "[{\"header\":\"Mail\",\"column\":\"emails\"}]"},
    {"size", F_INT, READONLY, .doc = "Bytes of the file.", .example = "4821"},
    {"position", F_INT, READONLY, .doc = "Bytes that were read.", .example = "4821"},
    {"total", F_INT, READONLY, .column = "t.row_seq - 1", .doc = "Number of rows that were read.",
     .example = "120"},
    {"created", F_INT, READONLY, .column = "t.created_count", .doc = "Number of rows that were new.",
     .example = "117"},
    {"updated", F_INT, READONLY, .column = "t.updated_count",
     .doc = "Number of rows whose person or organization was there.", .example = "1"},
    {"skipped", F_INT, READONLY, .column = "t.skipped_count", .doc = "Number of rows that were skipped.",
     .example = "0"},
    {"rejected", F_INT, READONLY, .column = "t.rejected_count",
     .doc = "Number of rows with errors. They change nothing.", .example = "2"},
    {"failure", F_TEXT, READONLY,
     .doc = "Reason why the file could not be read to its end, in English. The rows before it count."},
    {"failure_reason", F_WORD, READONLY, .words = csv_reasons, .column = "", .render = render_failure_reason,
     .doc = "The failure as a word, for texts in other languages. OTHER: `failure` says more. Null: there is "
            "no failure.",
     .example = "\"QUOTE_NOT_CLOSED\""},
    {"failure_line", F_INT, READONLY, .column = "", .render = render_failure_line,
     .doc = "Line of the file where it can't be read on. Null: there is no failure, or it concerns no line.",
     .example = "3"},
    {"creator", F_REF, READONLY, .ref = "user_minimal",
     .doc = "Person who imports, with whose rights the job works."},
    {"*", .group = row_times},
    {0},
};

static void csv_import_visible(struct work *w, struct branches *out) {
    out->all = w->actor.rank >= ROLE_ADMIN;
}

#define CSV_SETUP(more)                                                              \
    "printf 'full_name,emails\\nMary Somerville,mary@example.com\\n' > people.csv\n" \
    "FILE=$(curl {owner} -F file=@people.csv \"{api}/files\" | member id)" more
#define CSV_MADE                                                                           \
    CSV_SETUP("\nIMPORT=$(curl {owner} -d kind=USERS -d file_id=$FILE -d is_dry_run=true " \
              "\"{api}/csv_imports\" | member id)")

static const struct route csv_import_routes[] = {
    {GET, "/csv_imports", AD, "users", LIST, api_list, .order = {.descending = true},
     .summary = "List imports of CSV files", .doc = "The newest first. They are kept for 90 days."},
    {POST, "/csv_imports", AD, "users", ONE, post_csv_imports, .permission = "users.update",
     .prepare = read_file_head, .lane = LANE_READ, .is_heavy = true,
     .summary = "Import people or organizations from a CSV file",
     .doc =
         "A job reads the file. GET /csv_imports/:id shows its progress, GET /csv_imports/:id/errors the rows "
         "with errors. Rows of organizations need the permission organizations.update, too. "
         "docs/TRANSFER.md describes the columns.",
     .sample = {.setup = CSV_SETUP(""),
                .body = "{\"kind\":\"USERS\",\"file_id\":$FILE,\"is_dry_run\":true}"}},
    {GET, "/csv_imports/:id", AD, "users", ONE, api_get, .summary = "Get an import of a CSV file",
     .sample = {.path = "$IMPORT", .setup = CSV_MADE}},
    {DELETE, "/csv_imports/:id", AD, "users", NONE, api_delete, .permission = "users.update",
     .summary = "Delete an import of a CSV file", .doc = "A running import ends. What it has stored stays.",
     .sample = {.path = "$IMPORT", .setup = CSV_MADE}},
    {0},
};

const struct resource csv_import_resource = {.type = "csv_import",
                                             .scope = "users",
                                             .title = "CSV imports",
                                             .doc = "Imports of people and organizations from CSV files.",
                                             .url = "csv_imports/:id",
                                             .table = "csv_imports",
                                             .fields = csv_import_fields,
                                             .routes = csv_import_routes,
                                             .visible = csv_import_visible,
                                             .remove = csv_imports_remove,
                                             .unlogged =
                                                 "the people and organizations that it changes are logged",
                                             .sample = ""};

/* ---- errors ---------------------------------------------------------------------------------- */

static struct csv_cause {
    const char *word;
    int64_t most; /* -1: none */
} csv_cause_of(const struct row *row) {
    struct csv_cause cause;
    enum csv_reason reason =
        csv_reason_of(row_cell(row, "code")->s, row_cell(row, "message")->s, &cause.most);
    cause.word = word_of(csv_reasons, reason);
    return cause;
}

static void render_csv_reason(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    jw_str(&v->w, str_of(csv_cause_of(row).word));
}

static void render_csv_most(struct view *v, const struct row *row, const struct value *own) {
    struct csv_cause cause = csv_cause_of(row);
    (void)own;
    if (cause.most < 0) jw_null(&v->w);
    else jw_int(&v->w, cause.most);
}

static const struct field csv_error_fields[] = {
    {"import_id", F_INT, HIDDEN, .column = "t.import_id", .doc = "Id of the import."},
    {"line", F_INT, READONLY, .column = "t.line_seq", .doc = "Line of the file in which the row begins.",
     .example = "7"},
    {"column", F_TEXT, READONLY, .column = "t.header",
     .doc = "Name of the column in the file. Null: the error concerns the whole row.", .example = "\"Mail\""},
    {"code", F_TEXT, READONLY, .doc = "Code of the error.", .example = "\"FIELD_INVALID\""},
    {"message", F_TEXT, READONLY, .doc = "Reason, in English.",
     .example = "\"This is not an e-mail address.\""},
    {"reason", F_WORD, READONLY, .words = csv_reasons, .column = "", .render = render_csv_reason,
     .doc = "Reason as a word, for texts in other languages. VALUE_INVALID, VALUE_TAKEN and OTHER are those "
            "that have no word of their own: the message says more.",
     .example = "\"EMAIL_INVALID\""},
    {"most", F_INT, READONLY, .column = "", .render = render_csv_most,
     .doc = "Number in the reason, such as the characters that TEXT_TOO_LONG allows. Null: it has none.",
     .example = "null"},
    {0},
};

static int get_csv_import_errors(struct call *c) {
    static const char *const names[] = {"line", "column", "code", "message", "reason", "most", NULL};
    struct row *rows = NULL;
    TRY(api_input(c));
    if (!csv_asked(c)) return api_list(c);
    TRY(api_list_rows(c, &rows));
    csv_names(c, names);
    for (const struct row *row = rows; row; row = row->next) {
        csv_int(c, row_cell(row, "line")->i);
        for (int i = 1; i < 4; i++) csv_text(c, row_cell(row, names[i])->s);
        struct csv_cause cause = csv_cause_of(row);
        csv_text(c, str_of(cause.word));
        if (cause.most < 0) csv_text(c, (struct str){0});
        else csv_int(c, cause.most);
        csv_line_end(c);
    }
    return csv_reply(c, "errors.csv");
}

static const struct route csv_error_routes[] = {
    {GET, "/csv_imports/:id/errors", AD, "users", LIST, get_csv_import_errors, .args = csv_args,
     .has_csv = true, .summary = "List the errors of an import of a CSV file",
     .doc = "In the order of the rows, at most 10,000.", .sample = {.path = "$IMPORT", .setup = CSV_MADE}},
    {0},
};

const struct resource csv_import_error_resource = {.type = "csv_import_error",
                                                   .scope = "users",
                                                   .title = "Errors of CSV imports",
                                                   .doc = "Rows of a CSV file that can't be imported.",
                                                   .url = "csv_imports/:import_id/errors/:id",
                                                   .table = "csv_import_errors",
                                                   .fields = csv_error_fields,
                                                   .routes = csv_error_routes,
                                                   .within = {"csv_import", "import_id"},
                                                   .unlogged = "the import adds them"};
