/* A mail as it goes over the wire (RFC 5322, 2045 to 2047), written by GMime. */
#ifndef MAIL_MIME_H
#define MAIL_MIME_H

#include "base/arena.h"
#include "base/str.h"

struct mail {
    struct str from_name, from, to_name, to;    /* names may be empty */
    struct str subject, text, html, message_id; /* html: p NULL: the text alone; message_id without angle brackets */
    int64_t date;
};

/* CRLF lines, no header but ours whatever the names hold. p NULL: an address can't be written. */
struct str mime_write(struct arena *a, const struct mail *m);

/* The address with its domain in A-labels (IDNA 2008); p NULL: it is none. */
struct str mime_address(struct arena *a, struct str address);

/* Around all use of GMime, one thread at a time: it takes microseconds, and GMime promises nothing about threads. */
void mime_begin(void);
void mime_end(void);

#endif
