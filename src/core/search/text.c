#include "core/search/text.h"

#include "base/buf.h"
#include "base/html_plain.h"
#include "json/json.h"

/* ---- queries: (row, owner, kind, place, part of its text), ordered --------------------------- */

/* Place 1 begins a text. In the query of articles, places 11 and 21 begin the keywords and the contents. */
#define PLACES_OF_SOURCE 10

/* `is` is "= :id" or "IN @LIST(:ids)": with one bound id a read costs a third. Fields of type TEXT,
 * TEXTAREA and REGEX have texts. */
#define VALUES_FOUND(area, kind, is)                                                      \
    " UNION ALL SELECT v.owner_id, v.owner_id, " kind ", 9, v.value FROM field_values v " \
    "JOIN custom_fields f ON f.id = v.field_id "                                          \
    "WHERE v.owner_id " is " AND v.area = " area                                          \
    " AND f.type IN (1, 2, 12) AND f.is_enabled = 1 AND f.deleted_at IS NULL"
#define TAGS_FOUND(table, owner, kind, is)                                        \
    " UNION ALL SELECT k." owner ", k." owner ", " kind ", 8, t.name FROM " table \
    " k JOIN tags t ON t.id = k.tag_id WHERE k." owner " " is
#define PART_FOUND(table, owner, kind, place, text, is)                                     \
    " UNION ALL SELECT i." owner ", i." owner ", " kind ", " place ", " text " FROM " table \
    " i WHERE i." owner " " is
#define POSTAL(owner, kind, is)                                                                          \
    PART_FOUND("contact_addresses", owner, kind, "7",                                                    \
               "COALESCE(i.address1, '') || ' ' || COALESCE(i.address2, '') || ' ' || "                  \
               "COALESCE(i.postal_code, '') || ' ' || COALESCE(i.city, '') || ' ' || COALESCE(i.state, " \
               "'') || ' ' || COALESCE(i.country, '')",                                                  \
               is)                                                                                       \
    PART_FOUND("contact_websites", owner, kind, "7", "i.url", is)
#define IN_PLACE " ORDER BY 1, 4, 5"

#define CASES_TEXT(is)                                                                                   \
    "SELECT c.id AS id, c.id AS owner_id, 1 AS kind, 1 AS place, c.subject AS part "                     \
    "FROM cases c WHERE c.id " is                                                                        \
    " UNION ALL SELECT c.id, c.id, 1, 2, '#' || c.id || ' ' || COALESCE(c.legacy_id, '') "               \
    "FROM cases c WHERE c.id " is TAGS_FOUND("case_tags", "case_id", "1", is) VALUES_FOUND("1", "1", is) \
        IN_PLACE
#define MESSAGES_TEXT(is)                                                                      \
    "SELECT p.id AS id, p.case_id AS owner_id, 1 AS kind, 1 AS place, p.content_text AS part " \
    "FROM posts p WHERE p.kind = 1 AND p.id " is
#define NOTES_TEXT(is)                                                                         \
    "SELECT n.id AS id, COALESCE(n.case_id, n.owner_user_id, n.organization_id) AS owner_id, " \
    "CASE WHEN n.case_id IS NOT NULL THEN 1 WHEN n.owner_user_id IS NOT NULL THEN 2 "          \
    "ELSE 3 END AS kind, 1 AS place, n.body_text AS part "                                     \
    "FROM notes n WHERE n.id " is
#define NOT_CLAIMED(is) is " AND i.is_claim = 0"
#define USERS_TEXT(is)                                                                                       \
    "SELECT u.id AS id, u.id AS owner_id, 2 AS kind, 1 AS place, u.full_name AS part "                       \
    "FROM users u WHERE u.deleted_at IS NULL AND u.id " is " UNION ALL "                                     \
    "SELECT u.id, u.id, 2, 6, COALESCE(u.designation, '') || ' ' || COALESCE(u.legacy_id, '') "              \
    "FROM users u WHERE u.deleted_at IS NULL AND u.id " is PART_FOUND("identity_emails", "user_id", "2",     \
                                                                      "2", "i.email", NOT_CLAIMED(is))       \
        PART_FOUND("identity_phones", "user_id", "2", "3", "i.number || ' ' || i.number_key",                \
                   NOT_CLAIMED(is))                                                                          \
            PART_FOUND("identity_twitter", "user_id", "2", "4",                                              \
                       "i.screen_name || ' ' || COALESCE(i.full_name, '')", NOT_CLAIMED(is))                 \
                PART_FOUND("identity_facebook", "user_id", "2", "5",                                         \
                           "COALESCE(i.user_name, '') || ' ' || COALESCE(i.full_name, '')", NOT_CLAIMED(is)) \
                    POSTAL("user_id", "2", is) TAGS_FOUND("user_tags", "user_id", "2", is)                   \
                        VALUES_FOUND("2", "2", is) IN_PLACE
#define ORGANIZATIONS_TEXT(is)                                                                             \
    "SELECT o.id AS id, o.id AS owner_id, 3 AS kind, 1 AS place, o.name AS part "                          \
    "FROM organizations o WHERE o.deleted_at IS NULL AND o.id " is                                         \
    " UNION ALL SELECT o.id, o.id, 3, 6, COALESCE(o.legacy_id, '') "                                       \
    "FROM organizations o WHERE o.deleted_at IS NULL AND o.id " is PART_FOUND(                             \
        "identity_domains", "organization_id", "3", "2", "i.domain", is)                                   \
        PART_FOUND("identity_phones", "organization_id", "3", "3", "i.number || ' ' || i.number_key", is)  \
            POSTAL("organization_id", "3", is) TAGS_FOUND("organization_tags", "organization_id", "3", is) \
                VALUES_FOUND("3", "3", is) IN_PLACE

/* With a sixth column, the locale. */
#define OF_TITLES "FROM locale_fields l JOIN articles a ON a.id = l.owner_id AND a.deleted_at IS NULL "
#define ARTICLES_TEXT(is)                                                                            \
    "SELECT l.id AS id, l.owner_id AS owner_id, 4 AS kind, 1 AS place, l.translation AS part, "      \
    "l.locale AS locale " OF_TITLES "WHERE l.owner_kind = 11 AND l.owner_id " is                     \
    " UNION ALL SELECT l.id, l.owner_id, 4, 11, COALESCE(a.keywords, ''), l.locale " OF_TITLES       \
    "WHERE l.owner_kind = 11 AND l.owner_id " is                                                     \
    " UNION ALL SELECT l.id, l.owner_id, 4, 12, g.name, l.locale " OF_TITLES                         \
    "JOIN article_tags k ON k.article_id = a.id "                                                    \
    "JOIN tags g ON g.id = k.tag_id WHERE l.owner_kind = 11 AND l.owner_id " is                      \
    " UNION ALL SELECT l.id, l.owner_id, 4, 21, c.translation, l.locale " OF_TITLES                  \
    "JOIN locale_fields c ON c.owner_kind = 12 AND c.owner_id = l.owner_id AND c.locale = l.locale " \
    "WHERE l.owner_kind = 11 AND l.owner_id " is IN_PLACE

#define ONE "= :id"
#define SOME "IN @LIST(:ids)"
QUERY(search_case_text, CASES_TEXT(ONE));
QUERY(search_cases_text, CASES_TEXT(SOME));
QUERY(search_message_text, MESSAGES_TEXT(ONE));
QUERY(search_messages_text, MESSAGES_TEXT(SOME));
QUERY(search_note_text, NOTES_TEXT(ONE));
QUERY(search_notes_text, NOTES_TEXT(SOME));
QUERY(search_user_text, USERS_TEXT(ONE));
QUERY(search_users_text, USERS_TEXT(SOME));
QUERY(search_organization_text, ORGANIZATIONS_TEXT(ONE));
QUERY(search_organizations_text, ORGANIZATIONS_TEXT(SOME));
QUERY(search_article_text, ARTICLES_TEXT(ONE));
QUERY(search_articles_text, ARTICLES_TEXT(SOME));

static const struct {
    const struct query *one, *some;
    enum search_source source;
} tables[SEARCH_TABLES] = {
    [TEXTS_OF_CASES] = {&search_case_text, &search_cases_text, SEARCH_HEAD},
    [TEXTS_OF_MESSAGES] = {&search_message_text, &search_messages_text, SEARCH_MESSAGE},
    [TEXTS_OF_NOTES] = {&search_note_text, &search_notes_text, SEARCH_NOTE},
    [TEXTS_OF_USERS] = {&search_user_text, &search_users_text, SEARCH_HEAD},
    [TEXTS_OF_ORGANIZATIONS] = {&search_organization_text, &search_organizations_text, SEARCH_HEAD},
    [TEXTS_OF_ARTICLES] = {&search_article_text, &search_articles_text, SEARCH_TITLE},
};

enum search_table search_table_of(int64_t text_id) {
    enum search_source source = search_source_of(text_id);
    int kind = search_kind_of(text_id);
    if (kind == SEARCH_ARTICLES) return TEXTS_OF_ARTICLES;
    if (source != SEARCH_HEAD) return source == SEARCH_NOTE ? TEXTS_OF_NOTES : TEXTS_OF_MESSAGES;
    return kind == SEARCH_CASES   ? TEXTS_OF_CASES
           : kind == SEARCH_USERS ? TEXTS_OF_USERS
                                  : TEXTS_OF_ORGANIZATIONS;
}

_Static_assert(SEARCH_TEXT_ID(SEARCH_ARTICLES, SEARCH_TITLE, 0) == INT64_C(324259173170675712),
               "SEARCH_OF_TITLES");

/* ---- reading --------------------------------------------------------------------------------- */

static struct search_text *text_begun(struct arena *a, struct stmt *row, int kind, int64_t id,
                                      struct str part) {
    struct search_text *t = ARENA_NEW(a, struct search_text);
    *t = (struct search_text){.id = id, .owner_id = col_int(row, 1), .kind = kind};
    if (kind == SEARCH_ARTICLES) t->locale = str_dup(a, col_text(row, 5));
    t->text = kind == SEARCH_ARTICLES && search_source_of(id) == SEARCH_CONTENTS ? html_plain(a, part)
                                                                                 : str_dup(a, part);
    return t;
}

/* Parts of a text are lines. A part of a row that was left out, such as an address of a deleted person,
 * makes no text. */
static struct search_text *take_part_of_text(struct arena *a, struct stmt *row, enum search_source first,
                                             struct search_text *last) {
    int kind = (int)col_int(row, 2), place = (int)col_int(row, 3);
    int source = (int)first + place / PLACES_OF_SOURCE;
    int64_t id = SEARCH_TEXT_ID(kind, source, col_int(row, 0));
    struct str part = str_trim(col_text(row, 4));
    if (place % PLACES_OF_SOURCE == 1) return text_begun(a, row, kind, id, part);
    if (last && last->id == id && part.n) last->text = STR_CAT(a, last->text, S("\n"), part);
    return NULL;
}

int search_texts_read(struct conn *c, struct arena *a, enum search_table table, const int64_t *ids,
                      size_t count, struct search_text **out) {
    struct search_text *last = NULL, *made;
    int rc;
    *out = NULL;
    if (count == 0) return 0;
    const struct query *q = count == 1 ? tables[table].one : tables[table].some;
    struct str list = count == 1 ? (struct str){0} : json_ids(a, ids, count);
    DB_ROWS(rc, c, q, BINDS(B_INT("id", ids[0]), B_TEXT("ids", list)), row) {
        made = take_part_of_text(a, row, tables[table].source, last);
        if (made == NULL) continue;
        *(last ? &last->next : out) = made;
        last = made;
    }
    return rc < 0 ? rc : 0;
}
