/* Files: uploaded first, then used by id in other operations (api.md "File upload", completions.md section 6). */
#include "core/desk/file.h"

#include "api/generic.h"
#include "api/view.h"
#include "base/limits.h"
#include "files/content.h"
#include "res/file_content.h"

/* ---- what was sent ------------------------------------------------------------------------------------------------- */

struct upload {
    const struct http_file *file;
    struct file_new row;
};
struct uploads {
    struct upload *list;
    int count;
    int64_t bytes;
};

static bool is_raw(const struct call *c) { return c->http->form == NULL; }

static int file_wrong(struct call *c, const struct http_file *f, enum error code, const char *why) {
    bool named = f->field.n && utf8_valid(f->field);
    return fail_field(&c->work, code, named ? f->field : S("file"), why ? "%s" : NULL, why);
}

/* The name of a raw body comes in the header or as an argument. If both are given, they must be equal. Returns 0, or a negative error. */
static int header_or_given(struct call *c, struct str header, const char *argument, struct str *out) {
    const struct value *given = &arg(c, argument)->value;
    struct str said = given->type == V_TEXT ? str_leaf(given->s) : (struct str){0};
    *out = said.p ? said : header;
    if (header.n == 0 || said.p == NULL || str_eq(header, said)) return 0;
    return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, str_of(argument),
                      "The header Content-Disposition has a different value. Send equal values, or only one.");
}

static int file_read_name(struct call *c, const struct http_file *f, struct str *name) {
    struct str field;
    *name = f->filename;
    if (is_raw(c)) header_or_given(c, f->field, "_field", &field);
    if (is_raw(c)) TRY(header_or_given(c, f->filename, "_filename", name));
    if (name->n == 0) *name = S("file");
    if (!utf8_valid(*name)) return file_wrong(c, f, ERR_FIELD_INVALID, "The name of the file is not UTF-8.");
    if (str_eq(*name, S(".")) || str_eq(*name, S(".."))) return file_wrong(c, f, ERR_FIELD_INVALID, "This is not a file name.");
    const char *why = text_wrong(c->work.arena, *name, LIMIT_TITLE, true);
    return why ? file_wrong(c, f, ERR_FIELD_INVALID, str_fmt(c->work.arena, "The file name is invalid: %s", why).p) : 0;
}

static bool is_media_type(struct str s) {
    static const char tokens[] =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"; /* RFC 9110 section 5.6.2 */
    struct str rest = s, essence = str_trim(str_cut(&rest, ';')), subtype = essence, type = str_cut(&subtype, '/');
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~') return false;
    if (s.n > LIMIT_TITLE || type.n == 0 || subtype.n == 0) return false;
    for (size_t i = 0; i < essence.n; i++)
        if (i != type.n && !memchr(tokens, essence.p[i], sizeof tokens - 1)) return false;
    return true;
}

/* A plus of Base64 that was not percent-encoded was decoded to a blank. Base64 has no blanks, so the blank is read as a plus. */
static int check_md5(struct call *c, const struct http_file *f) {
    const struct in *md5 = arg(c, "_md5");
    if (md5->value.type != V_TEXT) return 0;
    struct str sum = str_dup(c->work.arena, md5->value.s);
    for (char *p = (char *)(uintptr_t)sum.p; p < sum.p + sum.n; p++)
        if (*p == ' ') *p = '+';
    if (md5_matches(sum, f->md5)) return 0;
    return fail_field(&c->work, ERR_CHECKSUM_MISMATCH, S("_md5"), NULL);
}

static void read_upload(struct call *c, const struct http_file *f, struct upload *u) {
    struct arena *a = c->work.arena;
    u->file = f;
    u->row = (struct file_new){.content_type = is_media_type(f->type) ? f->type : S("application/octet-stream"),
                               .sha256 = str_hex(a, f->sha256, sizeof f->sha256),
                               .size = f->size};
    file_read_name(c, f, &u->row.name);
    if (f->size == 0) file_wrong(c, f, ERR_FIELD_EMPTY, NULL);
    check_md5(c, f);
}

/* The problems of all files are reported at once. */
static int read_uploads(struct call *c, struct uploads *out) {
    size_t most = 0;
    for (const char *const *name = (const char *const[]){"_filename", "_field", "_md5", NULL}; *name; name++)
        if (!is_raw(c)) in_ignore(c, *name, "each part of the body has its own");
    int rc = api_input(c);
    for (const struct http_file *f = c->http->files; f; f = f->next) most++;
    *out = (struct uploads){.list = arena_array(c->work.arena, most + 1, sizeof *out->list)};
    for (const struct http_file *f = c->http->files; f; f = f->next) {
        read_upload(c, f, &out->list[out->count++]);
        out->bytes += f->size;
    }
    if (out->count == 0)
        fail_field(&c->work, ERR_FIELD_REQUIRED, S("file"),
                   "Send the file as the body, with a Content-Type like application/octet-stream, or as a part of multipart/form-data.");
    return failed(&c->work) ? -(int)failure(&c->work) : rc;
}

/* Runs in the pool, because it waits for the disk. The handler reports refusals, so that an Idempotency-Key stores them. */
static int keep_contents(struct call *c) {
    struct uploads u;
    if (read_uploads(c, &u) < 0 || files_room(&c->work, u.bytes) < 0) return 0;
    for (int i = 0; i < u.count; i++)
        TRY(content_keep(c->work.arena, c->work.desk->files, u.list[i].row.sha256, u.list[i].file->path.p, u.list[i].row.size));
    return 0;
}

static int post_file(struct call *c) {
    struct uploads u;
    TRY(read_uploads(c, &u));
    TRY(files_reserve(&c->work, u.bytes));
    int64_t *ids = arena_array(c->work.arena, (size_t)u.count, sizeof *ids);
    for (int i = 0; i < u.count; i++) {
        TRY(content_hold(&c->work, u.list[i].row.sha256, u.list[i].file->path.p, u.list[i].row.size));
        TRY(file_create(&c->work, &u.list[i].row, &ids[i]));
    }
    return u.count == 1 ? api_reply_one(c, ids[0]) : api_reply_list_of(c, ids, u.count);
}

/* ---- the tables ---------------------------------------------------------------------------------------------------- */

static void write_content_url(struct view *v, const struct row *row, const struct value *own) {
    char id[INT_TEXT];
    (void)own;
    JW_CAT(&v->w, v->c->work.desk->base_url, S("/api/v1/files/"), str_int(id, row->id), S("/content"));
}

static void file_visible(struct work *w, struct branches *out) {
    branch_add(out, FILE_OF_ACTOR("t") " AND (t.expires_at IS NULL OR t.expires_at > :moment)");
    branch_bind_int(out, ":uploader", w->actor.user_id);
    branch_bind_text(out, ":fingerprint", file_fingerprint(w));
    branch_bind_int(out, ":moment", w->now);
}

static const struct field file_fields[] = {
    {"name", F_TEXT, READONLY, .doc = "Original name of the file, without folders.", .example = "\"invoice.pdf\""},
    {"size", F_INT, READONLY, .doc = "Size in bytes.", .example = "48210"},
    {"content_type", F_TEXT, READONLY, .doc = "Content type that the uploader stated.", .example = "\"application/pdf\""},
    {"content_url", F_COMPUTED, READONLY, .render = write_content_url, .doc = "Address that downloads the content.",
     .example = "\"http://127.0.0.1:8080/api/v1/files/7/content\""},
    {"hash", F_TEXT, READONLY, .column = "t.sha256", .doc = "SHA-256 of the content, in hex digits.",
     .example = "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\""},
    {"created_at", F_TIME, READONLY, .doc = "Time of the upload."},
    {"expiry_at", F_TIME, READONLY, .column = "t.expires_at",
     .doc = "Time at which the file is deleted if no object refers to it by then. Null as soon as an object refers to it."},
    {0},
};

static const struct field nothing[] = {{0}};
static const struct field upload_args[] = {
    {"_filename", F_TEXT, 0,
     .doc = "Name of the file in a raw body. It may come in the header Content-Disposition instead. If both are given, they must be equal.",
     .example = "\"invoice.pdf\""},
    {"_field", F_TEXT, 0,
     .doc = "Name of the form field of a raw body. It may come in the header Content-Disposition instead. Errors refer to it.",
     .example = "\"logo\""},
    {"_md5", F_TEXT, 0, .doc = "MD5 of the file in a raw body, in Base64 or hex digits. It may come in the header Content-MD5 instead.",
     .example = "\"5d41402abc4b2a76b9719d911017c592\""},
    {0},
};

#define CONTENT_DOC \
    " Content-Disposition has the file name. HEAD returns name, size and type only. Range requests may ask for one range of bytes."

static const struct route file_routes[] = {
    {POST, "/files", ALL | FINGERPRINT, "", ONE, post_file, .also = LIST_COUNT, .prepare = keep_contents, .lane = LANE_SYNC,
     .body = RAW_FILE, .input = nothing, .args = upload_args, .summary = "Upload a file",
     .doc = "Send the file as the whole body, with any Content-Type but JSON and forms, or as parts of multipart/form-data. The reply to "
            "several files is a list. The uploader can then use the id wherever a file is expected (avatar_file_id, values of FILE "
            "fields), within twelve hours and any number of times.",
     .errors = "FIELD_REQUIRED FIELD_EMPTY CHECKSUM_MISMATCH"},
    {GET, "/files/:id", ALL | FINGERPRINT, "", ONE, api_get, .summary = "Get a file",
     .doc = "Only for the uploader. content_url is the address of the content."},
    {GET, "/files/:id/content", ALL | FINGERPRINT, "", ONE, get_file_content, .args = content_args, .is_download = true, .has_ranges = true,
     .summary = "Download a file", .doc = "Only for the uploader." CONTENT_DOC},
    {GET, "/users/:id/files/:file_id/content", ALL, "users", ONE, get_user_file_content, .args = content_args, .is_download = true,
     .has_ranges = true, .of = "user", .summary = "Download a file of a user",
     .doc = "The file is the value of a custom field. All callers who see the value may download it: staff, and the user." CONTENT_DOC},
    {GET, "/organizations/:id/files/:file_id/content", ALL, "users", ONE, get_organization_file_content, .args = content_args,
     .is_download = true, .has_ranges = true, .of = "organization", .summary = "Download a file of an organization",
     .doc = "The file is the value of a custom field. All callers who see the value may download it: staff, and the people of the "
            "organization if customers see the field." CONTENT_DOC},
    {GET, "/cases/:id/files/:file_id/content", COL_PLUS, "conversations", ONE, get_case_file_content, .args = content_args,
     .is_download = true, .has_ranges = true, .of = "case", .summary = "Download a file of a conversation as staff",
     .doc = "The file is the value of a custom field." CONTENT_DOC},
    {GET, "/conversations/:id/files/:file_id/content", ALL | FINGERPRINT, "", ONE, get_conversation_file_content, .args = content_args,
     .is_download = true, .has_ranges = true, .of = "conversation", .summary = "Download a file of a conversation",
     .doc = "The file is the value of a custom field that customers see." CONTENT_DOC},
    {0},
};

const struct resource file_resource = {.type = "file",
                                       .title = "Files",
                                       .doc = "Uploaded files. Other operations refer to them by id.",
                                       .url = "files/:id",
                                       .table = "files",
                                       .fields = file_fields,
                                       .routes = file_routes,
                                       .visible = file_visible,
                                       .changes_unseen = true};
