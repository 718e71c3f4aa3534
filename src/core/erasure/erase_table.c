/* This table says what an erasure does with each column that has texts or bytes, unless the column belongs
 * to the table of a resource with .texts_kept (api/table/resource.h). tests/unit/erase_test.c compares both with
 * the schema and with the statements of an erasure. */
#include "core/erasure/erase.h"

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
    {"case_ratings", "*", FATE_WITH_TEXTS, NULL},
    /* unattached ones, and those of the person's fields: FATE_ERASED */
    {"files", "*", FATE_WITH_TEXTS, NULL},
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
    {"outbox", "*", FATE_IMPERSONAL, "ids for other processes"},
    {"leases", "*", FATE_IMPERSONAL, "names of work and processes"},
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
    {"custom_fields", "*", FATE_KEPT, CONFIGURATION},
    {"macros", "*", FATE_KEPT, CONFIGURATION}, /* private ones of the person: FATE_ERASED */
    {"rule_actions", "*", FATE_KEPT, CONFIGURATION},
    {"schema_version", "*", FATE_IMPERSONAL, WORD},
    {"settings", "*", FATE_KEPT, CONFIGURATION},
    {"templates", "*", FATE_KEPT, CONFIGURATION},
    {"views", "*", FATE_KEPT, CONFIGURATION}, /* private ones of the person: FATE_ERASED */
    {0},
};
