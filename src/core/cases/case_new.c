#include "core/cases/case_new.h"

#include "core/cases/case_count.h"
#include "core/cases/message.h"

QUERY(case_insert, "INSERT INTO cases (uuid, subject, channel, source, state, requester_id, requester_name, requester_is_new, fingerprint, "
                   "creator_id, organization_id, "
                   "status_id, status_type, priority_id, metadata, message_seq, reopen_count, created_at, updated_at) "
                   "VALUES (:uuid, :subject, :channel, :source, 1, :requester, :requester_name, :is_new, :fingerprint, :creator, "
                   "(SELECT organization_id FROM users WHERE id = :requester @HOLD@), :status, 1, CAST(:priority AS BIGINT), :metadata, 0, "
                   "0, :now, :now) RETURNING id");

int case_create(struct work *w, const struct case_new *n, int64_t *id) {
    struct case_now c = {.requester_id = n->requester_id,
                         .creator_id = n->creator_id,
                         .subject = n->subject,
                         .priority_id = n->priority_id,
                         .status_type = STATUS_NEW,
                         .state = CASE_ACTIVE};
    int64_t message;
    c.channel = n->source == SOURCE_MESSENGER ? CHANNEL_MESSENGER : CHANNEL_HELPCENTER;
    TRY(status_id_of_type(w, STATUS_NEW, &c.status_id));
    TRY(db_insert(w->conn, &case_insert,
                  BINDS(B_TEXT("uuid", random_uuid(w->arena)), B_TEXT("subject", n->subject), B_INT("channel", c.channel),
                        B_ID("source", n->source), B_INT("requester", n->requester_id), B_TEXT("requester_name", n->requester_name),
                        B_INT("is_new", n->requester_is_new), B_TEXT("fingerprint", w->actor.fingerprint), B_INT("creator", n->creator_id),
                        B_INT("status", c.status_id), B_ID("priority", n->priority_id), B_TEXT("metadata", n->metadata),
                        B_INT("now", w->now)),
                  id));
    c.id = *id;
    change_created(w, case_changed(&c));
    case_counted(w, 0, 0, STATUS_NEW, 1);
    struct message_new m = {.contents = n->contents,
                            .client_id = n->client_id,
                            .metadata = n->metadata,
                            .creator_name = n->requester_name,
                            .creator_id = n->creator_id,
                            .source = n->source};
    return message_post(w, &c, &m, &message);
}
