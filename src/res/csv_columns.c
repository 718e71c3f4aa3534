#include "res/csv_columns.h"

#include "core/fields/custom_field.h"
#include "json/json.h"

#define USERS (1U << CSV_USERS)
#define ORGANIZATIONS (1U << CSV_ORGANIZATIONS)

/* parameter: the name in a request; NULL: the same. other: further names of the column, separated by blanks. */
static const struct csv_meaning {
    const char *name, *parameter, *other;
    unsigned kinds;
    bool is_list;
} csv_targets[CSV_TARGETS] = {
    [CSV_IGNORED] = {"", NULL, "", 0, false},
    [CSV_FULL_NAME] = {"full_name", NULL, "name", USERS, false},
    [CSV_NAME] = {"name", NULL, "organization company", ORGANIZATIONS, false},
    [CSV_EMAILS] = {"emails", "email", "email e_mail mail email_address", USERS, true},
    [CSV_PHONES] = {"phones", "phone", "phone phone_number", USERS | ORGANIZATIONS, true},
    [CSV_DOMAINS] = {"domains", NULL, "domain", ORGANIZATIONS, true},
    [CSV_LEGACY_ID] = {"legacy_id", NULL, "", USERS | ORGANIZATIONS, false},
    [CSV_EXTERNAL_IDENTIFIERS] = {"external_identifiers", NULL, "external_identifier", USERS, true},
    [CSV_DESIGNATION] = {"designation", NULL, "job_title", USERS, false},
    [CSV_ROLE] = {"role", "role_id", "", USERS, false},
    [CSV_ORGANIZATION] = {"organization", "organization_id", "company", USERS, false},
    [CSV_LOCALE] = {"locale", "locale_id", "language", USERS, false},
    [CSV_TIME_ZONE] = {"time_zone", NULL, "", USERS, false},
    [CSV_IS_SHARED] = {"is_shared", NULL, "", ORGANIZATIONS, false},
    [CSV_IS_VALIDATED] = {"is_validated", NULL, "", ORGANIZATIONS, false},
    [CSV_TAGS] = {"tags", NULL, "tag", USERS | ORGANIZATIONS, true},
    [CSV_FIELD_VALUE] = {"field_values.KEY", "field_values", "", USERS | ORGANIZATIONS, false},
};
#define VALUES "field_values."

bool csv_target_is_list(enum csv_target target) { return csv_targets[target].is_list; }

struct str csv_target_names(struct arena *a, enum csv_kind kind) {
    struct str all = {0};
    for (int i = CSV_IGNORED + 1; i < CSV_TARGETS; i++) {
        if (!(csv_targets[i].kinds & 1U << kind)) continue;
        all = all.p ? STR_CAT(a, all, S(", "), str_of(csv_targets[i].name)) : str_of(csv_targets[i].name);
    }
    return all;
}

struct str csv_column_name(struct arena *a, const struct csv_column *column) {
    if (column->target == CSV_IGNORED) return (struct str){0};
    if (column->target == CSV_FIELD_VALUE) return STR_CAT(a, S(VALUES), column->key);
    return str_of(csv_targets[column->target].name);
}

/* "E-mail address" -> "e_mail_address" */
static struct str spelled(struct arena *a, struct str header) {
    struct str s = str_dup(a, str_trim(header));
    for (char *p = (char *)(uintptr_t)s.p; p < s.p + s.n; p++)
        if (*p == ' ' || *p == '-') *p = '_';
    return s;
}

static bool csv_is_named(const struct csv_meaning *m, struct str name) {
    if (name_eq(str_of(m->name), name)) return true;
    for (struct str rest = str_of(m->other); rest.n;)
        if (name_eq(str_cut(&rest, ' '), name)) return true;
    return false;
}

/* Finds the meaning of a name. Returns false if it has none. */
static bool csv_meaning_of(struct arena *a, enum csv_kind kind, struct str name, struct csv_column *out) {
    struct str s = spelled(a, name);
    size_t n = sizeof VALUES - 1;
    if (s.n > n && str_eqi((struct str){s.p, n}, S(VALUES))) {
        struct str key = {str_trim(name).p + n, s.n - n};
        out->target = CSV_FIELD_VALUE;
        out->key = key;
        return field_key_valid(key);
    }
    for (int i = CSV_IGNORED + 1; i < CSV_FIELD_VALUE; i++) {
        if (!(csv_targets[i].kinds & 1U << kind) || !csv_is_named(&csv_targets[i], s)) continue;
        out->target = (enum csv_target)i;
        return true;
    }
    return false;
}

/* ---- the first line -------------------------------------------------------------------------- */

/* before, behind: the sentence around the name. */
static int csv_file_wrong(struct work *w, const char *before, struct str name, const char *behind) {
    struct str shown = utf8_without_cut_end((struct str){name.p, name.n > 64 ? 64 : name.n});
    return fail_field(w, ERR_FIELD_INVALID, S("file_id"), "%s \"%.*s\" %s", before, (int)shown.n, shown.p,
                      behind);
}

/* The present names are checked: each entry of the mapping names a column of the file, and has a meaning. */
static int mapping_check(struct work *w, const struct csv_columns *columns, const struct json *mapping) {
    for (const struct json *j = mapping ? mapping->first : NULL; j; j = j->next) {
        int at = 0;
        struct csv_column found = {0};
        struct str pointer = STR_CAT(w->arena, S("mapping/"), j->name);
        while (at < columns->count && !str_eq(columns->list[at].header, str_trim(j->name))) at++;
        if (at == columns->count)
            fail_at(w, ERR_FIELD_INVALID, S("mapping"), pointer, "The file has no column with this name.");
        else if (j->type != JSON_NULL &&
                 (j->type != JSON_STRING ||
                  (j->text.n && !csv_meaning_of(w->arena, columns->kind, j->text, &found))))
            fail_at(w, ERR_FIELD_INVALID, S("mapping"), pointer,
                    "One of these is expected: %s; or an empty text.",
                    csv_target_names(w->arena, columns->kind).p);
    }
    return failed(w) ? -(int)failure(w) : 0;
}

static const struct json *mapped(const struct json *mapping, struct str header) {
    for (const struct json *j = mapping ? mapping->first : NULL; j; j = j->next)
        if (str_eq(str_trim(j->name), header)) return j;
    return NULL;
}

/* A column that is no list, and a custom field, are given once. */
static int given_once(struct work *w, const struct csv_columns *columns) {
    for (int i = 0; i < columns->count; i++) {
        const struct csv_column *one = &columns->list[i];
        for (int k = 0; k < i; k++) {
            const struct csv_column *other = &columns->list[k];
            if (str_eq(one->header, other->header) && one->header.n)
                return csv_file_wrong(w, "The first line has the name", one->header, "twice.");
            if (one->target && one->target == other->target && !csv_targets[one->target].is_list &&
                str_eq(one->key, other->key))
                return csv_file_wrong(
                    w, "The column", one->header,
                    "has the same meaning as another one. Map one of them to an empty text.");
        }
    }
    return 0;
}

/* At least one column must say whom a row is about. */
static int csv_identifies(struct work *w, const struct csv_columns *columns) {
    unsigned keys = columns->kind == CSV_USERS ? 1U << CSV_EMAILS | 1U << CSV_PHONES | 1U << CSV_LEGACY_ID |
                                                     1U << CSV_EXTERNAL_IDENTIFIERS
                                               : 1U << CSV_NAME | 1U << CSV_DOMAINS | 1U << CSV_LEGACY_ID;
    for (int i = 0; i < columns->count; i++)
        if (keys & 1U << columns->list[i].target) return 0;
    return fail_field(w, ERR_FIELD_INVALID, S("file_id"),
                      "The first line of the file must name columns, and %s. Or map such a column.",
                      columns->kind == CSV_USERS ? "one of emails, phones, legacy_id and external_identifiers"
                                                 : "one of name, domains and legacy_id");
}

/* Each custom field must exist. */
static int fields_exist(struct work *w, const struct csv_columns *columns) {
    struct custom_field *fields;
    int n = custom_fields_of(w, columns->kind == CSV_USERS ? AREA_USERS : AREA_ORGANIZATIONS, &fields);
    TRY(n);
    for (int i = 0; i < columns->count; i++) {
        int at = 0;
        if (columns->list[i].target != CSV_FIELD_VALUE) continue;
        while (at < n && !str_eq(fields[at].key, columns->list[i].key)) at++;
        if (at == n)
            return csv_file_wrong(w, "The column", columns->list[i].header, "names no enabled custom field.");
    }
    return 0;
}

int csv_columns_read(struct work *w, enum csv_kind kind, const struct csv_row *head,
                     const struct json *mapping, struct csv_columns *out) {
    struct arena *a = w->arena;
    *out = (struct csv_columns){.kind = kind};
    for (int i = 0; i < head->count; i++) {
        struct csv_column *column = &out->list[out->count++];
        column->header = str_trim(head->cells[i]);
        if (column->header.n > LIMIT_TITLE)
            return csv_file_wrong(w, "The name of a column that begins with", column->header, "is too long.");
    }
    TRY(mapping_check(w, out, mapping));
    for (int i = 0; i < out->count; i++) {
        struct csv_column *column = &out->list[i], found = *column;
        const struct json *to = mapped(mapping, column->header);
        struct str name = to ? to->type == JSON_STRING ? to->text : S("") : column->header;
        if (name.n && csv_meaning_of(a, kind, name, &found)) *column = found;
    }
    TRY(given_once(w, out));
    TRY(fields_exist(w, out));
    return csv_identifies(w, out);
}

/* ---- stored ---------------------------------------------------------------------------------- */

struct str csv_columns_text(struct arena *a, const struct csv_columns *columns) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = 0; i < columns->count; i++) {
        jw_object(&w);
        jw_key(&w, S("header"));
        jw_str(&w, columns->list[i].header);
        jw_key(&w, S("column"));
        jw_str(&w, csv_column_name(a, &columns->list[i]));
        jw_end(&w);
    }
    jw_end(&w);
    return buf_take(&b, a);
}

int csv_columns_of_text(struct arena *a, enum csv_kind kind, struct str text, struct csv_columns *out) {
    struct json *list;
    struct json_error err;
    *out = (struct csv_columns){.kind = kind};
    TRY(json_parse(a, text, &list, &err));
    for (const struct json *j = list->first; j && out->count < CSV_COLUMNS; j = j->next) {
        const struct json *header = json_member(j, S("header")), *column = json_member(j, S("column"));
        struct csv_column *to = &out->list[out->count++];
        if (header == NULL || column == NULL) return -ERR_INTERNAL_ERROR;
        to->header = header->text;
        if (column->type == JSON_STRING) csv_meaning_of(a, kind, column->text, to);
    }
    return 0;
}

struct str csv_header_of(struct arena *a, const struct csv_columns *columns, enum csv_target target,
                         struct str key) {
    if (target == CSV_IGNORED) return (struct str){0};
    for (int i = 0; i < columns->count; i++)
        if (columns->list[i].target == target && str_eq(columns->list[i].key, key))
            return columns->list[i].header;
    return csv_column_name(a, &(struct csv_column){.target = target, .key = key});
}

enum csv_target csv_target_of_parameter(struct str name) {
    for (int i = CSV_IGNORED + 1; i < CSV_TARGETS; i++) {
        const char *parameter = csv_targets[i].parameter ? csv_targets[i].parameter : csv_targets[i].name;
        if (name_eq(str_of(parameter), name) || name_eq(str_of(csv_targets[i].name), name))
            return (enum csv_target)i;
    }
    return CSV_IGNORED;
}
