/* Conversations: creation, status and changes. */
#ifndef CORE_CASE_H
#define CORE_CASE_H

#include "core/change/change.h"
#include "core/fields/field_value.h"
#include "core/words.h"
#include "work/work.h"

/* The columns of a locked conversation. case_change updates them. */
struct case_now {
    int64_t id, requester_id, organization_id, status_id, priority_id, type_id, assigned_team_id,
        assigned_agent_id, brand_id, form_id, message_seq, last_message_id, creator_id, merged_into_id,
        sla_version_id, created_at, snoozed_until; /* snoozed_until: 0: it is not snoozed, or until a reply */
    struct str subject, legacy_id;                 /* legacy_id: p NULL: none */
    /* as given by a caller without login; p NULL: the requester's name */
    struct str requester_name;
    int status_type, channel, state, rating; /* rating: 0: none */
    bool is_snoozed;                         /* core/cases/snooze.h */
    int64_t participant_id;                  /* the actor, if known to be a participant; else 0 */
    bool updated;                            /* this work has set updated_at */
};
/* 1, 0 absent or being deleted, or a negative error; locks the row */
int case_load(struct work *w, int64_t id, struct case_now *out);
/* case_load for a message of the actor: looks whether the actor is a participant, so that the message adds
 * none */
int case_load_of_author(struct work *w, int64_t id, struct case_now *out);
int case_read(struct work *w, int64_t id, struct case_now *out); /* the same without a lock, for reads */
/* The SLA that the row of a conversation got with its INSERT, or with the UPDATE of its first change.
 * case_load shows the former one until the finisher has attached it (core/rules/sla_match.c), so that
 * clocks begin there. */
struct sla_decided {
    int64_t case_id, version_id, before; /* versions; 0: none */
    bool outdated, attached;             /* outdated: the conversation was changed since */
    struct sla_decided *next;
};
struct sla_decided *case_sla_decided(const struct work *w, int64_t case_id); /* NULL: it was not decided */

struct changed case_changed(const struct case_now *c);
/* adds n to the counters of the conversation if it is active */
void case_now_counted(struct work *w, const struct case_now *c, int n);

/* The channel of a message that names none: that of the conversation, or HELPCENTER if a note opened it. */
static inline int case_message_channel(const struct case_now *c) {
    return c->channel == CHANNEL_NOTE ? CHANNEL_HELPCENTER : c->channel;
}

/* The reason why the state of the conversation forbids a change, and what to do instead; NULL: it does not. */
const char *case_why_closed(struct work *w, const struct case_now *c);
const char *case_why_merged(struct work *w, const struct case_now *c);
const char *case_why_hidden(struct work *w, const struct case_now *c); /* in the trash or suspended */
/* Both return 0 or fail with RESOURCE_ACTION_NOT_AVAILABLE: if closed; if merged or hidden. */
int case_not_closed(struct work *w, const struct case_now *c);
int case_not_hidden(struct work *w, const struct case_now *c);

enum case_property {
    CASE_SUBJECT = 1,
    CASE_STATUS = 2,
    CASE_PRIORITY = 4,
    CASE_TYPE = 8,
    CASE_TEAM = 16,
    CASE_AGENT = 32,
    CASE_REQUESTER = 64,
    CASE_BRAND = 128,
    CASE_STATE = 256,
    CASE_LEGACY_ID = 512,
    CASE_FORM = 1024,
    CASE_RATING = 2048,
    CASE_MERGED_INTO = 4096, /* with CASE_STATE: core/cases/case_merge.h */
    CASE_SNOOZE = 8192,      /* is_snoozed and snoozed_until */
};

/* The author of a message that the change follows. */
struct case_reply {
    int64_t creator_id;
    bool by_staff;
};

/* The properties named by `set`, and the values of custom fields; an id of 0 clears. */
struct case_change {
    unsigned set;
    struct str subject, legacy_id; /* legacy_id: p NULL clears */
    int64_t status_id, priority_id, type_id, assigned_team_id, assigned_agent_id, requester_id, brand_id,
        form_id, merged_into_id, snoozed_until;
    enum case_state state;
    int rating;
    bool is_snoozed;
    const struct field_value *values;
    int value_count;
    /* Columns that are no properties, for the same UPDATE: "a = :a, b = :b, ". Their binds, and with a message
     * :creator, its author. NULL: none. */
    const char *sets;
    const struct bind *binds;
    const struct case_reply *reply; /* NULL: the change follows no message */
    bool undoes;                    /* a reply is undone: the status may return to NEW */
    /* a status of type COMPLETED or CLOSED does not need the fields that are required on resolution */
    bool incomplete;
    /* Decides the SLA, for the same UPDATE: sla_of_changed of core/rules/sla_match.h; NULL: the finisher
     * does. */
    int (*sla)(struct work *w, const struct case_now *next, unsigned differ, int64_t *version_id);
};
/* True if the property is one of those that differ (bits of enum case_property). */
bool case_differs_in(unsigned differ, const char *property);

/* The one function that changes a conversation. Writes the properties that differ and their consequences
 * (counters, reopening, who did it last and when), and records the changes. The caller has checked ids of
 * teams, agents, priorities, types, brands and requesters. Fails with FIELD_INVALID for an unknown status,
 * with RESOURCE_ACTION_NOT_AVAILABLE if the status can't follow the current one, and with FIELD_REQUIRED
 * for each empty field that staff must fill in first (core/cases/case_value.h). */
int case_change(struct work *w, struct case_now *c, const struct case_change *wanted);
/* Opens a conversation that is PENDING or COMPLETED. */
int case_reopen(struct work *w, struct case_now *c);
/* Sets the status of `c` if it may follow the present one. Writes nothing. Fails as case_change does. */
int case_follow_status(struct work *w, struct case_now *c, int64_t status_id);
/* Computes the folded subjects of the next conversations after id *after, and advances *after. Returns 1
 * if there are more, 0 or a negative error. */
int cases_rekey(struct work *w, int64_t *after);
/* The nearest priority above or below, by level. A conversation without priority (0) gets the lowest.
 * *next is `id` if there is none. */
int case_priority_next(struct work *w, int64_t id, bool above, int64_t *next);
/* the first status of a type, system ones first */
int status_id_of_type(struct work *w, enum status_type type, int64_t *id);

struct tagging;
extern const struct tagging case_tagging; /* core/people/tag.h */

/* Does nothing if the person takes part. */
int participant_add(struct work *w, int64_t case_id, int64_t user_id);

#endif
