#include "transfer/part_read.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/disk.h"
#include "base/error.h"
#include "core/all/column.h"
#include "transfer/row_line.h"
#include "transfer/value_rules.h"

enum {
    READ_BYTES = 1 << 18,
    LINE_MAX_BYTES = 256 << 20, /* a row has a few MiB at most, so a longer line is none of ours */
};

struct part_reading {
    const struct part *part;
    char *path;
    FILE *file;
    char *line;
    size_t room;
    int64_t number, bytes; /* lines read and their bytes */
    crypto_hash_sha256_state sum;
    struct arena *rows[2]; /* the values of this row, and of the one before */
    struct arena_mark empty[2];
    struct arena *memory; /* the arena of the rules */
    struct value_rules *rules;
    struct value *key; /* key of the previous row */
    int keys;
    char where[160];
};

/* ---- opening --------------------------------------------------------------------------------- */

/* its first member */
static const struct part *part_at(const struct move_table *t) { return (const struct part *)(const void *)t; }

static int part_tables(void *self, struct arena *a, struct move_table **out, struct why why) {
    const struct parts *p = self;
    (void)a;
    *out = p->m->count ? &p->m->parts[0].table : NULL;
    for (const struct move_table *t = *out; t; t = t->next)
        TRY(value_rules_check_last(t, COLUMN_LAST_ID_MAX, why));
    return 0;
}

static void part_close(void *handle) {
    struct part_reading *r = handle;
    if (r->file) fclose(r->file);
    for (int i = 0; i < 2; i++)
        if (r->rows[i]) arena_free(r->rows[i]);
    if (r->memory) arena_free(r->memory);
    free(r->line);
    free(r->key);
    free(r->path);
    free(r);
}

static int key_count(const struct move_table *t) {
    int n = 0;
    for (int i = 0; i < t->count; i++) n += t->columns[i].key != 0;
    return n;
}

static int part_open(void *self, const struct move_table *t, void **handle, struct why why) {
    const struct parts *p = self;
    const char *reason = "out of memory";
    struct part_reading *r = calloc(1, sizeof *r);
    if (!r || asprintf(&r->path, "%s/" TABLES_FOLDER "/%s.ndjson", p->from, t->name) < 0) {
        free(r);
        return db_refuse(why, "out of memory");
    }
    r->part = part_at(t);
    r->keys = key_count(t);
    r->key = calloc((size_t)r->keys + 1, sizeof *r->key);
    for (int i = 0; i < 2; i++) {
        r->rows[i] = arena_new();
        r->empty[i] = arena_mark(r->rows[i]);
    }
    r->file = plain_stream(r->path, &reason);
    crypto_hash_sha256_init(&r->sum);
    int rc = r->file && r->key ? 0 : db_refuse(why, "%s can't be read: %s", r->path, reason);
    if (rc == 0) rc = value_rules_of(r->memory = arena_new(), t, &r->rules, why);
    if (rc < 0) return part_close(r), rc;
    setvbuf(r->file, NULL, _IOFBF, READ_BYTES);
    *handle = r;
    return 0;
}

static const char *part_place(void *handle) {
    struct part_reading *r = handle;
    snprintf(r->where, sizeof r->where, TABLES_FOLDER "/%s.ndjson:%lld: ", r->part->table.name,
             (long long)r->number);
    return r->where;
}

static int part_refuse(struct part_reading *r, const char *what, struct why why) {
    return db_refuse(why, "%s%s", part_place(r), what);
}

/* ---- the order of the primary key ------------------------------------------------------------ */

static int values_compare(const struct value *a, const struct value *b) {
    if (a->kind == VALUE_INT && b->kind == VALUE_INT) return (a->i > b->i) - (a->i < b->i);
    if (a->kind != VALUE_TEXT || b->kind != VALUE_TEXT) return (a->kind > b->kind) - (a->kind < b->kind);
    int order = memcmp(a->s.p, b->s.p, a->s.n < b->s.n ? a->s.n : b->s.n);
    return order ? order : (a->s.n > b->s.n) - (a->s.n < b->s.n);
}

static int check_order(struct part_reading *r, const struct value *row, struct why why) {
    const struct move_table *t = &r->part->table;
    int order = 0;
    for (int place = 1; place <= r->keys && order == 0; place++)
        for (int i = 0; i < t->count; i++)
            if (t->columns[i].key == place) order = values_compare(&row[i], &r->key[place - 1]);
    if (r->number > 1 && r->keys && order <= 0)
        return part_refuse(r,
                           order == 0 ? "a row with this primary key is there already"
                                      : "the rows are not in the order of the primary key",
                           why);
    for (int i = 0; i < t->count; i++)
        if (t->columns[i].key && t->columns[i].key <= r->keys) r->key[t->columns[i].key - 1] = row[i];
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int part_end(struct part_reading *r, struct why why) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    char hex[65];
    crypto_hash_sha256_final(&r->sum, sum);
    sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
    if (r->number != r->part->table.rows)
        return db_refuse(why,
                         TABLES_FOLDER "/%s.ndjson ends after line %lld, but " MANIFEST_FILE
                                       " counts %lld rows: copy the export again",
                         r->part->table.name, (long long)r->number, (long long)r->part->table.rows);
    if (r->bytes != r->part->bytes || strcmp(hex, r->part->sha256) != 0)
        return db_refuse(why,
                         TABLES_FOLDER "/%s.ndjson differs from its SHA-256 in " MANIFEST_FILE
                                       ": copy the export again, or correct bytes and sha256 there if you "
                                       "changed the file",
                         r->part->table.name);
    return 0;
}

static int part_take_line(struct part_reading *r, struct str *out, struct why why) {
    ssize_t n = getline(&r->line, &r->room, r->file);
    if (n < 0 && ferror(r->file)) return db_refuse(why, "%s can't be read: %s", r->path, strerror(errno));
    if (n < 0) return 0;
    r->number++;
    r->bytes += n;
    crypto_hash_sha256_update(&r->sum, (const unsigned char *)r->line, (size_t)n);
    if (r->line[n - 1] != '\n') return part_refuse(r, "the line is incomplete: copy the export again", why);
    if (n > LINE_MAX_BYTES) return part_refuse(r, "the line is over 256 MiB", why);
    *out = (struct str){r->line, (size_t)n - 1};
    return 1;
}

static int part_next_row(void *handle, struct value *row, struct why why) {
    struct part_reading *r = handle;
    struct str line;
    char reason[400] = "";
    int rc = part_take_line(r, &line, why);
    if (rc <= 0) return rc < 0 ? rc : part_end(r, why);
    struct arena *a = r->rows[r->number % 2];
    arena_return(a, r->empty[r->number % 2]);
    if (row_read(a, line, &r->part->table, row, (struct why){reason, sizeof reason}) < 0)
        return part_refuse(r, reason, why);
    if (r->number > r->part->table.rows)
        return db_refuse(why, "%s" MANIFEST_FILE " counts only %lld rows: copy the export again",
                         part_place(r), (long long)r->part->table.rows);
    TRY(check_order(r, row, why));
    if (value_rules_check(r->rules, row, (struct why){reason, sizeof reason}) < 0)
        return part_refuse(r, reason, why);
    return 1;
}

/* ---- lines of rows --------------------------------------------------------------------------- */

int64_t part_line(const struct parts *p, const char *table, const char *column, int64_t value) {
    struct value row[256];
    char ignored[512];
    struct why why = {ignored, sizeof ignored};
    void *handle;
    int64_t found = 0;
    const struct move_table *t = p->m->count ? &p->m->parts[0].table : NULL;
    while (t && strcmp(t->name, table) != 0) t = t->next;
    if (!t || t->count > 256 || part_open((void *)(uintptr_t)p, t, &handle, why) < 0) return 0;
    while (!found && part_next_row(handle, row, why) == 1)
        for (int i = 0; i < t->count; i++)
            if (strcmp(t->columns[i].name, column) == 0 && row[i].kind == VALUE_INT && row[i].i == value)
                found = ((struct part_reading *)handle)->number;
    part_close(handle);
    return found;
}

static int part_dangling(void *self, const char *table, const char *column, int64_t value, const char *parent,
                         struct why why) {
    return db_refuse(why, TABLES_FOLDER "/%s.ndjson:%lld: %s %lld refers to no row of %s", table,
                     (long long)part_line(self, table, column, value), column, (long long)value, parent);
}

struct row_source parts_source(struct parts *p) {
    return (struct row_source){.self = p,
                               .tables = part_tables,
                               .read = part_open,
                               .next = part_next_row,
                               .close = part_close,
                               .dangling = part_dangling,
                               .place = part_place};
}
