#include "res/people_csv.h"

#include "api/rows/csv.h"
#include "api/rows/generic.h"
#include "api/rows/view.h"
#include "base/ids.h"
#include "core/desk/cascade.h"
#include "core/fields/field_catalogue.h"
#include "core/people/tag.h"

#include <assert.h>
#include <stdlib.h>

#define CSV_CELLS 12

/* The cells of one owner, by the columns of the list. */
struct csv_line {
    int64_t id;
    struct str cells[CSV_CELLS];
    const struct str *values; /* of the custom fields */
};

struct csv_lines {
    struct csv_line *list; /* in the order of the ids, for line_of_owner */
    int count;
    int64_t *ids;
    struct str ids_text; /* JSON array */
    struct custom_field *fields;
    int field_count;
};

/* A query of (owner, value, ...), whose values fill the cells from `cell` on. */
struct csv_source {
    int cell;
    const struct query *query;
};

/* A list as CSV. */
struct csv_list {
    const char *const *names; /* ended by NULL; the first is that of the id */
    const struct csv_source *read_by;
    enum field_area area;
    const char *file;
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
    *l = (struct csv_lines){.list = arena_array(a, n + 1, sizeof *l->list)};
    l->ids = arena_array(a, n + 1, sizeof *l->ids);
    for (const struct row *row = rows; row; row = row->next) {
        l->list[l->count] = (struct csv_line){.id = row->id};
        l->ids[l->count++] = row->id;
    }
    l->ids_text = json_ids(a, l->ids, n);
    qsort(l->list, n, sizeof *l->list, compare_lines);
}

/* A cell with several values has commas between them. */
static int lines_add(struct call *c, const struct csv_lines *l, const struct csv_source *source) {
    struct arena *a = c->work.arena;
    int rc;
    DB_ROWS(rc, c->work.conn, source->query, BINDS(B_TEXT("ids", l->ids_text)), s) {
        struct csv_line *line = line_of_owner(l, col_int(s, 0));
        assert(line);
        for (int i = 1; i < col_count(s); i++) {
            struct str *cell = &line->cells[source->cell + i - 1], value = col_text(s, i);
            *cell = cell->p ? STR_CAT(a, *cell, S(", "), value) : str_dup(a, value);
        }
    }
    return rc;
}

/* Reads the values of custom fields. Those of files are left out, because a file belongs to its desk. */
static int lines_add_values(struct call *c, struct csv_lines *l, const struct csv_list *of) {
    struct work *w = &c->work;
    struct field_values read;
    struct custom_field *fields;
    int n = custom_fields_of(w, of->area, &fields);
    if (n <= 0) return n;
    bool empty = l->count == 0; /* its fields are names of columns */
    TRY(field_values_of(w, of->area, false, empty ? &(int64_t){0} : l->ids, empty ? 1 : l->count, &read));
    int *places = arena_array(w->arena, (size_t)n, sizeof *places);
    l->fields = fields;
    for (int i = 0; i < n; i++) {
        int place = 0;
        while (place < read.field_count && read.fields[place]->id != fields[i].id) place++;
        if (place == read.field_count || fields[i].type == FIELD_FILE) continue;
        places[l->field_count] = place;
        l->fields[l->field_count++] = fields[i];
    }
    for (int i = 0; i < l->count; i++) {
        struct str *values = arena_array(w->arena, (size_t)l->field_count + 1, sizeof *values);
        for (int k = 0; k < l->field_count; k++) values[k] = read.values[i * read.field_count + places[k]];
        line_of_owner(l, l->ids[i])->values = values;
    }
    return 0;
}

static void write_names_line(struct call *c, const struct csv_lines *l, const struct csv_list *of) {
    for (int i = 0; of->names[i]; i++) csv_text(c, str_of(of->names[i]));
    for (int i = 0; i < l->field_count; i++)
        csv_text(c, STR_CAT(c->work.arena, S("field_values."), l->fields[i].key));
    csv_line_end(c);
}

static int reply_lines_csv(struct call *c, const struct csv_list *of) {
    struct row *rows = NULL;
    struct csv_lines l;
    TRY(api_list_rows(c, &rows));
    lines_begin(c, rows, &l);
    for (const struct csv_source *s = of->read_by; s->query; s++) TRY(lines_add(c, &l, s));
    TRY(lines_add_values(c, &l, of));
    write_names_line(c, &l, of);
    for (int n = 0; n < l.count; n++) {
        const struct csv_line *line = line_of_owner(&l, l.ids[n]);
        csv_int(c, line->id);
        for (int i = 0; of->names[i + 1]; i++) csv_text(c, line->cells[i]);
        for (int i = 0; i < l.field_count; i++) csv_text(c, line->values[i]);
        csv_line_end(c);
    }
    return csv_reply(c, of->file);
}

/* ---- people ---------------------------------------------------------------------------------- */

QUERY(csv_people, "SELECT t.id, t.full_name, t.designation, t.time_zone, t.legacy_id FROM users t "
                  "WHERE t.id IN @LIST(:ids)");
QUERY(csv_roles,
      "SELECT t.id, r.title FROM users t JOIN roles r ON r.id = t.role_id WHERE t.id IN @LIST(:ids)");
QUERY(csv_organizations_of,
      "SELECT t.id, o.name FROM users t JOIN organizations o ON o.id = t.organization_id "
      "WHERE t.id IN @LIST(:ids) AND o.deleted_at IS NULL");
QUERY(csv_locales,
      "SELECT t.id, l.locale FROM users t JOIN locales l ON l.id = t.locale_id WHERE t.id IN @LIST(:ids)");
QUERY(csv_emails, "SELECT i.user_id, i.email FROM identity_emails i WHERE i.user_id IN @LIST(:ids) "
                  "AND i.is_claim = 0 ORDER BY i.user_id, i.is_primary DESC, i.id");
QUERY(csv_phones, "SELECT i.user_id, i.number FROM identity_phones i WHERE i.user_id IN @LIST(:ids) "
                  "AND i.is_claim = 0 ORDER BY i.user_id, i.is_primary DESC, i.id");
QUERY(csv_identifiers, "SELECT x.user_id, x.external_app || ':' || x.external_id FROM external_identifiers x "
                       "WHERE x.user_id IN @LIST(:ids) ORDER BY x.user_id, x.id");
#define TAGS_CSV(table, owner)                                                                  \
    "SELECT k." owner ", g.name FROM " table " k JOIN tags g ON g.id = k.tag_id WHERE k." owner \
    " IN @LIST(:ids) AND g.gone = 0 ORDER BY k." owner ", k.tag_id"
QUERY(csv_user_tags, TAGS_CSV("user_tags", "user_id"));
QUERY(csv_organization_tags, TAGS_CSV("organization_tags", "organization_id"));

int get_users(struct call *c) {
    static const char *const names[] = {"id",        "full_name", "designation",          "time_zone",
                                        "legacy_id", "role",      "organization",         "locale",
                                        "emails",    "phones",    "external_identifiers", "tags",
                                        NULL};
    static const struct csv_source read_by[] = {
        {0, &csv_people},      {4, &csv_roles},      {5, &csv_organizations_of},
        {6, &csv_locales},     {7, &csv_emails},     {8, &csv_phones},
        {9, &csv_identifiers}, {10, &csv_user_tags}, {0, NULL}};
    static const struct csv_list list = {names, read_by, AREA_USERS, "users.csv"};
    TRY(api_input(c));
    return csv_asked(c) ? reply_lines_csv(c, &list) : api_list(c);
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
    static const char *const names[] = {"id",     "name", "is_shared", "is_validated", "legacy_id", "domains",
                                        "phones", "tags", NULL};
    static const struct csv_source read_by[] = {{0, &csv_organizations},
                                                {4, &csv_domains},
                                                {5, &csv_numbers},
                                                {6, &csv_organization_tags},
                                                {0, NULL}};
    static const struct csv_list list = {names, read_by, AREA_ORGANIZATIONS, "organizations.csv"};
    TRY(api_input(c));
    return csv_asked(c) ? reply_lines_csv(c, &list) : api_list(c);
}
