#include "core/people/name_index.h"

QUERY(name_word_add, "INSERT INTO name_words (kind, place, word, owner_id) "
                     "VALUES (:kind, :place, :word, :id) ON CONFLICT DO NOTHING");
QUERY(name_word_drop,
      "DELETE FROM name_words WHERE kind = :kind AND place = :place AND word = :word AND owner_id = :id");

static bool inside_word(unsigned char c) {
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct str name_word(struct str s) {
    if (s.n <= NAME_WORD) return s;
    size_t n = NAME_WORD;
    while (((unsigned char)s.p[n] & 0xC0) == 0x80) n--;
    return (struct str){s.p, n};
}

int name_words(struct str key, struct str out[NAME_WORDS]) {
    int n = 0;
    if (key.p == NULL || key.n == 0) return 0;
    out[n++] = name_word(key);
    for (size_t i = 1; i < key.n && n < NAME_WORDS; i++)
        if (inside_word((unsigned char)key.p[i]) && !inside_word((unsigned char)key.p[i - 1]))
            out[n++] = name_word((struct str){key.p + i, key.n - i});
    return n;
}

static int each_word(struct conn *c, const struct query *q, enum name_kind kind, int64_t id, struct str key) {
    struct str words[NAME_WORDS];
    int n = name_words(key, words);
    for (int i = 0; i < n; i++)
        TRY(db_exec(
            c, q,
            BINDS(B_INT("kind", kind), B_INT("place", i > 0), B_TEXT("word", words[i]), B_INT("id", id))));
    return 0;
}

int name_indexed(struct conn *c, enum name_kind kind, int64_t id, struct str before, struct str after) {
    if (before.p && after.p && str_eq(before, after)) return 0;
    TRY(each_word(c, &name_word_drop, kind, id, before));
    return each_word(c, &name_word_add, kind, id, after);
}

#define PART 200
QUERY(names_of_users,
      "SELECT id, name_key FROM users WHERE id > :after AND deleted_at IS NULL ORDER BY id LIMIT :part");
QUERY(names_of_organizations,
      "SELECT id, name_key FROM organizations WHERE id > :after AND deleted_at IS NULL "
      "ORDER BY id LIMIT :part");
QUERY(names_of_tags, "SELECT id, name_key FROM tags WHERE id > :after ORDER BY id LIMIT :part");

int names_reindex(struct work *w, enum name_kind kind, int64_t *after) {
    static const struct query *const named[] = {[NAME_USER] = &names_of_users,
                                                [NAME_ORGANIZATION] = &names_of_organizations,
                                                [NAME_TAG] = &names_of_tags};
    struct {
        int64_t id;
        struct str key;
    } part[PART];
    int rc, n = 0;
    DB_ROWS(rc, w->conn, named[kind], BINDS(B_INT("after", *after), B_INT("part", PART)), row) {
        part[n].id = *after = col_int(row, 0);
        part[n++].key = str_dup(w->arena, col_text(row, 1));
    }
    for (int i = 0; rc >= 0 && i < n; i++)
        rc = name_indexed(w->conn, kind, part[i].id, (struct str){0}, part[i].key);
    return rc < 0 ? rc : n == PART;
}

struct str name_range_end(struct arena *a, struct str prefix) {
    return str_fmt(a, "%.*s\xF4\x8F\xBF\xBF", (int)prefix.n, prefix.p);
}
