#include "core/reports/choice.h"

#include "base/ids.h"
#include "json/json.h"

/* ---- records --------------------------------------------------------------------------------------- */

/* Only records with this key count. All of the rows have it if the records have no such key. */
static void key_add(struct choice *c, struct record_key at, int64_t key) {
    if (at.digits == 0) return;
    if (!record_key_write(c->keys[c->count].text, at.digits, key)) c->unknown = true;
    c->keys[c->count++].at = at;
}

/* Begins rows of a dimension. */
static void choice_begin(struct choice *c, enum report_dimension rolled) {
    const struct choice_ask *ask = c->ask;
    bool unknown = c->unknown;
    *c = (struct choice){.ask = ask, .layout = record_layout(ask->kind, rolled), .unknown = unknown};
    if (ask->reader) c->parts = access_case_parts(ask->reader);
    c->is_rest = rolled == BY_ASSIGNED_WHOLE || rolled == BY_ASSIGNED_TAG;
    c->is_of_tags = is_of_tags(rolled);
    if (ask->only->by[BY_EACH_TAG]) key_add(c, c->layout.tag, ask->only->key[BY_EACH_TAG]);
    for (int d = BY_CHANNEL; d < KEYED_DIMENSIONS; d++)
        if (ask->only->by[d]) key_add(c, c->layout.keys[d], ask->only->key[d]);
}

/* All conversations of the team are in rows of teams. */
static bool is_of_teams(const struct case_parts *p, int64_t team) {
    return team ? ids_have(p->teams, p->team_count, team) : p->nobodys;
}

/* Rows of teams have this record, too. */
static bool is_of_other_rows(const struct choice *c, int64_t team) {
    return c->is_rest && (team || !c->is_of_tags) && is_of_teams(&c->parts, team);
}

/* Begins a row. Its records have teams of their own, or its key is the team of all. No agent has the greatest
 * id: does the team alone decide? Tags without a team are nobody's. */
static void choice_of_row(struct choice *c, int64_t key) {
    const struct case_reader *reader = c->ask->reader;
    bool has_teams = c->layout.keys[BY_TEAM_NOW].digits;
    c->team = has_teams ? 0 : key;
    c->agent = key;
    if (c->is_rest) c->row_seen = c->parts.team_count == 0 && !c->parts.nobodys;
    else
        c->row_seen =
            reader == NULL || (!has_teams && access_case_of(reader, key, c->is_of_tags ? 0 : INT64_MAX));
}

bool choice_decide(struct choice *c, const char *record, struct choice_seen *out) {
    struct record_key of_team = c->layout.keys[BY_TEAM_NOW];
    int64_t agent = c->layout.assigned.digits ? record_key(record, c->layout.assigned) : c->agent;
    int64_t team = of_team.digits ? record_key(record, of_team) : c->team;
    if (agent == KEY_UNKNOWN || team == KEY_UNKNOWN) c->unknown = true;
    out->known = true;
    out->team = c->team;
    out->seen = access_case_of(c->ask->reader, team, agent) && !is_of_other_rows(c, team);
    return out->seen;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

#define CHOICE_DAYS "SELECT d.place, d.records FROM report_days d WHERE d.place BETWEEN :first AND :last"
QUERY(choice_days, CHOICE_DAYS " ORDER BY d.place");
QUERY(choice_days_of_key, CHOICE_DAYS " AND (d.place & " PLACE_KEY ") = :key ORDER BY d.place");
QUERY(choice_day_places, "SELECT d.place FROM report_days d WHERE d.place BETWEEN :first AND :last "
                         "ORDER BY d.place");
/* A search for each day and key: rows of others are not passed, of which a day may have hundreds. */
QUERY(choice_places, "SELECT d.place, d.records FROM @EACH_ID(:places) q CROSS JOIN report_days d "
                     "WHERE d.place = q.value");

struct choosing {
    struct work *work;
    struct choice *choice;
    void (*tell)(void *arg, int64_t day, int64_t key, struct str records);
    void *arg;
    const int64_t *days; /* that have facts */
    int day_count;
};

static void row_tell(struct choosing *h, struct stmt *row) {
    int64_t place = col_int(row, 0);
    choice_of_row(h->choice, place_key(place));
    h->tell(h->arg, place_day(place), place_key(place), col_text(row, 1));
}

/* Binds: the rows of a dimension on the days. */
#define CHOICE_BINDS(ask, dimension)                                       \
    B_INT("first", place_make((ask)->kind, (dimension), (ask)->first, 0)), \
        B_INT("last", place_make((ask)->kind, (dimension), (ask)->last, INT64_MAX))

/* property: that of the keys */
static int rows_between(struct choosing *h, enum report_dimension property) {
    const struct choice_ask *ask = h->choice->ask;
    bool one = ask->only->by[property];
    int rc;
    choice_begin(h->choice, ask->rolled);
    DB_ROWS(rc, h->work->conn, one ? &choice_days_of_key : &choice_days,
            BINDS(CHOICE_BINDS(ask, ask->rolled), B_INT("key", one ? ask->only->key[property] : 0)), row)
    row_tell(h, row);
    return rc;
}

/* The rows of sorted keys. */
static int rows_of_keys(struct choosing *h, enum report_dimension rolled, const int64_t *keys, int n) {
    struct arena *a = h->work->arena;
    int64_t *places = arena_array(a, (size_t)h->day_count * (size_t)n + 1, sizeof *places);
    size_t count = 0;
    int rc;
    if (n == 0) return 0;
    choice_begin(h->choice, rolled);
    for (int day = 0; day < h->day_count; day++)
        for (int i = 0; i < n; i++)
            places[count++] = place_make(h->choice->ask->kind, rolled, h->days[day], keys[i]);
    DB_ROWS(rc, h->work->conn, &choice_places, BINDS(B_TEXT("places", json_ids(a, places, count))), row)
    row_tell(h, row);
    return rc;
}

/* The days that have facts. */
static int days_read(struct choosing *h) {
    int64_t *days;
    TRY(h->day_count = db_ids(h->work->conn, &choice_day_places, BINDS(CHOICE_BINDS(h->choice->ask, BY_ALL)),
                              h->work->arena, &days));
    for (int i = 0; i < h->day_count; i++) days[i] = place_day(days[i]);
    h->days = days;
    return 0;
}

/* Rows of the caller as the agent may have records that count. Those of whole records have no digits of the
 * agent. */
static bool needs_rest(const struct choice *c, const struct case_parts *p) {
    const struct report_only *only = c->ask->only;
    if (only->by[BY_AGENT_NOW] && !fact_has_author(c->ask->kind) && only->key[BY_AGENT_NOW] != p->agent)
        return false;
    return !only->by[BY_TEAM_NOW] || c->ask->rolled == BY_TEAM_TAG || !is_of_teams(p, only->key[BY_TEAM_NOW]);
}

/* No condition needs more of a record than its team and its time. */
static bool needs_times(const struct choice_ask *ask) {
    for (int d = BY_CHANNEL; d < REPORT_DIMENSIONS; d++)
        if (ask->only->by[d] && d != BY_TEAM_NOW) return false;
    return ask->no_keys;
}

static int rows_of_reader(struct choosing *h) {
    const struct choice_ask *ask = h->choice->ask;
    struct case_parts p = access_case_parts(ask->reader);
    bool one = ask->only->by[BY_TEAM_NOW];
    int64_t team = ask->only->key[BY_TEAM_NOW], none = 0;
    TRY(days_read(h));
    bool rest = needs_rest(h->choice, &p);
    if (one) p.team_count = ids_have(p.teams, p.team_count, team), p.teams = &team;
    enum report_dimension of_agent = ask->rolled == BY_TEAM_TAG ? BY_ASSIGNED_TAG : BY_ASSIGNED_WHOLE;
    TRY(rows_of_keys(h, needs_times(ask) ? BY_TEAM_NOW : ask->rolled, p.teams, p.team_count));
    TRY(rows_of_keys(h, ask->rolled, &none, p.nobodys && (!one || team == 0)));
    return rows_of_keys(h, of_agent, &p.agent, rest);
}

int choice_rows(struct work *w, const struct choice_ask *ask, struct choice *c,
                void (*tell)(void *arg, int64_t day, int64_t key, struct str records), void *arg) {
    struct choosing h = {.work = w, .choice = c, .tell = tell, .arg = arg};
    c->ask = ask;
    c->unknown = false;
    if (ask->rolled == BY_EACH_TAG) return rows_between(&h, BY_EACH_TAG);
    return ask->reader ? rows_of_reader(&h) : rows_between(&h, BY_TEAM_NOW);
}
