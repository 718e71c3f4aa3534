#include "res/upload.h"

#include "base/limits.h"
#include "core/desk/file.h"
#include "files/content.h"
#include "files/picture.h"
#include "files/zip.h"

/* ---- what was sent --------------------------------------------------------------------------- */

static bool is_raw(const struct call *c) { return c->http->form == NULL; }

static int file_wrong(struct call *c, const struct http_file *f, enum error code, const char *why) {
    bool named = f->field.n && utf8_valid(f->field);
    return fail_field(&c->work, code, named ? f->field : S("file"), why ? "%s" : NULL, why);
}

/* The name of a raw body comes in the header or as an argument. If both are given, they must be equal.
 * Returns 0, or a negative error. */
static int header_or_given(struct call *c, struct str header, const char *argument, struct str *out) {
    const struct value *given = &arg(c, argument)->value;
    struct str said = given->type == V_TEXT ? str_leaf(given->s) : (struct str){0};
    *out = said.p ? said : header;
    if (header.n == 0 || said.p == NULL || str_eq(header, said)) return 0;
    return fail_field(&c->work, ERR_PARAMETERS_INCONSISTENT, str_of(argument),
                      "The header Content-Disposition has a different value. Send equal values, or only "
                      "one.");
}

static int file_read_name(struct call *c, const struct http_file *f, struct str *name) {
    struct str field;
    *name = f->filename;
    if (is_raw(c)) header_or_given(c, f->field, "_field", &field);
    if (is_raw(c)) TRY(header_or_given(c, f->filename, "_filename", name));
    if (name->n == 0) *name = S("file");
    if (!utf8_valid(*name)) return file_wrong(c, f, ERR_FIELD_INVALID, "The name of the file is not UTF-8.");
    *name = file_name_without_directions(c->work.arena, *name);
    if (name->n == 0) *name = S("file");
    if (str_eq(*name, S(".")) || str_eq(*name, S("..")))
        return file_wrong(c, f, ERR_FIELD_INVALID, "This is not a file name.");
    const char *why = text_wrong(c->work.arena, *name, LIMIT_TITLE, true);
    return why ? file_wrong(c, f, ERR_FIELD_INVALID,
                            str_fmt(c->work.arena, "The file name is invalid: %s", why).p)
               : 0;
}

static bool is_media_type(struct str s) {
    static const char tokens[] =
        /* RFC 9110 section 5.6.2 */
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    struct str rest = s, essence = str_trim(str_cut(&rest, ';')), subtype = essence,
               type = str_cut(&subtype, '/');
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~') return false;
    if (s.n > LIMIT_TITLE || type.n == 0 || subtype.n == 0) return false;
    for (size_t i = 0; i < essence.n; i++)
        if (i != type.n && !memchr(tokens, essence.p[i], sizeof tokens - 1)) return false;
    return true;
}

/* A plus of Base64 that was not percent-encoded was decoded to a blank. Base64 has no blanks, so the blank
 * is read as a plus. */
static int check_md5(struct call *c, const struct http_file *f) {
    if (!is_raw(c)) return 0;
    const struct in *md5 = arg(c, "_md5");
    if (md5->value.type != V_TEXT) return 0;
    struct str sum = str_dup(c->work.arena, md5->value.s);
    for (char *p = (char *)(uintptr_t)sum.p; p < sum.p + sum.n; p++)
        if (*p == ' ') *p = '+';
    if (md5_matches(sum, f->md5)) return 0;
    return fail_field(&c->work, ERR_CHECKSUM_MISMATCH, S("_md5"), NULL);
}

void upload_read(struct call *c, const struct http_file *f, struct upload *u) {
    struct arena *a = c->work.arena;
    u->file = f;
    u->row =
        (struct file_new){.content_type = is_media_type(f->type) ? f->type : S("application/octet-stream"),
                          .sha256 = str_hex(a, f->sha256, sizeof f->sha256),
                          .size = f->size};
    file_read_name(c, f, &u->row.name);
    check_md5(c, f);
}

int uploads_read(struct call *c, struct uploads *out) {
    size_t most = 0;
    for (const struct http_file *f = c->http->files; f; f = f->next) most++;
    *out = (struct uploads){.list = arena_array(c->work.arena, most + 1, sizeof *out->list)};
    for (const struct http_file *f = c->http->files; f; f = f->next) {
        upload_read(c, f, &out->list[out->count++]);
        out->bytes += f->size;
    }
    return failed(&c->work) ? -(int)failure(&c->work) : 0;
}

/* ---- storing --------------------------------------------------------------------------------- */

int uploads_keep(struct call *c, const struct uploads *u) {
    struct picture *pictures = arena_array(c->work.arena, (size_t)u->count + 1, sizeof *pictures);
    for (int i = 0; i < u->count; i++) {
        const char *path = u->list[i].file->path.p;
        int rc = picture_look(path, &pictures[i]);
        if (rc == 0) pictures[i] = (struct picture){0};
        TRY(rc);
        TRY(content_keep(c->work.arena, c->work.desk->files, u->list[i].row.sha256, path,
                         u->list[i].row.size));
    }
    c->pictures = pictures;
    return 0;
}

int uploads_create(struct call *c, const struct uploads *u, int64_t *ids) {
    const struct picture *pictures = c->pictures;
    for (int i = 0; i < u->count; i++) {
        struct file_new row = u->list[i].row;
        if (pictures)
            row.width = pictures[i].width, row.height = pictures[i].height,
            row.picture_type = (int)pictures[i].type;
        TRY(content_hold(&c->work, row.sha256, u->list[i].file->path.p, row.size));
        TRY(file_create(&c->work, &row, &ids[i]));
    }
    return 0;
}

/* ---- the picture of a request ---------------------------------------------------------------- */

/* Returns 1 and the path of the file, 0 if none was sent or it is wrong, or an error. */
static int picture_input_find(struct call *c, struct picture_input *out, struct str *path) {
    const struct http_file *f = out->form->part ? call_file(c, out->form->part) : NULL;
    const struct json *j = json_named(c->body, str_of(out->form->file_id));
    struct str sha256;
    int64_t id;
    if (f) {
        *path = f->path;
        return 1;
    }
    if (j == NULL || (j->type != JSON_STRING && j->type != JSON_NUMBER) || !str_to_int(j->text, &id))
        return 0;
    int rc = file_own_content(&c->work, id, &sha256);
    if (rc == 0) out->wrong = "There is no such file of yours, or it has expired. Upload it again.";
    if (rc > 0) TRY(call_needs_content(c, sha256, -1));
    if (rc > 0) *path = content_path(c->work.arena, c->work.desk->files, sha256);
    return rc;
}

int picture_input_read(struct call *c, const struct picture_form *form, struct picture_input *out) {
    *out = (struct picture_input){.form = form};
    int rc = picture_input_find(c, out, &out->path);
    if (rc <= 0) return rc;
    rc = picture_look(out->path.p, &out->picture);
    if (rc == 0 || (out->picture.type == PICTURE_WEBP && !form->takes_webp))
        out->wrong = form->takes_webp ? "A picture is expected: JPEG, PNG, GIF or WebP."
                                      : "A picture is expected: JPEG, PNG or GIF.";
    if (rc < 0 || out->wrong) return rc < 0 ? rc : 0;
    rc = form->make(out->path.p, form->side, c->work.arena, &out->picture, &out->made);
    if (rc == 0) out->wrong = "This picture can't be read, or it has too many pixels.";
    return rc < 0 ? rc : 0;
}

int picture_input_check(struct call *c, const struct in *in, const struct picture_input *p) {
    if (in->file == NULL && p->form->part && call_file(c, p->form->part))
        return fail_at(&c->work, ERR_PARAMETERS_INCONSISTENT, in->name, in->pointer,
                       "Send %s or %s, not both.", p->form->part, p->form->file_id);
    return p->wrong ? fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", p->wrong) : 0;
}
