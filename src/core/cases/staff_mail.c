/* Mails to staff: a conversation was assigned to them or their team, the customer has replied, a note
 * mentions them, an SLA target was missed, or a conversation is new. Each person chooses the events
 * (core/people/notification.h). The change itself queues the mails.
 *
 * A person gets a mail if (1) the person is enabled staff with an address, (2) the person may see the
 * conversation, which is checked again when the mail is sent, (3) the person did not cause the change, (4)
 * the person has enabled mails about this event, and (5) no trigger stopped the notifications of the
 * change.
 *
 * A person gets at most one mail for one write. If several events fit, the first of `ranking` counts. If
 * the write changed several conversations, the mail is about the first and has the number of the others.
 *
 * Without a relay, nothing is queued, because an old notification is worth nothing when a relay is
 * configured later. */
#include "core/cases/staff_mail.h"

#include "base/link.h"
#include "core/cases/mention.h"
#include "core/desk/setting.h"
#include "core/people/notification.h"
#include "core/sla/clocks.h"
#include "core/letters/letter.h"
#include "json/json.h"

#include <inttypes.h>

static const enum notification_type ranking[] = {
    NOTIFY_MENTION, NOTIFY_BREACH, NOTIFY_AGENT, NOTIFY_TEAM, NOTIFY_REPLY, NOTIFY_CREATED, 0};

/* People u with role r who may see the conversation c: as core/access/access.c. While a cascade runs, a
 * deleted team or agent counts as a team or agent, so that too few people see the conversation, never too
 * many. */
#define CASE_ACCESS_OF_STAFF "COALESCE(u.agent_case_access, r.agent_case_access)"
#define STAFF_SEES                                                                                          \
    "u.is_enabled = 1 AND u.deleted_at IS NULL AND r.type >= 2 AND c.state = 1 AND (" CASE_ACCESS_OF_STAFF  \
    " = 3 OR c.assigned_agent_id = u.id OR (" CASE_ACCESS_OF_STAFF " = 2 AND ((c.assigned_team_id IS NULL " \
    "AND c.assigned_agent_id IS NULL) OR EXISTS (SELECT 1 "                                                 \
    "FROM team_members m WHERE m.team_id = c.assigned_team_id "                                             \
    "AND m.user_id = u.id))))"

/* ---- gathering ------------------------------------------------------------------------------- */

/* The mail of one person. */
struct staff_mail {
    int64_t user_id, case_id, said;
    unsigned events; /* events of the conversation: bits of 1u << enum notification_type */
    int more;        /* other conversations */
};

struct staff_mails {
    struct work *w;
    struct staff_mail *list;
    int count, room;
    int64_t team_id, *members; /* the last team, and its members who have enabled mails about the event */
    enum notification_type event;
    int member_count;
};

static void staff_mail_add(struct staff_mails *all, int64_t user_id, int64_t case_id,
                           enum notification_type event, int64_t said) {
    if (user_id == 0 || user_id == all->w->actor.user_id) return;
    for (int i = 0; i < all->count; i++) {
        struct staff_mail *m = &all->list[i];
        if (m->user_id != user_id) continue;
        if (m->case_id != case_id) m->more++;
        else m->events |= 1u << event;
        if (m->case_id == case_id && m->said == 0) m->said = said;
        return;
    }
    all->list = arena_more(all->w->arena, all->list, all->count, &all->room, sizeof *all->list);
    all->list[all->count++] = (struct staff_mail){user_id, case_id, said, 1u << event, 0};
}

QUERY(members_of_team_told,
      "SELECT m.user_id FROM team_members m "
      "WHERE m.team_id = :team AND COALESCE((SELECT p.is_enabled FROM notification_preferences p "
      "WHERE p.user_id = m.user_id AND p.type = :type AND p.channel = 3), CAST(:initial AS INTEGER)) = 1 "
      "ORDER BY m.user_id");

static int tell_team(struct staff_mails *all, int64_t team_id, int64_t case_id,
                     enum notification_type event) {
    if (team_id == 0) return 0;
    if (team_id != all->team_id || event != all->event) {
        const struct bind *binds = BINDS(B_INT("team", team_id), B_INT("type", event),
                                         B_INT("initial", notification_default(event, NOTIFY_EMAIL)));
        all->member_count = db_ids(all->w->conn, &members_of_team_told, binds, all->w->arena, &all->members);
        TRY(all->member_count);
        all->team_id = team_id;
        all->event = event;
    }
    for (int i = 0; i < all->member_count; i++) staff_mail_add(all, all->members[i], case_id, event, 0);
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

static int tell_of_new_case(struct staff_mails *all, int64_t case_id) {
    int64_t agent, team, *wanting;
    TRY(assignees_read(all->w, case_id, &agent, &team));
    staff_mail_add(all, agent, case_id, NOTIFY_AGENT, 0);
    TRY(tell_team(all, team, case_id, NOTIFY_TEAM));
    int n = db_ids(all->w->conn, &told_of_new_cases, NULL, all->w->arena, &wanting);
    for (int i = 0; i < n; i++) staff_mail_add(all, wanting[i], case_id, NOTIFY_CREATED, 0);
    return n < 0 ? n : 0;
}

/* The agent of a conversation with a new message that did not open it and is not by staff. A note opened a
 * conversation of the channel NOTE (6). */
QUERY(agent_replied_to,
      "SELECT c.assigned_agent_id FROM posts p "
      "JOIN cases c ON c.id = p.case_id "
      "WHERE p.id = :id AND p.by_staff = 0 AND (c.channel = 6 OR EXISTS (SELECT 1 FROM posts f "
      "WHERE f.case_id = p.case_id AND f.kind = 1 AND f.id < p.id))");

static int tell_of_message(struct staff_mails *all, int64_t message_id, int64_t case_id) {
    int64_t agent = 0;
    int rc = db_int(all->w->conn, &agent_replied_to, BINDS(B_INT("id", message_id)), &agent);
    if (rc > 0) staff_mail_add(all, agent, case_id, NOTIFY_REPLY, message_id);
    return rc < 0 ? rc : 0;
}

static int tell_of_breach(struct staff_mails *all, int64_t case_id) {
    int64_t agent, team;
    TRY(assignees_read(all->w, case_id, &agent, &team));
    staff_mail_add(all, agent, case_id, NOTIFY_BREACH, 0);
    return agent ? 0 : tell_team(all, team, case_id, NOTIFY_BREACH);
}

static int tell_of_note(struct staff_mails *all, int64_t note_id, int64_t case_id) {
    int64_t *people;
    int n = mentions_of_note(all->w, note_id, &people);
    for (int i = 0; i < n; i++) staff_mail_add(all, people[i], case_id, NOTIFY_MENTION, note_id);
    return n < 0 ? n : 0;
}

/* ---- queueing -------------------------------------------------------------------------------- */

/* The address of the reader, and whether the mail may name the reader (core/letters/letter.c). */
QUERY(staff_mail_reader, "SELECT e.email, CASE WHEN e.is_validated = 1 OR (e.is_claim = 0 "
                         "AND u.password_hash IS NOT NULL) THEN 1 ELSE 0 END "
                         "FROM users u JOIN roles r ON r.id = u.role_id "
                         "JOIN identity_emails e ON e.user_id = u.id AND e.is_primary = 1 "
                         "JOIN cases c ON c.id = :case WHERE u.id = :user AND " STAFF_SEES);

/* Returns the event of the mail, or 0 if the person has enabled none. */
static enum notification_type event_wanted(const struct notification_preferences *p, unsigned events) {
    for (const enum notification_type *e = ranking; *e; e++)
        if (events & 1u << *e && p->is_enabled[*e][NOTIFY_EMAIL]) return *e;
    return 0;
}

static int staff_mail_queue(struct work *w, const struct staff_mail *m) {
    struct notification_preferences p;
    struct stmt *row;
    TRY(notification_preferences_read(w, m->user_id, &p));
    enum notification_type event = event_wanted(&p, m->events);
    if (event == 0) return 0;
    int rc = db_row(w->conn, &staff_mail_reader, BINDS(B_INT("user", m->user_id), B_INT("case", m->case_id)),
                    &row);
    if (rc <= 0) return rc;
    struct str address = str_dup(w->arena, col_text(row, 0));
    int named = (int)col_int(row, 1);
    stmt_end(row);
    struct str values = str_fmt(
        w->arena, "{\"named\":%d,\"case\":%" PRId64 ",\"said\":%" PRId64 ",\"by\":%" PRId64 ",\"others\":%d}",
        named, m->case_id, event == NOTIFY_MENTION || event == NOTIFY_REPLY ? m->said : 0, w->actor.user_id,
        m->more);
    return letter_staff(w, word_of(notification_types, event),
                        (struct letter_to){m->case_id, m->user_id, address}, values);
}

static int tell_of_change(struct staff_mails *all, const struct change *c) {
    if (c->verb == CHANGE_CREATED) {
        if (strcmp(c->kind, "case") == 0) return tell_of_new_case(all, c->case_id);
        if (strcmp(c->kind, "case_message") == 0) return tell_of_message(all, c->id, c->case_id);
        return strcmp(c->kind, "note") == 0 ? tell_of_note(all, c->id, c->case_id) : 0;
    }
    bool rewritten =
        c->verb == CHANGE_UPDATED && strcmp(c->kind, "note") == 0 && strcmp(c->property, "contents") == 0;
    if (rewritten) return tell_of_note(all, c->id, c->case_id);
    if (c->verb != CHANGE_UPDATED || strcmp(c->kind, "case") != 0 || !c->to.given) return 0;
    if (strcmp(c->property, "assigned_agent") == 0)
        staff_mail_add(all, c->to.number, c->case_id, NOTIFY_AGENT, 0);
    return strcmp(c->property, "assigned_team") == 0 ? tell_team(all, c->to.number, c->case_id, NOTIFY_TEAM)
                                                     : 0;
}

int staff_mails_finish(struct work *w) {
    struct staff_mails all = {.w = w};
    const struct change *changes = changes_of(w);
    const struct change *c = changes;
    while (c && c->case_id == 0) c = c->next;
    if ((c == NULL && breaches_of(w) == NULL) || !letters_have_relay(w->desk, w->arena)) return 0;
    for (; c; c = c->next)
        if (c->case_id && !change_notifications_stopped(w, c->case_id)) TRY(tell_of_change(&all, c));
    for (const struct breach *b = breaches_of(w); b; b = b->next)
        if (!change_notifications_stopped(w, b->case_id)) TRY(tell_of_breach(&all, b->case_id));
    for (int i = 0; i < all.count; i++) TRY(staff_mail_queue(w, &all.list[i]));
    return 0;
}

/* ---- contents -------------------------------------------------------------------------------- */

QUERY(staff_mail_case,
      "SELECT c.subject, COALESCE((SELECT a.full_name FROM users a WHERE a.id = :author), "
      "''), COALESCE((SELECT p.content_text FROM posts p WHERE p.id = :said AND p.case_id = c.id), "
      "(SELECT n.body_text FROM notes n WHERE n.id = :said AND n.case_id = c.id), '') "
      "FROM users u JOIN roles r ON r.id = u.role_id "
      "JOIN cases c ON c.id = :case WHERE u.id = :user AND " STAFF_SEES);

int staff_mail_load(struct work *w, int64_t case_id, int64_t reader, int64_t said, int64_t author,
                    struct message_mail *out) {
    struct stmt *row;
    int rc = db_row(
        w->conn, &staff_mail_case,
        BINDS(B_INT("case", case_id), B_INT("user", reader), B_INT("said", said), B_INT("author", author)),
        &row);
    if (rc <= 0) return rc;
    *out = (struct message_mail){.subject = str_dup(w->arena, col_text(row, 0)),
                                 .author = str_dup(w->arena, col_text(row, 1)),
                                 .text = str_dup(w->arena, col_text(row, 2))};
    stmt_end(row);
    out->html = text_to_html(w->arena, out->text);
    return 1;
}
