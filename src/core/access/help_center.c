#include "core/access/help_center.h"

#include "core/access/permission.h"
#include "core/words.h"

/* Conditions on a row of sections with this alias. */
#define ALIVE(s)                 \
    s ".deleted_at IS NULL AND " \
      "NOT EXISTS (SELECT 1 FROM categories g WHERE g.id = " s ".category_id AND g.deleted_at IS NOT NULL)"
#define TAGGED(s)                                                                                                               \
    "(NOT EXISTS (SELECT 1 FROM section_tags st WHERE st.section_id = " s ".id) OR EXISTS (SELECT 1 FROM section_tags st JOIN " \
    "user_tags ut ON ut.tag_id = st.tag_id WHERE st.section_id = " s ".id AND ut.user_id = :me))"
/* A section whose teams are all deleted stays limited: then only admins and owners see it. */
#define IN_TEAM(s)                                                                                                              \
    "(" s ".is_limited_to_teams = 0 OR EXISTS (SELECT 1 FROM section_teams st JOIN team_members tm ON tm.team_id = st.team_id " \
    "WHERE st.section_id = " s ".id AND tm.user_id = :me))"
#define PUBLIC_SECTION(s) ALIVE(s) " AND " s ".visibility = 1"
#define CUSTOMERS_SECTION(s) ALIVE(s) " AND (" s ".visibility = 1 OR (" s ".visibility = 2 AND " TAGGED(s) "))"
#define STAFFS_SECTION(s) ALIVE(s) " AND (" s ".visibility = 1 OR (" TAGGED(s) " AND (" s ".visibility = 2 OR " IN_TEAM(s) ")))"

static bool names_actor(const struct actor *a) { return a->rank >= ROLE_CUSTOMER && a->rank < ROLE_ADMIN; }

void access_sections(struct work *w, struct branches *out) {
    const struct actor *a = &w->actor;
    branch_add(out, a->rank >= ROLE_ADMIN          ? ALIVE("t")
                    : a->rank >= ROLE_COLLABORATOR ? STAFFS_SECTION("t")
                    : a->rank == ROLE_CUSTOMER     ? CUSTOMERS_SECTION("t")
                                                   : PUBLIC_SECTION("t"));
    if (names_actor(a)) branch_bind_int(out, ":me", a->user_id);
}

bool access_writes_articles(const struct actor *a) { return a->rank >= ROLE_AGENT && permitted(a, "help_center_articles.manage"); }

#define OF_SECTION(condition) "EXISTS (SELECT 1 FROM sections s WHERE s.id = t.section_id AND " condition ")"
#define PUBLISHED "t.deleted_at IS NULL AND t.status = 3 AND "

void access_articles(struct work *w, struct branches *out) {
    static const char admins[] = "t.deleted_at IS NULL AND " OF_SECTION(ALIVE("s"));
    static const char writers[] = "t.deleted_at IS NULL AND " OF_SECTION(STAFFS_SECTION("s"));
    static const char staffs[] =
        "t.deleted_at IS NULL AND (t.status = 3 OR t.author_id = :me OR t.creator_id = :me) AND " OF_SECTION(STAFFS_SECTION("s"));
    static const char readers[] =
        "t.deleted_at IS NULL AND (t.status = 3 OR t.author_id = :me OR t.creator_id = :me) AND " OF_SECTION(ALIVE("s"));
    static const char customers[] = PUBLISHED OF_SECTION(CUSTOMERS_SECTION("s"));
    static const char strangers[] = PUBLISHED OF_SECTION(PUBLIC_SECTION("s"));
    const struct actor *a = &w->actor;
    bool writes = access_writes_articles(a), admin = a->rank >= ROLE_ADMIN;
    branch_add(out, a->rank >= ROLE_COLLABORATOR ? (writes ? (admin ? admins : writers) : (admin ? readers : staffs))
                    : a->rank == ROLE_CUSTOMER   ? customers
                                                 : strangers);
    if (a->rank >= ROLE_CUSTOMER && !(admin && writes)) branch_bind_int(out, ":me", a->user_id);
}
