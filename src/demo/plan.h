/* The events of a demo desk, without texts and without a store: pure functions of the seed and a number.
 *
 * No state is kept from one conversation to the next. So each can be computed again at any time, and ten
 * million need no more memory than a hundred. */
#ifndef CORE_DEMO_PLAN_H
#define CORE_DEMO_PLAN_H

#include "base/clock.h"
#include "demo/words.h"
#include "core/words.h"

/* ---- chance ---------------------------------------------------------------------------------- */

struct chance {
    uint64_t state;
};
enum chance_of { OF_STAFF, OF_CUSTOMER, OF_ORGANIZATION, OF_TIME, OF_CASE, OF_TEXT, OF_UUID, OF_EXTRAS };
struct chance chance_of(uint64_t seed, enum chance_of what, int64_t number);
int64_t chance_below(struct chance *c, int64_t n);
bool chance_percent(struct chance *c, int percent);
void chance_uuid(struct chance *c, char out[36]);

/* ---- people ---------------------------------------------------------------------------------- */

enum { DEMO_LOGINS = 6 };
/* addresses of the people who can log in; the owner is first */
extern const char *const demo_logins[DEMO_LOGINS];

/* The named logins come first, in the order of demo_logins, then the other staff, then the customers. */
enum { DEMO_OWNER = 1, DEMO_ADMIN, DEMO_AGENT, DEMO_COLLABORATOR, DEMO_CUSTOMER, DEMO_TEAMS_AGENT };
enum {
    DEMO_FIRST_STAFF = 7,
    DEMO_STAFF = 60,
    DEMO_FIRST_CUSTOMER = DEMO_FIRST_STAFF + DEMO_STAFF,
    DEMO_TEAM_SIZE = 24
};

struct demo_world {
    uint64_t seed;
    /* own: number of conversations of customer@example.com */
    int64_t conversations, customers, organizations, own;
    int64_t start, end; /* two years; the end is a fixed day */
    int team_size[DEMO_TEAMS];
    int64_t team[DEMO_TEAMS][DEMO_TEAM_SIZE]; /* user ids */
};
void demo_world(struct demo_world *w, uint64_t seed, int64_t conversations);

struct demo_person {
    int64_t id, created_at, organization_id; /* 0: none */
    int language;                            /* index into demo_languages */
    int first, last;                         /* indexes of the names */
};
struct demo_person demo_staff(const struct demo_world *w, int64_t id);
struct demo_person demo_customer(const struct demo_world *w, int64_t id);

/* ---- conversations --------------------------------------------------------------------------- */

enum { DEMO_MESSAGES_MAX = 9 };

struct demo_message {
    int64_t at, creator_id;
    bool by_requester;
    enum message_status status;
};

struct demo_case {
    int64_t id, created_at, updated_at, organization_id;
    struct demo_person requester;
    int64_t team_id, agent_id; /* 0: none */
    int topic, variant, channel, source, reopened;
    enum case_state state;
    enum status_type status;      /* also the id of the system status */
    int64_t priority_id, type_id; /* 0: none */
    int message_count;
    struct demo_message messages[DEMO_MESSAGES_MAX];
};
int64_t demo_case_time(const struct demo_world *w, int64_t id); /* never less than that of a smaller id */
void demo_case(const struct demo_world *w, int64_t id, struct demo_case *out);

#endif
