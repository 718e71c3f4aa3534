#include "core/cases/case_new.h"

#include "core/cases/case_value.h"
#include "core/cases/form.h"
#include "core/cases/message.h"
#include "core/cases/note.h"

#include "base/fold.h"

QUERY(case_insert,
      "INSERT INTO cases (uuid, legacy_id, subject, subject_key, channel, source, state, "
      "requester_id, requester_name, requester_is_new, fingerprint, creator_id, organization_id, "
      "status_id, status_type, priority_id, type_id, assigned_team_id, assigned_agent_id, "
      "brand_id, form_id, mailbox_id, last_assigned_by_id, last_assigned_at, last_updated_by_id, "
      "metadata, message_seq, reopen_count, created_at, updated_at) "
      "VALUES (:uuid, :legacy_id, :subject, :subject_key, :channel, :source, 1, "
      ":requester, :requester_name, :is_new, :fingerprint, :creator, (SELECT organization_id "
      "FROM users WHERE id = :requester @HOLD@), :status, :status_type, "
      "CAST(:priority AS BIGINT), CAST(:type AS BIGINT), CAST(:team AS BIGINT), "
      "CAST(:agent AS BIGINT), COALESCE(CAST(:brand AS BIGINT), (SELECT id FROM brands "
      "WHERE is_default = 1)), CAST(:form AS BIGINT), CAST(:mailbox AS BIGINT), "
      "CAST(:assigner AS BIGINT), CAST(:assigned_at AS BIGINT), CAST(:actor AS BIGINT), :metadata, 0, "
      "0, :now, :now) RETURNING id, COALESCE(organization_id, 0)");

static int insert_new_case(struct work *w, const struct case_new *n, struct case_now *c) {
    bool assigned = n->assigned_team_id || n->assigned_agent_id;
    struct stmt *row;
    int rc = db_row(
        w->conn, &case_insert,
        BINDS(B_TEXT("uuid", random_uuid(w->arena)), B_TEXT("legacy_id", n->legacy_id),
              B_TEXT("subject", n->subject), B_TEXT("subject_key", fold_key(w->arena, n->subject)),
              B_INT("channel", c->channel), B_ID("source", n->source), B_INT("requester", n->requester_id),
              B_TEXT("requester_name", n->requester_name), B_INT("is_new", n->requester_is_new),
              B_TEXT("fingerprint", w->actor.fingerprint), B_INT("creator", n->creator_id),
              B_INT("status", c->status_id), B_INT("status_type", c->status_type),
              B_ID("priority", n->priority_id), B_ID("type", n->type_id), B_ID("team", n->assigned_team_id),
              B_ID("agent", n->assigned_agent_id), B_ID("brand", n->brand_id), B_ID("form", n->form_id),
              B_ID("mailbox", n->mailbox_id), B_ID("assigner", assigned ? w->actor.user_id : 0),
              B_ID("assigned_at", assigned ? w->now : 0), B_ID("actor", w->actor.user_id),
              B_TEXT("metadata", n->metadata), B_INT("now", w->now)),
        &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_INTERNAL_ERROR;
    c->id = col_int(row, 0);
    c->organization_id = col_int(row, 1);
    c->updated = true;
    rc = stmt_step(row); /* foreign keys are checked here */
    stmt_end(row);
    return rc;
}

static int first_post(struct work *w, struct case_now *c, const struct case_new *n, int64_t *id) {
    if (c->channel == CHANNEL_NOTE) {
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
    struct message_new m = {.contents = n->contents,
                            .html = n->html,
                            .original = n->original,
                            .mailbox_id = n->mailbox_id,
                            .client_id = n->client_id,
                            .metadata = n->metadata,
                            .creator_name = n->requester_name,
                            .creator_id = n->creator_id,
                            .files = n->files,
                            .file_count = n->file_count,
                            .source = n->source};
    return message_post(w, c, &m, id);
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
    int64_t message;
    c.channel = n->channel                      ? n->channel
                : n->source == SOURCE_MESSENGER ? CHANNEL_MESSENGER
                                                : CHANNEL_HELPCENTER;
    TRY(status_id_of_type(w, STATUS_NEW, &c.status_id));
    if (n->status_id) TRY(case_follow_status(w, &c, n->status_id));
    TRY(case_form_check(w, n->form_id, n->brand_id));
    TRY(insert_new_case(w, n, &c));
    *id = c.id;
    change_created(w, case_changed(&c));
    TRY(field_values_put(w, AREA_CASES, c.id, n->values, n->value_count));
    TRY(case_check_resolution(w, c.id, c.form_id, c.status_type));
    case_now_counted(w, &c, 1);
    TRY(first_post(w, &c, n, &message));
    if (n->message_id) *n->message_id = message;
    return 0;
}
