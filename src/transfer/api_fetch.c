/* A kind of rows is fetched in three steps: (1) the list of ids and times of changes, (2) the rows whose time
 * is not that of the folder, with their posts and notes, a hundred at a time, (3) a new file that replaces
 * the old one. The file has a line for each row, in the order of ids:
 *
 *     {"_id":12,"_updated":1732700000000,"_fetched":1732700100000,"_posts":[...],ROW
 *
 * While step 2 runs, the lines are in NAME.draft. A run that ends early leaves it, and the next one reads it
 * as NAME.part, so that no row is fetched twice. */
#include "transfer/api_fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/disk.h"
#include "base/error.h"
#include "core/words.h"

enum {
    IDS_A_PAGE = 1000,
    ROWS_AT_ONCE = 100,
    /* Times of the API have no fractions, and clocks differ: a row that changed so shortly before it was
     * fetched is fetched again. */
    FRESH_MS = 60 * 1000,
    IDS_MOST = 50 * 1000 * 1000,
};

struct listed {
    int64_t id, updated;
};

#define SMALL(file, list, include) \
    .name = file, .path = list, .query = include, .parts = API_PLAIN, .is_small = true
#define TEXTS "&include=locale_field%2Cfield_option"

static const struct api_kind kinds[] = {
    {SMALL("locales", "/locales", "")},
    {SMALL("brands", "/brands", ""), .extra_of = "/brands", .extra = "/templates"},
    {SMALL("endpoints", "/endpoints", "")},
    {SMALL("mailboxes", "/mailboxes", "")},
    {SMALL("statuses", "/cases/statuses", "")},
    {SMALL("priorities", "/cases/priorities", "")},
    {SMALL("types", "/cases/types", "")},
    {SMALL("case_fields", "/cases/fields", TEXTS)},
    {SMALL("user_fields", "/users/fields", TEXTS)},
    {SMALL("organization_fields", "/organizations/fields", TEXTS)},
    {SMALL("businesshours", "/businesshours", "")},
    {SMALL("forms", "/cases/forms", TEXTS)},
    {SMALL("slas", "/slas", "&include=sla_target%2Csla_proposition")},
    {SMALL("macros", "/cases/macros", "&include=tag"), .filter = "show_all=true&"},
    {SMALL("views", "/views", ""), .filter = "show_all=true&"},
    {SMALL("triggers", "/triggers", "")},
    {SMALL("monitors", "/monitors", "")},
    {SMALL("categories", "/categories", TEXTS "&fields=%2Bicon")},
    {SMALL("tags", "/tags", "")},
    {SMALL("sections", "/sections", TEXTS "%2Ctag&fields=%2Bsort_order")},
    {.name = "articles",
     .path = "/articles",
     .query = TEXTS "%2Ctag",
     .owner = "/articles",
     .parts = API_COMMENTS,
     .is_small = true},
    {.name = "organizations",
     .path = "/organizations",
     .query = "&fields=%2Btags&include=identity_domain%2Cidentity_phone%2Corganization_field_value",
     .owner = "/organizations",
     .parts = API_NOTES},
    {.name = "teams", .path = "/teams", .query = ""},
    {.name = "users",
     .path = "/users",
     .query = "&fields=%2Btags&include=identity_email%2Cidentity_phone%2Cexternal_identifier%2Crole"
              "%2Cuser_field_value",
     .owner = "/users",
     .parts = API_NOTES,
     .has_pictures = true},
};

static const struct api_kind conversations = {
    .name = "cases",
    .path = "/cases",
    .query = "&fields=%2Btags&include=case_status%2Ccase_priority%2Ccase_type%2Cchannel%2Ccase_field_value",
    .owner = "/cases",
    .parts = API_POSTS,
    .extra_of = "/conversations",
    .extra = "/ratings",
    .extra_if = "rating"};

/* ---- the list of a kind ---------------------------------------------------------------------- */

struct listing {
    struct listed *rows;
    int64_t count, room, total;
    struct foreign_ids seen;
    struct arena *memory;
};

static void listing_add(struct listing *l, struct listed row) {
    if (l->count == l->room) {
        struct listed *more = arena_array(l->memory, (size_t)(l->room ? 2 * l->room : 4096), sizeof *more);
        if (l->count) memcpy(more, l->rows, (size_t)l->count * sizeof *more);
        l->rows = more;
        l->room = l->room ? 2 * l->room : 4096;
    }
    l->rows[l->count++] = row;
}

/* Adds the rows of a page that are new. Returns their number; *last gets the id of the last row. */
static int64_t listing_page(struct api_fetch *x, struct listing *l, const struct json *reply, int64_t *last) {
    const struct json *data = item_list(reply, "data");
    int64_t added = 0;
    for (const struct json *j = data ? data->first : NULL; j; j = j->next) {
        struct listed row = {item_int(j, "id"), item_time(j, "updated_at")};
        if (row.id <= 0 || row.id > API_ID_MOST) {
            foreign_skip(x->report, "rows without an id", 0);
            continue;
        }
        *last = row.id;
        if (!foreign_ids_add(l->memory, &l->seen, row.id)) continue;
        listing_add(l, row);
        added++;
    }
    return added;
}

static void report_unlisted(struct api_fetch *x, const char *kind, int status) {
    if (!foreign_is_unlisted(x->report, kind))
        foreign_skip_many(
            x->report,
            str_fmt(x->memory, "the list of %s can't be read: the source answers %d", kind, status).p, 1);
    foreign_unlisted(x->report, kind);
}

/* A list that the source need not have, or that the account need not see. */
static int small_page(struct api_fetch *x, const struct api_kind *k, struct arena *a, struct str path,
                      struct json **reply) {
    struct source_page p = {.path = path};
    TRY(source_pages(&x->source, a, &p, 1));
    *reply = p.reply ? p.reply : json_new(a, JSON_OBJECT);
    if (p.status != 200) report_unlisted(x, k->name, p.status);
    return 0;
}

/* Reads pages from the first one on, until one has nothing new. */
static int list_pass(struct api_fetch *x, const struct api_kind *k, struct listing *l, int64_t *added) {
    int64_t last = 0, more = 1;
    for (*added = 0; more > 0; *added += more) {
        struct arena *a = arena_new();
        struct json *reply;
        struct str path = str_fmt(a, "%s?%sfields=id%%2Cupdated_at&limit=%d", k->path,
                                  k->filter ? k->filter : "", IDS_A_PAGE);
        /* lists in another order than that of ids or times take no after_id */
        if (last && k->is_small) path = str_fmt(a, "%s&offset=%" PRId64, path.p, *added);
        else if (last) path = str_fmt(a, "%s&after_id=%" PRId64, path.p, last);
        int rc = k->is_small ? small_page(x, k, a, path, &reply) : source_page(&x->source, a, path, &reply);
        more = rc < 0 ? rc : listing_page(x, l, reply, &last);
        if (rc == 0 && item_int(reply, "total_count") > l->total) l->total = item_int(reply, "total_count");
        if (x->progress && rc == 0)
            x->progress(k->name, l->count, l->total > l->count ? l->total : l->count + 1);
        arena_free(a);
        if (rc == 0 && l->count > IDS_MOST)
            return db_refuse(x->source.why, "%s%s has no end", x->source.base, k->path);
    }
    return more < 0 ? (int)more : 0;
}

static int compare_listings(const void *one, const void *two) {
    const struct listed *a = one, *b = two;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* A row that changes while the pages are read may move to the front of its list, so the list is read again
 * until it shows nothing new. */
static int list_kind(struct api_fetch *x, const struct api_kind *k, struct listing *l) {
    int64_t added = 1;
    for (int passes = 0; added > 0 && passes < 5; passes++) TRY(list_pass(x, k, l, &added));
    if (l->total > l->count) {
        foreign_skip(x->report, str_fmt(x->memory, "rows of %s that are counted, but not listed", k->name).p,
                     0);
        foreign_unlisted(x->report, k->name);
    }
    if (l->count) qsort(l->rows, (size_t)l->count, sizeof *l->rows, compare_listings);
    return 0;
}

/* ---- lines of the last run ------------------------------------------------------------------- */

struct lines {
    FILE *file; /* NULL: there is none */
    char *text;
    size_t room;
    ssize_t n; /* bytes of the line; 0: none */
    int64_t id, updated, fetched;
};

static const char *kind_file(struct api_fetch *x, const char *name, const char *end) {
    return str_fmt(x->memory, "%s/%s.%s", x->folder, name, end).p;
}

static void lines_open(struct lines *l, const char *path) { *l = (struct lines){.file = fopen(path, "re")}; }

/* Reads the next whole line. The last line of an interrupted run may be cut. */
static bool lines_next(struct lines *l) {
    l->n = l->file ? getline(&l->text, &l->room, l->file) : 0;
    bool whole = l->n > 1 && l->text[l->n - 1] == '\n' &&
                 sscanf(l->text, API_LINE_BEGINS, &l->id, &l->updated, &l->fetched) == 3;
    if (!whole) l->n = 0;
    return whole;
}

static bool lines_at(struct lines *l, int64_t id) {
    while (l->n > 0 && l->id < id) lines_next(l);
    return l->n > 0 && l->id == id;
}

static void lines_close(struct lines *l) {
    if (l->file) fclose(l->file);
    free(l->text);
}

/* NAME.part becomes the lines of NAME.draft, then those of NAME.part with a higher id. */
static int join_drafts(struct api_fetch *x, const char *name) {
    const char *draft = kind_file(x, name, "draft"), *part = kind_file(x, name, "part"),
               *both = kind_file(x, name, "joined");
    struct lines new, old;
    int64_t last = 0;
    if (access(draft, F_OK) != 0) return 0;
    FILE *out = fopen(both, "we");
    if (!out) return db_refuse(x->source.why, "%s can't be written: %s", both, strerror(errno));
    lines_open(&new, draft);
    lines_open(&old, part);
    while (lines_next(&new)) fwrite(new.text, 1, (size_t) new.n, out), last = new.id;
    while (lines_next(&old))
        if (old.id > last) fwrite(old.text, 1, (size_t)old.n, out);
    lines_close(&new);
    lines_close(&old);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed || rename(both, part) != 0 || unlink(draft) != 0)
        return db_refuse(x->source.why, "%s can't be written: %s", part, strerror(errno));
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct kind_run {
    struct api_fetch *x;
    const struct api_kind *kind;
    struct lines kept, part;
    FILE *out;
};

static bool is_line_current(const struct lines *l, const struct listed *row) {
    return l->updated == row->updated && row->updated + FRESH_MS < l->fetched;
}

/* Takes the line of the last run if the row has not changed since. p NULL: it has. */
static struct str line_kept(struct kind_run *r, struct arena *a, const struct listed *row) {
    struct lines *from = lines_at(&r->part, row->id) && is_line_current(&r->part, row)   ? &r->part
                         : lines_at(&r->kept, row->id) && is_line_current(&r->kept, row) ? &r->kept
                                                                                         : NULL;
    if (r->kind->is_small) return (struct str){0};
    return from ? str_dup(a, (struct str){from->text, (size_t)from->n}) : (struct str){0};
}

/* Fetches the rows that have changed, and writes all lines of the rows in their order. */
static int kind_rows_write(struct kind_run *r, struct arena *a, const struct listed *rows, int count) {
    struct str *lines = arena_array(a, ROWS_AT_ONCE, sizeof *lines);
    struct api_item *items = arena_array(a, ROWS_AT_ONCE, sizeof *items);
    int wanted = 0, next = 0;
    for (int i = 0; i < count; i++) {
        lines[i] = line_kept(r, a, &rows[i]);
        if (!lines[i].p) items[wanted++] = (struct api_item){.id = rows[i].id};
    }
    TRY(api_items(r->x, a, r->kind, items, wanted));
    r->x->kept += count - wanted;
    for (int i = 0; i < count; i++) {
        if (!lines[i].p && items[next++].line.p) {
            lines[i] = items[next - 1].line;
            r->x->fetched += !r->kind->is_small;
        }
        if (lines[i].p) fwrite(lines[i].p, 1, lines[i].n, r->out);
    }
    bool written = fflush(r->out) == 0;
    if (written && r->x->growing) growing_has(r->x->growing, ftello(r->out));
    if (written) return 0;
    return db_refuse(r->x->source.why, "%s can't be written: %s", r->x->folder, strerror(errno));
}

static int kind_rows(struct kind_run *r, const struct listing *l) {
    for (int64_t at = 0; at < l->count; at += ROWS_AT_ONCE) {
        int n = l->count - at < ROWS_AT_ONCE ? (int)(l->count - at) : ROWS_AT_ONCE;
        struct arena *a = arena_new();
        int rc = kind_rows_write(r, a, l->rows + at, n);
        arena_free(a);
        TRY(rc);
        if (r->x->progress) r->x->progress(r->kind->name, at + n, l->count);
    }
    return 0;
}

static int replace_file(struct api_fetch *x, FILE *out, const char *name) {
    const char *draft = kind_file(x, name, "draft"), *to = kind_file(x, name, "ndjson");
    bool failed = fflush(out) != 0 || fsync(fileno(out)) != 0;
    if (fclose(out) != 0 || failed || rename(draft, to) != 0 || sync_path(x->folder) != 0)
        return db_refuse(x->source.why, "%s can't be written: %s", to, strerror(errno));
    unlink(kind_file(x, name, "part"));
    return 0;
}

static FILE *draft_open(struct api_fetch *x, const char *name) {
    FILE *out = fopen(kind_file(x, name, "draft"), "we");
    if (!out)
        db_refuse(x->source.why, "%s can't be written: %s", kind_file(x, name, "draft"), strerror(errno));
    return out;
}

static int fetch_kind(struct api_fetch *x, const struct api_kind *k) {
    struct kind_run r = {.x = x, .kind = k};
    struct listing l = {.memory = arena_new()};
    int rc = join_drafts(x, k->name);
    if (rc == 0) rc = list_kind(x, k, &l);
    if (rc == 0 && !(r.out = draft_open(x, k->name))) rc = -ERR_SERVICE_UNAVAILABLE;
    if (rc == 0) {
        if (x->growing) growing_begins(x->growing, l.count);
        lines_open(&r.kept, kind_file(x, k->name, "ndjson"));
        lines_open(&r.part, kind_file(x, k->name, "part"));
        lines_next(&r.kept), lines_next(&r.part);
        rc = kind_rows(&r, &l);
        lines_close(&r.kept);
        lines_close(&r.part);
        if (rc == 0) rc = replace_file(x, r.out, k->name);
        else fclose(r.out);
    }
    arena_free(l.memory);
    return rc;
}

/* ---- roles ----------------------------------------------------------------------------------- */

static int role_line(struct api_fetch *x, struct arena *a, const struct json *role, FILE *out) {
    struct json *reply;
    int64_t id = item_int(role, "id");
    TRY(source_page(&x->source, a, str_fmt(a, "/roles/%" PRId64 "/permissions", id), &reply));
    struct str row = json_text(a, role), permissions = json_text(a, json_member(reply, S("data")));
    fprintf(out, "{\"_permissions\":%.*s,%.*s\n", (int)permissions.n, permissions.p, (int)row.n - 1,
            row.p + 1);
    return 0;
}

static int fetch_roles(struct api_fetch *x) {
    struct arena *a = arena_new();
    struct json *reply;
    FILE *out = draft_open(x, "roles");
    int rc = out ? source_page(&x->source, a, S("/roles?limit=1000"), &reply) : -ERR_SERVICE_UNAVAILABLE;
    const struct json *data = rc == 0 ? item_list(reply, "data") : NULL;
    for (const struct json *j = data ? data->first : NULL; j && rc == 0; j = j->next)
        if (j->type == JSON_OBJECT && j->count && item_int(j, "id") > 0) rc = role_line(x, a, j, out);
    arena_free(a);
    if (out && rc < 0) fclose(out);
    return rc < 0 ? rc : replace_file(x, out, "roles");
}

/* ---- the trash ------------------------------------------------------------------------------- */

/* The list of conversations leaves out those in the trash, which a view of the system lists. Returns 1 with
 * its id, 0 if the source does not show it, or a refusal. */
static int trash_view(struct api_fetch *x, struct arena *a, int64_t *view) {
    struct source_page p = {.path = S("/views?show_all=true&limit=1000")};
    TRY(source_pages(&x->source, a, &p, 1));
    const struct json *data = p.status == 200 ? item_list(p.reply, "data") : NULL;
    for (const struct json *j = data ? data->first : NULL; j; j = j->next)
        if (str_eq(json_member_text(j, "type"), S("TRASH")) && item_int(j, "id") > 0)
            return *view = item_int(j, "id"), 1;
    foreign_skip_many(x->report, "the list of the trash, which the source does not show", 1);
    foreign_unlisted(x->report, "trash");
    return 0;
}

/* Writes a page of the trash: {"id":12,"_updated":1732700000000}. Returns the number of its new rows. */
static int trash_page(struct api_fetch *x, struct arena *a, int64_t view, int64_t offset,
                      struct foreign_ids *seen, FILE *out) {
    struct source_page p = {.path = str_fmt(a,
                                            "/views/%" PRId64 "/cases?fields=id%%2Cupdated_at&limit=%d"
                                            "&_empty=false&offset=%" PRId64,
                                            view, IDS_A_PAGE, offset)};
    TRY(source_pages(&x->source, a, &p, 1));
    const struct json *data = p.status == 200 ? item_list(p.reply, "data") : NULL;
    int n = 0;
    if (p.status != 200) report_unlisted(x, "trash", p.status);
    for (const struct json *j = data ? data->first : NULL; j; j = j->next) {
        int64_t id = item_int(j, "id");
        if (id <= 0 || id > API_ID_MOST || !foreign_ids_add(x->memory, seen, id)) continue;
        fprintf(out, "{\"id\":%" PRId64 ",\"_updated\":%" PRId64 "}\n", id, item_time(j, "updated_at"));
        n++;
    }
    return n;
}

/* The trash is small, so each run reads its list anew. */
static int fetch_trash(struct api_fetch *x) {
    struct arena *a = arena_new();
    struct foreign_ids seen = {0};
    FILE *out = draft_open(x, "trash");
    int64_t view = 0;
    int n = out ? trash_view(x, a, &view) : -ERR_SERVICE_UNAVAILABLE;
    for (int64_t offset = 0; n > 0 && offset < IDS_MOST; offset += n) {
        struct arena *page = arena_new();
        n = trash_page(x, page, view, offset, &seen, out);
        arena_free(page);
        if (n <= 0) break;
    }
    arena_free(a);
    if (out && n < 0) fclose(out);
    return n < 0 ? n : replace_file(x, out, "trash");
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* The folder belongs to one source: ids of another one would name other rows. Returns 1 if it has its data,
 * 0 if it is new, or a refusal. */
static int folder_known(struct api_fetch *x, const char *name) {
    const char *reason;
    char known[1000] = "";
    FILE *file = plain_stream(name, &reason);
    if (!file) return 0;
    known[fread(known, 1, sizeof known - 1, file)] = 0;
    fclose(file);
    if (strcmp(known, x->source.base) == 0) return 1;
    return db_refuse(x->source.why, "%s has the data of %s: name another folder with --copy", x->folder,
                     known);
}

/* Makes the folder when the source has answered. */
static int enter_folder(struct api_fetch *x) {
    const char *name = str_fmt(x->memory, "%s/source", x->folder).p,
               *contents = str_fmt(x->memory, "%s/attachments", x->folder).p,
               *articles = str_fmt(x->memory, "%s/article-attachments", x->folder).p,
               *pictures = str_fmt(x->memory, "%s/pictures", x->folder).p;
    struct json *reply;
    int known = folder_known(x, name);
    TRY(known);
    TRY(source_page(&x->source, x->memory, S("/roles?limit=1"), &reply));
    if ((mkdir(x->folder, 0700) != 0 && errno != EEXIST) || (mkdir(contents, 0700) != 0 && errno != EEXIST) ||
        (mkdir(articles, 0700) != 0 && errno != EEXIST) || (mkdir(pictures, 0700) != 0 && errno != EEXIST))
        return db_refuse(x->source.why, "%s can't be made: %s", x->folder, strerror(errno));
    if (known) return 0;
    FILE *file = fopen(name, "wex");
    if (!file || fputs(x->source.base, file) < 0 || fclose(file) != 0)
        return db_refuse(x->source.why, "%s can't be written: %s", name, strerror(errno));
    return 0;
}

int api_fetch_others(struct api_fetch *x) {
    TRY(enter_folder(x));
    TRY(fetch_roles(x));
    TRY(fetch_trash(x));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) TRY(fetch_kind(x, &kinds[i]));
    return 0;
}

int api_fetch_cases(struct api_fetch *x) { return fetch_kind(x, &conversations); }

void api_cases_file(struct api_fetch *x, struct growing *g) {
    g->part = conversations.name;
    g->draft = kind_file(x, conversations.name, "draft");
    g->file = kind_file(x, conversations.name, "ndjson");
    x->growing = g;
}

/* ---- the owner ------------------------------------------------------------------------------- */

static bool has_address(const struct json *person, struct str email) {
    const struct json *list = item_list(person, "emails");
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (str_eqi(json_member_text(j, "email"), email)) return true;
    return false;
}

int api_person(struct api_fetch *x, struct str email, int64_t *id, int64_t *highest) {
    struct lines l;
    *id = *highest = 0;
    lines_open(&l, kind_file(x, "users", "ndjson"));
    while (lines_next(&l)) {
        struct arena *a = arena_new();
        struct json *person;
        struct json_error wrong;
        *highest = l.id;
        bool found = *id == 0 && json_parse(a, (struct str){l.text, (size_t)l.n}, &person, &wrong) == 0 &&
                     has_address(person, email);
        if (found) *id = l.id;
        arena_free(a);
    }
    bool whole = l.file && feof(l.file);
    lines_close(&l);
    return whole ? 0 : db_refuse(x->source.why, "%s can't be read", kind_file(x, "users", "ndjson"));
}
