#include "demo/index.h"

#include "db/db.h"

#include <ctype.h>

/* Skips comments and blocks for one engine (db/db.h). Indexes in a block stay while the desk is filled. */
static struct str without_head(struct str s) {
    for (;;) {
        s = str_trim(s);
        bool block = str_starts(s, S("@SQLITE{")) || str_starts(s, S("@POSTGRES{"));
        const char *end = block ? strstr(s.p, "}@") : NULL;
        if (end) s = (struct str){end + 2, s.n - (size_t)(end + 2 - s.p)};
        else if (str_starts(s, S("--"))) str_cut(&s, '\n');
        else return s;
    }
}

/* Returns the next statement of a schema file, without the semicolon. Comments and literals may contain
 * one. p is NULL at the end. */
static struct str next_statement(struct str *rest) {
    struct str s = without_head(*rest);
    char quote = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '-' && i + 1 < s.n && s.p[i + 1] == '-') {
            quote = '\n';
        } else if (c == ';') {
            *rest = (struct str){s.p + i + 1, s.n - i - 1};
            return (struct str){s.p, i};
        }
    }
    return (struct str){0};
}

static struct str next_word(struct str *s) {
    size_t n = 0;
    *s = without_head(*s);
    while (n < s->n && !isspace((unsigned char)s->p[n]) && s->p[n] != '(') n++;
    struct str word = {s->p, n};
    *s = (struct str){s->p + n, s->n - n};
    return word;
}

/* Removes the indexes of this name, or of this table. */
static void forget(struct index **list, struct str name, struct str table) {
    for (struct index **at = list; *at;) {
        if (str_eqi((*at)->name, name) || str_eqi((*at)->table, table)) *at = (*at)->next;
        else at = &(*at)->next;
    }
}

static void take_statement(struct index **list, struct str statement, struct arena *a) {
    struct str rest = statement, verb = next_word(&rest), what = next_word(&rest);
    if (str_eqi(what, S("UNIQUE"))) what = next_word(&rest);
    bool table = str_eqi(what, S("TABLE")), drop = str_eqi(verb, S("DROP"));
    if (!(str_eqi(what, S("INDEX")) || (table && drop))) return;
    struct str name = next_word(&rest);
    if (drop) {
        if (str_eqi(name, S("IF"))) next_word(&rest), name = next_word(&rest); /* IF EXISTS */
        forget(list, table ? S("") : name, table ? name : S(""));
    } else if (str_eqi(verb, S("CREATE"))) {
        struct index *i = ARENA_NEW(a, struct index);
        next_word(&rest); /* ON */
        *i = (struct index){.name = name, .table = next_word(&rest), .create = str_dup(a, statement).p};
        i->drop = str_fmt(a, "DROP INDEX %.*s", (int)name.n, name.p).p;
        while (*list) list = &(*list)->next;
        *list = i;
    }
}

struct index *indexes_of_schema(struct arena *a) {
    struct index *list = NULL;
    for (const struct schema_file *f = schema_files; f->name; f++) {
        struct str rest = str_of(f->sql);
        for (struct str s; (s = next_statement(&rest)).p;) take_statement(&list, s, a);
    }
    return list;
}
