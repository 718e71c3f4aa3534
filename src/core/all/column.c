#include "core/all/column.h"

#include <string.h>

#include "core/access/permission.h"
#include "core/access/scope.h"
#include "core/cases/case_view.h"
#include "core/cases/macro.h"
#include "core/change/audit.h"
#include "core/change/change.h"
#include "core/login/auth_token.h"
#include "core/desk/job.h"
#include "core/letters/link.h"
#include "core/erasure/erase_receipt.h"
#include "core/people/identity.h"
#include "core/people/name_index.h"
#include "core/people/notification.h"
#include "core/programs/event.h"
#include "core/login/token_text.h"
#include "core/mail/mailbox_oauth.h"
#include "core/mail/mailbox_test.h"
#include "core/rules/action.h"
#include "core/sla/clock.h"
#include "core/predicates/definition.h"
#include "core/rules/rule.h"
#include "core/rules/rule_predicate.h"
#include "core/words.h"
#include "json/json.h"
#include "work/work.h"

/* Columns that no field of a resource shows as it is, and enumerations that have more numbers in the store
 * than words in the API. */
const struct column_number column_numbers[] = {
    {"*.actor_kind", ACTOR_NOBODY, ACTOR_WEBHOOK, NULL},
    {"activities.name", 0, 0, activity_names},
    {"activities.rule_channel", RULE_API, RULE_HELPCENTER, NULL},
    {"activities.rule_event", RULE_SLA_BREACHED, RULE_MESSAGE, NULL},
    {"article_views.day", 0, COLUMN_EXACT_MAX, NULL}, /* since 1970 */
    {"articles.rank", -COLUMN_EXACT_MAX, COLUMN_EXACT_MAX, NULL},
    {"audit_entries.action", AUDIT_LOGIN, AUDIT_ACTIONS - 1, NULL},
    {"auth_tokens.step", STEP_OTP, STEP_PASSWORD, NULL},
    {"content_removals.state", 1, 3, NULL},
    {"cases.state", CASE_ACTIVE, CASE_DELETING, NULL},
    {"cases.channel", 0, 0, post_channels},
    {"cases.last_public_channel", 0, 0, channels},
    {"cases.last_message_status", 0, 0, post_statuses},
    {"cases.rating", 0, 0, rating_scores},
    {"cases.status_type", 0, 0, status_types},
    {"case_status_changes.*_state", 0, CASE_DELETING, NULL}, /* 0: there was none before */
    {"case_totals.kind", 1, 7, NULL},
    {"case_totals.n?", -COLUMN_EXACT_MAX, COLUMN_EXACT_MAX, NULL}, /* a shard may be negative */
    {"case_totals.id", 0, COLUMN_ID_MAX, NULL},                    /* 0: none, or any */
    {"case_totals.with_id", -1, COLUMN_ID_MAX, NULL},              /* -1: any */
    {"change_log.verb", CHANGE_CREATED, CHANGE_UPDATED, NULL},
    {"csv_import_keys.key_hash", INT64_MIN, INT64_MAX, NULL},
    {"custom_fields.area", AREA_CASES, AREA_ORGANIZATIONS, NULL},
    {"field_values.area", AREA_CASES, AREA_ORGANIZATIONS, NULL},
    {"endpoint_states.last_attempt_result", 0, 0, attempt_results},
    {"erasure_counts.what", 0, 0, erased_words},
    {"events.identity_kind", EVENT_EMAIL, EVENT_IDENTITIES - 1, NULL},
    {"files.picture_type", 0, 4, NULL}, /* enum picture_type of files/picture.h; 0: no picture */
    {"identity_*.is_claim", CLAIM_NONE, CLAIM_FOREIGN, NULL},
    {"identity_facebook.birth_date", -COLUMN_TIME_MAX, COLUMN_TIME_MAX, NULL},
    {"links.purpose", LINK_VERIFY_EMAIL, LINK_INVITATION, NULL},
    {"locale_fields.owner_kind", TITLE_OF_FIELD, CONTENTS_OF_ARTICLE, NULL},
    {"macros.assignee_type", ASSIGNEE_NOBODY, ASSIGNEE_AGENT, NULL},
    {"macros.priority_action", PRIORITY_INCREASE, PRIORITY_DECREASE, NULL},
    {"macros.reply_type", MACRO_REPLY, MACRO_NOTE, NULL},
    {"macros.visibility_type", MACRO_PRIVATE, MACRO_ALL, NULL},
    {"mailboxes.oauth_provider", 0, 0, mail_provider_words},
    {"mailboxes.oauth_state", 0, 0, consent_words},
    {"mailboxes.test_status", MAILBOX_TEST_NONE, MAILBOX_TEST_FAILED, NULL},
    {"mail_recipients.type", RECIPIENT_TO, RECIPIENT_CC, NULL},
    {"notification_preferences.channel", NOTIFY_DESKTOP, NOTIFY_CHANNELS - 1, NULL},
    {"notification_preferences.type", 0, 0, notification_types},
    {"notification_preferences.type", NOTIFY_SURVEY, NOTIFY_SURVEY, NULL},
    {"oauth_clients.logo_type", 0, 0, logo_types},
    {"oauth_tokens.kind", TOKEN_ACCESS, TOKEN_REFRESH, NULL},
    {"*.scopes", 0, UINT32_MAX, NULL},
    {"outgoing_mails.recipient_type", RECIPIENT_TO, RECIPIENT_CC, NULL},
    {"outgoing_mails.status", 0, 0, mail_statuses},
    {"passkeys.algorithm", -257, -7, NULL}, /* numbers of COSE */
    {"posts.kind", POST_MESSAGE, POST_ACTIVITY, NULL},
    {"role_permissions.value", 0, 1, NULL},
    {"roles.denied", 0, INT64_MAX, NULL}, /* bits */
    {"rule_actions.option", ACTION_CHANGE, ACTION_SEND, NULL},
    {"rule_*.owner", RULE_OF_SLA, RULE_OF_MONITOR, NULL},
    {"sections.article_order_by", 0, 0, article_orders},
    {"sla_metrics.stage", CLOCK_ACTIVE, CLOCK_COMPLETED, NULL},
    {"sla_metrics.counts", 0, 1, NULL},
    {"sla_metrics.counted", 0, COLUMN_EXACT_MAX, NULL},
    {"sla_metrics.since", 0, COLUMN_TIME_MAX, NULL},
    {"sla_runs.type", 0, 0, sla_target_types},
    {"tags.gone", 0, COLUMN_ID_MAX, NULL}, /* its id, if it is merged or deleted */
    {"triggers.channel", RULE_API, RULE_HELPCENTER, NULL},
    {"triggers.event", RULE_SLA_BREACHED, RULE_MESSAGE, NULL},
    {"views.type", VIEW_INBOX, VIEW_CUSTOM, NULL},
    {"views.visibility_type", VIEW_ALL, VIEW_TEAM, NULL},
    {"endpoints.content_type", 0, 0, endpoint_contents},
    {"endpoints.method", 0, 0, endpoint_methods},
    {"name_words.kind", NAME_USER, NAME_TAG, NULL},
    {"name_words.place", 0, COLUMN_EXACT_MAX, NULL},
    {"roles.agent_case_access", 0, 0, case_accesses},
    {"users.agent_case_access", 0, 0, case_accesses},
    {"users.role_type", 0, 0, role_types},
    {"*.id", 1, COLUMN_ID_MAX, NULL},
    {0},
};

/* Names that mean the same in every table. */
const struct column_number column_names[] = {
    {"*.@(is|allow|use)_*", 0, 1, NULL},
    {"*.@(audited|by_staff|locks|requester_is_new|undo_joined|with_contents)", 0, 1, NULL},
    {"*_@(id|by)", 0, COLUMN_ID_MAX, NULL}, /* 0: none, in keys */
    {"*@(_at|.at|until|_after|_date|_update)", 0, COLUMN_TIME_MAX, NULL},
    {"*_@(order|order_by)", -COLUMN_EXACT_MAX, COLUMN_EXACT_MAX, NULL},
    {"*_@(articles|code|comments|count|epoch|port|seconds|seq|step|taken|version|width)", 0, COLUMN_EXACT_MAX,
     NULL},
    {"*.@(attempts|bytes|conversations|duration|height|inserted|level|minute|n|position|rejected|results|seq|shard|size|total|version|views|width)",
     0, COLUMN_EXACT_MAX, NULL},
    {"*.@(epoch|generation)", INT64_MIN, INT64_MAX, NULL}, /* random */
    {"idempotency.status", 100, 599, NULL},                /* an HTTP status */
    {0},
};

static const struct word directions[] = {{1, "ltr"}, {2, "rtl"}, {0}},
                         picture_types[] = {{1, "image/jpeg"}, {2, "image/png"}, {0}};

/* A custom field may be deleted, because rules outlive it. */
static bool is_field_of(const struct subject *s, struct str name) {
    for (const struct definition *d = s->definitions; d->field; d++)
        if (str_eq(str_of(d->field), name)) return true;
    for (const struct field_source *f = s->sources; f->area; f++) {
        size_t n = strlen(f->group);
        if (name.n > n + 1 && memcmp(name.p, f->group, n) == 0 && name.p[n] == '.') return true;
    }
    return false;
}

static bool is_rule_field(struct str name) {
    return is_field_of(&case_subject, name) || is_field_of(&user_subject, name) ||
           is_field_of(&organization_subject, name);
}

static bool is_permission(struct str name) { return permission_of(name) != NULL; }

/* The reply shows it as it is stored. */
static bool is_json_array(struct str text) {
    struct arena *a = arena_new();
    struct json *j;
    struct json_error err;
    bool is_array = json_parse(a, text, &j, &err) >= 0 && j->type == JSON_ARRAY;
    arena_free(a);
    return is_array;
}

const struct column_text column_texts[] = {
    {"@(avatars|brand_logos).type", .words = picture_types},
    {"brand_widgets.origins", .known = is_json_array},
    {"jobs.kind", .known = is_job_name},
    {"locales.direction", .words = directions},
    {"mailboxes.test_steps", .known = is_json_array},
    {"role_permissions.name", .known = is_permission},
    {"rule_actions.name", .known = is_action_name},
    {"rule_propositions.field", .known = is_rule_field},
    {"rule_propositions.operator", .words = operator_words},
    {"views.order_by_column", .known = is_case_column},
    {0},
};

const struct column_reference column_references[] = {
    {"audit_values.entry_id", "audit_entries"},
    /* without foreign keys, because each change of a conversation writes them (schema 104) */
    {"cases.last_@(replier|agent_replier|updated_by|assigned_by|completed_by|closed_by)_id", "users"},
    {"cases.sla_version_id", "sla_versions"},
    {"cases.organization_id", NULL}, /* a cascade keeps it equal to the requester's */
    {"cases.undo_post_id", "posts"},
    {"cases.undo_status_id", "case_statuses"},
    {"drafts.base_post_id", NULL}, /* notes are deleted */
    {"endpoint_attempts.endpoint_id", "endpoints"},
    {"mail_recipients.post_id", "posts"},
    {"notifications.actor_id", "users"},
    {"new_case_drafts.requester_id", NULL}, /* as the editor sent it */
    {"notifications.post_id", NULL},        /* a merge moves posts, notes are deleted */
    {"slas.version_id", "sla_versions"},
    {"monitor_cases.monitor_id", NULL}, /* a cascade deletes it after the monitor */
    {"cases.last_message_id", NULL},    /* a merge moves messages in parts */
    {"imported_ids.@(foreign|here)_id",
     NULL},                        /* ids of another server; a row that was deleted is not made again */
    {"*.last_read_post_id", NULL}, /* a merge moves posts, notes are deleted */
    {"cases.undo_read_post_id", NULL},
    {"case_totals.*", NULL},                            /* keys of counters */
    {"report_facts.*_id", NULL},                        /* the follower removes facts of rows that are gone */
    {"report_pending.case_id", NULL},                   /* the follower removes it */
    {"change_log*.*", NULL},                            /* logs name rows that are gone */
    {"activities.@(owner_*|trigger|monitor)_id", NULL}, /* the trail outlives its objects and rules */
    {"audit_entries.*", NULL},
    {"erasure*.*", NULL},
    {"login_failures.user_id", NULL},
    {"events.*_id", NULL}, /* tokens and identities may be deleted before their events */
    {"outgoing_mails.*_id", NULL},
    {"remember_chains.session_id", NULL},
    {"sessions.signin_provider_id", NULL}, /* a provider may be deleted before the sessions it opened */
    {"mails.post_id", NULL},
    {"mails.forward_id", NULL},                      /* the mail outlives the note */
    {"post_@(attachments|originals).post_id", NULL}, /* id of a message or a note */
    {"@(field_values|locale_fields|name_words|rule_actions|rule_collections|search_texts).owner_id", NULL},
    {0},
};
