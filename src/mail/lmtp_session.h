/* One LMTP connection without its socket: bytes go in, replies come out, mails go to the inbox.
 *
 *     new -- LHLO --> ready -- MAIL --> mail -- RCPT --> mail -- DATA --> data -- CRLF.CRLF --> ready
 *                       <-- RSET, LHLO ---'
 *
 * A mail is in the file of its first recipient while it is received. At its end it is copied for the
 * others, all files and the folder are synced, and then each recipient gets a reply of its own (RFC 2033
 * section 4.2). Memory does not depend on the mail. */
#ifndef MAIL_LMTP_SESSION_H
#define MAIL_LMTP_SESSION_H

#include "base/buf.h"

#include <stdatomic.h>

struct lmtp_session;

/* Counters of this process since its start. */
struct lmtp_counts {
    _Atomic int64_t stored; /* mails, one for each recipient */
    _Atomic int64_t bytes;  /* bytes of these mails */
    /* recipients that were refused, because the desk takes no mail for them */
    _Atomic int64_t unknown;
    _Atomic int64_t refused;                  /* mails that were refused: too large */
    _Atomic int64_t put_off;                  /* recipients that got "try again": trouble with the disk */
    _Atomic int64_t connections, turned_away; /* open now; refused, because there were too many */
};

struct lmtp_setup {
    struct str inbox, host; /* host: in the greeting */
    struct lmtp_counts *counts;
    int (*sync_names)(void *arg); /* as inbox_sync_names; several connections may share one sync */
    void *arg;
};

struct lmtp_session *lmtp_session_new(const struct lmtp_setup *setup); /* the greeting is in its output */
void lmtp_session_free(struct lmtp_session *s);                        /* drops a mail that is not complete */
/* Reads bytes, and writes replies. At most LMTP_PIECE bytes. Returns false if the connection ends when the
 * replies are sent. */
bool lmtp_session_feed(struct lmtp_session *s, struct str bytes);
#define LMTP_PIECE (16 * 1024)
struct buf *lmtp_session_output(struct lmtp_session *s);
/* no data of a mail is under way: the connection may be ended */
bool lmtp_session_rests(const struct lmtp_session *s);

#endif
