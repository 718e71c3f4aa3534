#include "core/people/lookup.h"

#include "base/fold.h"
#include "base/ids.h"
#include "core/access/access.h"
#include "core/people/name_index.h"
#include "core/words.h"

#include <stdlib.h>

#define COUNTED 500     /* matches */
#define FEW_PEOPLE 1000 /* people with the roles that are asked for, whose names are compared */

/* Names with a word in the range, in the order of the index: place 0 has whole names. The range covers the
 * stored prefix of a word. WHOLE then checks the whole text against the key. CROSS JOIN keeps SQLite from
 * beginning with the other table. */
#define NAMED(kind, table)                                        \
    "FROM name_words w CROSS JOIN " table " WHERE w.kind = " kind \
    " AND w.place = :place AND w.word >= :from AND w.word < :to AND t.id = w.owner_id AND "
#define WHOLE(key) "@INSTR@(" key ", :whole) > 0 "
#define OTHERS(key) "t.id NOT IN @LIST(:ids) AND " key " NOT IN @TEXTS(:names) "
#define IN_ORDER "ORDER BY w.word, w.owner_id LIMIT :most @BY_VALUES@"
#define OF_ROLES "t.deleted_at IS NULL AND t.role_type IN @LIST(:roles) AND "

QUERY(lookup_users, "SELECT t.id " NAMED("1", "users t") "t.deleted_at IS NULL AND " WHOLE(
                        "t.name_key") "AND " OTHERS("t.name_key") IN_ORDER);
QUERY(lookup_users_in,
      "SELECT t.id " NAMED("1", "users t") OF_ROLES WHOLE("t.name_key") "AND " OTHERS("t.name_key") IN_ORDER);
QUERY(lookup_few_people, "SELECT t.id, t.name_key FROM users t WHERE " OF_ROLES WHOLE(
                             "t.name_key") "AND " OTHERS("t.name_key") "LIMIT :few");
QUERY(lookup_organizations,
      "SELECT t.id " NAMED("2", "organizations t") WHOLE("t.name_key") "AND " OTHERS("t.name_key") IN_ORDER);
/* Tags are words of the whole desk. A word that only macros of others have, or nothing any more, is shown
 * to admins and owners only. */
#define TAGS(table) "EXISTS (SELECT 1 FROM " table " x WHERE x.tag_id = t.id) OR "
#define SHARED                                                                                         \
    "(:all = 1 OR " TAGS("case_tags") TAGS("user_tags") TAGS("organization_tags") TAGS("article_tags") \
        TAGS("section_tags") "EXISTS (SELECT 1 FROM macro_tags x JOIN macros m ON m.id = x.macro_id "  \
                             "WHERE x.tag_id = t.id AND " MACRO_IS_LISTED("m") ")) AND "
QUERY(lookup_tags,
      "SELECT t.id " NAMED("3", "tags t") WHOLE("t.name_key") "AND " SHARED OTHERS("t.name_key") IN_ORDER);
/* Addresses that begin with the text, then addresses of people with a matching name. Claims are left out. */
QUERY(lookup_addresses,
      "SELECT t.id FROM identity_emails t WHERE t.is_claim = 0 AND t.email_key >= :whole AND t.email_key < "
      ":to_whole AND " OTHERS("t.email_key") "ORDER BY t.email_key, t.id LIMIT :most @BY_VALUES@");
#define THEIR_ADDRESSES NAMED("1", "users t CROSS JOIN identity_emails e")
QUERY(lookup_emails, "SELECT e.id " THEIR_ADDRESSES "e.user_id = w.owner_id AND e.is_claim = 0 AND " WHOLE(
                         "t.name_key") "AND e.id NOT IN @LIST(:ids) AND e.email_key NOT IN @TEXTS(:names) "
                                       "ORDER BY w.word, w.owner_id, e.id LIMIT :most @BY_VALUES@");

struct str lookup_key(struct arena *a, enum lookup_kind kind, struct str name) {
    return kind == LOOKUP_EMAILS ? email_key(a, name) : fold_key(a, name);
}

struct looking {
    struct work *work;
    struct lookup *lookup;
    struct str whole, from; /* the text as a key, and its stored prefix */
    int64_t counted;
};

/* Takes the matches of a query that are not taken yet. */
static int take_matches(const struct looking *k, const struct query *q, int place) {
    struct lookup *l = k->lookup;
    struct arena *a = k->work->arena;
    int rc;
    const struct bind *binds =
        BINDS(B_TEXT("from", k->from), B_TEXT("to", name_range_end(a, k->from)), B_TEXT("whole", k->whole),
              B_TEXT("to_whole", name_range_end(a, k->whole)), B_TEXT("roles", l->roles),
              B_TEXT("ids", l->ids), B_TEXT("names", l->names), B_INT("me", k->work->actor.user_id),
              B_INT("all", k->work->actor.rank >= ROLE_ADMIN), B_INT("place", place),
              B_INT("most", k->counted + 1));
    DB_ROWS(rc, k->work->conn, q, binds, row) {
        if (ids_have(l->found, l->total, col_int(row, 0))) continue;
        l->more = l->total == k->counted;
        if (l->more) break;
        l->found[l->total++] = col_int(row, 0);
    }
    return rc < 0 ? rc : 0;
}

struct match {
    int64_t id;
    int place;
    struct str word;
};

static int compare_words_of_names(struct str a, struct str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int compare_matches(const void *a, const void *b) {
    const struct match *x = a, *y = b;
    int words = compare_words_of_names(x->word, y->word);
    if (x->place != y->place) return x->place - y->place;
    return words ? words : (x->id > y->id) - (x->id < y->id);
}

/* The place and the word by which the index finds the name. word.p NULL: it does not begin so. */
static struct match match_of_name(const struct looking *k, int64_t id, struct str key) {
    struct str words[NAME_WORDS];
    struct match m = {.id = id};
    int n = name_words(key, words);
    for (int i = 0; i < n && (i == 0 || m.place || m.word.p == NULL); i++) {
        if (!str_starts(words[i], k->from)) continue;
        if (m.word.p && compare_words_of_names(m.word, words[i]) <= 0) continue;
        m.word = words[i];
        m.place = i > 0;
    }
    return m;
}

QUERY(lookup_role_size, "SELECT COUNT(*) FROM (SELECT 1 AS one FROM users t WHERE t.deleted_at IS NULL "
                        "AND t.role_type IN @LIST(:roles) LIMIT :few) n");

/* Compares the names of all people with the roles, because few of the names in the range may be theirs.
 * Returns 1, or 0 if these people are not few. */
static int take_few_people(const struct looking *k) {
    struct lookup *l = k->lookup;
    struct arena *a = k->work->arena;
    int64_t people = 0;
    int rc, n = 0;
    const struct bind *binds =
        BINDS(B_TEXT("roles", l->roles), B_INT("few", FEW_PEOPLE + 1), B_TEXT("whole", k->whole),
              B_TEXT("ids", l->ids), B_TEXT("names", l->names));
    TRY(db_int(k->work->conn, &lookup_role_size, binds, &people));
    if (people > FEW_PEOPLE) return 0;
    struct match *list = arena_array(a, FEW_PEOPLE + 1, sizeof *list);
    DB_ROWS(rc, k->work->conn, &lookup_few_people, binds, row) {
        list[n] = match_of_name(k, col_int(row, 0), str_dup(a, col_text(row, 1)));
        n += list[n].word.p != NULL;
    }
    if (rc < 0) return rc;
    if (n) qsort(list, (size_t)n, sizeof *list, compare_matches);
    l->more = n > k->counted;
    for (l->total = 0; l->total < n && l->total < k->counted; l->total++)
        l->found[l->total] = list[l->total].id;
    return 1;
}

static int take_named(const struct looking *k, const struct query *q) {
    for (int place = 0; place <= 1 && !k->lookup->more; place++) TRY(take_matches(k, q, place));
    return 0;
}

static int take_users(const struct looking *k) {
    if (k->lookup->roles.p == NULL) return take_named(k, &lookup_users);
    int few = take_few_people(k);
    return few ? few : take_named(k, &lookup_users_in);
}

static int take_emails(const struct looking *k) {
    TRY(take_matches(k, &lookup_addresses, 0));
    return k->lookup->more ? 0 : take_named(k, &lookup_emails);
}

int lookup_run(struct work *w, struct lookup *l) {
    struct looking k = {
        w, l, fold_key(w->arena, str_trim(l->text)), {0}, l->limit > COUNTED ? l->limit : COUNTED};
    int rc = 0;
    k.from = name_word(k.whole);
    l->total = 0;
    if (k.whole.n) { /* an empty text finds nothing */
        l->found = arena_array(w->arena, (size_t)k.counted, sizeof *l->found);
        rc = l->kind == LOOKUP_USERS ? take_users(&k)
             : l->kind == LOOKUP_EMAILS
                 ? take_emails(&k)
                 : take_named(&k, l->kind == LOOKUP_TAGS ? &lookup_tags : &lookup_organizations);
    }
    l->count = (int)(l->total < l->limit ? l->total : l->limit);
    return rc < 0 ? rc : 0;
}
