#include "http/body.h"

#include "base/error.h"
#include "base/limits.h"
#include "http/multipart.h"
#include "http/spool.h"
#include "json/json.h"

#include <glib.h>
#include <unistd.h>

enum kind { MEMORY, FORM, RAW_FILE };

struct body {
    struct http_request *request;
    enum kind kind;
    int64_t limit, file_limit, got;
    bool keep_files; /* false: file parts are listed without their content */
    struct stores stores;
    struct sender who;
    struct buf memory; /* the body, or the value of the current field */
    int64_t field_bytes, charged;
    struct multipart *form;
    struct multipart_part part;
    struct spool *spool;
    struct http_file *file, **last;
    GChecksum *whole; /* MD5 of a whole form, if its request has a Content-MD5; else NULL */
};

static int body_refuse(struct body *b, int err, const char *reason) {
    b->request->body_error = err;
    b->request->body_reason = reason;
    return -err;
}

/* Counts bytes in memory beyond those that every body may have uncounted. */
static int charge(struct body *b, int64_t bytes) {
    int64_t n = bytes - LIMIT_BODY_UNCOUNTED - b->charged;
    const char *reason = n > 0 ? upload_refusal(ledger_take(b->stores.memory, &b->who, n, b->limit)) : NULL;
    if (reason) return body_refuse(b, ERR_SERVICE_UNAVAILABLE, reason);
    if (n > 0) b->charged += n;
    return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int file_begin(struct body *b, struct http_file file) {
    b->file = ARENA_NEW(b->request->arena, struct http_file);
    *b->file = file;
    *b->last = b->file;
    b->last = &b->file->next;
    if (!b->keep_files) return 0;
    b->spool = spool_open(b->request->arena, b->stores.folder, &b->who, body_limit(b));
    return b->spool ? 0
                    : body_refuse(b, ERR_SERVICE_UNAVAILABLE, "The server can't store files at the moment.");
}

static int file_data(struct body *b, struct str piece) {
    b->file->size += (int64_t)piece.n;
    if (!b->keep_files) return 0;
    if (b->file->size > b->file_limit) return body_refuse(b, ERR_PAYLOAD_TOO_LARGE, "A file is too large.");
    const char *reason = spool_write(b->spool, piece);
    return reason ? body_refuse(b, ERR_SERVICE_UNAVAILABLE, reason) : 0;
}

static int file_end(struct body *b, struct str md5) {
    if (!b->keep_files) return 0;
    spool_close(b->spool, b->file);
    b->spool = NULL;
    if (md5.p == NULL || md5_matches(md5, b->file->md5)) return 0;
    return body_refuse(b, ERR_CHECKSUM_MISMATCH, "A file does not match its Content-MD5.");
}

/* ---- the parts of a form --------------------------------------------------------------------- */

/* Returns true for the part that a browser sends for an empty file input: a file without name and content.
 * It is skipped. */
static bool is_unselected(const struct body *b) {
    return b->part.filename.p && b->part.filename.n == 0 && b->file == NULL;
}

static int begin_file_part(struct body *b) {
    return file_begin(
        b, (struct http_file){.field = b->part.name, .filename = b->part.filename, .type = b->part.type});
}

static int on_part(void *ctx, const struct multipart_part *part) {
    struct body *b = ctx;
    b->part = *part;
    b->file = NULL;
    b->memory.n = 0;
    return part->filename.p && part->filename.n ? begin_file_part(b) : 0;
}

static int on_data(void *ctx, struct str piece) {
    struct body *b = ctx;
    if (is_unselected(b)) {
        int err = begin_file_part(b);
        if (err) return err;
    }
    if (b->part.filename.p) return file_data(b, piece);
    b->field_bytes += (int64_t)piece.n;
    if (b->field_bytes > b->limit)
        return body_refuse(b, ERR_PAYLOAD_TOO_LARGE, "The fields of the form are too large.");
    int err = charge(b, b->field_bytes);
    if (err) return err;
    buf_str(&b->memory, piece);
    return 0;
}

static int put_field(struct body *b) {
    struct str text = buf_view(&b->memory);
    unsigned char md5[16];
    struct json_error why;
    if (!utf8_valid(text)) return body_refuse(b, ERR_BODY_INVALID, "A field of the form is not UTF-8.");
    if (text.n && memchr(text.p, 0, text.n))
        return body_refuse(b, ERR_BODY_INVALID, "A field of the form has a NUL character.");
    if (b->part.md5.p) {
        md5_of(md5, text);
        if (!md5_matches(b->part.md5, md5))
            return body_refuse(b, ERR_CHECKSUM_MISMATCH, "A field does not match its Content-MD5.");
    }
    struct json *value = json_string(b->request->arena, text);
    if (form_put(b->request->arena, b->request->form, b->part.name, value, &why) == 0) return 0;
    return body_refuse(b, ERR_BODY_INVALID, why.reason);
}

static int on_part_end(void *ctx) {
    struct body *b = ctx;
    if (is_unselected(b)) return 0;
    return b->part.filename.p ? file_end(b, b->part.md5) : put_field(b);
}

static const struct multipart_sink form_sink = {on_part, on_data, on_part_end};

/* ---- the body -------------------------------------------------------------------------------- */

static bool is_form(struct str content_type) {
    struct str rest = content_type;
    return content_type.p && str_eqi(str_trim(str_cut(&rest, ';')), S("multipart/form-data"));
}

struct body *body_new(struct http_request *r, const struct http_plan *plan, struct str content_type,
                      struct stores stores) {
    struct body *b = ARENA_NEW(r->arena, struct body);
    *b = (struct body){.request = r,
                       .limit = plan->limit,
                       .file_limit = plan->file_limit,
                       .stores = stores,
                       .who.person = plan->person};
    if (address_parse(r->remote, &b->who.address)) b->who.address = address_counted(b->who.address);
    b->keep_files = plan->body != HTTP_BODY_MEMORY;
    b->last = &r->files;
    if (is_form(content_type)) {
        b->kind = FORM;
        b->form = multipart_new(r->arena, content_type, &form_sink, b);
        r->form = json_new(r->arena, JSON_OBJECT);
        if (b->form == NULL)
            return body_refuse(b, ERR_BODY_INVALID, "The Content-Type gives no usable boundary."), NULL;
        if (http_header(r, "Content-MD5").p) b->whole = g_checksum_new(G_CHECKSUM_MD5);
    } else if (plan->body == HTTP_BODY_FILE) {
        b->kind = RAW_FILE;
        struct str disposition = http_header(r, "Content-Disposition"), field = {0};
        if (disposition.p && !header_parameter(r->arena, disposition, S("name"), &field))
            return body_refuse(b, ERR_BODY_INVALID, "The Content-Disposition is malformed."), NULL;
        struct str filename = disposition.p ? filename_of(r->arena, disposition) : (struct str){0};
        if (file_begin(b, (struct http_file){.field = field, .filename = filename, .type = content_type}))
            return NULL;
    }
    return b;
}

int64_t body_limit(const struct body *b) {
    if (b->kind == FORM)
        return b->file_limit + b->limit > LIMIT_UPLOAD ? b->file_limit + b->limit : LIMIT_UPLOAD;
    return b->kind == RAW_FILE ? b->file_limit : b->limit;
}

bool body_take(struct body *b, const char *p, size_t n) {
    b->got += (int64_t)n;
    if (b->got > body_limit(b)) return body_refuse(b, ERR_PAYLOAD_TOO_LARGE, "The body is too large."), false;
    if (b->kind == RAW_FILE) return file_data(b, (struct str){p, n}) == 0;
    if (b->kind == MEMORY) return charge(b, b->got) == 0 && (buf_add(&b->memory, p, n), true);
    if (b->whole) g_checksum_update(b->whole, (const guchar *)p, (gssize)n);
    int err = multipart_feed(b->form, (struct str){p, n});
    if (err && b->request->body_error == 0) body_refuse(b, -err, multipart_reason(b->form));
    return err == 0;
}

static void finish_memory(struct body *b, struct str md5) {
    unsigned char sum[16];
    b->request->body = buf_view(&b->memory);
    if (md5.p == NULL) return;
    md5_of(sum, b->request->body);
    if (!md5_matches(md5, sum))
        body_refuse(b, ERR_CHECKSUM_MISMATCH, "The body does not match its Content-MD5.");
}

static void finish_form(struct body *b, struct str md5) {
    unsigned char sum[16];
    gsize n = sizeof sum;
    int err = multipart_end(b->form);
    if (err == 0) err = form_end(b->request->arena, b->request->form);
    if (err && b->request->body_error == 0) body_refuse(b, -err, multipart_reason(b->form));
    if (err || b->whole == NULL) return;
    g_checksum_get_digest(b->whole, sum, &n);
    if (!md5_matches(md5, sum))
        body_refuse(b, ERR_CHECKSUM_MISMATCH, "The body does not match its Content-MD5.");
}

void body_finish(struct body *b, struct str md5) {
    if (b->kind == MEMORY) {
        finish_memory(b, md5);
    } else if (b->kind == RAW_FILE) {
        file_end(b, md5);
    } else {
        finish_form(b, md5);
    }
}

void body_free(struct body *b) {
    if (b == NULL) return;
    buf_free(&b->memory);
    ledger_return(b->stores.memory, &b->who, b->charged);
    if (b->whole) g_checksum_free(b->whole);
    spool_abandon(b->spool);
    for (struct http_file *f = b->request->files; f; f = f->next)
        if (f->path.p) spool_remove(b->stores.folder, &b->who, f);
}
