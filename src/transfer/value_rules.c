/* A column gets the first rule there is: (1) all rows of column_numbers, or the row of `texts`, that name
 * it, (2) the fields of the resources that show it, (3) a row of column_names. A column of numbers without
 * a rule stops every import, so a new one can't be forgotten. */
#include "transfer/value_rules.h"

#include <assert.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "api/table/fields.h"
#include "base/error.h"
#include "base/fold.h"
#include "core/all/column.h"
#include "core/desk/setting.h"
#include "files/html_clean.h"
#include "json/json.h"

/* ---- the rules ------------------------------------------------------------------------------- */

static const struct column_number *rule_in(const struct column_number *list, const char *column) {
    while (list->columns && fnmatch(list->columns, column, FNM_EXTMATCH) != 0) list++;
    return list->columns ? list : NULL;
}

enum text_form { TEXT_ANY, TEXT_UUID, TEXT_JSON, TEXT_HTML, TEXT_WORD, TEXT_TYPE };

/* Columns of JSON, of HTML and of types of resources that no field of a resource shows as they are. */
static const struct text_rule {
    const char *columns;
    enum text_form form;
} texts[] = {
    {"*.uuid", TEXT_UUID},
    {"activities.@(fields|previous_values|current_values|objects)", TEXT_JSON},
    {"audit_entries.object_type", TEXT_TYPE},
    {"change_log.kind", TEXT_TYPE},
    {"jobs.input", TEXT_JSON},
    {"posts.content_html", TEXT_HTML},
    {"notes.body_html", TEXT_HTML},
    {"rule_propositions.value", TEXT_JSON},
    {"rule_actions.@(value|attributes)", TEXT_JSON},
    {0},
};

static struct str screen_name_key(struct arena *a, struct str name) {
    bool at = name.n && *name.p == '@';
    return fold_key(a, at ? (struct str){name.p + 1, name.n - 1} : name);
}

/* Keys that follow from another column of the row. */
static const struct key_rule {
    const char *table, *value, *key;
    struct str (*of)(struct arena *a, struct str value);
} keys[] = {
    {"cases", "subject", "subject_key", fold_key},
    {"identity_domains", "domain", "domain_key", domain_key},
    {"identity_emails", "email", "email_key", email_key},
    {"identity_twitter", "screen_name", "screen_name_key", screen_name_key},
    {"macros", "title", "title_key", fold_key},
    {"mailboxes", "address", "address_key", email_key},
    {"organizations", "name", "name_key", fold_key},
    {"tags", "name", "name_key", fold_key},
    {"users", "designation", "designation_key", fold_key},
    {"users", "full_name", "name_key", fold_key},
};
enum { KEYS = sizeof keys / sizeof *keys, WORD_TABLES = 4 };

/* ---- the rules of a table -------------------------------------------------------------------- */

struct value_rules {
    const struct move_table *table;
    struct column_rule {
        bool has_range;
        int64_t min, max;
        const struct word *words[WORD_TABLES]; /* ends with NULL */
        enum text_form form;
        bool (*known)(struct str text); /* TEXT_WORD without words */
    } * columns;
    struct row_key {
        int value, key; /* columns */
        struct str (*of)(struct arena *a, struct str value);
    } keys[KEYS];
    /* -1: the table has no such column */
    int key_count, setting_name, setting_value, owner_kind, translation;
    struct arena *memory;
    struct arena_mark empty;
};

static void rule_range(struct column_rule *r, int64_t min, int64_t max) {
    if (!r->has_range || min < r->min) r->min = min;
    if (!r->has_range || max > r->max) r->max = max;
    r->has_range = true;
}

static void rule_words(struct column_rule *r, const struct word *words) {
    int n = 0;
    while (r->words[n] && r->words[n] != words) n++;
    assert(n < WORD_TABLES - 1);
    r->words[n] = words;
}

static bool field_is_column(const struct field *f, const char *column) {
    if (f->column) return strncmp(f->column, "t.", 2) == 0 && strcmp(f->column + 2, column) == 0;
    return strcmp(f->name, column) == 0;
}

static void rule_of_field(struct column_rule *r, const struct field *f) {
    switch (f->type) {
    case F_WORD: rule_words(r, f->words); break;
    case F_BOOL: rule_range(r, 0, 1); break;
    case F_TIME: rule_range(r, 0, COLUMN_TIME_MAX); break;
    case F_INT:
        if (f->min || f->max) rule_range(r, f->min, f->max);
        break;
    case F_JSON: r->form = TEXT_JSON; break;
    default: break;
    }
}

static void rule_of_resources(struct column_rule *out, const char *table, const char *column) {
    for (const struct resource *const *r = resources; *r; r++) {
        if ((*r)->table == NULL || strcmp((*r)->table, table) != 0) continue;
        for (const struct field *f = fields_of((*r)->fields); f->name; f++)
            if (field_is_column(f, column)) rule_of_field(out, f);
    }
}

static void rule_of_number(struct column_rule *out, const struct column_number *n) {
    if (n == NULL) return;
    if (n->words) rule_words(out, n->words);
    else rule_range(out, n->min, n->max);
}

static int rule_of_column(struct arena *a, const struct move_table *t, const struct move_column *c,
                          struct column_rule *out, struct why why) {
    const char *name = str_fmt(a, "%s.%s", t->name, c->name).p;
    if (c->kind == VALUE_INT)
        for (const struct column_number *n = rule_in(column_numbers, name); n; n = rule_in(n + 1, name))
            rule_of_number(out, n);
    for (const struct column_text *x = column_texts; c->kind == VALUE_TEXT && x->columns; x++)
        if (fnmatch(x->columns, name, FNM_EXTMATCH) == 0)
            return out->words[0] = x->words, out->known = x->known, out->form = TEXT_WORD, 0;
    if (c->kind == VALUE_TEXT)
        for (const struct text_rule *x = texts; x->columns; x++)
            if (fnmatch(x->columns, name, FNM_EXTMATCH) == 0) return out->form = x->form, 0;
    if (!out->has_range && !out->words[0]) rule_of_resources(out, t->name, c->name);
    if (c->kind != VALUE_INT || out->has_range || out->words[0]) return 0;
    rule_of_number(out, rule_in(column_names, name));
    if (out->has_range) return 0;
    return db_refuse(why, "the column %s has no rule: add it to src/core/all/column.c", name);
}

static int column_at(const struct move_table *t, const char *name) {
    int i = 0;
    while (i < t->count && strcmp(t->columns[i].name, name) != 0) i++;
    return i < t->count ? i : -1;
}

static void rules_add_keys(struct value_rules *r) {
    for (int i = 0; i < KEYS; i++) {
        int value = column_at(r->table, keys[i].value), key = column_at(r->table, keys[i].key);
        if (strcmp(keys[i].table, r->table->name) == 0 && value >= 0 && key >= 0)
            r->keys[r->key_count++] = (struct row_key){value, key, keys[i].of};
    }
}

int value_rules_of(struct arena *a, const struct move_table *t, struct value_rules **out, struct why why) {
    struct value_rules *r = ARENA_NEW(a, struct value_rules);
    bool settings = strcmp(t->name, "settings") == 0;
    *r = (struct value_rules){.table = t, .memory = a};
    r->columns = arena_array(a, (size_t)t->count + 1, sizeof *r->columns);
    r->setting_name = settings ? column_at(t, "name") : -1;
    r->setting_value = settings ? column_at(t, "value") : -1;
    r->owner_kind = column_at(t, "owner_kind");
    r->translation = column_at(t, "translation");
    for (int i = 0; i < t->count; i++) TRY(rule_of_column(a, t, &t->columns[i], &r->columns[i], why));
    rules_add_keys(r);
    r->empty = arena_mark(a);
    *out = r;
    return 0;
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool number_fits(const struct column_rule *r, int64_t n) {
    if (r->has_range && n >= r->min && n <= r->max) return true;
    for (int i = 0; r->words[i]; i++)
        if (word_of(r->words[i], n)) return true;
    return false;
}

/* Entries of the audit log also have the anchors of its chain, which are no resource. */
static bool is_stored_type(struct arena *a, struct str text) {
    return resource_of(str_dup(a, text).p) || str_eq(text, S("audit_anchor"));
}

static bool word_fits(const struct column_rule *r, struct str text) {
    return r->known ? r->known(text) : word_id(r->words[0], text) >= 0;
}

static int row_check_text(struct value_rules *r, int i, struct str text, struct why why) {
    struct json *j;
    struct json_error wrong;
    const char *name = r->table->columns[i].name;
    const struct column_rule *rule = &r->columns[i];
    if ((rule->form == TEXT_WORD && !word_fits(rule, text)) ||
        (rule->form == TEXT_TYPE && !is_stored_type(r->memory, text)))
        return db_refuse(why, "%s can't be %.*s", name, (int)text.n, text.p);
    if (r->columns[i].form == TEXT_HTML && !html_is_clean(text))
        return db_refuse(why, "%s is not clean HTML", name);
    if (r->columns[i].form == TEXT_UUID && !is_uuid(text)) return db_refuse(why, "%s is not a UUID", name);
    if (r->columns[i].form == TEXT_JSON && json_parse(r->memory, text, &j, &wrong) < 0)
        return db_refuse(why, "%s is not JSON: %s", name, wrong.reason);
    return 0;
}

static int row_check_value(struct value_rules *r, int i, const struct value *v, struct why why) {
    if (v->kind == VALUE_TEXT && r->columns[i].form) return row_check_text(r, i, v->s, why);
    if (v->kind != VALUE_INT || number_fits(&r->columns[i], v->i)) return 0;
    return db_refuse(why, "%s can't be %" PRId64, r->table->columns[i].name, v->i);
}

/* A key is NULL until a job has made it after an upgrade. A Twitter account of which only the id is known
 * has an empty name. */
static int row_check_key(struct value_rules *r, const struct row_key *k, const struct value *row,
                         struct why why) {
    const struct value *value = &row[k->value], *key = &row[k->key];
    if (key->kind != VALUE_TEXT || (value->kind == VALUE_TEXT && value->s.n == 0)) return 0;
    struct str made = value->kind == VALUE_TEXT ? k->of(r->memory, value->s) : (struct str){0};
    if (made.p && str_eq(made, key->s)) return 0;
    return db_refuse(why, "%s is not the key of %s", r->table->columns[k->key].name,
                     r->table->columns[k->value].name);
}

/* Texts of articles are translations of one kind. */
static int row_check_article(struct value_rules *r, const struct value *row, struct why why) {
    if (r->owner_kind < 0 || r->translation < 0 || row[r->owner_kind].i != CONTENTS_OF_ARTICLE) return 0;
    return html_article_is_clean(row[r->translation].s)
               ? 0
               : db_refuse(why, "translation is not clean HTML of an article");
}

static int row_check_setting(struct value_rules *r, const struct value *row, struct why why) {
    struct str name = row[r->setting_name].s, value = row[r->setting_value].s;
    if (str_eq(name, S("desk.created_at")) || str_eq(name, S("desk.key_proof"))) return 0;
    if (!setting_known(name)) return db_refuse(why, "there is no setting of this name");
    return setting_fits(r->memory, name, value)
               ? 0
               : db_refuse(why, "the value is none that the setting %.*s can have", (int)name.n, name.p);
}

static int row_check_all(struct value_rules *r, const struct value *row, struct why why) {
    for (int i = 0; i < r->table->count; i++) TRY(row_check_value(r, i, &row[i], why));
    for (int i = 0; i < r->key_count; i++) TRY(row_check_key(r, &r->keys[i], row, why));
    TRY(row_check_article(r, row, why));
    return r->setting_name >= 0 && r->setting_value >= 0 ? row_check_setting(r, row, why) : 0;
}

int value_rules_check(struct value_rules *r, const struct value *row, struct why why) {
    int rc = row_check_all(r, row, why);
    arena_return(r->memory, r->empty);
    return rc;
}

static const char *parent_of_field(struct arena *a, const char *table, const char *column) {
    for (const struct resource *const *r = resources; *r; r++) {
        if ((*r)->table == NULL || strcmp((*r)->table, table) != 0) continue;
        for (const struct field *f = fields_of((*r)->fields); f->name; f++) {
            if (f->type != F_REF) continue;
            const char *is = f->column ? f->column : str_fmt(a, "t.%s_id", f->name).p;
            if (strncmp(is, "t.", 2) == 0 && strcmp(is + 2, column) == 0) return resource_of(f->ref)->table;
        }
    }
    return NULL;
}

const char *value_rules_parent(struct arena *a, const struct move_table *t, const struct move_column *c) {
    const char *name = str_fmt(a, "%s.%s", t->name, c->name).p;
    const struct column_reference *r = column_references;
    if (c->kind != VALUE_INT) return NULL;
    while (r->columns && fnmatch(r->columns, name, FNM_EXTMATCH) != 0) r++;
    return r->columns ? r->parent : parent_of_field(a, t->name, c->name);
}

int value_rules_check_last(const struct move_table *t, int64_t max, struct why why) {
    if (t->last_id >= 0 && t->last_id <= max) return 0;
    return db_refuse(why, "the last id of %s can't be %" PRId64, t->name, t->last_id);
}
