#include "res/people_csv.h"

#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/ids.h"
#include "core/desk/cascade.h"

#include <assert.h>
#include <stdlib.h>

#define CSV_CELLS 12

/* The cells of one owner, by the columns of the list. */
struct csv_line {
    int64_t id;
    struct str cells[CSV_CELLS];
};

struct csv_lines {
    struct csv_line *list; /* in the order of the ids, for line_of_owner */
    int count;
    struct str ids; /* JSON array */
};

/* A query of (owner, value, ...), whose values fill the cells from `cell` on. */
struct csv_source {
    int cell;
    const struct query *query;
};

static int compare_lines(const void *one, const void *two) {
    const struct csv_line *a = one, *b = two;
    return a->id < b->id ? -1 : a->id > b->id;
}

static struct csv_line *line_of_owner(const struct csv_lines *l, int64_t id) {
    const struct csv_line key = {.id = id};
    return bsearch(&key, l->list, (size_t)l->count, sizeof *l->list, compare_lines);
}

static void lines_begin(struct call *c, const struct row *rows, struct csv_lines *l) {
    struct arena *a = c->work.arena;
    size_t n = 0;
    for (const struct row *row = rows; row; row = row->next) n++;
    int64_t *ids = arena_array(a, n + 1, sizeof *ids);
    *l = (struct csv_lines){.list = arena_array(a, n + 1, sizeof *l->list)};
    for (const struct row *row = rows; row; row = row->next) {
        l->list[l->count] = (struct csv_line){.id = row->id};
        ids[l->count++] = row->id;
    }
    l->ids = json_ids(a, ids, n);
    qsort(l->list, n, sizeof *l->list, compare_lines);
}

/* A cell with several values has commas between them. */
static int lines_add(struct call *c, const struct csv_lines *l, const struct csv_source *source) {
    struct arena *a = c->work.arena;
    int rc;
    DB_ROWS(rc, c->work.conn, source->query, BINDS(B_TEXT("ids", l->ids)), s) {
        struct csv_line *line = line_of_owner(l, col_int(s, 0));
        assert(line);
        for (int i = 1; i < col_count(s); i++) {
            struct str *cell = &line->cells[source->cell + i - 1], value = col_text(s, i);
            *cell = cell->p ? STR_CAT(a, *cell, S(", "), value) : str_dup(a, value);
        }
    }
    return rc;
}

/* read_by: ended by a NULL query. The first name is that of the id. */
static int reply_lines_csv(struct call *c, const char *const *names, const struct csv_source *read_by,
                           const char *file_name) {
    struct row *rows = NULL;
    struct csv_lines l;
    TRY(api_list_rows(c, &rows));
    lines_begin(c, rows, &l);
    for (; read_by->query; read_by++) TRY(lines_add(c, &l, read_by));
    csv_names(c, names);
    for (const struct row *row = rows; row; row = row->next) {
        csv_int(c, row->id);
        for (int i = 0; names[i + 1]; i++) csv_text(c, line_of_owner(&l, row->id)->cells[i]);
        csv_line_end(c);
    }
    return csv_reply(c, file_name);
}

/* ---- people ---------------------------------------------------------------------------------- */

QUERY(csv_people,
      "SELECT t.id, t.full_name, r.title, t.designation, o.name, l.locale, t.time_zone, t.legacy_id "
      "FROM users t JOIN roles r ON r.id = t.role_id LEFT JOIN locales l ON l.id = t.locale_id "
      "LEFT JOIN organizations o ON o.id = t.organization_id AND o.deleted_at IS NULL "
      "WHERE t.id IN @LIST(:ids)");
QUERY(csv_emails, "SELECT i.user_id, i.email FROM identity_emails i WHERE i.user_id IN @LIST(:ids) "
                  "AND i.is_claim = 0 ORDER BY i.user_id, i.is_primary DESC, i.id");
QUERY(csv_phones, "SELECT i.user_id, i.number FROM identity_phones i WHERE i.user_id IN @LIST(:ids) "
                  "AND i.is_claim = 0 ORDER BY i.user_id, i.is_primary DESC, i.id");

int get_users(struct call *c) {
    static const char *const names[] = {"id",           "full_name", "role",      "designation",
                                        "organization", "locale",    "time_zone", "legacy_id",
                                        "emails",       "phones",    NULL};
    static const struct csv_source read_by[] = {
        {0, &csv_people}, {7, &csv_emails}, {8, &csv_phones}, {0, NULL}};
    TRY(api_input(c));
    return csv_asked(c) ? reply_lines_csv(c, names, read_by, "users.csv") : api_list(c);
}

/* ---- organizations --------------------------------------------------------------------------- */

QUERY(csv_organizations, "SELECT t.id, t.name, CASE t.is_shared WHEN 0 THEN 'false' ELSE 'true' END, "
                         "CASE t.is_validated WHEN 0 THEN 'false' ELSE 'true' END, t.legacy_id "
                         "FROM organizations t WHERE t.id IN @LIST(:ids)");
QUERY(csv_domains, "SELECT d.organization_id, d.domain FROM identity_domains d "
                   "WHERE d.organization_id IN @LIST(:ids) "
                   "ORDER BY d.organization_id, d.is_primary DESC, d.id");
QUERY(csv_numbers, "SELECT p.organization_id, p.number FROM identity_phones p "
                   "WHERE p.organization_id IN @LIST(:ids) "
                   "ORDER BY p.organization_id, p.is_primary DESC, p.id");

int get_organizations(struct call *c) {
    static const char *const names[] = {"id",        "name",    "is_shared", "is_validated",
                                        "legacy_id", "domains", "phones",    NULL};
    static const struct csv_source read_by[] = {
        {0, &csv_organizations}, {4, &csv_domains}, {5, &csv_numbers}, {0, NULL}};
    TRY(api_input(c));
    return csv_asked(c) ? reply_lines_csv(c, names, read_by, "organizations.csv") : api_list(c);
}
