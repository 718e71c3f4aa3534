#include "demo/plan.h"

const char *const demo_logins[DEMO_LOGINS] = {"owner@example.com",    "admin@example.com",
                                              "agent@example.com",    "collaborator@example.com",
                                              "customer@example.com", "teams-agent@example.com"};

/* ---- chance ---------------------------------------------------------------------------------- */

/* splitmix64: every state gives good bits, so a stream may begin anywhere. */
static uint64_t chance_bits(struct chance *c) {
    uint64_t z = c->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

struct chance chance_of(uint64_t seed, enum chance_of what, int64_t number) {
    struct chance of_seed = {seed * 8 + what};
    struct chance of_both = {chance_bits(&of_seed) ^ (uint64_t)number};
    return (struct chance){chance_bits(&of_both)};
}

int64_t chance_below(struct chance *c, int64_t n) {
    return (int64_t)((chance_bits(c) >> 32) * (uint64_t)n >> 32);
}
bool chance_percent(struct chance *c, int percent) { return chance_below(c, 100) < percent; }

/* Returns a number below n. Small numbers are much more frequent than large ones. */
static int64_t chance_small(struct chance *c, int64_t n) {
    int64_t r = chance_below(c, 1 << 15);
    return n * (r * r >> 15) >> 15;
}

/* Returns an index into a list of percentages, chosen by these. */
static int chance_pick(struct chance *c, const int *percent) {
    int at = 0;
    for (int64_t r = chance_below(c, 100); r >= percent[at]; at++) r -= percent[at];
    return at;
}

void chance_uuid(struct chance *c, char out[36]) {
    static const char digits[] = "0123456789abcdef";
    uint64_t bits = 0;
    for (int i = 0; i < 36; i++) {
        if (i % 16 == 0) bits = chance_bits(c);
        out[i] = i == 8 || i == 13 || i == 18 || i == 23 ? '-' : digits[bits & 15];
        bits >>= 4;
    }
    out[14] = '4'; /* random UUID, RFC 9562 */
    out[19] = digits[8 | (out[19] & 3)];
}

/* ---- people ---------------------------------------------------------------------------------- */

#define WEEKS 104
#define END INT64_C(1793491200000) /* 2026-11-01, a Sunday, because a week of the desk begins on Sunday */

static void join(struct demo_world *w, int team, int64_t user) {
    if (w->team_size[team] < DEMO_TEAM_SIZE) w->team[team][w->team_size[team]++] = user;
}

void demo_world(struct demo_world *w, uint64_t seed, int64_t conversations) {
    *w = (struct demo_world){
        .seed = seed, .conversations = conversations, .end = END, .start = END - WEEKS * 7 * TIME_DAY};
    w->customers = (conversations + 3) / 4;
    w->organizations = conversations / 40 + 4;
    w->own = conversations >= 100 ? 25 : conversations / 4;
    join(w, 0, DEMO_AGENT);
    join(w, 1, DEMO_AGENT);
    join(w, 1, DEMO_TEAMS_AGENT);
    join(w, 2, DEMO_TEAMS_AGENT);
    for (int i = 0; i < DEMO_STAFF; i++) {
        join(w, i % DEMO_TEAMS, DEMO_FIRST_STAFF + i);
        if (i % 3 == 0)
            join(w, (i + 1 + i / DEMO_TEAMS % (DEMO_TEAMS - 1)) % DEMO_TEAMS, DEMO_FIRST_STAFF + i);
    }
}

static int language_of(struct chance *c) {
    int at = 0;
    for (int64_t r = chance_below(c, 100); r >= demo_words()->languages[at].weight; at++)
        r -= demo_words()->languages[at].weight;
    return at;
}

static struct demo_person plan_person(struct chance *c, int64_t id, int64_t created_at) {
    struct demo_person p = {.id = id, .created_at = created_at};
    p.language = language_of(c);
    p.first = (int)chance_below(c, DEMO_NAMES);
    p.last = (int)chance_below(c, DEMO_NAMES);
    return p;
}

struct demo_person demo_staff(const struct demo_world *w, int64_t id) {
    struct chance c = chance_of(w->seed, OF_STAFF, id);
    return plan_person(&c, id, w->start - 30 * TIME_DAY + id * TIME_HOUR);
}

/* Customer k arrives with conversation 4k, their first one. */
struct demo_person demo_customer(const struct demo_world *w, int64_t id) {
    if (id == DEMO_CUSTOMER)
        return (struct demo_person){.id = id, .created_at = w->start, .organization_id = 1};
    int64_t k = id - DEMO_FIRST_CUSTOMER;
    struct chance c = chance_of(w->seed, OF_CUSTOMER, id);
    struct demo_person p = plan_person(&c, id, demo_case_time(w, 4 * k + 1));
    if (chance_percent(&c, 30)) p.organization_id = 1 + chance_small(&c, w->organizations);
    return p;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Customers write by day (hours of UTC), less on weekends, and twice as many at the end as at the
 * beginning. */
static const unsigned char weekday[24] = {2,  2,  2,  2,  3,  4,  8,  14, 22, 26, 26, 24,
                                          20, 24, 26, 26, 22, 16, 12, 10, 8,  7,  5,  3};
#define DAY_WEIGHT 314 /* sum of `weekday` */
#define GROWTH(week) \
    ((week)*WEEKS +  \
     (week) * ((week)-1) / 2) /* weight of all weeks before this one; its own weight is WEEKS + week */

static int week_of(int64_t weight) {
    int low = 0, high = WEEKS - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (GROWTH((int64_t)middle) <= weight) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* Returns the milliseconds into a day at which `part` of `whole` of its weight has passed. */
static int64_t time_of_day(int64_t part, int64_t whole) {
    int64_t passed = part * DAY_WEIGHT, before = 0;
    int hour = 0;
    while (hour < 23 && before + weekday[hour] * whole <= passed) before += weekday[hour++] * whole;
    return hour * TIME_HOUR + (passed - before) * TIME_HOUR / (weekday[hour] * whole);
}

/* The same for a week from Sunday to Saturday, whose days have the weights 1 3 3 3 3 3 1. */
static int64_t time_of_week(int64_t part, int64_t whole) {
    int64_t thirds = part * 17;
    int64_t day = thirds < whole ? 0 : thirds >= 16 * whole ? 6 : (thirds - whole) / (3 * whole) + 1;
    int64_t before = day == 0 ? 0 : (1 + 3 * (day - 1)) * whole,
            size = day == 0 || day == 6 ? whole : 3 * whole;
    return day * TIME_DAY + time_of_day(thirds - before, size);
}

int64_t demo_case_time(const struct demo_world *w, int64_t id) {
    /* a hundred million conversations don't overflow */
    static const int64_t steps = 1 << 14, places = 1 << 8;
    struct chance c = chance_of(w->seed, OF_TIME, id);
    int64_t place = (id - 1) * places + chance_below(&c, places);
    int64_t weight = place * (GROWTH((int64_t)WEEKS) * steps) / (w->conversations * places);
    int week = week_of(weight / steps);
    return w->start + week * 7 * TIME_DAY +
           time_of_week(weight - GROWTH((int64_t)week) * steps, (WEEKS + week) * steps);
}

/* ---- conversations --------------------------------------------------------------------------- */

static struct demo_person requester_of(const struct demo_world *w, struct chance *c, int64_t id) {
    int64_t place = id - 1, step = w->own ? w->conversations / w->own : 0, arrived = place / 4;
    if (step && place % step == step / 2 && place / step < w->own) return demo_customer(w, DEMO_CUSTOMER);
    if (place % 4 != 0) arrived -= chance_small(c, arrived + 1);
    return demo_customer(w, DEMO_FIRST_CUSTOMER + arrived);
}

static void assign(const struct demo_world *w, struct chance *c, struct demo_case *out) {
    int team = chance_percent(c, 75) ? demo_topic_teams[out->topic] : (int)chance_below(c, DEMO_TEAMS);
    out->team_id = team + 1;
    out->agent_id = w->team[team][chance_small(c, w->team_size[team])];
}

/* Plans the messages until the end of the desk's time. Staff answer in minutes to a day, customers in up
 * to two days. */
static void converse(const struct demo_world *w, struct chance *c, struct demo_case *out) {
    static const int lengths[] = {14, 28, 27, 16, 8, 4, 1, 1, 1};
    int64_t at = out->created_at;
    int wanted = 1 + chance_pick(c, lengths);
    bool requester = true;
    for (int i = 0; i < wanted && at < w->end; i++) {
        out->messages[out->message_count++] =
            (struct demo_message){.at = at,
                                  .by_requester = requester,
                                  .creator_id = requester ? out->requester.id : out->agent_id,
                                  .status = MESSAGE_DELIVERED};
        requester = requester ? chance_percent(c, 12) : chance_percent(c, 82);
        at += 5 * TIME_MINUTE + chance_small(c, requester ? 48 * TIME_HOUR : 20 * TIME_HOUR);
    }
    for (int i = 0; i < out->message_count; i++) {
        struct demo_message *m = &out->messages[i];
        bool answered = i + 1 < out->message_count;
        if (!m->by_requester)
            m->status = answered || chance_percent(c, 60) ? MESSAGE_SEEN : MESSAGE_DELIVERED;
    }
}

/* Old conversations are closed, recent ones are not. NEW are those without an answer of staff. */
static enum status_type status_of(const struct demo_world *w, struct chance *c, const struct demo_case *out) {
    static const int fresh[] = {0, 35, 20, 33, 12}, recent[] = {1, 12, 12, 38, 37}, old[] = {1, 2, 2, 18, 77};
    const struct demo_message *last = &out->messages[out->message_count - 1];
    int64_t age = w->end - last->at;
    bool answered = false;
    for (int i = 0; i < out->message_count; i++) answered = answered || !out->messages[i].by_requester;
    int at = chance_pick(c, age < 3 * TIME_DAY ? fresh : age < 14 * TIME_DAY ? recent : old);
    enum status_type status = (enum status_type)(STATUS_NEW + at);
    if (!answered && (age < 4 * TIME_DAY || status < STATUS_COMPLETED)) return STATUS_NEW;
    if (status == STATUS_NEW || (status == STATUS_PENDING && last->by_requester)) return STATUS_OPEN;
    return status;
}

static void plan_outcome(const struct demo_world *w, struct chance *c, struct demo_case *out) {
    int64_t last = out->messages[out->message_count - 1].at;
    out->status = status_of(w, c, out);
    out->updated_at = last;
    if (out->status >= STATUS_COMPLETED) out->updated_at += chance_small(c, 72 * TIME_HOUR);
    if (out->updated_at >= w->end) out->updated_at = w->end - 1;
    out->reopened = out->message_count > 3 && chance_percent(c, 15);
    int unassigned = out->status == STATUS_NEW ? 60 : 2;
    if (chance_percent(c, unassigned)) out->agent_id = out->team_id = 0;
    else if (chance_percent(c, 4)) out->team_id = 0;
    else if (chance_percent(c, 4)) out->agent_id = 0;
    bool kept = out->requester.id == DEMO_CUSTOMER || chance_percent(c, 99);
    out->state = kept ? CASE_ACTIVE : chance_percent(c, 70) ? CASE_TRASH : CASE_SUSPENDED;
}

void demo_case(const struct demo_world *w, int64_t id, struct demo_case *out) {
    static const int shares[] = {55, 20, 25}, priorities[] = {6, 14, 57, 18, 5};
    static const int channel_of[] = {CHANNEL_HELPCENTER, CHANNEL_MESSENGER, CHANNEL_MAIL};
    static const int source_of[] = {SOURCE_HELPCENTER, SOURCE_MESSENGER, SOURCE_MAIL};
    struct chance c = chance_of(w->seed, OF_CASE, id);
    *out = (struct demo_case){
        .id = id, .created_at = demo_case_time(w, id), .requester = requester_of(w, &c, id)};
    out->organization_id = out->requester.organization_id;
    out->topic = (int)chance_below(&c, DEMO_TOPICS);
    out->variant = (int)chance_below(&c, 2);
    int channel = chance_pick(&c, shares);
    out->channel = channel_of[channel];
    out->source = channel == 0 && chance_percent(&c, 15) ? SOURCE_API : source_of[channel];
    out->priority_id = chance_pick(&c, priorities);
    out->type_id = chance_percent(&c, 92) ? demo_topic_types[out->topic] : 0;
    assign(w, &c, out);
    converse(w, &c, out);
    plan_outcome(w, &c, out);
}
