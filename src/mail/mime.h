/* Writes a mail in wire format (RFC 5322, 2045 to 2047), by GMime. */
#ifndef MAIL_MIME_H
#define MAIL_MIME_H

#include "base/arena.h"
#include "base/str.h"

struct mail_part {
    struct str name, type, content; /* type: of the file, as it was uploaded */
    struct str content_id;          /* the HTML shows it as cid:...; p NULL: it does not */
};

/* Why the mail is sent (RFC 3834). */
enum mail_cause {
    MAIL_NOTICE,    /* Auto-Submitted: auto-generated */
    MAIL_ANSWER,    /* Auto-Submitted: auto-replied, because a mail caused it */
    MAIL_OF_PERSON, /* no such header */
};

struct mail {
    struct str from_name, from, to_name, to; /* names may be empty */
    struct str reply_to;                     /* address; p NULL: none */
    /* Message-IDs of the thread, without angle brackets, the latest last */
    const struct str *references;
    int reference_count;
    struct str loop;        /* value of X-Desk-Loop */
    struct str unsubscribe; /* URL that ends such mails; p NULL: none */
    bool in_bulk;           /* Precedence: bulk */
    /* html: p NULL: text only; message_id without angle brackets */
    struct str subject, text, html, message_id;
    int64_t date;
    enum mail_cause cause;
    const struct mail_part *parts; /* attached files */
    int part_count;
};

/* Returns the mail with CRLF lines. Names can't inject headers. p NULL: an address is not valid. */
struct str mime_write(struct arena *a, const struct mail *m);

/* Returns the address with its domain in A-labels (IDNA 2008); p NULL: not an address. */
struct str mime_address(struct arena *a, struct str address);

/* Call these around all use of GMime. They let one thread in at a time, because GMime promises nothing
 * about threads. A use takes microseconds, and 5 ms for each megabyte of attached files. */
void mime_begin(void);
void mime_end(void);

#endif
