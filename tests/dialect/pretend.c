#include "pretend.h"

#include "base/error.h"
#include "base/log.h"
#include "api/rows/generic.h"
#include "core/login/session.h"
#include "db/db_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pretend pretend;

#define WRAPPED(type, name, parameters) \
    type __real_##name parameters;      \
    type __wrap_##name parameters;      \
    type __wrap_##name parameters

/* ---- what was composed ----------------------------------------------------------------------- */

static bool is_named(const char *sql) {
    for (size_t i = 0; i < query_count(); i++)
        if (query_at(i)->sql == sql) return true;
    return false;
}

static bool bounds_a_transaction(const char *sql) {
    static const char *const verbs[] = {"BEGIN", "COMMIT", "SAVEPOINT", "ROLLBACK", "RELEASE"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strncmp(sql, verbs[i], strlen(verbs[i])) == 0) return true;
    return false;
}

static bool is_composed(const char *sql) {
    return pretend.on && !bounds_a_transaction(sql) && !is_named(sql);
}

/* A copy that SQLite takes: octet_length, which is composed for PostgreSQL alone, is younger than this
 * SQLite. */
static char *text_for_sqlite(const char *sql) {
    char *text = strdup(sql), *at;
    while (text && (at = strstr(text, "octet_length("))) memmove(at, at + 6, strlen(at + 6) + 1);
    if (text == NULL) abort();
    return text;
}

/* The entry of this text, made if there is none. */
static struct composed *composed_of(const char *sql) {
    for (int i = 0; i < pretend.count; i++)
        if (strcmp(pretend.list[i].sql, sql) == 0) return &pretend.list[i];
    if (pretend.count == pretend.room) {
        pretend.room = pretend.room ? pretend.room * 2 : 1024;
        pretend.list = realloc(pretend.list, (size_t)pretend.room * sizeof *pretend.list);
        if (pretend.list == NULL) abort();
    }
    struct composed *c = &pretend.list[pretend.count++];
    *c = (struct composed){
        .name = strdup(pretend.under_way), .sql = strdup(sql), .for_sqlite = text_for_sqlite(sql)};
    return c;
}

/* ---- statements under way -------------------------------------------------------------------- */

enum { UNDER_WAY = 32 };
static struct {
    struct stmt *stmt;
    int rows; /* left */
} under_way[UNDER_WAY];

static int place_of_stmt(const struct stmt *s) {
    for (int i = 0; i < UNDER_WAY; i++)
        if (under_way[i].stmt == s) return i;
    return -1;
}

/* A row with the value that must be unique would end each request. A page has two rows, because the lists of
 * one row have queries of their own. */
static int rows_of(const char *sql) {
    if (strstr(sql, "= :value AND t.id <> :id")) return 0;
    return strstr(sql, "LIMIT :limit OFFSET :offset") ? 2 : 1;
}

int __real_db_start(struct conn *c, const char *sql, const struct bind *binds, struct stmt **out);

/* Prepares and binds. A text that was refused once is not reported again. */
static int start_composed(struct conn *c, const char *sql, const struct bind *binds, struct stmt **out) {
    struct composed *text = composed_of(sql);
    if (text->refused) return -ERR_INTERNAL_ERROR;
    int rc = __real_db_start(c, text->for_sqlite, binds, out);
    if (rc >= 0) return rc;
    text->refused = true;
    fprintf(stderr, "SQLite does not take %s\n", pretend.under_way);
    return rc;
}

WRAPPED(int, db_start, (struct conn * c, const char *sql, const struct bind *binds, struct stmt **out)) {
    if (!is_composed(sql)) return __real_db_start(c, sql, binds, out);
    int rc = start_composed(c, sql, binds, out), at = place_of_stmt(NULL);
    if (rc < 0) return rc;
    if (at < 0) abort();
    under_way[at].stmt = *out;
    under_way[at].rows = rows_of(sql);
    return 0;
}

WRAPPED(int, db_exec_text, (struct conn * c, const char *sql, const struct bind *binds)) {
    struct stmt *s;
    if (!is_composed(sql)) return __real_db_exec_text(c, sql, binds);
    TRY(start_composed(c, sql, binds, &s));
    stmt_end(s);
    return 1;
}

WRAPPED(int, stmt_step, (struct stmt * s)) {
    int at = place_of_stmt(s);
    return at < 0 ? __real_stmt_step(s) : under_way[at].rows-- > 0;
}

WRAPPED(void, stmt_end, (struct stmt * s)) {
    int at = place_of_stmt(s);
    if (at >= 0) under_way[at].stmt = NULL;
    __real_stmt_end(s);
}

WRAPPED(int64_t, col_int, (struct stmt * s, int i)) {
    return place_of_stmt(s) < 0 ? __real_col_int(s, i) : 1;
}

WRAPPED(bool, col_int_given, (struct stmt * s, int i, int64_t *out)) {
    if (place_of_stmt(s) < 0) return __real_col_int_given(s, i, out);
    *out = 1;
    return true;
}

WRAPPED(struct str, col_text, (struct stmt * s, int i)) {
    return place_of_stmt(s) < 0 ? __real_col_text(s, i) : (struct str){0};
}
WRAPPED(bool, col_null, (struct stmt * s, int i)) {
    return place_of_stmt(s) < 0 ? __real_col_null(s, i) : true;
}

/* ---- what rehearsals must not do ------------------------------------------------------------- */

WRAPPED(bool, db_blocks, (const struct db *db)) { return pretend.on ? pretend.blocks : __real_db_blocks(db); }

WRAPPED(struct str, password_hash, (struct arena * a, struct str password)) {
    return pretend.on ? S("$argon2id$none") : __real_password_hash(a, password);
}

/* A row of ones is what many states forbid. */
WRAPPED(int, api_refuse, (struct call * c, const char *condition, const char *why)) {
    int rc = __real_api_refuse(c, condition, why);
    return pretend.on && failed(&c->work) ? 0 : rc;
}

WRAPPED(int, auth_guess, (struct call * c, struct str hash, struct str password, bool *right)) {
    *right = true;
    return pretend.on ? 0 : __real_auth_guess(c, hash, password, right);
}

WRAPPED(int, auth_code, (struct call * c, struct str code)) {
    return pretend.on ? 0 : __real_auth_code(c, code);
}

/* Rows of ones refer to contents that no folder has. The lines about them are left out, so that a line in
 * the output is a defect. */
void __wrap_log_kind_line(struct log_kind *k, const char *fmt, ...);
void __wrap_log_kind_line(struct log_kind *k, const char *fmt, ...) {
    va_list args;
    if (strcmp(k->name, "downloads of missing or damaged contents") == 0) return;
    va_start(args, fmt);
    fprintf(stderr, "%s: ", pretend.under_way ? pretend.under_way : "before the rehearsal");
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}
