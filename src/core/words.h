/* Enumerations of the domain: the number in the store and the word in the API. Numbers never change. */
#ifndef CORE_WORDS_H
#define CORE_WORDS_H

#include "base/words.h"

/* by rank */
enum role_type { ROLE_PUBLIC, ROLE_CUSTOMER, ROLE_COLLABORATOR, ROLE_AGENT, ROLE_ADMIN, ROLE_OWNER };
enum case_access { CASES_SELF = 1, CASES_TEAMS, CASES_ALL };
enum organization_access { ORGANIZATION_REQUESTED = 1, ORGANIZATION_ALL };
enum status_type {
    STATUS_NEW = 1,
    STATUS_OPEN,
    STATUS_PENDING,
    STATUS_COMPLETED,
    STATUS_CLOSED,
    STATUS_CUSTOM
};
/* True if a conversation with this status needs no more work. */
static inline bool status_is_done(int64_t type) { return type == STATUS_COMPLETED || type == STATUS_CLOSED; }
/* CASE_MERGED is shown as ACTIVE. CASE_DELETING: a cascade is deleting the conversation, and nobody sees
 * it. */
enum case_state { CASE_ACTIVE = 1, CASE_SUSPENDED, CASE_TRASH, CASE_MERGED, CASE_DELETING };
enum channel {
    CHANNEL_MAIL = 1,
    CHANNEL_HELPCENTER,
    CHANNEL_TWITTER,
    CHANNEL_MESSENGER,
    CHANNEL_FACEBOOK,
    CHANNEL_NOTE
};
enum source { SOURCE_API = 1, SOURCE_AGENT, SOURCE_MAIL, SOURCE_MESSENGER, SOURCE_MOBILE, SOURCE_HELPCENTER };
enum rating_score { RATING_GOOD = 1, RATING_BAD };
enum rating_status { RATING_UNOFFERED = 1, RATING_OFFERED, RATING_RECEIVED };
enum post_kind { POST_MESSAGE = 1, POST_NOTE, POST_ACTIVITY };
enum message_status { MESSAGE_SENT = 1, MESSAGE_DELIVERED, MESSAGE_REJECTED, MESSAGE_SEEN, MESSAGE_NOT_SENT };
enum note_color { NOTE_YELLOW = 1 };
enum phone_type { PHONE_NONE = 1, PHONE_HOME, PHONE_WORK, PHONE_MOBILE };
enum field_area { AREA_CASES = 1, AREA_USERS, AREA_ORGANIZATIONS };
enum field_kind {
    FIELD_TEXT = 1,
    FIELD_TEXTAREA,
    FIELD_CHECKBOX,
    FIELD_RADIO,
    FIELD_SELECT,
    FIELD_DATE,
    FIELD_FILE,
    FIELD_NUMERIC,
    FIELD_DECIMAL,
    FIELD_YESNO,
    FIELD_CASCADINGSELECT,
    FIELD_REGEX,
    /* built-in fields */
    FIELD_SUBJECT,
    FIELD_REQUESTER,
    FIELD_TEAM,
    FIELD_ASSIGNEE,
    FIELD_STATUS,
    FIELD_TYPE,
    FIELD_PRIORITY
};
enum locale_owner {
    TITLE_OF_FIELD = 1,
    TITLE_OF_OPTION,
    CUSTOMER_TITLE_OF_FIELD,
    DESCRIPTION_OF_FIELD,
    CUSTOMER_TITLE_OF_FORM,
    DESCRIPTION_OF_FORM,
    TITLE_OF_CATEGORY, /* 7 in SQL */
    DESCRIPTION_OF_CATEGORY,
    TITLE_OF_SECTION,
    DESCRIPTION_OF_SECTION,
    TITLE_OF_ARTICLE, /* 11 in SQL */
    CONTENTS_OF_ARTICLE
};
enum section_visibility { SECTION_PUBLIC = 1, SECTION_AUTHORIZED, SECTION_AGENTS };
enum article_order { ARTICLES_LATEST = 1, ARTICLES_POPULAR, ARTICLES_MANUAL };
enum article_status { ARTICLE_DRAFT = 1, ARTICLE_PENDING_APPROVAL, ARTICLE_PUBLISHED };
enum comment_status { COMMENT_PUBLISHED = 1, COMMENT_SPAM };
enum job_status { JOB_PENDING = 1, JOB_RUNNING, JOB_COMPLETED, JOB_FAILED };
enum activity_name {
    USER_CREATED = 1,
    USER_UPDATED,
    USER_DELETED,
    USER_MAIL_FAILED,
    ORGANIZATION_CREATED,
    ORGANIZATION_UPDATED,
    ORGANIZATION_DELETED,
    CASE_CREATED,
    CASE_UPDATED,
    CASE_DELETED,
    CASE_RULE_FIRED
};
enum smtp_security { SMTP_PLAIN = 1, SMTP_STARTTLS, SMTP_TLS };
/* Statuses of outgoing mails: core/letters/letter.c. */
enum mail_status { MAIL_QUEUED = 1, MAIL_SENT, MAIL_HELD, MAIL_REFUSED, MAIL_FAILED, MAIL_BOUNCED };
/* Statuses of mails that came in: core/mail/receive.h. */
enum incoming_status {
    INCOMING_RECEIVED = 1,
    INCOMING_PROCESSING,
    INCOMING_SUCCESS,
    INCOMING_FAILED,
    INCOMING_REJECTED,
    INCOMING_SUSPENDED
};
/* Why a mail is suspended, in the order of the rules. */
enum suspension {
    SUSPENDED_INVALID_EMAIL_HEADERS = 1,
    SUSPENDED_NO_FROM_ADDRESS,
    SUSPENDED_INVALID_FROM_ADDRESS,
    SUSPENDED_SOURCE_IS_MAILBOX,
    SUSPENDED_LOOP_DETECTED,
    SUSPENDED_BLOCKLISTED_EMAIL,
    SUSPENDED_DELIVERY_FAILED,
    SUSPENDED_MAILER_DAEMON,
    SUSPENDED_OUT_OF_OFFICE_EMAIL,
    SUSPENDED_AUTOMATED_EMAIL,
    SUSPENDED_SOURCE_IS_NOREPLY,
    SUSPENDED_SPAM,
    SUSPENDED_INVALID_CASE_TOKEN,
    SUSPENDED_UNREGISTERED_USER,
    SUSPENDED_UNVERIFIED_EMAIL,
    SUSPENDED_NOT_PARTICIPANT
};
enum mail_door { DOOR_PIPE = 1, DOOR_LMTP, DOOR_IMAP };
/* Results of DKIM, SPF and DMARC (RFC 8601). */
enum mail_verdict {
    VERDICT_NONE = 1,
    VERDICT_PASS,
    VERDICT_FAIL,
    VERDICT_SOFTFAIL,
    VERDICT_NEUTRAL,
    VERDICT_ERROR
};
enum brand_theme { THEME_BOLD = 1, THEME_CALM, THEME_PAPER };
enum template_app { TEMPLATE_MAIL = 1, TEMPLATE_PAGE, TEMPLATE_SITE };
enum recipient_type { RECIPIENT_TO = 1, RECIPIENT_CC };
enum reject_type {
    REJECT_BOUNCE = 1,
    REJECT_BLOCKED,
    REJECT_DROPPED,
    REJECT_DEFERRED,
    REJECT_EXPIRED,
    REJECT_ERROR
};
enum sla_target_type { SLA_FIRST_REPLY = 1, SLA_NEXT_REPLY, SLA_RESOLUTION };
enum sla_hours { SLA_BUSINESS_HOURS = 1, SLA_CALENDAR_HOURS };
enum endpoint_type { ENDPOINT_EMAIL = 1, ENDPOINT_SLACK, ENDPOINT_HTTP };
enum endpoint_method { ENDPOINT_GET = 1, ENDPOINT_POST, ENDPOINT_PUT, ENDPOINT_PATCH, ENDPOINT_DELETE };
enum endpoint_content { CONTENT_JSON = 1, CONTENT_XML, CONTENT_FORM, CONTENT_TEXT };
enum delivery_status { DELIVERY_PENDING = 1, DELIVERY_SENT, DELIVERY_FAILED };
/* Pictograms of categories. The store has the numbers, so append only. */
enum category_icon {
    CATEGORY_BOOK = 1,
    CATEGORY_CARD,
    CATEGORY_BOX,
    CATEGORY_PERSON,
    CATEGORY_LOCK,
    CATEGORY_SETTINGS,
    CATEGORY_CHAT,
    CATEGORY_PHONE,
    CATEGORY_CHART,
    CATEGORY_START,
    CATEGORY_STAR,
    CATEGORY_QUESTION
};
enum logo_type { LOGO_JPEG = 1, LOGO_PNG, LOGO_GIF };
enum attempt_result { ATTEMPT_SUCCESS = 1, ATTEMPT_FAILURE };
enum template_category { TEMPLATE_IDENTITY = 1, TEMPLATE_ACCOUNT, TEMPLATE_CASE, TEMPLATE_HELP_CENTER };

extern const struct word section_visibilities[], article_orders[], article_statuses[], comment_statuses[],
    category_icons[];
extern const struct word role_types[], case_accesses[], organization_accesses[], status_types[],
    case_states[], channels[], sources[], message_statuses[], post_statuses[], rating_scores[],
    rating_statuses[], note_colors[], post_channels[], reject_types[], job_statuses[], phone_types[],
    case_type_types[], smtp_securities[], time_formats[], field_kinds[], activity_names[], mail_statuses[],
    template_apps[], template_categories[], brand_themes[], sla_target_types[], sla_hours[], endpoint_types[],
    endpoint_methods[], endpoint_contents[], delivery_statuses[], attempt_results[], incoming_statuses[],
    suspensions[], mail_doors[], mail_verdicts[], logo_types[];

/* Channels and events of changes, for rules. The store has the numbers, so append only. 0: any. */
enum rule_channel {
    RULE_API = 1,
    RULE_MAIL,
    RULE_TWITTER,
    RULE_FACEBOOK,
    RULE_VOICE,
    RULE_MESSENGER,
    RULE_SYSTEM,
    RULE_HELPCENTER
};
enum rule_event {
    RULE_SLA_BREACHED = 1,
    RULE_TRIGGERED,
    RULE_MONITORED,
    RULE_INCOMING_MAIL,
    RULE_MENTION,
    RULE_DIRECT_MESSAGE,
    RULE_SAVED_SEARCH,
    RULE_WALL_POST,
    RULE_MESSAGE
};

#endif
