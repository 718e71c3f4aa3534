#include "core/access/help_center.h"

#include "core/access/permission.h"
#include "core/access/scope.h"
#include "core/words.h"

/* Conditions on a row of sections with this alias. */
#define ALIVE(s)                                                                       \
    s ".deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM categories g WHERE g.id = " s \
      ".category_id AND g.deleted_at IS NOT NULL)"
#define TAGGED(s)                                                         \
    "(NOT EXISTS (SELECT 1 FROM section_tags st WHERE st.section_id = " s \
    ".id) OR EXISTS (SELECT 1 FROM section_tags st "                      \
    "JOIN user_tags ut ON ut.tag_id = st.tag_id "                         \
    "WHERE st.section_id = " s ".id AND ut.user_id = :me))"
/* A section whose teams are all deleted stays limited: then only admins and owners see it. */
#define IN_TEAM(s)                                                                                   \
    "(" s ".is_limited_to_teams = 0 OR EXISTS (SELECT 1 FROM section_teams st JOIN team_members tm " \
    "ON tm.team_id = st.team_id WHERE st.section_id = " s ".id AND tm.user_id = :me))"
#define PUBLIC_SECTION(s) ALIVE(s) " AND " s ".visibility = 1"
#define CUSTOMERS_SECTION(s) \
    ALIVE(s) " AND (" s ".visibility = 1 OR (" s ".visibility = 2 AND " TAGGED(s) "))"
#define STAFFS_SECTION(s) \
    ALIVE(s) " AND (" s ".visibility = 1 OR (" TAGGED(s) " AND (" s ".visibility = 2 OR " IN_TEAM(s) ")))"

/* A page of a widget shows sections of its brand, and of all brands. */
#define WIDGETS_SECTION(s)                                                          \
    PUBLIC_SECTION(s)                                                               \
    " AND NOT EXISTS (SELECT 1 FROM categories wg WHERE wg.id = " s ".category_id " \
    "AND wg.brand_id <> :widget_brand)"

/* A token without the scope of the help center's contents reads what everybody reads. */
static int reader_rank(const struct actor *a) {
    return scope_granted(a, "conversations", false) ? a->rank : ROLE_PUBLIC;
}

static bool is_of_widget(const struct actor *a, struct branches *out) {
    if (a->widget_brand_id == 0 || reader_rank(a) != ROLE_PUBLIC) return false;
    branch_bind_int(out, ":widget_brand", a->widget_brand_id);
    return true;
}

/* Adds the condition of a role that sees all, of staff, of customers, or of everybody. All but the first
 * and the last name :me. */
static void branch_of_reader(struct work *w, struct branches *out, const char *all, const char *staff,
                             const char *customers, const char *everybody) {
    int rank = reader_rank(&w->actor);
    branch_add(out, rank >= ROLE_ADMIN          ? all
                    : rank >= ROLE_COLLABORATOR ? staff
                    : rank == ROLE_CUSTOMER     ? customers
                                                : everybody);
    if (rank >= ROLE_CUSTOMER && rank < ROLE_ADMIN) branch_bind_int(out, ":me", w->actor.user_id);
}

void access_sections(struct work *w, struct branches *out) {
    branch_of_reader(w, out, ALIVE("t"), STAFFS_SECTION("t"), CUSTOMERS_SECTION("t"),
                     is_of_widget(&w->actor, out) ? WIDGETS_SECTION("t") : PUBLIC_SECTION("t"));
}

/* A category without sections hides nothing. */
#define WITH_SECTION(condition)                                                                   \
    "(NOT EXISTS (SELECT 1 FROM sections s WHERE s.category_id = t.id AND s.deleted_at IS NULL) " \
    "OR EXISTS (SELECT 1 FROM sections s WHERE s.category_id = t.id AND " condition "))"

void access_categories(struct work *w, struct branches *out) {
    branch_of_reader(w, out, "t.deleted_at IS NULL", WITH_SECTION(STAFFS_SECTION("s")),
                     WITH_SECTION(CUSTOMERS_SECTION("s")),
                     is_of_widget(&w->actor, out) ? WITH_SECTION(WIDGETS_SECTION("s"))
                                                  : WITH_SECTION(PUBLIC_SECTION("s")));
}

bool access_writes_articles(const struct actor *a) {
    return a->rank >= ROLE_AGENT && permitted(a, "help_center_articles.manage");
}

#define OF_SECTION(condition) "EXISTS (SELECT 1 FROM sections s WHERE s.id = t.section_id AND " condition ")"
#define PUBLISHED "t.deleted_at IS NULL AND t.status = 3 AND "

void access_articles(struct work *w, struct branches *out) {
    static const char admins[] = "t.deleted_at IS NULL AND " OF_SECTION(ALIVE("s"));
    static const char writers[] = "t.deleted_at IS NULL AND " OF_SECTION(STAFFS_SECTION("s"));
    static const char staffs[] =
        "t.deleted_at IS NULL AND (t.status = 3 OR t.author_id = :me OR t.creator_id = :me) AND " OF_SECTION(
            STAFFS_SECTION("s"));
    static const char readers[] =
        "t.deleted_at IS NULL AND (t.status = 3 OR t.author_id = :me OR t.creator_id = :me) AND " OF_SECTION(
            ALIVE("s"));
    static const char customers[] = PUBLISHED OF_SECTION(CUSTOMERS_SECTION("s"));
    static const char strangers[] = PUBLISHED OF_SECTION(PUBLIC_SECTION("s"));
    static const char widgets[] = PUBLISHED OF_SECTION(WIDGETS_SECTION("s"));
    const struct actor *a = &w->actor;
    int rank = reader_rank(a);
    bool writes = access_writes_articles(a), admin = rank >= ROLE_ADMIN;
    branch_add(out, rank >= ROLE_COLLABORATOR
                        ? (writes ? (admin ? admins : writers) : (admin ? readers : staffs))
                    : rank == ROLE_CUSTOMER ? customers
                    : is_of_widget(a, out)  ? widgets
                                            : strangers);
    if (rank >= ROLE_CUSTOMER && !(admin && writes)) branch_bind_int(out, ":me", a->user_id);
}
