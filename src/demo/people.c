#include "demo/fill.h"

#include "base/fold.h"
#include "core/people/name_index.h"
#include "work/work.h"

QUERY(demo_organization,
      "INSERT INTO organizations (id, name, name_key, is_shared, is_validated, created_at, updated_at) "
      "VALUES (:id, :name, :key, :shared, 1, :now, :now)");
QUERY(demo_user,
      "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, "
      "role_type, agent_case_access, organization_case_access, organization_id, locale_id, "
      "password_hash, password_updated_at, created_at, updated_at) "
      "VALUES (:id, :uuid, :name, :key, 1, 0, :role, :role_type, "
      "CAST(:case_access AS BIGINT), :organization_access, CAST(:organization AS BIGINT), :locale, "
      ":hash, CAST(:password_at AS BIGINT), :now, :now)");
QUERY(demo_email, "INSERT INTO identity_emails (id, user_id, email, email_key, is_primary, "
                  "is_validated, is_notification_enabled, is_claim, created_at, updated_at) "
                  "VALUES (:id, :id, :email, :email, 1, :validated, 1, 0, :now, :now)");
QUERY(demo_twitter, "INSERT INTO identity_twitter (user_id, screen_name, screen_name_key, full_name, "
                    "is_primary, is_validated, is_claim, created_at, updated_at) "
                    "SELECT u.id, :name, :name, u.full_name, :primary, 1, 0, :now, :now "
                    "FROM users u WHERE u.id = :user");
QUERY(demo_facebook, "INSERT INTO identity_facebook (user_id, facebook_id, user_name, full_name, is_primary, "
                     "is_validated, is_claim, created_at, updated_at) "
                     "SELECT u.id, :number, :name, u.full_name, :primary, 1, 0, :now, :now "
                     "FROM users u WHERE u.id = :user");
QUERY(demo_team, "INSERT INTO teams (id, title, businesshour_id, created_at, updated_at) "
                 "VALUES (:id, :title, 1, :now, :now)");
QUERY(demo_member, "INSERT INTO team_members (team_id, user_id, created_at) VALUES (:team, :user, :now)");

struct role {
    int id;
    enum role_type type;
};
static const struct role admin = {1, ROLE_ADMIN}, agent = {2, ROLE_AGENT},
                         collaborator = {3, ROLE_COLLABORATOR}, customer = {4, ROLE_CUSTOMER};

/* Each person has one address, so a user's id is also the id of the address. The address has only ASCII
 * lower-case letters, digits, dots and @, so it is its own key. */
static int insert_user(struct conn *c, struct filling *f, const struct demo_person *p, struct role role,
                       int case_access) {
    struct chance chance = chance_of(f->world.seed, OF_UUID, -p->id);
    struct arena_mark mark = arena_mark(f->arena);
    bool login = p->id < DEMO_FIRST_STAFF;
    char uuid[36];
    chance_uuid(&chance, uuid);
    demo_full_name(&f->subject, p);
    if (!login) demo_address(&f->text, &f->names, p);
    int rc = db_exec(c, &demo_user,
                     BINDS(B_INT("id", p->id), B_TEXT("uuid", ((struct str){uuid, sizeof uuid})),
                           B_TEXT("name", buf_view(&f->subject)),
                           B_TEXT("key", fold_key(f->arena, buf_view(&f->subject))), B_INT("role", role.id),
                           B_INT("role_type", role.type), B_ID("case_access", case_access),
                           B_INT("organization_access",
                                 p->id == DEMO_CUSTOMER ? ORGANIZATION_ALL : ORGANIZATION_REQUESTED),
                           B_ID("organization", p->organization_id),
                           B_INT("locale", demo_words()->languages[p->language].locale_id),
                           B_TEXT("hash", login ? f->password_hashes[p->id - 1] : ((struct str){0})),
                           B_ID("password_at", login ? p->created_at : 0), B_INT("now", p->created_at)));
    if (rc >= 0)
        rc = name_indexed(c, NAME_USER, p->id, (struct str){0}, fold_key(f->arena, buf_view(&f->subject)));
    arena_return(f->arena, mark);
    TRY(rc);
    struct str email = login ? str_of(demo_logins[p->id - 1]) : buf_view(&f->text);
    return db_exec(c, &demo_email,
                   BINDS(B_INT("id", p->id), B_TEXT("email", email),
                         B_INT("validated", p->id < DEMO_FIRST_CUSTOMER || p->id % 10 != 0),
                         B_INT("now", p->created_at)));
}

static int insert_teams(struct conn *c, const struct demo_world *w) {
    for (int t = 0; t < DEMO_TEAMS; t++) {
        TRY(db_exec(c, &demo_team,
                    BINDS(B_INT("id", t + 1), B_TEXT("title", str_of(demo_words()->teams[t])),
                          B_INT("now", w->start))));
        for (int m = 0; m < w->team_size[t]; m++)
            TRY(db_exec(c, &demo_member,
                        BINDS(B_INT("team", t + 1), B_INT("user", w->team[t][m]), B_INT("now", w->start))));
    }
    return 0;
}

/* The named logins have Twitter and Facebook accounts, too. owner@ and customer@ have a second one of
 * each. */
static int insert_accounts(struct conn *c, const struct filling *f) {
    static const struct {
        int64_t user;
        const char *name, *number;
        bool primary;
    } accounts[] = {{DEMO_OWNER, "demo_owner", "100005", true},
                    {DEMO_OWNER, "demo_owner_2", "100006", false},
                    {DEMO_ADMIN, "demo_admin", "100001", true},
                    {DEMO_AGENT, "demo_agent", "100002", true},
                    {DEMO_CUSTOMER, "demo_customer", "100003", true},
                    {DEMO_CUSTOMER, "demo_customer_2", "100004", false}};
    for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++) {
        const struct bind *binds =
            BINDS(B_INT("user", accounts[i].user), B_TEXT("name", str_of(accounts[i].name)),
                  B_TEXT("number", str_of(accounts[i].number)), B_INT("primary", accounts[i].primary),
                  B_INT("now", f->world.start));
        TRY(db_exec(c, &demo_twitter, binds));
        TRY(db_exec(c, &demo_facebook, binds));
    }
    return 0;
}

/* agent@ sees all conversations. teams-agent@ sees those of two teams. A tenth of the other agents see
 * only those of their teams. */
int fill_staff(struct conn *c, struct filling *f) {
    const struct role logins[DEMO_FIRST_STAFF] = {[DEMO_ADMIN] = admin,
                                                  [DEMO_AGENT] = agent,
                                                  [DEMO_COLLABORATOR] = collaborator,
                                                  [DEMO_CUSTOMER] = customer,
                                                  [DEMO_TEAMS_AGENT] = agent};
    for (int64_t id = DEMO_ADMIN; id < DEMO_FIRST_CUSTOMER; id++) {
        bool login = id < DEMO_FIRST_STAFF;
        struct demo_person p = id == DEMO_CUSTOMER ? demo_customer(&f->world, id) : demo_staff(&f->world, id);
        struct role role = login ? logins[id] : id % 20 == 9 ? admin : id % 20 == 14 ? collaborator : agent;
        bool teams_only = id == DEMO_TEAMS_AGENT || (!login && id % 10 == 1);
        TRY(insert_user(c, f, &p, role, teams_only ? CASES_TEAMS : 0));
    }
    TRY(insert_accounts(c, f));
    return insert_teams(c, &f->world);
}

int fill_organization(struct conn *c, struct filling *f, int64_t id) {
    struct arena_mark mark = arena_mark(f->arena);
    demo_organization_name(&f->subject, id);
    int rc = db_exec(c, &demo_organization,
                     BINDS(B_INT("id", id), B_TEXT("name", buf_view(&f->subject)),
                           B_TEXT("key", fold_key(f->arena, buf_view(&f->subject))),
                           B_INT("shared", id == 1 || id % 3 == 0), B_INT("now", f->world.start)));
    if (rc >= 0)
        rc = name_indexed(c, NAME_ORGANIZATION, id, (struct str){0},
                          fold_key(f->arena, buf_view(&f->subject)));
    arena_return(f->arena, mark);
    return rc;
}

int fill_customer(struct conn *c, struct filling *f, int64_t number) {
    struct demo_person p = demo_customer(&f->world, DEMO_FIRST_CUSTOMER + number - 1);
    return insert_user(c, f, &p, customer, 0);
}
