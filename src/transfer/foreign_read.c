/* Files of other systems: (1) one object a line, (2) one document with an array, or (3) one document with
 * an object that has the array, as a page of their API. Lines are read one by one. A document is read
 * whole. */
#include "transfer/foreign.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/disk.h"
#include "base/error.h"
#include "core/desk/setting.h"
#include "files/content.h"
#include "transfer/growing.h"

enum {
    DOCUMENT_MAX = 64 << 20,
    PART_LINES = 64, /* lines of a write into a desk that is filled already */
    PART_BYTES = 4 << 20,
};

struct foreign_reading {
    struct foreign *f;
    const struct foreign_part *part;
    const char *path, *name;
    struct growing *growing; /* NULL: the file is whole */
    int64_t bytes;           /* that were read */
};

/* ---- items ----------------------------------------------------------------------------------- */

static void show_progress(struct foreign_reading *r, int64_t place) {
    struct foreign *f = r->f;
    if (!f->progress || ++f->items % 64 != 0) return;
    if (r->growing) f->progress(r->part->name, place, growing_rows(r->growing));
    else f->progress(r->part->name, f->items, f->items + 1);
}

static int take_item(struct foreign_reading *r, const struct json *item, int64_t place, const char *unit) {
    struct foreign *f = r->f;
    char reason[400];
    if (item->type == JSON_NUMBER)
        return db_refuse(f->why, "%s: %s %lld is only an id: export the objects themselves", r->name, unit,
                         (long long)place);
    if (item->type != JSON_OBJECT)
        return db_refuse(f->why, "%s: %s %lld is not an object", r->name, unit, (long long)place);
    show_progress(r, place);
    *f->why.p = 0;
    int rc = r->part->shape ? foreign_check(f, r->part->shape, item, "", item_int(item, "id")) : 0;
    f->changed_at = item_int(item, "_updated");
    f->carried_at = 0;
    if (r->part->gone && f->maps_ids) foreign_ids_add(f->memory, &f->seen, item_int(item, "id"));
    if (rc >= 0) rc = r->part->take(f, item);
    if (rc >= 0) return 0;
    snprintf(reason, sizeof reason, "%s", *f->why.p ? f->why.p : "it can't be stored");
    return db_refuse(f->why, "%s: %s %lld: %s", r->name, unit, (long long)place, reason);
}

/* Takes the items of a list. `memory` holds the list, so each item gets an arena of its own. */
static int take_list(struct foreign_reading *r, const struct json *list) {
    int64_t place = 0;
    for (const struct json *item = list->first; item; item = item->next) {
        struct arena *outer = r->f->item;
        r->f->item = arena_new();
        int rc = take_item(r, item, ++place, "item");
        arena_free(r->f->item);
        r->f->item = outer;
        TRY(rc);
    }
    return 0;
}

static const struct json *list_in(const struct json *j, const char *name) {
    return j->type == JSON_ARRAY ? j : item_list(j, name);
}

static int file_text(struct foreign *f, struct arena *a, const char *path, struct str *out) {
    struct stat st;
    const char *reason;
    FILE *file = plain_stream(path, &reason);
    if (!file) return db_refuse(f->why, "%s can't be read: %s", path, reason);
    if (fstat(fileno(file), &st) != 0) st.st_size = 0;
    bool fits = st.st_size <= DOCUMENT_MAX;
    char *text = arena_bytes(a, fits ? (size_t)st.st_size + 1 : 1);
    *out = (struct str){text, fits ? fread(text, 1, (size_t)st.st_size, file) : 0};
    fclose(file);
    if (fits) return 0;
    return db_refuse(f->why, "%s is one document of more than 64 MiB: write one object a line", path);
}

/* A byte order mark is no part of the text. */
static struct str without_mark(struct str text) {
    bool marked = text.n >= 3 && memcmp(text.p, "\xEF\xBB\xBF", 3) == 0;
    return marked ? (struct str){text.p + 3, text.n - 3} : text;
}

/* Refuses a text that is no JSON, with the line and the byte in it. */
static int refuse_json(struct foreign *f, const char *name, struct str text, const struct json_error *wrong) {
    size_t line = 1, begin = 0;
    for (size_t i = 0; i < wrong->offset && i < text.n; i++)
        if (text.p[i] == '\n') line++, begin = i + 1;
    return db_refuse(f->why, "%s: line %zu: byte %zu: %s", name, line, wrong->offset - begin + 1,
                     wrong->reason);
}

static int read_foreign_document(struct foreign_reading *r) {
    struct json *j;
    struct json_error wrong;
    struct str text;
    struct arena *a = arena_new();
    int rc = file_text(r->f, a, r->path, &text);
    if (rc == 0 && json_parse(a, without_mark(text), &j, &wrong) < 0)
        rc = refuse_json(r->f, r->name, without_mark(text), &wrong);
    const struct json *list = rc == 0 ? list_in(j, r->part->name) : NULL;
    if (rc == 0 && !list)
        rc = db_refuse(r->f->why, "%s has neither a list nor a member \"%s\" with one", r->name,
                       r->part->name);
    if (rc == 0) rc = take_list(r, list);
    arena_free(a);
    return rc;
}

static bool may_be_document(const char *file) {
    const char *end = strrchr(file, '.');
    return end && strcmp(end, ".json") == 0;
}

/* Returns 1 if the line was taken, 0 if the file is not one of lines, or a negative error. */
static int read_one_line(struct foreign_reading *r, struct str line, int64_t number) {
    struct json *j;
    struct json_error wrong;
    struct foreign *f = r->f;
    if (json_parse(f->item, without_mark(line), &j, &wrong) < 0)
        return number == 1 && may_be_document(r->name)
                   ? 0
                   : db_refuse(f->why, "%s: line %lld: byte %zu: %s", r->name, (long long)number,
                               wrong.offset + 1, wrong.reason);
    const struct json *list = list_in(j, r->part->name);
    int rc = list ? take_list(r, list) : take_item(r, j, number, "line");
    return rc < 0 ? rc : 1;
}

/* Takes a line in an arena of its own. */
static int take_line(struct foreign_reading *r, struct str line, int64_t number) {
    r->f->item = arena_new();
    int rc = read_one_line(r, line, number);
    arena_free(r->f->item);
    r->f->item = NULL;
    return rc;
}

/* Lines that wait for a write of their own: a desk that is filled already gets them part by part. */
struct line_part {
    struct foreign_reading *reading;
    struct arena *memory; /* NULL: there are none */
    struct str lines[PART_LINES];
    size_t bytes;
    int64_t number; /* of the last line */
    int count;
};

static int line_part_run(struct conn *c, void *arg) {
    struct line_part *p = arg;
    struct conn *before = p->reading->f->conn;
    int rc = 1;
    p->reading->f->conn = c;
    for (int i = 0; i < p->count && rc == 1; i++)
        rc = take_line(p->reading, p->lines[i], p->number - p->count + 1 + i);
    p->reading->f->conn = before;
    return rc;
}

static int line_part_write(struct line_part *p) {
    if (p->count == 0) return 1;
    int rc = db_write(p->reading->f->db, line_part_run, p);
    arena_free(p->memory);
    *p = (struct line_part){.reading = p->reading, .number = p->number};
    return rc;
}

/* Returns 1, 0 if the file is not one of lines, or a negative error. */
static int line_part_take(struct line_part *p, struct str line) {
    if (p->reading->f->db == NULL) return take_line(p->reading, line, p->number);
    if (p->memory == NULL) p->memory = arena_new();
    p->lines[p->count++] = str_dup(p->memory, line);
    p->bytes += line.n;
    return p->count == PART_LINES || p->bytes > PART_BYTES ? line_part_write(p) : 1;
}

/* Reads the next line; one that grows is waited for. Returns its bytes, 0 at the end, or -1 with errno. */
static ssize_t line_read(struct foreign_reading *r, char **text, size_t *room, FILE *file) {
    if (r->growing && !growing_wait(r->growing, r->bytes)) return 0;
    ssize_t n = getline(text, room, file);
    if (n > 0) r->bytes += n;
    return n < 0 && feof(file) ? 0 : n;
}

static int read_foreign_lines(struct foreign_reading *r, FILE *file) {
    char *text = NULL;
    size_t room = 0;
    struct line_part part = {.reading = r};
    int rc = 1;
    ssize_t n = 1;
    bool is_empty = true;
    while (rc == 1 && (n = line_read(r, &text, &room, file)) > 0) {
        struct str line = str_trim((struct str){text, (size_t)n});
        if (line.n == 0 && line_part_write(&part) < 0) rc = -ERR_SERVICE_UNAVAILABLE;
        part.number++;
        if (line.n == 0) continue;
        is_empty = false;
        rc = line_part_take(&part, line);
    }
    if (n < 0) rc = db_refuse(r->f->why, "%s can't be read: %s", r->path, strerror(errno));
    if (rc == 1) rc = line_part_write(&part);
    else if (part.memory) arena_free(part.memory);
    free(text);
    /* a list of lines may be empty, a document may not */
    return rc == 1 && is_empty && may_be_document(r->name) ? 0 : rc;
}

static int read_foreign_file(struct foreign_reading *r) {
    const char *reason;
    FILE *file = plain_stream(r->path, &reason);
    if (!file) return db_refuse(r->f->why, "%s can't be read: %s", r->path, reason);
    int rc = read_foreign_lines(r, file);
    fclose(file);
    return rc == 0 ? read_foreign_document(r) : rc < 0 ? rc : 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_of_json(const char *file) {
    const char *end = strrchr(file, '.');
    return may_be_document(file) || (end && (strcmp(end, ".ndjson") == 0 || strcmp(end, ".jsonl") == 0));
}

/* NAME.json, NAME-2.json, NAME_2024.ndjson, NAME.jsonl. */
static bool file_of_part(const char *file, const char *name) {
    size_t n = strlen(name), all = strlen(file);
    if (all <= n || strncmp(file, name, n) != 0 || !is_of_json(file)) return false;
    return strspn(file + n, "0123456789-_") == (size_t)(strrchr(file, '.') - file) - n;
}

/* By number: users-2 before users-10. */
static int compare_numbers_of_names(const struct dirent **a, const struct dirent **b) {
    return strverscmp((*a)->d_name, (*b)->d_name);
}

static int part_end_take(struct foreign *f, const struct foreign_part *part) {
    f->item = arena_new();
    int rc = part->end(f);
    arena_free(f->item);
    f->item = NULL;
    return rc;
}

struct part_end {
    struct foreign *f;
    const struct foreign_part *part;
};

static int end_of_part(struct conn *c, void *arg) {
    const struct part_end *e = arg;
    struct conn *before = e->f->conn;
    e->f->conn = c;
    int rc = part_end_take(e->f, e->part);
    e->f->conn = before;
    return rc;
}

/* The file must be whole before its rows are committed. */
static int read_growing(struct foreign *f, const struct foreign_part *part) {
    const char *reason;
    struct foreign_reading r = {f, part, f->growing->file, strrchr(f->growing->file, '/') + 1, f->growing, 0};
    FILE *file = growing_open(f->growing, &reason);
    if (!file) return db_refuse(f->why, "%s can't be read: %s", r.path, reason);
    int rc = read_foreign_lines(&r, file);
    fclose(file);
    TRY(rc);
    return growing_is_whole(f->growing) ? 0 : db_refuse(f->why, "%s is not whole", r.path);
}

static int read_foreign_part(struct foreign *f, const struct foreign_part *part, struct dirent **list,
                             int n) {
    int found = f->growing && strcmp(f->growing->part, part->name) == 0;
    if (found) TRY(read_growing(f, part));
    for (int i = 0; i < n && !(found && f->growing); i++) {
        if (!file_of_part(list[i]->d_name, part->name)) continue;
        struct foreign_reading r = {
            f, part, str_fmt(f->memory, "%s/%s", f->from, list[i]->d_name).p, list[i]->d_name, NULL, 0};
        TRY(read_foreign_file(&r));
        found++;
    }
    if (part->end)
        TRY(f->db ? db_write(f->db, end_of_part, &(struct part_end){f, part}) : part_end_take(f, part));
    if (found && part->gone && f->maps_ids && !foreign_is_unlisted(f, part->name)) TRY(part->gone(f, part));
    f->seen = (struct foreign_ids){0};
    if (found || !part->needed) return 0;
    return db_refuse(f->why, "%s has no file %s.json: docs/TRANSFER.md lists the files", f->from, part->name);
}

static void report_other_file(struct foreign *f, const char *file) {
    const struct foreign_part *p = f->system->parts;
    while (p->name && !file_of_part(file, p->name)) p++;
    if (!p->name && is_of_json(file)) foreign_skip_file(f, "files with other names", file);
}

/* Reports the files of a folder that belong to no imported ticket. */
static int report_list(struct foreign *f, const char *list) {
    struct dirent *e;
    int rc = 0;
    DIR *folder = opendir(str_fmt(f->memory, "%s/%s", f->from, list).p);
    f->item = arena_new();
    while (folder && rc >= 0 && (e = readdir(folder))) {
        int64_t id;
        struct str rest = str_of(e->d_name), number = str_cut(&rest, '.');
        if (!is_of_json(e->d_name)) continue;
        rc = str_to_int(number, &id) && str_eq(rest, S("json")) ? foreign_has_case(f, id) : 0;
        if (rc == 0)
            foreign_skip_file(f, "files of tickets that were not imported",
                              str_fmt(f->item, "%s/%s", list, e->d_name).p);
    }
    arena_free(f->item);
    f->item = NULL;
    if (folder) closedir(folder);
    return rc < 0 ? rc : 0;
}

static int foreign_read(struct foreign *f) {
    struct dirent **list;
    int n = scandir(f->from, &list, NULL, compare_numbers_of_names), rc = 0;
    if (n < 0) return db_refuse(f->why, "%s can't be read: %s", f->from, strerror(errno));
    for (const struct foreign_part *p = f->system->parts; p->name && rc == 0; p++)
        rc = read_foreign_part(f, p, list, n);
    for (int i = 0; i < n; i++) {
        report_other_file(f, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    for (const char *const *l = f->system->lists; *l && rc == 0; l++) rc = report_list(f, *l);
    return rc;
}

static bool has_next_page(const struct json *page) {
    const struct json *meta = json_member(page, S("meta"));
    return json_member_text(page, "next_page").n || (meta && json_member_true(meta, "has_more"));
}

int foreign_read_of(struct foreign *f, const char *list, int64_t id, const struct json **out,
                    const char **path) {
    const char *name = str_fmt(f->item, "%s/%lld.json", list, (long long)id).p,
               *file = str_fmt(f->item, "%s/%s", f->from, name).p;
    struct json *j;
    struct json_error wrong;
    struct str text;
    struct stat st;
    *out = NULL;
    *path = str_fmt(f->item, "%s: %s", name, list).p;
    if (stat(file, &st) != 0 && (errno == ENOENT || errno == ENOTDIR)) return 0;
    TRY(file_text(f, f->item, file, &text));
    if (json_parse(f->item, without_mark(text), &j, &wrong) < 0)
        return refuse_json(f, name, without_mark(text), &wrong);
    if (has_next_page(j)) foreign_skip_file(f, "pages that follow a file", name);
    *out = list_in(j, list);
    return *out ? 0 : db_refuse(f->why, "%s has neither a list nor a member \"%s\" with one", name, list);
}

int foreign_import(struct foreign *f) {
    f->made = f->skipped = NULL; /* discards the counts of a run that was undone */
    f->terms = NULL;
    f->map = (struct foreign_map){0};
    f->kept = NULL;
    memset(f->fields, 0, sizeof f->fields);
    f->posts = f->identities = f->comments = f->articles = (struct foreign_ids){0};
    f->items = 0;
    f->desk->settings = settings_open(f->conn);
    if (!f->desk->settings) return db_refuse(f->why, "the settings can't be read");
    int rc = foreign_read(f);
    if (rc == 0 && contents_synced(f->contents) != 0)
        rc = db_refuse(f->why, "the contents of files can't be written to %s: %s", f->contents->folder,
                       strerror(errno));
    settings_close(f->desk->settings);
    f->desk->settings = NULL;
    return rc;
}
