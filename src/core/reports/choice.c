#include "core/reports/choice.h"

void choice_begin(struct choice *c, const struct case_reader *reader, const struct report_only *only,
                  const struct record_layout *layout) {
    *c = (struct choice){.reader = reader, .layout = *layout};
    for (int d = BY_CHANNEL; d < KEYED_DIMENSIONS; d++) {
        struct record_key at = layout->keys[d];
        if (!only->by[d] || at.digits == 0) continue;
        if (!record_key_write(c->keys[c->count].text, at.digits, only->key[d])) c->unknown = true;
        c->keys[c->count++].at = at;
    }
}

/* No agent has the greatest id: does the team alone decide? */
void choice_of_row(struct choice *c, int64_t team) {
    c->team = team;
    c->row_seen = c->reader == NULL ||
                  (c->layout.keys[BY_TEAM_NOW].digits == 0 && access_case_of(c->reader, team, INT64_MAX));
}

/* A desk has few agents and teams, so each decision is made once. */
bool choice_sees(struct choice *c, const char *record) {
    struct record_key of_team = c->layout.keys[BY_TEAM_NOW];
    int64_t agent = record_key(record, c->layout.assigned);
    int64_t team = of_team.digits ? record_key(record, of_team) : c->team;
    size_t at = (size_t)(agent + 67 * team) % SEEN_KEPT;
    if (agent == KEY_UNKNOWN || team == KEY_UNKNOWN) c->unknown = true;
    if (!c->seen[at].known || c->seen[at].team != team || c->seen[at].agent != agent) {
        c->seen[at].known = true;
        c->seen[at].team = team;
        c->seen[at].agent = agent;
        c->seen[at].seen = access_case_of(c->reader, team, agent);
    }
    return c->seen[at].seen;
}
