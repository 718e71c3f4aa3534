/* Every predicate is refused with its faults, or becomes a condition whose values are all bound. The first
 * byte chooses its subject. The store is empty: no custom fields, no roles, no teams. */
#include "base/fold.h"
#include "core/desk/cascade.h"
#include "core/fields/custom_field.h"
#include "core/predicates/predicate.h"
#include "core/desk/setting.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- stubs ----------------------------------------------------------------------------------- */

struct str setting_text(const struct desk *d, const char *name, struct arena *a) {
    (void)d, (void)name, (void)a;
    return S("Europe/Berlin");
}
struct str field_value_key(struct arena *a, enum field_kind type, struct str value) {
    (void)type;
    return fold_key(a, value);
}
bool cascades_under_way(struct work *w) { return (void)w, false; }

int db_start(struct conn *c, const char *sql, const struct bind *binds, struct stmt **out) {
    (void)c, (void)sql, (void)binds;
    *out = (struct stmt *)out; /* not NULL */
    return 0;
}
int db_int(struct conn *c, const struct query *q, const struct bind *binds, int64_t *out) {
    (void)c, (void)q, (void)binds, (void)out;
    return 0;
}
int db_ids(struct conn *c, const struct query *q, const struct bind *binds, struct arena *a, int64_t **out) {
    (void)c, (void)q, (void)binds;
    *out = arena_array(a, 1, sizeof **out);
    return 0;
}
int stmt_step(struct stmt *s) { return (void)s, 0; }
void stmt_end(struct stmt *s) { (void)s; }
bool col_null(struct stmt *s, int i) {
    (void)s, (void)i;
    abort();
}
int col_count(struct stmt *s) { return (void)s, 0; }
int64_t col_int(struct stmt *s, int i) {
    (void)s, (void)i;
    abort();
}
struct str col_text(struct stmt *s, int i) {
    (void)s, (void)i;
    abort();
}

/* ---- the target ------------------------------------------------------------------------------
 */

static void check(const struct predicate *p, struct arena *a) {
    struct moment m = {.now = INT64_C(1795255800000), .user_id = 1, .desk = {.name = S("Europe/Berlin")}};
    struct condition c = predicate_condition(p, &m, a);
    int open = 0;
    for (const char *s = c.sql; *s; s++) {
        if ((unsigned char)*s < ' ' || (unsigned char)*s > '~') abort();
        open += (*s == '(') - (*s == ')');
        if (open < 0) abort();
    }
    if (open != 0) abort();
    for (int i = 0; i < c.count; i++)
        if (strstr(c.sql, c.binds[i].name) == NULL ||
            (c.binds[i].type == BIND_TEXT && !utf8_valid(c.binds[i].s)))
            abort();
    predicate_holds(p, &m, arena_array(a, (size_t)p->definitions->count, sizeof(struct fact)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    struct arena *a = arena_new();
    struct desk desk = {0};
    struct work w = {.desk = &desk, .arena = a, .now = INT64_C(1795255800000)};
    struct definitions d;
    struct json *j;
    struct json_error err;
    struct predicate *p;
    const struct subject *subjects[] = {&organization_subject, &user_subject, &case_subject};
    if (definitions_load(&w, subjects[data[0] % 3], RULE_FILTER, &d) != 0) abort();
    if (json_parse(a, (struct str){(const char *)data + 1, size - 1}, &j, &err) == 0) {
        int rc = predicate_read(&w, &d, j, S("predicates"), &p);
        if ((rc == 0) == failed(&w)) abort();
        if (rc == 0) check(p, a);
    }
    arena_free(a);
    return 0;
}
