#include "transfer/value_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "core/all/column.h"
#include "core/all/catch_up.h"
#include "transfer/value_rules.h"

enum { VALUES_SHOWN = 10 }; /* lines of one table */

struct value_checking {
    struct conn *conn;
    struct arena *memory;      /* the arena of the rules of a table */
    struct value_rules *rules; /* NULL: the table is none of this program */
    bool began;
    int found, found_here;
    void (*report)(void *arg, const char *line);
    void *arg;
};

static void value_finding(struct value_checking *g, const char *line) {
    if (++g->found_here <= VALUES_SHOWN) g->report(g->arg, line);
    g->found++;
}

/* SQLite compares foreign keys by itself, but many references have none, and PostgreSQL compares its own
 * only when they change. */
static int references_check(struct value_checking *g, const struct move_table *t,
                            const struct move_column *column) {
    const char *parent = value_rules_parent(g->memory, t, column);
    char line[400];
    int64_t missing;
    if (parent == NULL) return 0;
    const char *sql = str_fmt(g->memory,
                              "SELECT t.%s FROM \"%s\" t "
                              "WHERE t.%s <> 0 AND NOT EXISTS (SELECT 1 FROM \"%s\" p WHERE p.id = t.%s) "
                              "ORDER BY 1 LIMIT 1",
                              column->name, t->name, column->name, parent, column->name)
                          .p;
    int rc = db_int(g->conn, &(struct query){"references_check", sql}, NULL, &missing);
    snprintf(line, sizeof line, "%s.%s: no row of %s has the id %" PRId64, t->name, column->name, parent,
             missing);
    if (rc == 1) value_finding(g, line);
    return rc < 0 ? rc : 0;
}

static int values_begin(void *arg, const struct move_table *t, struct why why) {
    struct value_checking *g = arg;
    char line[400];
    g->memory = arena_new();
    g->found_here = 0;
    if (value_rules_check_last(t, COLUMN_ID_MAX, (struct why){line, sizeof line}) < 0) value_finding(g, line);
    g->began = true;
    for (int i = 0; i < t->count; i++) TRY(references_check(g, t, &t->columns[i]));
    if (value_rules_of(g->memory, t, &g->rules, why) < 0) g->rules = NULL;
    return 0;
}

static int64_t key_of_row(const struct move_table *t, const struct value *row) {
    for (int i = 0; i < t->count; i++)
        if (t->columns[i].key == 1 && row[i].kind == VALUE_INT) return row[i].i;
    return 0;
}

static int values_row(void *arg, const struct move_table *t, const struct value *row, struct why why) {
    struct value_checking *g = arg;
    char reason[400], line[600];
    (void)why;
    if (g->rules == NULL || value_rules_check(g->rules, row, (struct why){reason, sizeof reason}) == 0)
        return 0;
    int64_t key = key_of_row(t, row);
    if (key) snprintf(line, sizeof line, "%s, row %" PRId64 ": %s", t->name, key, reason);
    else snprintf(line, sizeof line, "%s: %s", t->name, reason);
    value_finding(g, line);
    return 0;
}

static int values_end(void *arg, const struct move_table *t, struct why why) {
    struct value_checking *g = arg;
    char line[160];
    (void)why;
    snprintf(line, sizeof line, "... and %d more of %s", g->found_here - VALUES_SHOWN, t->name);
    if (g->found_here > VALUES_SHOWN) g->report(g->arg, line);
    arena_free(g->memory);
    g->memory = NULL;
    return 0;
}

int values_check(struct conn *c, void (*report)(void *arg, const char *line), void *arg) {
    char reason[400] = "", line[500];
    struct value_checking g = {.conn = c, .report = report, .arg = arg};
    TRY(db_read_begin(c, 0));
    int rc = db_dump(c,
                     &(struct db_dump){.derived = derived_tables,
                                       .begin = values_begin,
                                       .row = values_row,
                                       .end = values_end,
                                       .arg = &g},
                     (struct why){reason, sizeof reason});
    db_read_end(c);
    if (g.memory) arena_free(g.memory);
    if (rc == 0) return g.found;
    if (!*reason) return rc;
    snprintf(line, sizeof line, g.began ? "%s" : "the values of the rows were not checked: %s", reason);
    report(arg, line);
    return g.found + g.began; /* a table that can't be copied may be one of the operator */
}
