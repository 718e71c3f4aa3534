#include "core/all/check.h"

#include "base/arena.h"
#include "core/cases/total_sql.h"
#include "core/desk/cascade.h"
#include "core/desk/file.h"
#include "core/helpcenter/article.h"
#include "core/people/identity.h"
#include "core/reports/follow.h"
#include "core/sla/clocks.h"
#include "core/search/follow.h"
#include "core/search/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Each query returns violations: one row for each, with up to four numbers for its sentence. A cascade is
 * deleting the posts of conversations in state 5, so these may differ from their counts. */
QUERY(check_totals, "SELECT b.kind, b.id, b.with_id, b.priority_id FROM (SELECT " TOTAL_COLUMNS
                    " FROM (" CASE_TOTALS ") a UNION ALL "
                    "SELECT kind, id, with_id, priority_id, -n1, -n2, -n3, -n4, "
                    "-n5, -n6 FROM case_totals) b "
                    "GROUP BY b.kind, b.id, b.with_id, b.priority_id "
                    "HAVING SUM(b.n1) <> 0 OR SUM(b.n2) <> 0 OR SUM(b.n3) <> 0 "
                    "OR SUM(b.n4) <> 0 OR SUM(b.n5) <> 0 OR SUM(b.n6) <> 0 "
                    "ORDER BY 1, 2, 3, 4");
QUERY(check_message_seq,
      "SELECT t.id, t.message_seq, COALESCE(p.n, 0) "
      "FROM cases t LEFT JOIN (SELECT case_id, COUNT(*) AS n FROM posts WHERE kind = 1 GROUP BY case_id) p "
      "ON p.case_id = t.id WHERE t.state <> 5 AND t.message_seq <> COALESCE(p.n, 0) "
      "ORDER BY t.id");
/* While a merge moves messages, the newest one may be in a merged conversation. */
QUERY(check_last_message,
      "SELECT t.id FROM cases t "
      "WHERE t.message_seq > 0 AND COALESCE(t.last_message_id, 0) <> (SELECT MAX(p.id) FROM posts p "
      "WHERE p.case_id = t.id) AND NOT EXISTS (" CASCADES_UNDER_WAY ") ORDER BY t.id");
QUERY(check_status_type, "SELECT t.id FROM cases t JOIN case_statuses s ON s.id = t.status_id "
                         "WHERE t.status_type <> s.type ORDER BY t.id");
QUERY(check_snoozed, "SELECT t.id FROM cases t WHERE t.snoozed_at IS NOT NULL "
                     "AND (t.state <> 1 OR t.status_type IN (4, 5)) AND t.state <> 5 ORDER BY t.id");
/* The history of statuses and states is a chain that ends with the present ones. */
QUERY(check_status_history,
      "SELECT t.id FROM cases t "
      "JOIN case_status_changes h ON h.id = (SELECT MAX(x.id) FROM case_status_changes x "
      "WHERE x.case_id = t.id) "
      "WHERE t.state <> 5 AND (h.to_status_id <> t.status_id OR h.to_state <> t.state) UNION "
      "SELECT x.case_id FROM (SELECT h.case_id, h.from_status_id, h.from_state, "
      "LAG(h.to_status_id) OVER (PARTITION BY h.case_id ORDER BY h.id) AS status_id, "
      "LAG(h.to_state) OVER (PARTITION BY h.case_id ORDER BY h.id) AS state FROM case_status_changes h) x "
      "WHERE x.status_id <> x.from_status_id OR x.state <> x.from_state "
      "ORDER BY 1");
QUERY(
    check_organization,
    "SELECT t.id FROM cases t JOIN users u ON u.id = t.requester_id "
    "WHERE COALESCE(t.organization_id, 0) <> COALESCE(u.organization_id, 0) AND NOT EXISTS (" CASCADES_UNDER_WAY
    ") ORDER BY t.id");
QUERY(check_markers,
      "SELECT m.case_id, m.user_id FROM read_markers m "
      "JOIN cases t ON t.id = m.case_id WHERE m.last_read_seq < 0 OR m.last_read_seq > t.message_seq "
      "ORDER BY 1, 2");
QUERY(check_role_type,
      "SELECT u.id FROM users u JOIN roles r ON r.id = u.role_id WHERE u.role_type <> r.type ORDER BY u.id");
/* People who (1) have eligible identities and not exactly one primary one, or (2) have an ineligible
 * primary one. */
#define WITHOUT_PRIMARY(table, leads)                                                              \
    "SELECT user_id FROM " table " WHERE user_id IS NOT NULL GROUP BY user_id "                    \
    "HAVING SUM(is_primary) <> MAX(CASE WHEN " leads " THEN 1 ELSE 0 END) OR SUM(CASE WHEN " leads \
    " THEN 0 ELSE is_primary END) > 0"
QUERY(
    check_primary,
    WITHOUT_PRIMARY("identity_emails", EMAIL_LEADS) " UNION " WITHOUT_PRIMARY(
        "identity_phones",
        OTHERS_LEAD) " UNION " WITHOUT_PRIMARY("identity_twitter",
                                               OTHERS_LEAD) " UNION " WITHOUT_PRIMARY("identity_facebook",
                                                                                      OTHERS_LEAD) " ORDER BY 1");
QUERY(check_owner,
      "SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM users u JOIN identity_emails e ON e.user_id = u.id "
      "WHERE u.role_type = 5 AND u.is_enabled = 1 AND u.deleted_at IS NULL AND e.is_claim = 0)");
#define WITHOUT_DEFAULT(table, enabled) \
    "SELECT COUNT(*) FROM " table " WHERE is_default = 1" enabled " HAVING COUNT(*) <> 1"
QUERY(check_default_mailboxes,
      "SELECT COUNT(*) FROM mailboxes "
      "WHERE is_default = 1 AND is_enabled = 1 AND deleted_at IS NULL AND verified_at IS NOT NULL "
      "HAVING COUNT(*) <> 1");
QUERY(check_mails, "SELECT m.id FROM mails m LEFT JOIN posts p ON p.id = m.post_id "
                   "LEFT JOIN notes n ON n.id = m.post_id WHERE m.post_id IS NOT NULL AND (m.case_id IS NULL "
                   "OR CASE WHEN m.forward_id IS NULL THEN p.id ELSE n.id END IS NULL) "
                   "ORDER BY m.id");
QUERY(check_public_clients,
      "SELECT id FROM oauth_clients WHERE is_public = 1 AND secret_hash IS NOT NULL ORDER BY id");
/* A mask of 0 allows nothing; rows that a person consented to or made always allow something. */
QUERY(check_grant_scopes, "SELECT id FROM oauth_grants WHERE scopes = 0 ORDER BY id");
QUERY(check_default_hours, WITHOUT_DEFAULT("business_hours", ""));
QUERY(check_default_brand, WITHOUT_DEFAULT("brands", " AND is_enabled = 1"));
QUERY(check_translations,
      "SELECT t.id FROM locale_fields t "
      "WHERE NOT EXISTS (SELECT 1 FROM custom_fields f WHERE t.owner_kind IN (1, 3, 4) "
      "AND f.id = t.owner_id) AND NOT EXISTS (SELECT 1 FROM custom_field_options o "
      "WHERE t.owner_kind = 2 AND o.id = t.owner_id) AND NOT EXISTS (SELECT 1 FROM case_forms f "
      "WHERE t.owner_kind IN (5, 6) AND f.id = t.owner_id) AND NOT EXISTS (SELECT 1 FROM categories g "
      "WHERE t.owner_kind IN (7, 8) AND g.id = t.owner_id) AND NOT EXISTS (SELECT 1 FROM sections s "
      "WHERE t.owner_kind IN (9, 10) AND s.id = t.owner_id) AND NOT EXISTS (SELECT 1 FROM articles a "
      "WHERE t.owner_kind IN (11, 12) AND a.id = t.owner_id) "
      "ORDER BY t.id");
/* A cascade is deleting the articles of deleted sections. */
QUERY(check_section_counts,
      "SELECT s.id, s.total_articles, s.published_articles "
      "FROM sections s LEFT JOIN (SELECT section_id, COUNT(*) AS n, SUM(CASE WHEN status = 3 THEN 1 "
      "ELSE 0 END) AS published FROM articles WHERE deleted_at IS NULL GROUP BY section_id) a "
      "ON a.section_id = s.id "
      "WHERE s.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM categories g WHERE g.id = s.category_id "
      "AND g.deleted_at IS NOT NULL) AND (s.total_articles <> COALESCE(a.n, 0) "
      "OR s.published_articles <> COALESCE(a.published, 0)) "
      "ORDER BY s.id");
QUERY(check_untitled,
      "SELECT 7, g.id FROM categories g "
      "WHERE g.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM locale_fields l WHERE l.owner_kind = 7 "
      "AND l.owner_id = g.id) UNION ALL SELECT 9, s.id "
      "FROM sections s "
      "WHERE s.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM locale_fields l WHERE l.owner_kind = 9 "
      "AND l.owner_id = s.id) ORDER BY 1, 2");
QUERY(check_files_kept,
      "SELECT f.id FROM files f WHERE f.expires_at IS NULL AND NOT " FILE_IS_USED " ORDER BY f.id");
QUERY(check_files_going,
      "SELECT f.id FROM files f WHERE f.expires_at IS NOT NULL AND " FILE_IS_USED " ORDER BY f.id");
/* Messages, notes and activities share one id space. */
QUERY(check_post_ids, "SELECT n.id FROM notes n JOIN posts p ON p.id = n.id UNION "
                      "SELECT a.id FROM activities a JOIN posts p ON p.id = a.id UNION "
                      "SELECT a.id FROM activities a JOIN notes n ON n.id = a.id "
                      "ORDER BY 1");
/* Owners are rows of three tables, so no foreign key holds them. */
QUERY(check_values, "SELECT v.field_id, v.owner_id FROM field_values v "
                    "JOIN custom_fields f ON f.id = v.field_id "
                    "WHERE v.area <> f.area OR NOT ((v.area = 1 AND EXISTS (SELECT 1 FROM cases c "
                    "WHERE c.id = v.owner_id)) OR (v.area = 2 AND EXISTS (SELECT 1 FROM users u "
                    "WHERE u.id = v.owner_id)) OR (v.area = 3 AND EXISTS (SELECT 1 FROM organizations o "
                    "WHERE o.id = v.owner_id))) ORDER BY 1, 2");
QUERY(check_attachments,
      "SELECT t.id, t.attachments_count FROM cases t "
      "WHERE t.state <> 5 AND t.attachments_count <> (SELECT COUNT(*) FROM post_attachments a "
      "JOIN posts p ON p.id = a.post_id WHERE p.case_id = t.id) + (SELECT COUNT(*) "
      "FROM post_attachments a JOIN notes n ON n.id = a.post_id WHERE n.case_id = t.id) "
      "ORDER BY t.id");
QUERY(check_notes,
      "SELECT t.id FROM cases t LEFT "
      "JOIN (SELECT case_id, COUNT(*) AS n, SUM(is_pinned) AS pinned FROM notes GROUP BY case_id) n "
      "ON n.case_id = t.id WHERE t.state <> 5 AND (t.notes_count <> COALESCE(n.n, 0) "
      "OR t.pinned_notes_count <> COALESCE(n.pinned, 0)) "
      "ORDER BY t.id");
#define PINS_DIFFER(table, owner)                                                                           \
    "SELECT t.id FROM " table " t WHERE t.deleted_at IS NULL AND t.pinned_notes_count <> (SELECT COUNT(*) " \
    "FROM notes n WHERE n." owner " = t.id AND n.is_pinned = 1) ORDER BY t.id"
QUERY(check_user_pins, PINS_DIFFER("users", "owner_user_id"));
QUERY(check_organization_pins, PINS_DIFFER("organizations", "organization_id"));
QUERY(check_ratings,
      "SELECT t.id FROM cases t LEFT "
      "JOIN case_ratings r ON r.id = (SELECT MAX(n.id) FROM case_ratings n WHERE n.case_id = t.id) "
      "WHERE COALESCE(t.rating, 0) <> COALESCE(r.score, 0) "
      "ORDER BY t.id");
/* Texts of messages and notes in the search index, unless a job is still building it. :pending: they are
 * still to be indexed. */
#define BUILT "NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'index_search' AND j.status IN (1, 2))"
/* The follower of the search removes all texts of a deleted conversation at once, its cascade the posts part
 * by part (state 5: CASE_DELETING). */
#define NOT_DELETING(id) "NOT EXISTS (SELECT 1 FROM cases k WHERE k.id = " id " AND k.state = 5)"
QUERY(
    check_search_texts,
    "SELECT p.id FROM posts p LEFT JOIN search_texts s ON s.id = " SEARCH_OF_CASES
    " + p.id * 4 + 1 AND s.owner_id = p.case_id WHERE s.id IS NULL AND p.id NOT IN @LIST(:pending) AND " BUILT
    " AND " NOT_DELETING(
        "p.case_id") " UNION SELECT n.id FROM notes n LEFT JOIN search_texts s ON s.id = " SEARCH_OF_CASES
                     " + n.id * 4 + 2 AND s.owner_id = n.case_id "
                     "WHERE n.case_id IS NOT NULL AND s.id IS NULL AND n.id NOT IN @LIST(:pending) AND " BUILT
                     " AND " NOT_DELETING("n.case_id") " ORDER BY 1");
QUERY(check_search_owners,
      "SELECT s.id FROM search_texts s WHERE s.id NOT IN @LIST(:texts) "
      "AND NOT (s.kind = 1 AND s.owner_id IN @LIST(:cases)) "
      "AND NOT ((s.kind = 1 AND EXISTS (SELECT 1 FROM cases c WHERE c.id = s.owner_id)) "
      "OR (s.kind = 2 AND EXISTS (SELECT 1 FROM users u WHERE u.id = s.owner_id)) "
      "OR (s.kind = 3 AND EXISTS (SELECT 1 FROM organizations o WHERE o.id = s.owner_id)) "
      "OR (s.kind = 4 AND EXISTS (SELECT 1 FROM articles a WHERE a.id = s.owner_id))) "
      "ORDER BY s.id");
QUERY(check_search_articles,
      "SELECT DISTINCT a.id FROM articles a JOIN locale_fields l ON l.owner_kind = 11 AND l.owner_id = a.id "
      "LEFT JOIN search_texts s ON s.id = " SEARCH_OF_TITLES " + l.id * 4 AND s.owner_id = a.id "
      "WHERE a.deleted_at IS NULL AND s.id IS NULL AND " BUILT " ORDER BY a.id");
QUERY(check_message_counts,
      "SELECT t.id FROM cases t LEFT "
      "JOIN (SELECT case_id, SUM(by_staff) AS staff, SUM(is_requester) AS requester FROM posts "
      "WHERE kind = 1 GROUP BY case_id) p ON p.case_id = t.id "
      "WHERE t.state <> 5 AND (t.agent_message_count <> COALESCE(p.staff, 0) "
      "OR t.requester_message_count <> COALESCE(p.requester, 0)) "
      "ORDER BY t.id");
QUERY(check_early_posts, "SELECT p.id, k.id FROM posts p JOIN cases k ON k.id = " POST_WRITTEN_IN
                         " WHERE p.created_at < k.created_at ORDER BY p.id");
QUERY(check_negative_clocks, "SELECT m.case_id FROM sla_metrics m WHERE m.completed_at < m.started_at UNION "
                             "SELECT s.case_id FROM sla_runs s WHERE s.completed_at < s.started_at "
                             "ORDER BY 1");
QUERY(check_former_runs,
      "SELECT s.case_id FROM sla_runs s JOIN sla_metrics m ON m.case_id = s.case_id AND m.type = s.type "
      "WHERE s.started_at >= m.started_at ORDER BY s.case_id, s.id");

/* A merge moves activities, and several changes in one write have one activity. */
QUERY(check_change_counts,
      "SELECT t.id FROM cases t "
      "JOIN (SELECT owner_case_id, SUM(CASE WHEN fields LIKE '%\"assigned_agent\"%' THEN 1 "
      "ELSE 0 END) AS agents, SUM(CASE WHEN fields LIKE '%\"assigned_team\"%' THEN 1 "
      "ELSE 0 END) AS teams FROM activities WHERE owner_case_id IS NOT NULL AND name = 9 "
      "AND fields LIKE '%\"assigned_%' GROUP BY owner_case_id) a ON a.owner_case_id = t.id "
      "WHERE t.state <> 5 AND (t.assignee_change_count < a.agents OR t.team_change_count < a.teams) "
      "AND NOT EXISTS (SELECT 1 FROM cases m WHERE m.merged_into_id = t.id) "
      "ORDER BY t.id");
QUERY(check_deliveries,
      "SELECT d.id, d.attempts, (SELECT COUNT(*) FROM endpoint_attempts a WHERE a.delivery_id = d.id) "
      "FROM endpoint_deliveries d "
      "WHERE d.attempts <> (SELECT COUNT(*) FROM endpoint_attempts a WHERE a.delivery_id = d.id) "
      "OR (d.status = 2 AND d.attempts = 0) ORDER BY d.id");
/* Owners are rows of three tables, so no foreign key holds predicates and actions. */
#define WITHOUT_RULE(table)                                                                                 \
    "SELECT x.owner, x.owner_id FROM " table " x WHERE NOT ((x.owner = 1 AND EXISTS (SELECT 1 FROM slas s " \
    "WHERE s.id = x.owner_id)) OR (x.owner = 2 "                                                            \
    "AND EXISTS (SELECT 1 FROM triggers t "                                                                 \
    "WHERE t.id = x.owner_id)) OR (x.owner = 3 "                                                            \
    "AND EXISTS (SELECT 1 FROM monitors m WHERE m.id = x.owner_id)))"
QUERY(check_rules, WITHOUT_RULE("rule_collections") " UNION " WITHOUT_RULE("rule_actions") " ORDER BY 1, 2");
/* No foreign key holds monitor_cases to their monitor: a cascade deletes them after it. */
QUERY(check_monitored,
      "SELECT o.monitor_id, o.case_id FROM monitor_cases o "
      "WHERE (NOT EXISTS (SELECT 1 FROM monitors m WHERE m.id = o.monitor_id) OR NOT EXISTS (SELECT 1 "
      "FROM cases t WHERE t.id = o.case_id)) AND NOT EXISTS (" CASCADES_UNDER_WAY ") ORDER BY 1, 2");
/* Articles that a cascade deletes, with their section or alone, lose their likes, comments and votes
 * before they go. */
#define STAYS                                                                      \
    "a.deleted_at IS NULL AND EXISTS (SELECT 1 FROM sections s JOIN categories g " \
    "ON g.id = s.category_id WHERE s.id = a.section_id AND s.deleted_at IS NULL "  \
    "AND g.deleted_at IS NULL)"
QUERY(check_comments,
      "SELECT a.id, a.total_comments FROM articles a "
      "LEFT JOIN (SELECT c.article_id, COUNT(*) AS n FROM article_comments c LEFT JOIN article_comments p "
      "ON p.id = c.parent_id WHERE c.status = 1 AND COALESCE(p.status, 1) = 1 GROUP BY c.article_id) n "
      "ON n.article_id = a.id WHERE " STAYS " AND a.total_comments <> COALESCE(n.n, 0) ORDER BY a.id");
QUERY(check_replies, "SELECT c.id, c.parent_id FROM article_comments c "
                     "JOIN article_comments p ON p.id = c.parent_id "
                     "WHERE p.article_id <> c.article_id OR p.parent_id IS NOT NULL "
                     "ORDER BY c.id");
QUERY(check_likes,
      "SELECT c.id, c.like_count FROM article_comments c "
      "JOIN articles a ON a.id = c.article_id LEFT "
      "JOIN (SELECT comment_id, COUNT(*) AS n FROM comment_likes GROUP BY comment_id) l "
      "ON l.comment_id = c.id WHERE " STAYS " AND c.like_count <> COALESCE(l.n, 0) ORDER BY c.id");
QUERY(check_votes,
      "SELECT a.id FROM articles a LEFT JOIN (SELECT article_id, SUM(is_up) AS up, SUM(1 - is_up) AS down "
      "FROM article_votes GROUP BY article_id) v ON v.article_id = a.id "
      "WHERE " STAYS " AND (a.upvote_count <> COALESCE(v.up, 0) "
      "OR a.downvote_count <> COALESCE(v.down, 0)) "
      "ORDER BY a.id");
QUERY(check_rank,
      "SELECT a.id FROM articles a WHERE a.rank <> " ARTICLE_RANK("a.views", "a.upvote_count",
                                                                  "a.downvote_count") " ORDER BY a.id");
/* No foreign key holds an event to the identity that matched. */
#define IDENTITY_OF_OTHER(kind, table)                 \
    "SELECT e.id, e.user_id FROM events e JOIN " table \
    " i ON i.id = e.identity_id WHERE e.identity_kind = " kind " AND i.user_id <> e.user_id"
/* clang-format off */
QUERY(check_event_identities, IDENTITY_OF_OTHER("1", "identity_emails") " UNION ALL "
                              IDENTITY_OF_OTHER("2", "identity_phones") " UNION ALL "
                              IDENTITY_OF_OTHER("3", "identity_twitter") " UNION ALL "
                              IDENTITY_OF_OTHER("4", "identity_facebook") " UNION ALL "
                              IDENTITY_OF_OTHER("5", "external_identifiers") " ORDER BY 1");
/* clang-format on */
QUERY(check_events_purged,
      "SELECT e.id, e.user_id FROM events e JOIN users u ON u.id = e.user_id "
      "WHERE u.purged_at IS NOT NULL AND NOT EXISTS (" CASCADES_UNDER_WAY ") ORDER BY e.id");
QUERY(check_event_tokens,
      "SELECT t.id FROM event_tokens t WHERE LENGTH(t.token_hash) <> 64 OR LENGTH(t.token_sealed) < 64 "
      "ORDER BY t.id");
QUERY(check_oauth_tokens, "SELECT t.id, t.grant_id FROM oauth_tokens t "
                          "JOIN oauth_grants g ON g.id = t.grant_id "
                          "WHERE t.user_id <> g.user_id OR t.client_id <> g.client_id "
                          "ORDER BY t.id");
QUERY(check_refresh_tokens,
      "SELECT t.id FROM oauth_tokens t "
      "WHERE CASE WHEN t.former_hash IS NULL THEN 0 ELSE 1 END <> CASE WHEN t.rotated_at IS NULL "
      "THEN 0 ELSE 1 END OR (t.kind <> 2 AND t.former_hash IS NOT NULL) OR (t.kind = 2 "
      "AND t.grant_id IS NULL) ORDER BY t.id");
QUERY(check_finished, "SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'desk.created_at')");

static const struct rule {
    const struct query *query;
    const char *sentence; /* printf format with up to four numbers */
} rules[] = {
    {&check_totals, "case_totals of kind %" PRId64 ", id %" PRId64 ", with %" PRId64 ", priority %" PRId64
                    " differs from the conversations"},
    {&check_message_seq, "conversation %" PRId64 " has message_seq %" PRId64 ", but %" PRId64 " messages"},
    {&check_last_message, "conversation %" PRId64 " refers to a last message that is not its newest"},
    {&check_status_type, "conversation %" PRId64 " has a status_type that differs from its status"},
    {&check_status_history,
     "conversation %" PRId64 " has a history of statuses that does not lead to its status"},
    {&check_organization, "conversation %" PRId64 " is not in its requester's organization"},
    {&check_markers, "in conversation %" PRId64 " user %" PRId64 " has read more messages than there are"},
    {&check_search_articles, "a title of article %" PRId64 " is not in the search index"},
    {&check_role_type, "user %" PRId64 " has a role_type that differs from its role"},
    {&check_primary, "user %" PRId64 " has identities of one kind, but not exactly one primary one"},
    {&check_default_mailboxes,
     "the desk has %" PRId64 " default mailboxes that are enabled and verified instead of one"},
    {&check_mails,
     "mail %" PRId64 " refers to a message or a note that does not exist, or has no conversation"},
    {&check_public_clients, "client %" PRId64 " is public, but has a secret"},
    {&check_grant_scopes, "grant %" PRId64 " has no scopes"},
    {&check_default_hours, "the desk has %" PRId64 " default business hours instead of one"},
    {&check_default_brand, "the desk has %" PRId64 " enabled default brands instead of one"},
    {&check_translations, "translation %" PRId64 " has no owner"},
    {&check_section_counts, "section %" PRId64 " counts %" PRId64 " articles, %" PRId64
                            " of them published, but has other numbers of them"},
    {&check_untitled, "there is no title (kind %" PRId64 ") of the category or section %" PRId64},
    {&check_files_kept, "file %" PRId64 " does not expire, but nothing refers to it"},
    {&check_files_going, "file %" PRId64 " will expire, but something refers to it"},
    {&check_post_ids, "id %" PRId64 " belongs to more than one message, note or activity"},
    {&check_values,
     "custom field %" PRId64 " has a value of owner %" PRId64 ", which is not there or of another area"},
    {&check_attachments,
     "conversation %" PRId64 " counts %" PRId64 " attachments, but has another number of them"},
    {&check_notes, "conversation %" PRId64 " counts another number of notes or pinned notes than it has"},
    {&check_user_pins, "user %" PRId64 " counts another number of pinned notes than there are"},
    {&check_organization_pins,
     "organization %" PRId64 " counts another number of pinned notes than there are"},
    {&check_ratings, "conversation %" PRId64 " shows a score that differs from its rating"},
    {&check_owner, "the desk has no owner who can log in: enabled, with an e-mail address that is no claim"},
    {&check_snoozed, "conversation %" PRId64 " is snoozed, but needs no work any more"},
    {&check_message_counts,
     "conversation %" PRId64 " counts another number of messages by staff or by the requester "
     "than it has"},
    {&check_change_counts,
     "conversation %" PRId64 " counts fewer changes of the agent or the team than its activities"},
    {&check_early_posts,
     "message %" PRId64 " is older than conversation %" PRId64 ", in which it was written"},
    {&check_negative_clocks, "an SLA clock of conversation %" PRId64 " ends before it begins"},
    {&check_former_runs,
     "conversation %" PRId64 " has a former run of an SLA clock that begins with the current one "
     "or after it"},
    {&check_deliveries, "delivery %" PRId64 " counts %" PRId64 " attempts, but %" PRId64 " are logged"},
    {&check_rules,
     "a predicate or an action belongs to a rule of kind %" PRId64 ", id %" PRId64 ", which is not there"},
    {&check_monitored,
     "monitor %" PRId64 " has acted on conversation %" PRId64 ", but one of them is not there"},
    {&check_comments,
     "article %" PRId64 " counts %" PRId64 " comments, but everyone sees another number of them"},
    {&check_replies, "comment %" PRId64 " replies to %" PRId64 ", which is a reply or of another article"},
    {&check_likes, "comment %" PRId64 " counts %" PRId64 " likes, but has another number of them"},
    {&check_votes, "article %" PRId64 " counts other votes than it has"},
    {&check_rank, "article %" PRId64 " has a rank that differs from its views and votes"},
    {&check_event_identities, "event %" PRId64 " of user %" PRId64 " refers to an identity of another user"},
    {&check_events_purged, "event %" PRId64 " belongs to user %" PRId64 ", who was purged"},
    {&check_event_tokens, "event token %" PRId64 " has no valid hash or text"},
    {&check_oauth_tokens, "token %" PRId64 " belongs to another person or client than its grant %" PRId64},
    {&check_refresh_tokens, "token %" PRId64 " has parts of a refresh token that do not fit together"},
    {&check_finished, "the desk is unfinished: its creation was interrupted"},
};

enum { SHOWN = 10 }; /* lines of one kind: a broken index would fill the screen */

static int check_rule(struct conn *c, const struct rule *rule, const struct bind *binds,
                      void (*report)(void *arg, const char *line), void *arg) {
    char line[256];
    int found = 0, rc;
    DB_ROWS(rc, c, rule->query, binds, row) {
        int64_t v[4] = {0};
        for (int i = 0; i < 4 && i < col_count(row); i++) v[i] = col_int(row, i);
        snprintf(line, sizeof line, rule->sentence, v[0], v[1], v[2], v[3]);
        if (++found <= SHOWN) report(arg, line);
    }
    if (rc < 0) return rc;
    snprintf(line, sizeof line, "... and %d more like it", found - SHOWN);
    if (found > SHOWN) report(arg, line);
    return found;
}

/* Findings of one part of the check. */
struct part_findings {
    void (*report)(void *arg, const char *line);
    void *arg;
    int shown;
};

__attribute__((format(printf, 2, 3))) static void finding_add(struct part_findings *f, const char *sentence,
                                                              ...) {
    char line[160];
    va_list values;
    va_start(values, sentence);
    vsnprintf(line, sizeof line, sentence, values);
    va_end(values);
    if (++f->shown <= SHOWN) f->report(f->arg, line);
}

static void clock_differs(void *arg, int64_t case_id, int64_t type) {
    finding_add(arg, "the %s clock of conversation %" PRId64 " does not follow from its history",
                word_of(sla_target_types, (int)type), case_id);
}

/* Computes the SLA clocks again, unless a job is doing that. */
QUERY(check_clocks_moving, "SELECT 1 FROM jobs j WHERE j.kind = 'clocks' AND j.status IN (1, 2)");

static int check_clocks(struct conn *c, void (*report)(void *arg, const char *line), void *arg) {
    struct arena *a = arena_new();
    struct work w = {.arena = a, .conn = c};
    struct part_findings f = {.report = report, .arg = arg};
    int64_t one;
    int moving = db_int(c, &check_clocks_moving, NULL, &one), rc = moving < 0 ? moving : 0;
    if (moving == 0) rc = clocks_check(&w, clock_differs, &f);
    arena_free(a);
    return rc;
}

/* The index may be behind (core/search/follow.h): a text is wrong only if no entry after its place corrects
 * it. */
static int check_search(struct conn *c, void (*report)(void *arg, const char *line), void *arg) {
    static const struct rule missing = {&check_search_texts,
                                        "post %" PRId64 " is not in the search index of its conversation"};
    static const struct rule without_owner = {&check_search_owners,
                                              "text %" PRId64 " of the search index has no owner"};
    struct arena *a = arena_new();
    struct work w = {.arena = a, .conn = c};
    struct search_pending p = {0};
    int rc = search_pending_read(&w, &p), found = 0;
    if (rc >= 0) rc = check_rule(c, &missing, BINDS(B_TEXT("pending", p.posts)), report, arg);
    found += rc;
    if (rc >= 0)
        rc = check_rule(c, &without_owner, BINDS(B_TEXT("texts", p.texts), B_TEXT("cases", p.cases)), report,
                        arg);
    arena_free(a);
    return rc < 0 ? rc : found + rc;
}

static void facts_differ(void *arg, int64_t case_id) {
    finding_add(arg, "the facts of reports of conversation %" PRId64 " do not follow from its rows", case_id);
}

static void rollup_differs(void *arg, int64_t kind, int64_t day) {
    finding_add(arg, "the rollup of reports of kind %" PRId64 ", day %" PRId64 ", differs from its facts",
                kind, day);
}

static int check_reports(struct conn *c, void (*report)(void *arg, const char *line), void *arg) {
    struct arena *a = arena_new();
    struct work w = {.arena = a, .conn = c};
    struct part_findings f = {.report = report, .arg = arg};
    int rc = report_check(&w, &(struct report_findings){facts_differ, rollup_differs, &f});
    arena_free(a);
    return rc;
}

int desk_check(struct conn *c, void (*report)(void *arg, const char *line), void *arg) {
    int found = check_clocks(c, report, arg), rc = found < 0 ? found : check_search(c, report, arg);
    found += rc;
    if (rc >= 0) rc = check_reports(c, report, arg);
    found += rc;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && rc >= 0; i++) {
        rc = check_rule(c, &rules[i], NULL, report, arg);
        found += rc;
    }
    return rc < 0 ? rc : found;
}
