/* Staff are told: a conversation was assigned to them or their team, somebody else has written in a conversation
 * of theirs, a note mentions them, an SLA target was missed or is about to be missed, a
 * scheduled reply of theirs was not sent, or a conversation is new.
 * Each person chooses the events for each channel (core/people/notification.h). The work of the change itself
 * queues the mails and adds the rows of the list, so both share its COMMIT.
 *
 * A person is told if (1) the person is enabled staff, (2) the person sees the conversation, which is checked
 * again when a mail is sent or the list is read, (3) the person did not cause the change, (4) the person has
 * enabled the event for the channel, and (5) no trigger stopped the notifications of the change.
 *
 * A person is told of a conversation once for each write and channel. If several events fit, the first of
 * `ranking` (core/cases/notice.c) counts.
 *
 * A write that tells nobody runs no statement here: changes that may concern somebody are marked
 * (change_tells). */
#include "core/cases/staff_notice.h"

#include "base/ids.h"
#include "core/cases/mention.h"
#include "core/cases/notification_rows.h"
#include "core/cases/scheduled_reply.h"
#include "core/cases/staff_mail.h"
#include "core/change/change.h"
#include "core/letters/letter.h"
#include "core/sla/clocks.h"
#include "core/sla/sla_warning.h"

#include <stdlib.h>

/* ---- gathering ------------------------------------------------------------------------------- */

struct notices {
    struct work *w;
    struct staff_notice *list;
    int count, room;
    bool mails, assigns;       /* mails can be sent; a change of this work assigns a conversation */
    int64_t team_id, *members; /* the last team */
    int member_count;
};

static void staff_notice_add(struct notices *all, int64_t user_id, int64_t case_id,
                             enum notification_type event, int64_t said) {
    if (user_id == 0 || user_id == all->w->actor.user_id) return;
    all->list = arena_more(all->w->arena, all->list, all->count, &all->room, sizeof *all->list);
    all->list[all->count] = (struct staff_notice){user_id, case_id, said, 1u << event, all->count};
    all->count++;
}

QUERY(members_of_team, "SELECT m.user_id FROM team_members m WHERE m.team_id = :team ORDER BY m.user_id");

static int tell_team(struct notices *all, int64_t team_id, int64_t case_id, enum notification_type event) {
    if (team_id == 0) return 0;
    if (team_id != all->team_id) {
        all->member_count = db_ids(all->w->conn, &members_of_team, BINDS(B_INT("team", team_id)),
                                   all->w->arena, &all->members);
        TRY(all->member_count);
        all->team_id = team_id;
    }
    for (int i = 0; i < all->member_count; i++) staff_notice_add(all, all->members[i], case_id, event, 0);
    return 0;
}

QUERY(assignees_of_case,
      "SELECT COALESCE(assigned_agent_id, 0), COALESCE(assigned_team_id, 0) FROM cases WHERE id = :id");

static int assignees_read(struct work *w, int64_t case_id, int64_t *agent, int64_t *team) {
    struct stmt *row;
    *agent = *team = 0;
    int rc = db_row(w->conn, &assignees_of_case, BINDS(B_INT("id", case_id)), &row);
    if (rc <= 0) return rc;
    *agent = col_int(row, 0);
    *team = col_int(row, 1);
    stmt_end(row);
    return 0;
}

/* People who have enabled mails about all new conversations. By default nobody has. */
QUERY(told_of_new_cases, "SELECT user_id FROM notification_preferences "
                         "WHERE type = 1 AND channel = 3 AND is_enabled = 1 "
                         "ORDER BY user_id");

static int tell_of_new_case(struct notices *all, const struct change *c) {
    int64_t agent, team, *wanting;
    if (c->tells || all->assigns) {
        TRY(assignees_read(all->w, c->case_id, &agent, &team));
        staff_notice_add(all, agent, c->case_id, NOTIFY_AGENT, 0);
        TRY(tell_team(all, team, c->case_id, NOTIFY_TEAM));
    }
    if (!all->mails) return 0;
    int n = db_ids(all->w->conn, &told_of_new_cases, NULL, all->w->arena, &wanting);
    for (int i = 0; i < n; i++) staff_notice_add(all, wanting[i], c->case_id, NOTIFY_CREATED, 0);
    return n < 0 ? n : 0;
}

/* The agent of a conversation with a new message that did not open it and is not by staff. A note opened a
 * conversation of the channel NOTE (6). */
QUERY(agent_replied_to,
      "SELECT c.assigned_agent_id FROM posts p "
      "JOIN cases c ON c.id = p.case_id "
      "WHERE p.id = :id AND p.by_staff = 0 AND (c.channel = 6 OR EXISTS (SELECT 1 FROM posts f "
      "WHERE f.case_id = p.case_id AND f.kind = 1 AND f.id < p.id))");

static int tell_of_message(struct notices *all, const struct change *c) {
    int64_t agent = 0;
    if (!c->tells && !all->assigns) return 0;
    int rc = db_int(all->w->conn, &agent_replied_to, BINDS(B_INT("id", c->id)), &agent);
    if (rc > 0) staff_notice_add(all, agent, c->case_id, NOTIFY_REPLY, c->id);
    return rc < 0 ? rc : 0;
}

/* The agent of a conversation with an answer to a forward; without an agent, the author of the forward. */
QUERY(told_of_answer,
      "SELECT COALESCE(c.assigned_agent_id, f.user_id) FROM mails m JOIN notes n ON n.id = m.post_id "
      "JOIN cases c ON c.id = n.case_id LEFT JOIN notes f ON f.id = m.forward_id "
      "WHERE m.post_id = :id AND m.forward_id IS NOT NULL");

static int tell_of_note(struct notices *all, const struct change *c) {
    int64_t agent = 0;
    int answers = c->tells ? db_int(all->w->conn, &told_of_answer, BINDS(B_INT("id", c->id)), &agent) : 0;
    TRY(answers);
    if (answers) return staff_notice_add(all, agent, c->case_id, NOTIFY_REPLY, c->id), 0;
    int64_t *people;
    int n = c->tells ? mentions_of_note(all->w, c->id, &people) : 0;
    for (int i = 0; i < n; i++) staff_notice_add(all, people[i], c->case_id, NOTIFY_MENTION, c->id);
    return n < 0 ? n : 0;
}

QUERY(survivor_of_case, "SELECT COALESCE(k.merged_into_id, k.id) FROM cases k WHERE k.id = :id");

/* The author of a scheduled reply that was not sent is told in the conversation that the author finds. */
static int tell_of_refused(struct notices *all, const struct change *c) {
    int64_t found = c->case_id;
    TRY(db_int(all->w->conn, &survivor_of_case, BINDS(B_INT("id", c->case_id)), &found));
    staff_notice_add(all, c->to.number, found, NOTIFY_REFUSED, 0);
    return 0;
}

/* The agent is told, or without an agent the team. */
static int tell_of_clock(struct notices *all, int64_t case_id, enum notification_type event) {
    int64_t agent, team;
    if (change_notifications_stopped(all->w, case_id)) return 0;
    TRY(assignees_read(all->w, case_id, &agent, &team));
    staff_notice_add(all, agent, case_id, event, 0);
    return agent ? 0 : tell_team(all, team, case_id, event);
}

static bool change_assigns(const struct change *c) {
    return c->verb == CHANGE_UPDATED && c->to.given && strcmp(c->kind, "case") == 0 &&
           (strcmp(c->property, "assigned_agent") == 0 || strcmp(c->property, "assigned_team") == 0);
}

static int tell_of_change(struct notices *all, const struct change *c) {
    if (c->case_id == 0 || change_notifications_stopped(all->w, c->case_id)) return 0;
    if (c->verb == CHANGE_CREATED) {
        if (strcmp(c->kind, "case") == 0) return tell_of_new_case(all, c);
        if (strcmp(c->kind, "case_message") == 0) return tell_of_message(all, c);
        return strcmp(c->kind, "note") == 0 ? tell_of_note(all, c) : 0;
    }
    if (c->tells) return tell_of_note(all, c); /* its text was changed */
    if (c->to.given && strcmp(c->property, scheduled_reply_refused) == 0) return tell_of_refused(all, c);
    if (!change_assigns(c)) return 0;
    if (strcmp(c->property, "assigned_team") == 0)
        return tell_team(all, c->to.number, c->case_id, NOTIFY_TEAM);
    staff_notice_add(all, c->to.number, c->case_id, NOTIFY_AGENT, 0);
    return 0;
}

static int notices_gather(struct notices *all) {
    struct work *w = all->w;
    const struct change *changes = changes_of(w);
    for (const struct change *c = changes; c && !all->assigns; c = c->next) all->assigns = change_assigns(c);
    for (const struct change *c = changes; c; c = c->next) TRY(tell_of_change(all, c));
    for (const struct breach *b = breaches_of(w); b; b = b->next)
        TRY(tell_of_clock(all, b->case_id, NOTIFY_BREACH));
    for (const struct sla_warning *s = sla_warnings_of(w); s; s = s->next)
        TRY(tell_of_clock(all, s->case_id, NOTIFY_WARNING));
    return 0;
}

/* ---- one notice for each person and conversation ---------------------------------------------- */

static int notices_by_case(const void *a, const void *b) {
    const struct staff_notice *x = a, *y = b;
    if (x->user_id != y->user_id) return x->user_id < y->user_id ? -1 : 1;
    if (x->case_id != y->case_id) return x->case_id < y->case_id ? -1 : 1;
    return x->order - y->order;
}

static int notices_by_order(const void *a, const void *b) {
    const struct staff_notice *x = a, *y = b;
    if (x->user_id != y->user_id) return x->user_id < y->user_id ? -1 : 1;
    return x->order - y->order;
}

/* Leaves the notices by person, those of a person in the order of the changes. */
static void notices_join(struct notices *all) {
    int n = 0;
    qsort(all->list, (size_t)all->count, sizeof *all->list, notices_by_case);
    for (int i = 0; i < all->count; i++) {
        const struct staff_notice *next = &all->list[i];
        struct staff_notice *last = n ? &all->list[n - 1] : NULL;
        if (last == NULL || last->user_id != next->user_id || last->case_id != next->case_id) {
            all->list[n++] = *next;
            continue;
        }
        last->events |= next->events;
        if (last->said == 0) last->said = next->said;
    }
    all->count = n;
    qsort(all->list, (size_t)n, sizeof *all->list, notices_by_order);
}

/* ---- telling --------------------------------------------------------------------------------- */

static int notices_tell(struct notices *all) {
    struct work *w = all->w;
    struct notification_preferences *preferences;
    int64_t *people = arena_array(w->arena, (size_t)all->count, sizeof *people);
    struct notification_rows rows = {.w = w};
    int n = 0;
    for (int i = 0; i < all->count; i++) people[i] = all->list[i].user_id;
    n = ids_sort_once(people, all->count);
    TRY(notification_preferences_of(w, people, n, &preferences));
    for (int i = 0, p = 0; i < all->count; p++) {
        const struct staff_notice *own = &all->list[i];
        int count = 0;
        while (i < all->count && all->list[i].user_id == own->user_id) i++, count++;
        notification_rows_add(&rows, &preferences[p], own, count);
        if (all->mails) TRY(staff_mail_queue(w, &preferences[p], own, count));
    }
    return notification_rows_write(&rows);
}

/* True if a change, a breach or a warning may concern staff. */
static bool notices_begin(const struct work *w) {
    const struct change *c = changes_of(w);
    while (c && c->case_id == 0) c = c->next;
    return c || breaches_of(w) || sla_warnings_of(w);
}

int staff_notices_finish(struct work *w) {
    if (w->silent || !notices_begin(w)) return 0;
    struct notices all = {.w = w, .mails = letters_leave(w, true)};
    TRY(notices_gather(&all));
    if (all.count == 0) return 0;
    notices_join(&all);
    return notices_tell(&all);
}
