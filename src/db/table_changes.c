/* Finds the statements that change tracked tables (db.h). A statement is examined once, when it is prepared,
 * so that running it costs one test. */
#include "db/engine.h"

static bool is_sql_word_byte(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* The next word of SQL: letters, digits and underscores outside of literals. Returns false at the end. */
static bool sql_next_word(struct str *rest, struct str *word) {
    const char *p = rest->p, *end = rest->p + rest->n;
    while (p < end && !is_sql_word_byte(*p)) {
        const char *closed = *p == '\'' ? memchr(p + 1, '\'', (size_t)(end - p - 1)) : p;
        p = closed ? closed + 1 : end;
    }
    const char *begin = p;
    while (p < end && is_sql_word_byte(*p)) p++;
    *word = (struct str){begin, (size_t)(p - begin)};
    *rest = (struct str){p, (size_t)(end - p)};
    return word->n > 0;
}

static bool sql_has_word(struct str sql, struct str wanted) {
    for (struct str word; sql_next_word(&sql, &word);)
        if (str_eq(word, wanted)) return true;
    return false;
}

enum change { NO_CHANGE, INSERTS, UPDATES, DELETES };

static const struct db_tracked_table *tracked_find(const struct db_tracked_table *list, struct str table) {
    for (const struct db_tracked_table *n = list; n->table; n++)
        if (str_eq(table, str_of(n->table))) return n;
    return NULL;
}

bool table_is_tracked(const struct db_tracked_table *list, struct str table) {
    return tracked_find(list, table) != NULL;
}

static bool changes_tracked(const struct db_tracked_table *list, struct str table, enum change change,
                            struct str sql) {
    const struct db_tracked_table *n = change ? tracked_find(list, table) : NULL;
    if (n && n->except && change == UPDATES && sql_has_word(sql, str_of(n->except))) return false;
    if (n == NULL || n->column == NULL) return n != NULL;
    return n->column[0] && (change == DELETES || (change == UPDATES && sql_has_word(sql, str_of(n->column))));
}

/* The change whose table follows these two words. */
static enum change change_of(struct str before, struct str last) {
    if (str_eq(last, S("INTO"))) return INSERTS;
    if (str_eq(last, S("UPDATE"))) return UPDATES;
    return str_eq(last, S("FROM")) && str_eq(before, S("DELETE")) ? DELETES : NO_CHANGE;
}

bool sql_changes_tracked(const struct db_tracked_table *list, const char *text) {
    struct str sql = str_of(text), before = S(""), last = S("");
    for (struct str rest = sql, word; list && sql_next_word(&rest, &word); before = last, last = word)
        if (changes_tracked(list, word, change_of(before, last), sql)) return true;
    return false;
}

unsigned sql_changes_marked(const struct db_tracked_table *const *sets, const char *text) {
    unsigned bits = 0;
    for (int i = 0; sets && sets[i]; i++)
        if (sql_changes_tracked(sets[i], text)) bits |= 1U << i;
    return bits;
}
