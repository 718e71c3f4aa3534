#include "transfer/manifest.h"

#include "base/clock.h"
#include "base/error.h"
#include "json/json.h"
#include "transfer/row_line.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void text_member(struct json_writer *w, const char *name, struct str value) {
    jw_key_raw(w, str_of(name));
    jw_str(w, value);
}

static void int_member(struct json_writer *w, const char *name, int64_t value) {
    jw_key_raw(w, str_of(name));
    jw_int(w, value);
}

static void column_write(struct json_writer *w, const struct move_column *c) {
    jw_object(w);
    text_member(w, "name", str_of(c->name));
    text_member(w, "type", str_of(column_type(c->kind)));
    if (c->key) int_member(w, "key", c->key);
    jw_end(w);
}

static void part_write(struct json_writer *w, const struct part *p) {
    jw_object(w);
    text_member(w, "name", str_of(p->table.name));
    int_member(w, "rows", p->table.rows);
    int_member(w, "last_id", p->table.last_id);
    int_member(w, "bytes", p->bytes);
    text_member(w, "sha256", str_of(p->sha256));
    jw_key_raw(w, S("columns"));
    jw_array(w);
    for (int i = 0; i < p->table.count; i++) column_write(w, &p->table.columns[i]);
    jw_end(w);
    jw_end(w);
}

static void contents_write(struct json_writer *w, const struct manifest *m) {
    jw_key_raw(w, S("files"));
    jw_object(w);
    int_member(w, "count", m->contents);
    int_member(w, "bytes", m->content_bytes);
    jw_end(w);
}

void manifest_write(struct buf *out, const struct manifest *m) {
    struct json_writer w;
    jw_init(&w, out);
    w.pretty = true;
    jw_object(&w);
    int_member(&w, "format", m->format);
    int_member(&w, "schema", m->schema);
    text_member(&w, "deskd", m->program);
    jw_key_raw(&w, S("exported_at"));
    jw_time(&w, m->exported_at);
    text_member(&w, "base_url", m->base_url);
    text_member(&w, "key_proof", m->key_proof);
    contents_write(&w, m);
    jw_key_raw(&w, S("tables"));
    jw_array(&w);
    for (int i = 0; i < m->count; i++) part_write(&w, &m->parts[i]);
    jw_end(&w);
    jw_end(&w);
    buf_char(out, '\n');
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool int_of(const struct json *object, const char *name, int64_t *out) {
    const struct json *j = json_member(object, str_of(name));
    return j && j->type == JSON_NUMBER && str_to_int(j->text, out) && *out >= 0;
}

static bool text_of(const struct json *object, const char *name, struct str *out) {
    struct str text = json_member_text(object, name);
    if (text.p) *out = text;
    return text.p != NULL;
}

static const struct json *list_of(const struct json *object, const char *name) {
    const struct json *j = json_member(object, str_of(name));
    return j && j->type == JSON_ARRAY ? j : NULL;
}

static bool column_read(const struct json *j, struct move_column *out) {
    struct str name, type;
    int64_t key = 0;
    if (!text_of(j, "name", &name) || !text_of(j, "type", &type) || !column_kind(type, &out->kind))
        return false;
    if (json_member(j, S("key")) && (!int_of(j, "key", &key) || key < 1 || key > 100)) return false;
    out->name = name.p;
    out->type_name = type.p;
    out->key = (int)key;
    return true;
}

static bool part_described(struct arena *a, const struct json *j, struct part *out) {
    struct str name, sum;
    const struct json *columns = list_of(j, "columns");
    bool ok = text_of(j, "name", &name) && int_of(j, "rows", &out->table.rows) &&
              int_of(j, "last_id", &out->table.last_id) && int_of(j, "bytes", &out->bytes) &&
              text_of(j, "sha256", &sum) && sum.n == sizeof out->sha256 - 1 && columns && columns->count > 0;
    if (!ok) return false;
    memcpy(out->sha256, sum.p, sizeof out->sha256);
    out->table.name = name.p;
    out->table.columns = arena_array(a, columns->count, sizeof *out->table.columns);
    for (const struct json *c = columns->first; c && ok; c = c->next)
        ok = column_read(c, &out->table.columns[out->table.count++]);
    return ok;
}

static int parts_read(struct arena *a, const struct json *list, struct manifest *out, struct why why) {
    out->parts = arena_array(a, list->count + 1, sizeof *out->parts);
    for (const struct json *j = list->first; j; j = j->next) {
        struct part *p = &out->parts[out->count];
        if (!part_described(a, j, p))
            return db_refuse(why, MANIFEST_FILE ": the description of table %d is not valid", out->count + 1);
        if (out->count && strcmp(out->parts[out->count - 1].table.name, p->table.name) >= 0)
            return db_refuse(why,
                             MANIFEST_FILE ": the table %s is there twice, or not in the order of the names",
                             p->table.name);
        if (out->count) out->parts[out->count - 1].table.next = &p->table;
        out->count++;
    }
    return 0;
}

int manifest_read(struct arena *a, struct str text, struct manifest *out, struct why why) {
    struct json *j;
    struct json_error wrong;
    if (json_parse(a, text, &j, &wrong) < 0)
        return db_refuse(why, MANIFEST_FILE ": byte %zu: %s", wrong.offset + 1, wrong.reason);
    if (!int_of(j, "format", &out->format))
        return db_refuse(why, MANIFEST_FILE " has no format: name the folder of an export");
    if (out->format != TRANSFER_FORMAT)
        return db_refuse(why,
                         "the export has format %lld, but this deskd reads only %d: import it with the "
                         "deskd that made it",
                         (long long)out->format, TRANSFER_FORMAT);
    const struct json *files = json_member(j, S("files")), *tables = list_of(j, "tables");
    struct str at;
    bool ok = int_of(j, "schema", &out->schema) && text_of(j, "deskd", &out->program) &&
              text_of(j, "key_proof", &out->key_proof) && files && text_of(j, "exported_at", &at) &&
              time_parse_iso(at, &out->exported_at) && int_of(files, "count", &out->contents) &&
              int_of(files, "bytes", &out->content_bytes) && tables;
    if (!ok)
        return db_refuse(why, MANIFEST_FILE " lacks a member of its format (docs/TRANSFER.md), or one has a "
                                            "wrong type");
    if (!text_of(j, "base_url", &out->base_url)) out->base_url = (struct str){0};
    return parts_read(a, tables, out, why);
}
