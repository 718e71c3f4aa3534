/* A mail that came in, as its reader (mail/read.h) found it. All of it is hostile: it is valid UTF-8
 * without control characters (texts may have line breaks), bounded in number and length, and nothing more. */
#ifndef CORE_INCOMING_H
#define CORE_INCOMING_H

#include "core/words.h"
#include "work/work.h"

/* Maximum number of addresses of To, and of Cc; the others are only in the raw mail. */
#define INCOMING_ADDRESSES 1000
#define INCOMING_REFERENCES 100 /* Message-IDs of In-Reply-To and References: the last ones */
#define INCOMING_FILES 100      /* attachments; the others are only in the raw mail */

struct mail_person {
    struct str name, address; /* name: p NULL: none; address: as written, with an @ */
};

/* A file of the mail. Inline pictures have a content id, to which the HTML refers by cid:. */
struct mail_file {
    struct str name, type, content_id, bytes; /* content_id: p NULL: none */
    int64_t id;                               /* row of files; set before mail_receive */
};

/* The headers by which the rules decide about suspension. Texts are values of headers, unfolded and
 * decoded; p NULL: the header is absent. */
struct mail_signs {
    struct str auto_submitted, precedence, list_id, auto_response_suppress, spam_flag, spam_score,
        spam_status;
    struct str loops[10]; /* X-Desk-Loop */
    int loop_count;
    struct str
        autoreply; /* the first of X-Autoreply, X-Autorespond, X-Auto-Response, X-Vacation and similar ones, as "name: value" */
    bool is_report; /* multipart/report, or a mail of this form by its text (mail/report.h) */
    bool is_bounce; /* about a letter of this desk; set before mail_receive */
    /* looks like a notice of failed delivery (core/mail/bounce_guess.h); set before mail_receive */
    bool is_notice;
    bool is_calendar_reply; /* text/calendar; method=REPLY */
    int from_headers;       /* number of From headers, and of further authors in them: one is right */
};

/* Results of the topmost Authentication-Results header whose authserv-id is trusted (RFC 8601). */
struct mail_authentication {
    enum mail_verdict dkim, spf, dmarc; /* 0: not said */
    struct str header;                  /* the header, for staff; p NULL: there is none */
};

/* One recipient of a delivery report (RFC 3464 section 2.3). Texts are printable ASCII on one line; p
 * NULL: absent. */
struct report_recipient {
    bool failed;                /* the Action is "failed"; not for delayed, delivered, relayed or expanded */
    struct str original, final; /* addresses, without their type. final: empty if absent */
    struct str status;          /* "5.1.1" */
    struct str diagnostic;      /* "smtp; 550 5.1.1 unknown user" */
};

struct report {
    bool is_read;          /* the mail is a delivery report */
    struct str message_id; /* Message-ID of the returned mail, without angle brackets */
    struct report_recipient *recipients;
    int recipient_count;
};

struct incoming {
    /* from the envelope */
    enum mail_door door;
    struct str envelope_from, recipient; /* p NULL: unknown; envelope_from may be empty */
    /* from the mail; p NULL: absent */
    struct mail_person from, sender, reply_to;
    struct str from_text, to_text, cc_text; /* the headers as one line each, for staff */
    struct mail_person *to, *cc;
    int to_count, cc_count;
    struct str subject, message_id; /* message_id: without angle brackets */
    /* In-Reply-To and References, without angle brackets, in their order, without duplicates */
    struct str *references;
    int reference_count;
    int64_t date; /* milliseconds since 1970; 0: none or not plausible */
    struct mail_signs signs;
    struct report report;
    struct str *authentication_results; /* values of the headers, the topmost first; at most 20 */
    int authentication_count;
    struct str text; /* text of the sender, without quoted text and signature. Empty: none */
    /* the quoted text and the signature below it, for a reader who unfolds it; empty: none */
    struct str quoted;
    /* clean (html_is_clean), with the quoted part in <details>; p NULL: the mail has no HTML part */
    struct str html;
    struct mail_file *files;
    int file_count;
    bool cut; /* parts of the mail are only in the raw mail, because a limit was reached */
    /* the mail can't be read: why, one line; p NULL: it was read. Then only the envelope, size and digest are
     * set */
    struct str fault;
    int64_t begun; /* clock_monotonic when this attempt began; 0: unknown */
    /* about the raw mail */
    int64_t size;
    struct str sha256; /* 64 hex digits */
};

#endif
