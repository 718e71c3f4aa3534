/* Files: uploaded first, then used by id in other operations. */
#include "core/desk/file.h"

#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "res/file_content.h"
#include "res/groups.h"
#include "res/upload.h"

/* The problems of all files are reported at once. */
static int read_files(struct call *c, struct uploads *out) {
    bool raw = c->http->form == NULL;
    for (const char *const *name = (const char *const[]){"_filename", "_field", "_md5", NULL}; *name; name++)
        if (!raw) in_ignore(c, *name, "each part of the body has its own");
    int rc = api_input(c);
    uploads_read(c, out);
    if (out->count == 0)
        fail_field(&c->work, ERR_FIELD_REQUIRED, S("file"),
                   "Send the file as the body, with a Content-Type like application/octet-stream, or as a "
                   "part of multipart/form-data.");
    return failed(&c->work) ? -(int)failure(&c->work) : rc;
}

/* Runs in the pool, because it waits for the disk. The handler reports refusals, so that an
 * Idempotency-Key stores them. */
static int keep_contents(struct call *c) {
    struct uploads u;
    if (read_files(c, &u) < 0 || files_room(&c->work, u.bytes) < 0) return 0;
    return uploads_keep(c, &u);
}

static int post_file(struct call *c) {
    struct uploads u;
    TRY(read_files(c, &u));
    TRY(files_reserve(&c->work, u.bytes));
    int64_t *ids = arena_array(c->work.arena, (size_t)u.count, sizeof *ids);
    TRY(uploads_create(c, &u, ids));
    return u.count == 1 ? api_reply_one(c, ids[0]) : api_reply_list_of(c, ids, u.count);
}

/* ---- the tables ------------------------------------------------------------------------------ */

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
    {"name", F_TEXT, READONLY, .render = render_file_name,
     .doc = "Original name of the file, without folders.", .example = "\"invoice.pdf\""},
    {"size", F_INT, READONLY, .doc = "Size in bytes.", .example = "48210"},
    {"content_type", F_TEXT, READONLY, .doc = "Content type that the uploader stated.",
     .example = "\"application/pdf\""},
    {"content_url", F_COMPUTED, READONLY, .render = write_content_url,
     .doc = "Address that downloads the content.",
     .example = "\"http://127.0.0.1:8080/api/v1/files/7/content\""},
    {"hash", F_TEXT, READONLY, .column = "t.sha256", .doc = "SHA-256 of the content, in hex digits.",
     .example = "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\""},
    {"created_at", F_TIME, READONLY, .doc = "Time of the upload."},
    {"expiry_at", F_TIME, READONLY, .column = "t.expires_at",
     .doc = "Time at which the file is deleted if no object refers to it by then. Null as soon as an object "
            "refers to it."},
    {0},
};

static const struct field upload_args[] = {
    {"_filename", F_TEXT, 0,
     .doc = "Name of the file in a raw body. It may come in the header Content-Disposition instead. If both "
            "are given, they must be equal.",
     .example = "\"invoice.pdf\""},
    {"_field", F_TEXT, 0,
     .doc = "Name of the form field of a raw body. It may come in the header Content-Disposition instead. "
            "Errors refer to it.",
     .example = "\"logo\""},
    {"_md5", F_TEXT, 0,
     .doc = "MD5 of the file in a raw body, in Base64 or hex digits. It may come in the "
            "header Content-MD5 instead.",
     .example = "\"5d41402abc4b2a76b9719d911017c592\""},
    {0},
};

#define CONTENT_DOC                                                                                      \
    " Content-Disposition has the file name. HEAD returns name, size and type only. Range requests may " \
    "ask for one range of bytes."

static const struct route file_routes[] = {
    {POST, "/files", ALL | FINGERPRINT | WIDGET, "", ONE, post_file, .bearer = BEARER_WRITES,
     .also = LIST_COUNT, .prepare = keep_contents, .lane = LANE_SYNC, .body = RAW_FILE, .input = no_fields,
     .args = upload_args, .summary = "Upload a file",
     .doc = "Send the file as the whole body, with any Content-Type but JSON and forms, or as parts of "
            "multipart/form-data. The reply to several files is a list. The uploader can then use the id "
            "wherever a file is expected (avatar_file_id, values of FILE fields), within twelve hours and "
            "any number of times.",
     .errors = "FIELD_REQUIRED CHECKSUM_MISMATCH"},
    {GET, "/files/:id", ALL | FINGERPRINT, "", ONE, api_get, .summary = "Get a file",
     .doc = "Only for the uploader. content_url is the address of the content.",
     .sample = {.path = "$FILE",
                .setup = "FILE=$(curl {owner} -F file=@picture.png \"{api}/files\" | member "
                         "id)"}},
    {GET, "/files/:id/content", ALL | FINGERPRINT, "", ONE, get_file_content, .args = content_args,
     .is_download = true, .has_ranges = true, .summary = "Download a file",
     .doc = "Only for the uploader." CONTENT_DOC, .sample = {.path = "$FILE"}},
    {GET, "/users/:id/files/:file_id/content", ALL, "users", ONE, get_user_file_content, .args = content_args,
     .is_download = true, .has_ranges = true, .of = "user", .summary = "Download a file of a user",
     .doc = "The file is the value of a custom field. All callers who see the value may download it: staff, "
            "and the user." CONTENT_DOC,
     .sample = {.path = "3,$FILE",
                .setup = "curl {owner} -d type=FILE -d key=contract_user -d title=Contract "
                         "\"{api}/users/fields\"\nFILE=$(curl {owner} -F file=@picture.png \"{api}/files\" "
                         "| member id)\ncurl {owner} -X PUT -d \"field_values[contract_user]=$FILE\" "
                         "\"{api}/users/3\""}},
    {GET, "/organizations/:id/files/:file_id/content", ALL, "users", ONE, get_organization_file_content,
     .args = content_args, .is_download = true, .has_ranges = true, .of = "organization",
     .summary = "Download a file of an organization",
     .doc = "The file is the value of a custom field. All callers who see the value may download it: staff, "
            "and the people of the organization if customers see the field." CONTENT_DOC,
     .sample = {.path = "1,$FILE",
                .setup = "curl {owner} -d type=FILE -d key=contract_organization -d title=Contract "
                         "\"{api}/organizations/fields\"\nFILE=$(curl {owner} -F file=@picture.png "
                         "\"{api}/files\" | member id)\ncurl {owner} -X PUT -d "
                         "\"field_values[contract_organization]=$FILE\" \"{api}/organizations/1\""}},
    {GET, "/cases/:id/files/:file_id/content", COL_PLUS, "conversations", ONE, get_case_file_content,
     .args = content_args, .is_download = true, .has_ranges = true, .of = "case",
     .summary = "Download a file of a conversation as staff",
     .doc = "The file is the value of a custom field." CONTENT_DOC,
     .sample = {.path = "18,$FILE",
                .setup = "curl {owner} -d type=FILE -d key=contract_case -d title=Contract -d "
                         "is_visible_to_customers=true \"{api}/cases/fields\"\nFILE=$(curl {owner} -F "
                         "file=@picture.png \"{api}/files\" | member id)\ncurl {owner} -X PUT -d "
                         "\"field_values[contract_case]=$FILE\" \"{api}/cases/18\""}},
    {GET, "/conversations/:id/files/:file_id/content", ALL | FINGERPRINT, "", ONE,
     get_conversation_file_content, .bearer = "conversations", .args = content_args, .is_download = true,
     .has_ranges = true, .of = "conversation", .summary = "Download a file of a conversation",
     .doc = "The file is the value of a custom field that customers see." CONTENT_DOC,
     .sample = {.path = "18,$FILE"}},
    {0},
};

const struct resource file_resource = {.type = "file",
                                       .scope = "",
                                       .title = "Files",
                                       .doc = "Uploaded files. Other operations refer to them by id.",
                                       .url = "files/:id",
                                       .table = "files",
                                       .fields = file_fields,
                                       .routes = file_routes,
                                       .visible = file_visible,
                                       .changes_unseen = true};
