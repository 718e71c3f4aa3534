/* The steps of an erasure after those of a purge (core/desk/cascade.c), and the table of all columns. */
#include "core/desk/cascade_step.h"
#include "core/erasure/erase.h"
#include "core/erasure/erase_receipt.h"
#include "core/erasure/erase_values.h"
#include "core/search/text.h"

/* ---- texts: only with contents=true ----------------------------------------------------------
 *
 * Rows stay, because counters, clocks and statistics refer to them. Their texts become ERASED_TEXT. */

#define ERASED_TEXT "'(erased)'"
#define ERASED_UNLESS_NULL(column) column " = CASE WHEN " column " IS NULL THEN NULL ELSE " ERASED_TEXT " END"
#define OWN_CASES "(SELECT c.id FROM cases c WHERE c.requester_id = :id)"

QUERY(erase_post_files, POST_FILES_LOCK);
QUERY(erase_post_files_go, POST_FILES_EXPIRE_NOW);
/* Each part counts what it removes: the next one may come after a restart, and some of the posts are in
 * conversations of others. */
#define LESS_ATTACHMENTS(table)                                                                              \
    "UPDATE cases SET attachments_count = attachments_count - (SELECT COUNT(*) FROM post_attachments a "     \
    "JOIN " table " x ON x.id = a.post_id WHERE x.case_id = cases.id AND x.id IN @LIST(:rows)) WHERE id IN " \
    "(SELECT x.case_id FROM post_attachments a JOIN " table " x ON x.id = a.post_id "                        \
    "WHERE x.id IN @LIST(:rows))"
QUERY(erase_post_attachments_count, LESS_ATTACHMENTS("posts"));
QUERY(erase_note_attachments_count, LESS_ATTACHMENTS("notes"));
QUERY(erase_attachments, POST_ATTACHMENTS_DELETE);
QUERY(erase_originals, POST_ORIGINALS_DELETE);
/* The texts of search_texts are those of the index: an erased text is found by its number and the word
 * that stands for it. */
#define TERMS_GO "UPDATE search_texts SET terms = 'erased' WHERE id IN "
QUERY(erase_search_lock, SEARCH_LOCK);
QUERY(erase_messages_search, TERMS_GO SEARCH_MESSAGES_IDS);
QUERY(erase_notes_search, TERMS_GO SEARCH_NOTES_IDS);

QUERY(erase_posts_of_cases, "SELECT p.id, 0 FROM posts p WHERE p.case_id IN " OWN_CASES
                            " AND p.id > :after ORDER BY p.id LIMIT :most @LOCK@");
QUERY(erase_posts_of_creator,
      "SELECT p.id, 0 FROM posts p WHERE p.creator_id = :id AND p.case_id NOT IN " OWN_CASES
      " AND p.id > :after ORDER BY p.id LIMIT :most @LOCK@");
QUERY(erase_post_texts,
      "UPDATE posts SET content_text = " ERASED_TEXT
      ", " ERASED_UNLESS_NULL("content_html") ", " ERASED_UNLESS_NULL(
          "subject") ", reject_reason = NULL, creator_name = NULL, metadata = NULL, updated_at = :now "
                     "WHERE id IN @LIST(:rows)");
#define POST_TEXTS                                                                                  \
    {                                                                                               \
        &erase_post_files, &erase_post_files_go, &erase_post_attachments_count, &erase_attachments, \
            &erase_originals, &erase_search_lock, &erase_messages_search, &erase_post_texts         \
    }

QUERY(erase_notes_of_cases, "SELECT n.id, 0 FROM notes n WHERE n.case_id IN " OWN_CASES
                            " AND n.id > :after ORDER BY n.id LIMIT :most @LOCK@");
QUERY(erase_notes_of_author,
      "SELECT n.id, 0 FROM notes n WHERE n.user_id = :id AND n.case_id NOT IN " OWN_CASES
      " AND n.id > :after ORDER BY n.id LIMIT :most @LOCK@");
QUERY(erase_note_texts, "UPDATE notes SET body_text = " ERASED_TEXT
                        ", " ERASED_UNLESS_NULL("body_html") ", updated_at = :now WHERE id IN @LIST(:rows)");
QUERY(erase_forward_subjects, "UPDATE forwards SET subject = " ERASED_TEXT " WHERE note_id IN @LIST(:rows)");
#define NOTE_TEXTS                                                                                  \
    {                                                                                               \
        &erase_post_files, &erase_post_files_go, &erase_note_attachments_count, &erase_attachments, \
            &erase_originals, &erase_search_lock, &erase_notes_search, &erase_forward_subjects,     \
            &erase_note_texts                                                                       \
    }

#define CASE_VALUES "v.area = 1 AND v.owner_id IN @LIST(:rows)"
QUERY(erase_own_cases, "SELECT c.id, c.created_at FROM cases c "
                       "WHERE c.requester_id = :id AND (c.created_at, c.id) > (:place, :after) "
                       "ORDER BY c.created_at, c.id LIMIT :most @LOCK@");
QUERY(erase_case_files, VALUE_FILES_LOCK(CASE_VALUES));
QUERY(erase_case_files_go, VALUE_FILES_EXPIRE_NOW(CASE_VALUES));
QUERY(erase_case_values, "DELETE FROM field_values WHERE area = 1 AND owner_id IN @LIST(:rows)");
QUERY(
    erase_cases_search,
    "UPDATE search_texts SET terms = 'erased ' || CAST(owner_id AS TEXT) WHERE id IN (SELECT " SEARCH_OF_CASES
    " + c.id * 4 FROM cases c WHERE c.id IN @LIST(:rows))");
QUERY(
    erase_subjects,
    "UPDATE cases SET subject = " ERASED_TEXT ", subject_key = " ERASED_TEXT
    ", " ERASED_UNLESS_NULL("last_message_preview") ", " ERASED_UNLESS_NULL("last_note_preview") ", " ERASED_UNLESS_NULL(
        "undo_note_preview") ", updated_at = CASE WHEN updated_at < :since THEN :since "
                             "ELSE updated_at END WHERE id IN @LIST(:rows)");

QUERY(erase_trails_of_cases, "SELECT a.id, 0 FROM activities a WHERE a.owner_case_id IN " OWN_CASES
                             " AND a.id > :after ORDER BY a.id LIMIT :most");
QUERY(erase_trail_values,
      "UPDATE activities SET previous_values = NULL, current_values = NULL, objects = NULL "
      "WHERE id IN @LIST(:rows)");

#define RAW_MAIL_GOES                                                                                     \
    "envelope_from = NULL, recipient = NULL, from_text = NULL, from_key = NULL, to_text = NULL, cc_text " \
    "= NULL, to_addresses = NULL, cc_addresses = NULL, subject = NULL, content_text = NULL, "             \
    "content_html = NULL, message_id = NULL, file_id = NULL, reason = NULL"
QUERY(erase_mails_of_cases, "SELECT m.id, 0 FROM mails m WHERE m.case_id IN " OWN_CASES
                            " AND m.id > :after ORDER BY m.id LIMIT :most @LOCK@");
QUERY(erase_mail_files, MAIL_FILES_LOCK);
QUERY(erase_mail_files_go, MAIL_FILES_EXPIRE_NOW);
QUERY(erase_mails, "UPDATE mails SET " RAW_MAIL_GOES " WHERE id IN @LIST(:rows)");

QUERY(
    erase_ratings,
    "UPDATE case_ratings SET comment = NULL WHERE comment IS NOT NULL AND (creator_id = :id OR case_id IN " OWN_CASES
    ")");
QUERY(erase_comments,
      "UPDATE article_comments SET contents = " ERASED_TEXT ", updated_at = :now WHERE user_id = :id");

const struct step erase_text_steps[] = {
    {&erase_posts_of_cases, POST_TEXTS, COUNTED(3, ERASED_MESSAGE_TEXTS)},
    {&erase_posts_of_creator, POST_TEXTS, COUNTED(3, ERASED_MESSAGE_TEXTS)},
    {&erase_notes_of_cases, NOTE_TEXTS, COUNTED(3, ERASED_NOTE_TEXTS)},
    {&erase_notes_of_author, NOTE_TEXTS, COUNTED(3, ERASED_NOTE_TEXTS)},
    {&erase_own_cases,
     {&erase_case_files, &erase_case_files_go, &erase_case_values},
     COUNTED(3, ERASED_CASE_VALUES)},
    {&erase_own_cases,
     {&erase_search_lock, &erase_cases_search, &erase_subjects},
     COUNTED(3, ERASED_SUBJECTS)},
    {&erase_trails_of_cases, {&erase_trail_values}, COUNTED(3, ERASED_TRAIL)},
    {&erase_mails_of_cases,
     {&erase_mail_files, &erase_mail_files_go, &erase_mails},
     COUNTED(2, ERASED_MAILS)},
    {NULL, {&erase_ratings}, COUNTED(20, ERASED_RATINGS)},
    {NULL, {&erase_comments}, COUNTED(20, ERASED_COMMENTS)},
    {0},
};

/* ---- rows of others that name the person -----------------------------------------------------
 *
 * A step reads its whole table, part by part: no index finds a text within a text. The rows that name
 * nobody are not written. */

/* A telephone number is found by its digits, with any characters between them. */
#define IS_DIGITS "e.value LIKE '" ERASURE_DIGITS "%'"
#define NAMES(text)                                                                                 \
    "EXISTS (SELECT 1 FROM erasure_values e WHERE e.user_id = :id AND @INSTR@(CASE WHEN " IS_DIGITS \
    " THEN @CLOSED_UP(" text ") ELSE LOWER(" text ") END, CASE WHEN " IS_DIGITS                     \
    " THEN SUBSTR(e.value, 5) ELSE e.value END) > 0)"
#define NAMES_OR_NULL(column) "(" column " IS NOT NULL AND " NAMES(column) ")"
/* The same for a column that is one value: a name is looked for in quotation marks. */
#define IS_NAMED(column) "(" column " IS NOT NULL AND " NAMES("'\"' || " column " || '\"'") ")"
#define EACH_ROW(table) "SELECT x.id, 0 FROM " table " x WHERE x.id > :after ORDER BY x.id LIMIT :most"
#define OF_ROWS " WHERE id IN @LIST(:rows) AND "
/* The name of an API token is a text of its person. */
#define OWN_CAUSE "actor_id = :id AND cause LIKE 'API token: %'"

QUERY(erase_each_activity, EACH_ROW("activities"));
QUERY(erase_activities,
      "UPDATE activities SET previous_values = NULL, current_values = NULL, objects = NULL" OF_ROWS
      "(" NAMES_OR_NULL("previous_values") " OR " NAMES_OR_NULL("current_values") ")");
QUERY(erase_causes, "UPDATE activities SET cause = 'API token'" OF_ROWS OWN_CAUSE);
QUERY(erase_each_change, EACH_ROW("change_log"));
QUERY(erase_change_causes, "UPDATE change_log SET cause = 'API token'" OF_ROWS OWN_CAUSE);
QUERY(erase_changes, "UPDATE change_log SET old_value = NULL, new_value = NULL" OF_ROWS
                     "(" IS_NAMED("old_value") " OR " IS_NAMED("new_value") ")");
/* Only with contents=true; else the subjects stay anyway. */
QUERY(erase_case_changes, "UPDATE change_log SET old_value = NULL, new_value = NULL" OF_ROWS
                          "(old_value IS NOT NULL OR new_value IS NOT NULL) AND case_id IN " OWN_CASES
                          " AND EXISTS (SELECT 1 FROM erasures e WHERE e.user_id = :id AND e.status = 1 "
                          "AND e.with_contents = 1)");
QUERY(erase_each_audited, "SELECT x.entry_id, 0 FROM audit_values x "
                          "WHERE x.entry_id > :after ORDER BY x.entry_id "
                          "LIMIT :most @LOCK@");
/* The purge has erased the entries about the person. A cause can't be changed alone, because a hash covers
 * it with the details. */
QUERY(erase_audited, "DELETE FROM audit_values WHERE entry_id IN @LIST(:rows) AND (" NAMES(
                         "details") " OR cause LIKE 'API token: %' AND EXISTS (SELECT 1 FROM audit_entries n "
                                    "WHERE n.id = audit_values.entry_id AND n.actor_id = :id))");

/* A mail of somebody else to the person: its text stays in the conversation, but not the headers and the
 * raw file, which has them. */
#define MAIL_NAMES                                                                                                                                               \
    "(" NAMES_OR_NULL("from_text") " OR " NAMES_OR_NULL("envelope_from") " OR " NAMES_OR_NULL("recipient") " OR " NAMES_OR_NULL("to_text") " OR " NAMES_OR_NULL( \
        "cc_text") " OR " NAMES_OR_NULL("to_addresses") " OR " NAMES_OR_NULL("cc_addresses") " OR " NAMES_OR_NULL("reason") ")"
QUERY(erase_each_mail, "SELECT x.id, 0 FROM mails x WHERE x.id > :after ORDER BY x.id LIMIT :most @LOCK@");
#define NAMED_MAILS "SELECT m.file_id FROM mails m" OF_ROWS MAIL_NAMES " AND m.file_id IS NOT NULL"
QUERY(erase_named_files, THOSE_FILES_LOCK(NAMED_MAILS));
QUERY(erase_named_files_go, "UPDATE files SET expires_at = :now WHERE id IN (" NAMED_MAILS
                            ") AND NOT " FILE_USED_BY("files", "", "", "", "AND ma.id NOT IN @LIST(:rows)"));
QUERY(
    erase_named_mails,
    "UPDATE mails SET envelope_from = NULL, recipient = NULL, from_text = CASE WHEN " NAMES_OR_NULL(
        "from_text") " THEN NULL ELSE from_text END, from_key = CASE WHEN " NAMES_OR_NULL("from_key") " THEN NULL ELSE from_key END, to_text = NULL, cc_text = NULL, "
                                                                                                      "to_addresses = NULL, cc_addresses = NULL, reason = NULL, file_id = "
                                                                                                      "NULL" OF_ROWS
                                                                                                          MAIL_NAMES);

/* Letters to others about the person's conversations. They are sealed, but they say what the person wrote. */
QUERY(erase_letters_of_cases, "SELECT m.id, 0 FROM outgoing_mails m WHERE m.case_id IN " OWN_CASES
                              " AND m.id > :after ORDER BY m.id LIMIT :most @LOCK@");
QUERY(erase_letters,
      "UPDATE outgoing_mails "
      "SET letter = NULL, last_error = NULL, status = CASE WHEN status IN (1, 3) THEN 5 ELSE status END "
      "WHERE id IN @LIST(:rows)");
QUERY(erase_each_letter, EACH_ROW("outgoing_mails"));
QUERY(erase_named_letters, "DELETE FROM outgoing_mails" OF_ROWS "user_id IS NULL AND " IS_NAMED("recipient"));
QUERY(erase_letter_errors, "UPDATE outgoing_mails SET last_error = NULL" OF_ROWS NAMES_OR_NULL("last_error"));

QUERY(erase_each_delivery, EACH_ROW("endpoint_deliveries"));
QUERY(erase_attempts,
      "UPDATE endpoint_attempts SET message = NULL WHERE delivery_id IN @LIST(:rows) AND " NAMES_OR_NULL(
          "message"));
QUERY(
    erase_deliveries,
    "UPDATE endpoint_deliveries SET body = NULL, status = CASE WHEN status = 1 THEN 3 ELSE status END" OF_ROWS
        NAMES_OR_NULL("body"));

QUERY(erase_refused_posts, "SELECT p.id, 0 FROM posts p WHERE p.case_id IN " OWN_CASES
                           " AND p.reject_reason IS NOT NULL ORDER BY p.id LIMIT :most @LOCK@");
QUERY(erase_reasons, "UPDATE posts SET reject_reason = NULL WHERE id IN @LIST(:rows)");

/* The rest of the addresses of a forward goes, too. An answer of them is then suspended. */
QUERY(erase_each_forward, "SELECT x.note_id, 0 FROM forwards x WHERE x.note_id > :after ORDER BY x.note_id "
                          "LIMIT :most @LOCK@");
QUERY(erase_forwards,
      "UPDATE forwards SET to_addresses = '[]', cc_addresses = '[]' "
      "WHERE note_id IN @LIST(:rows) AND (" NAMES("to_addresses") " OR " NAMES("cc_addresses") ")");

/* Events of others. The properties stay a JSON object. */
QUERY(erase_each_event, EACH_ROW("events") " @LOCK@");
QUERY(erase_named_events, "UPDATE events SET properties = '{}', event = CASE WHEN " IS_NAMED(
                              "event") " THEN " ERASED_TEXT " ELSE event END" OF_ROWS
                                       "(" NAMES("properties") " OR " IS_NAMED("event") ")");

/* Drafts of others. One in a conversation of the person is an answer to the person. */
QUERY(erase_drafts_of_cases, "DELETE FROM drafts WHERE case_id IN " OWN_CASES);
QUERY(erase_each_draft, EACH_ROW("drafts") " @LOCK@");
/* These steps find drafts of new conversations with the person, and those that name the person. */
QUERY(erase_new_case_drafts, "DELETE FROM new_case_drafts WHERE requester_id = :id");
QUERY(erase_each_new_case_draft, EACH_ROW("new_case_drafts") " @LOCK@");
QUERY(erase_named_new_case_drafts,
      "DELETE FROM new_case_drafts" OF_ROWS "(" NAMES_OR_NULL("parameters") " OR " NAMES("contents") ")");
QUERY(erase_draft_parameters, "UPDATE drafts SET parameters = NULL" OF_ROWS NAMES_OR_NULL("parameters"));

/* One that is about to be posted would bring back what it names. */
QUERY(erase_scheduled_of_cases, "DELETE FROM scheduled_replies WHERE case_id IN " OWN_CASES);
QUERY(erase_each_scheduled, EACH_ROW("scheduled_replies") " @LOCK@");
QUERY(erase_scheduled,
      "DELETE FROM scheduled_replies" OF_ROWS "(" NAMES("parameters") " OR " NAMES("content_text") ")");

QUERY(erase_each_search, EACH_ROW("help_center_searches"));
QUERY(erase_searches,
      "DELETE FROM help_center_searches" OF_ROWS "(" IS_NAMED("name") " OR " IS_NAMED("name_key") ")");
/* Jobs that wait need their input. A finished import keeps none of it but the errors. */
QUERY(erase_each_job, EACH_ROW("jobs"));
QUERY(erase_jobs,
      "UPDATE jobs SET input = '{}', errors = CASE WHEN errors IS NULL THEN NULL ELSE '[]' END" OF_ROWS
      "status IN (3, 4) AND (" NAMES_OR_NULL("input") " OR " NAMES_OR_NULL("errors") ")");
QUERY(erase_attached_marks,
      "UPDATE files SET fingerprint = NULL, network = NULL "
      "WHERE (fingerprint IS NOT NULL OR network IS NOT NULL) AND id IN (SELECT a.file_id "
      "FROM post_attachments a JOIN posts p ON p.id = a.post_id WHERE p.creator_id = :id)");
QUERY(erase_values_go, "DELETE FROM erasure_values WHERE user_id = :id");

const struct step erase_steps[] = {
    {&erase_letters_of_cases, {&erase_letters}, COUNTED(1, ERASED_LETTERS)},
    {&erase_refused_posts, {&erase_reasons}, 1},
    {&erase_each_activity, {&erase_causes, &erase_activities}, COUNTED(1, ERASED_TRAIL)},
    {&erase_each_change,
     {&erase_change_causes, &erase_case_changes, &erase_changes},
     COUNTED(1, ERASED_CHANGES)},
    {&erase_each_audited, {&erase_audited}, COUNTED(1, ERASED_AUDIT)},
    {&erase_each_mail,
     {&erase_named_files, &erase_named_files_go, &erase_named_mails},
     COUNTED(2, ERASED_MAILS)},
    {&erase_each_letter, {&erase_letter_errors, &erase_named_letters}, COUNTED(1, ERASED_LETTERS)},
    {&erase_each_forward, {&erase_forwards}, COUNTED(1, ERASED_RECIPIENTS)},
    {&erase_each_delivery, {&erase_attempts, &erase_deliveries}, COUNTED(2, ERASED_DELIVERIES)},
    {&erase_each_event, {&erase_named_events}, COUNTED(1, ERASED_EVENTS)},
    {NULL, {&erase_drafts_of_cases, &erase_new_case_drafts, &erase_scheduled_of_cases}, 20},
    {&erase_each_draft, {&erase_draft_parameters}, 1},
    {&erase_each_new_case_draft, {&erase_named_new_case_drafts}, 1},
    {&erase_each_scheduled, {&erase_scheduled}, 1},
    {&erase_each_search, {&erase_searches}, COUNTED(1, ERASED_SEARCHES)},
    {&erase_each_job, {&erase_jobs}, COUNTED(1, ERASED_JOBS)},
    {NULL, {&erase_attached_marks, &erase_values_go}, 20},
    {0},
};

/* ---- the columns -----------------------------------------------------------------------------
 *
 * This table says what an erasure does with each column that has texts or bytes, unless the column
 * belongs to the table of a resource with .texts_kept (api/table/resource.h). tests/unit/erase_test.c
 * compares both with the schema and with the statements of an erasure. */

#define CONFIGURATION CONFIGURATION_TEXTS
#define OF_DESK "a text of the desk: the receipt names it under CONFIGURATION"
#define RANDOM "a random number, a position or a keyed hash"
#define WORD "a word of the program"

const struct erase_column erase_table[] = {
    /* people */
    {"users", "*", FATE_ERASED, NULL},
    {"users", "uuid", FATE_KEPT, RANDOM},
    {"identity_emails", "*", FATE_ERASED, NULL},
    {"identity_phones", "*", FATE_ERASED, NULL},
    {"identity_twitter", "*", FATE_ERASED, NULL},
    {"identity_facebook", "*", FATE_ERASED, NULL},
    {"identity_domains", "*", FATE_IMPERSONAL, "a domain of an organization"},
    {"external_identifiers", "*", FATE_ERASED, NULL},
    {"contact_addresses", "*", FATE_ERASED, NULL},
    {"contact_websites", "*", FATE_ERASED, NULL},
    {"avatars", "*", FATE_ERASED, NULL},
    {"name_words", "*", FATE_ERASED, NULL},
    {"field_values", "*", FATE_ERASED, NULL}, /* values of conversations: FATE_WITH_TEXTS */
    {"tags", "*", FATE_ERASED, NULL},         /* tags that nobody else has */
    {"organizations", "*", FATE_IMPERSONAL, "the name of an organization"},
    {"teams", "*", FATE_IMPERSONAL, CONFIGURATION},

    /* logins and programs */
    {"password_history", "*", FATE_ERASED, NULL},
    {"recovery_codes", "*", FATE_ERASED, NULL},
    {"remember_tokens", "*", FATE_ERASED, NULL},
    {"auth_tokens", "*", FATE_ERASED, NULL},
    {"links", "*", FATE_ERASED, NULL},
    {"sessions", "*", FATE_ERASED, NULL},
    /* Failures with addresses of the person. Others expire after 15 minutes. */
    {"login_failures", "*", FATE_ERASED, NULL},
    {"public_writes", "*", FATE_KEPT,
     "network addresses of callers without login; deleted after two "
     "minutes"},
    /* Replies to the person. Replies to others are sealed by their keys and expire after 24 hours. */
    {"idempotency", "*", FATE_ERASED, NULL},
    {"signin_links", "*", FATE_ERASED, NULL},
    {"signin_states", "*", FATE_IMPERSONAL, RANDOM},
    {"passkeys", "*", FATE_ERASED, NULL},
    {"passkey_challenges", "*", FATE_IMPERSONAL, RANDOM},
    {"widget_visitors", "*", FATE_ERASED, NULL},
    {"widget_proofs", "*", FATE_IMPERSONAL, RANDOM},
    {"api_tokens", "*", FATE_ERASED, NULL},
    {"oauth_tokens", "*", FATE_ERASED, NULL},
    {"oauth_codes", "*", FATE_ERASED, NULL},
    {"event_tokens", "*", FATE_KEPT, CONFIGURATION},
    {"events", "*", FATE_ERASED, NULL}, /* events of others: FATE_SCANNED */
    {"events", "uuid", FATE_IMPERSONAL, RANDOM},

    /* conversations */
    {"cases", "requester_name metadata fingerprint", FATE_ERASED, NULL},
    {"cases", "subject subject_key last_message_preview last_note_preview undo_note_preview", FATE_WITH_TEXTS,
     NULL},
    {"cases", "uuid legacy_id", FATE_IMPERSONAL, "numbers of the conversation"},
    {"posts", "creator_name metadata reject_reason", FATE_ERASED, NULL},
    {"posts", "subject content_text content_html", FATE_WITH_TEXTS, NULL},
    {"posts", "uuid client_id", FATE_IMPERSONAL, RANDOM},
    {"post_originals", "*", FATE_WITH_TEXTS, NULL},
    {"post_attachments", "*", FATE_WITH_TEXTS, NULL},
    {"notes", "body_text body_html", FATE_WITH_TEXTS, NULL}, /* notes on the person: FATE_ERASED */
    {"notes", "client_id", FATE_IMPERSONAL, RANDOM},
    {"forwards", "subject", FATE_WITH_TEXTS, NULL},
    {"forwards", "to_addresses cc_addresses", FATE_SCANNED, NULL},
    {"forwards", "post_ids", FATE_IMPERSONAL, RANDOM},
    {"case_ratings", "*", FATE_WITH_TEXTS, NULL},
    {"drafts", "*", FATE_ERASED, NULL}, /* parameters of other drafts: FATE_SCANNED */
    {"drafts", "file_ids", FATE_IMPERSONAL, RANDOM},
    {"new_case_drafts", "*", FATE_ERASED, NULL}, /* others that name the person: FATE_SCANNED */
    {"new_case_drafts", "file_ids", FATE_IMPERSONAL, RANDOM},
    {"scheduled_replies", "*", FATE_ERASED, NULL}, /* others that name the person: FATE_SCANNED */
    {"scheduled_replies", "client_id", FATE_IMPERSONAL, RANDOM},
    /* unattached ones, and those of the person's fields: FATE_ERASED */
    {"files", "*", FATE_WITH_TEXTS, NULL},
    {"content_removals", "*", FATE_IMPERSONAL, "a hash of bytes that are being deleted"},
    {"content_store", "*", FATE_IMPERSONAL, RANDOM},
    {"mails", "*", FATE_ERASED, NULL}, /* mails of others: FATE_SCANNED */
    {"mail_recipients", "*", FATE_ERASED, NULL},
    {"mail_arrivals", "*", FATE_IMPERSONAL, RANDOM},
    {"outgoing_mails", "*", FATE_ERASED, NULL},
    {"outgoing_mails", "template message_id", FATE_IMPERSONAL, WORD},
    {"endpoint_deliveries", "body", FATE_ERASED, NULL},
    {"endpoint_deliveries", "event_id cause", FATE_IMPERSONAL, CONFIGURATION},
    {"endpoint_attempts", "*", FATE_ERASED, NULL},
    {"endpoint_states", "*", FATE_KEPT, "the last answer of an endpoint; the next one replaces it"},

    /* activities and changes */
    {"activities", "previous_values current_values objects ip_address cause", FATE_SCANNED, NULL},
    {"activities", "did fields", FATE_IMPERSONAL, WORD},
    {"change_log", "old_value new_value cause", FATE_SCANNED, NULL},
    {"change_log", "kind property", FATE_IMPERSONAL, WORD},
    {"audit_values", "*", FATE_SCANNED, NULL},
    {"audit_entries", "*", FATE_KEPT,
     "words and hashes of values with a salt, which is erased: the receipt "
     "names it under AUDIT_ENTRIES"},
    {"audit_anchors", "*", FATE_IMPERSONAL, RANDOM},
    {"erasures", "*", FATE_IMPERSONAL, "receipts have counts and reasons"},
    {"erasure_values", "*", FATE_ERASED, NULL},
    {"jobs", "input errors", FATE_SCANNED, NULL},
    {"jobs", "kind", FATE_IMPERSONAL, WORD},
    {"csv_imports", "*", FATE_IMPERSONAL, "names of columns"}, /* the file is one of its uploader */
    {"csv_import_errors", "*", FATE_IMPERSONAL, "names of columns, and texts of the program"},
    {"csv_import_changes", "*", FATE_IMPERSONAL,
     "encrypted cells, which the sweeper deletes after the dry run"},
    {"outbox", "*", FATE_IMPERSONAL, "ids for other processes"},
    {"leases", "*", FATE_IMPERSONAL, "names of work and processes"},
    {"search_cursor", "*", FATE_IMPERSONAL, "a place in the change log"},
    {"report_cursor", "*", FATE_IMPERSONAL, "a place in the change log"},
    {"report_facts", "tags", FATE_IMPERSONAL, "ids of tags"},
    {"report_days", "*", FATE_IMPERSONAL, "hours and durations"},
    {"changes", "*", FATE_IMPERSONAL, WORD},

    /* help center */
    {"article_comments", "*", FATE_WITH_TEXTS, NULL},
    {"article_votes", "*", FATE_KEPT, RANDOM},
    {"help_center_searches", "*", FATE_SCANNED, NULL},
    {"articles", "*", FATE_KEPT, OF_DESK},
    {"article_versions", "*", FATE_KEPT, OF_DESK},
    {"article_attachments", "*", FATE_KEPT, OF_DESK},
    {"categories", "*", FATE_KEPT, OF_DESK},
    {"sections", "*", FATE_KEPT, OF_DESK},
    {"locale_fields", "*", FATE_KEPT, OF_DESK},

    /* the search index: rebuilt from the tables above */
    {"search_texts", "*", FATE_ERASED, NULL},
    {"search_pieces", "*", FATE_ERASED, NULL},
    {"search_titles", "*", FATE_ERASED, NULL},
    {"search_words_data", "*", FATE_ERASED, NULL}, /* words of deleted texts stay until deskd compact */

    /* configuration */
    {"brand_logos", "*", FATE_KEPT, CONFIGURATION},
    {"brand_pictures", "*", FATE_KEPT, CONFIGURATION},
    {"brand_widgets", "*", FATE_KEPT, CONFIGURATION},
    {"custom_fields", "*", FATE_KEPT, CONFIGURATION},
    {"macros", "*", FATE_KEPT, CONFIGURATION}, /* private ones of the person: FATE_ERASED */
    {"rule_actions", "*", FATE_KEPT, CONFIGURATION},
    {"schema_version", "*", FATE_IMPERSONAL, WORD},
    {"settings", "*", FATE_KEPT, CONFIGURATION},
    {"import_sources", "*", FATE_KEPT, CONFIGURATION},
    {"imported_ids", "*", FATE_IMPERSONAL, WORD}, /* so a further import does not make the person again */
    {"templates", "*", FATE_KEPT, CONFIGURATION},
    {"views", "*", FATE_KEPT, CONFIGURATION}, /* private ones of the person: FATE_ERASED */
    {0},
};
