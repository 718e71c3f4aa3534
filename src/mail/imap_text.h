/* The text of IMAP (RFC 3501), as far as a reader of mailboxes needs it: responses of the server, and the
 * names of folders. Nothing here opens a connection. The server is not trusted: each size is bounded. */
#ifndef MAIL_IMAP_TEXT_H
#define MAIL_IMAP_TEXT_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

#define IMAP_LINE 16384 /* bytes of the text of one response, without its literals */
#define IMAP_LITERALS 8 /* maximum number of literals in one response */

/* A stream of responses. more() writes 1 to `room` bytes, and returns their number, or a negative fault of
 * its own. */
struct imap_source {
    int (*more)(void *arg, char *to, size_t room);
    void *arg;
    size_t left; /* bytes that may still be read: the limit of one command */
    size_t at, end;
    char bytes[8192], line[IMAP_LINE];
};

/* One response. In `text` each literal is only its marker, {123}; the bytes of the literal are in
 * `literals`. */
struct imap_response {
    struct str text; /* without its CRLF */
    struct str literals[IMAP_LITERALS];
    int literal_count;
};

#define IMAP_SENSELESS (-1000) /* the server sends what is not a response, or too much */

/* Reads one response. The text and the literals are in the arena. Returns 0, IMAP_SENSELESS, or the fault
 * of more(). */
int imap_response_read(struct imap_source *s, struct arena *a, struct imap_response *out);

/* One mail in a response of FETCH. */
struct imap_mail {
    int64_t uid, size;         /* 0 and -1: not said */
    bool is_deleted, has_body; /* the flag \Deleted; BODY[] is there */
    struct str body;
};
/* Reads "* 5 FETCH (...)". Returns false for any other response. */
bool imap_mail_read(const struct imap_response *r, struct imap_mail *out);

/* Reads "* 12 EXISTS", for name EXISTS. Returns false for any other response. */
bool imap_number_read(struct str text, struct str name, int64_t *number);
/* Reads the number behind "[NAME " in "* OK [UIDVALIDITY 3] ...". Returns false if it is not there. */
bool imap_code_read(struct str text, struct str name, int64_t *number);
/* True if the words of a CAPABILITY response have this one. */
bool imap_has_word(struct str text, struct str word);

/* The name of a folder as a quoted string, in modified UTF-7 (section 5.1.3). p NULL: it is not valid
 * UTF-8, has a control character, or is longer than 255 characters. */
struct str imap_folder(struct arena *a, struct str name);

#endif
