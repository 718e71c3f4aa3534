#include "core/people/lookup.h"

#include "base/fold.h"
#include "core/access/access.h"
#include "core/people/name_index.h"
#include "core/words.h"

/* Names with a word in the range, each once; those that begin with the text (place 0) first. The range
 * covers the stored prefix of a word. WHOLE then checks the whole text against the key. */
#define NAMED(kind)                                                                           \
    "(SELECT w.owner_id AS id, MIN(w.place) AS place, MIN(w.word) AS word FROM name_words w " \
    "WHERE w.kind = " kind                                                                    \
    " AND w.place IN (0, 1) AND w.word >= :from AND w.word < :to GROUP BY w.owner_id)"
#define WHOLE(key) "@INSTR@(" key ", :whole) > 0 "
#define OTHERS(key) "t.id NOT IN @LIST(:ids) AND " key " NOT IN @TEXTS(:names) "
#define BEST "ORDER BY f.place, f.word, t.id @BY_VALUES@"

QUERY(lookup_users,
      "SELECT t.id FROM " NAMED("1") " f JOIN users t ON t.id = f.id WHERE t.deleted_at IS NULL AND " WHOLE(
          "t.name_key") "AND " OTHERS("t.name_key") BEST);
QUERY(lookup_users_in,
      "SELECT t.id FROM " NAMED("1") " f JOIN users t ON t.id = f.id "
                                     "WHERE t.deleted_at IS NULL AND t.role_type IN @LIST(:roles) AND " WHOLE(
                                         "t.name_key") "AND " OTHERS("t.name_key") BEST);
QUERY(lookup_organizations,
      "SELECT t.id FROM " NAMED("2") " f JOIN organizations t ON t.id = f.id WHERE " WHOLE(
          "t.name_key") "AND " OTHERS("t.name_key") BEST);
/* Tags are words of the whole desk. A word that only macros of others have, or nothing any more, is shown
 * to admins and owners only. */
#define TAGS(table) "EXISTS (SELECT 1 FROM " table " x WHERE x.tag_id = t.id) OR "
#define SHARED                                                                                         \
    "(:all = 1 OR " TAGS("case_tags") TAGS("user_tags") TAGS("organization_tags") TAGS("article_tags") \
        TAGS("section_tags") "EXISTS (SELECT 1 FROM macro_tags x JOIN macros m ON m.id = x.macro_id "  \
                             "WHERE x.tag_id = t.id AND " MACRO_IS_LISTED("m") ")) AND "
QUERY(lookup_tags, "SELECT t.id FROM " NAMED("3") " f JOIN tags t ON t.id = f.id WHERE " WHOLE(
                       "t.name_key") "AND " SHARED OTHERS("t.name_key") BEST);
/* Addresses that begin with the text, then addresses of people with a matching name. Claims are left out. */
QUERY(
    lookup_emails,
    "SELECT t.id FROM (SELECT m.id, MIN(m.place) AS place, MIN(m.word) AS word FROM (SELECT e.id, "
    "0 AS place, e.email_key AS word FROM identity_emails e WHERE e.is_claim = 0 "
    "AND e.email_key >= :whole AND e.email_key < :to_whole UNION ALL SELECT e.id, 1, n.word FROM " NAMED(
        "1") " n JOIN users u ON u.id = n.id JOIN identity_emails e ON e.user_id = n.id "
             "WHERE e.is_claim = 0 AND " WHOLE(
                 "u.name_key") ") m GROUP BY m.id) f JOIN identity_emails t ON t.id = f.id WHERE " OTHERS("t.email_key")
                 BEST);

struct str lookup_key(struct arena *a, enum lookup_kind kind, struct str name) {
    return kind == LOOKUP_EMAILS ? email_key(a, name) : fold_key(a, name);
}

static const struct query *query_of(const struct lookup *l) {
    static const struct query *const queries[] = {&lookup_emails, &lookup_tags, &lookup_organizations,
                                                  &lookup_users};
    return l->kind == LOOKUP_USERS && l->roles.p ? &lookup_users_in : queries[l->kind];
}

int lookup_run(struct work *w, struct lookup *l) {
    struct str whole = fold_key(w->arena, str_trim(l->text)), from = name_word(whole);
    int rc;
    l->count = 0;
    l->total = 0;
    if (whole.n == 0) return 0; /* an empty text finds nothing */
    l->found = arena_array(w->arena, (size_t)l->limit, sizeof *l->found);
    const struct bind *binds = BINDS(
        B_TEXT("from", from), B_TEXT("to", name_range_end(w->arena, from)), B_TEXT("whole", whole),
        B_TEXT("to_whole", name_range_end(w->arena, whole)), B_TEXT("roles", l->roles), B_TEXT("ids", l->ids),
        B_TEXT("names", l->names), B_INT("me", w->actor.user_id), B_INT("all", w->actor.rank >= ROLE_ADMIN));
    DB_ROWS(rc, w->conn, query_of(l), binds, row) {
        if (l->count < l->limit) l->found[l->count++] = col_int(row, 0);
        l->total++;
    }
    return rc;
}
