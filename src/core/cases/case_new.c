#include "core/cases/case_new.h"

#include "core/cases/case_value.h"
#include "core/cases/form.h"
#include "core/cases/message.h"
#include "core/cases/note.h"

#include "base/fold.h"

/* The row also has what the first message sets, so that no UPDATE follows. So the id of the message is taken
 * before its INSERT. A conversation that a note opens has no message (:seq 0). */
#define CASE_INTO                                                                                \
    "INSERT INTO cases (id, uuid, legacy_id, subject, subject_key, channel, source, state, "     \
    "requester_id, requester_name, requester_is_new, fingerprint, creator_id, organization_id, " \
    "status_id, status_type, priority_id, type_id, assigned_team_id, assigned_agent_id, "        \
    "brand_id, form_id, mailbox_id, last_assigned_by_id, last_assigned_at, last_updated_by_id, " \
    "metadata, message_seq, last_message_id, last_message_status, last_message_preview, "        \
    "last_replier_id, last_replied_at, last_public_channel, requester_message_count, "           \
    "last_reply_by_requester_at, last_customer_activity_at, last_agent_replier_id, "             \
    "last_reply_by_agent_at, last_agent_activity_at, agent_updated_at, latest_assignee_update, " \
    "sla_version_id, reopen_count, created_at, updated_at) "
#define CASE_VALUES                                                                                  \
    ":uuid, :legacy_id, :subject, :subject_key, :channel, :source, 1, "                              \
    ":requester, :requester_name, :is_new, :fingerprint, :creator, (SELECT organization_id "         \
    "FROM users WHERE id = :requester @HOLD@), :status, :status_type, "                              \
    "CAST(:priority AS BIGINT), CAST(:type AS BIGINT), CAST(:team AS BIGINT), "                      \
    "CAST(:agent AS BIGINT), COALESCE(CAST(:brand AS BIGINT), (SELECT id FROM brands "               \
    "WHERE is_default = 1)), CAST(:form AS BIGINT), CAST(:mailbox AS BIGINT), "                      \
    "CAST(:assigner AS BIGINT), CAST(:assigned_at AS BIGINT), CAST(:updater AS BIGINT), :metadata, " \
    "CAST(:seq AS BIGINT), CASE WHEN CAST(:seq AS BIGINT) = 1 THEN @NEXT_POST_ID@ END, "             \
    "CAST(:message_status AS INTEGER), :preview, CAST(:replier AS BIGINT), "                         \
    "CAST(:replied_at AS BIGINT), CAST(:public_channel AS INTEGER), CAST(:by_requester AS BIGINT), " \
    "CAST(:by_requester_at AS BIGINT), CAST(:by_customer_at AS BIGINT), "                            \
    "CAST(:agent_replier AS BIGINT), CAST(:by_agent_at AS BIGINT), CAST(:by_agent_at AS BIGINT), "   \
    "CAST(:by_agent_at AS BIGINT), CAST(:by_assignee_at AS BIGINT), "                                \
    "CAST(:sla AS BIGINT), 0, :now, :now) "                                                          \
    "RETURNING id, COALESCE(organization_id, 0), COALESCE(last_message_id, 0)"
QUERY(case_insert, CASE_INTO "VALUES (@NEXT_CASE_ID@, " CASE_VALUES);
QUERY(case_insert_as, CASE_INTO "VALUES (:id, " CASE_VALUES);

static int insert_new_case(struct work *w, const struct case_new *n, const struct message_new *first,
                           struct case_now *c) {
    bool assigned = n->assigned_team_id || n->assigned_agent_id, note = first == NULL;
    struct message_facts f = note ? (struct message_facts){0} : message_facts(w, c, first);
    struct str preview = note ? (struct str){0} : message_preview(w->arena, n->contents);
    bool by_assignee = f.staff && n->creator_id == n->assigned_agent_id;
    struct sla_decided sla = {.next = w->sla_decided};
    struct stmt *row;
    int decided = n->sla ? n->sla(w, c, &sla.version_id) : 0;
    TRY(decided);
    int rc = db_row(
        w->conn, n->id ? &case_insert_as : &case_insert,
        BINDS(B_INT("id", n->id), B_TEXT("uuid", random_uuid(w->arena)), B_TEXT("legacy_id", n->legacy_id),
              B_TEXT("subject", n->subject), B_TEXT("subject_key", fold_key(w->arena, n->subject)),
              B_INT("channel", c->channel), B_ID("source", n->source), B_INT("requester", n->requester_id),
              B_TEXT("requester_name", n->requester_name), B_INT("is_new", n->requester_is_new),
              B_TEXT("fingerprint", w->actor.fingerprint), B_INT("creator", n->creator_id),
              B_INT("status", c->status_id), B_INT("status_type", c->status_type),
              B_ID("priority", n->priority_id), B_ID("type", n->type_id), B_ID("team", n->assigned_team_id),
              B_ID("agent", n->assigned_agent_id), B_ID("brand", n->brand_id), B_ID("form", n->form_id),
              B_ID("mailbox", n->mailbox_id), B_ID("assigner", assigned ? w->actor.user_id : 0),
              B_ID("assigned_at", assigned ? w->now : 0),
              B_ID("updater", note ? w->actor.user_id : n->creator_id), B_TEXT("metadata", n->metadata),
              B_INT("seq", !note), B_ID("message_status", f.status), B_TEXT("preview", preview),
              B_ID("replier", note ? 0 : n->creator_id), B_ID("replied_at", note ? 0 : w->now),
              B_ID("public_channel", f.channel), B_INT("by_requester", f.by_requester),
              B_ID("by_requester_at", f.by_requester ? w->now : 0),
              B_ID("by_customer_at", note || f.staff ? 0 : w->now),
              B_ID("agent_replier", f.staff ? n->creator_id : 0), B_ID("by_agent_at", f.staff ? w->now : 0),
              B_ID("by_assignee_at", by_assignee ? w->now : 0), B_ID("sla", sla.version_id),
              B_INT("now", w->now)),
        &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    c->id = col_int(row, 0);
    c->organization_id = col_int(row, 1);
    c->last_message_id = col_int(row, 2);
    c->created_at = w->now;
    c->updated = true;
    rc = stmt_step(row); /* foreign keys are checked here */
    stmt_end(row);
    sla.case_id = c->id;
    if (decided) *(w->sla_decided = ARENA_NEW(w->arena, struct sla_decided)) = sla;
    return rc;
}

static int first_note(struct work *w, const struct case_now *c, const struct case_new *n, int64_t *id) {
    struct note_new note = {.kind = NOTE_CASE,
                            .owner_id = c->id,
                            .text = n->contents,
                            .html = n->html,
                            .original = n->original,
                            .client_id = n->client_id,
                            .files = n->files,
                            .file_count = n->file_count};
    return note_add(w, &note, id);
}

static struct message_new message_of_new(const struct case_new *n) {
    return (struct message_new){.contents = n->contents,
                                .html = n->html,
                                .original = n->original,
                                .mailbox_id = n->mailbox_id,
                                .client_id = n->client_id,
                                .metadata = n->metadata,
                                .creator_name = n->requester_name,
                                .creator_id = n->creator_id,
                                .files = n->files,
                                .file_count = n->file_count,
                                .source = n->source,
                                .channel = n->message_channel};
}

int case_create(struct work *w, const struct case_new *n, int64_t *id) {
    struct case_now c = {.requester_id = n->requester_id,
                         .creator_id = n->creator_id,
                         .subject = n->subject,
                         .priority_id = n->priority_id,
                         .type_id = n->type_id,
                         .assigned_team_id = n->assigned_team_id,
                         .assigned_agent_id = n->assigned_agent_id,
                         .form_id = n->form_id,
                         .status_type = STATUS_NEW,
                         .state = CASE_ACTIVE};
    struct message_new message = message_of_new(n);
    int64_t post;
    c.channel = n->channel                      ? n->channel
                : n->source == SOURCE_MESSENGER ? CHANNEL_MESSENGER
                                                : CHANNEL_HELPCENTER;
    TRY(status_id_of_type(w, STATUS_NEW, &c.status_id));
    if (n->status_id) TRY(case_follow_status(w, &c, n->status_id));
    TRY(case_form_check(w, n->form_id, n->brand_id));
    bool note = c.channel == CHANNEL_NOTE;
    TRY(insert_new_case(w, n, note ? NULL : &message, &c));
    *id = c.id;
    change_created(w, case_changed(&c));
    if (n->assigned_agent_id || n->assigned_team_id) change_tells(w, case_changed(&c));
    TRY(field_values_put(w, AREA_CASES, c.id, n->values, n->value_count));
    TRY(case_check_resolution(w, c.id, c.form_id, c.status_type));
    case_now_counted(w, &c, 1);
    TRY(note ? first_note(w, &c, n, &post) : message_post(w, &c, &message, &post));
    if (n->message_id) *n->message_id = post;
    return 0;
}
