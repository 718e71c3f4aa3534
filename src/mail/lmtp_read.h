/* Reads what an LMTP client sends (RFC 2033; the grammar is that of RFC 5321 and 6531): command lines, and
 * the data of a mail. Pure: no socket, no file. The input is hostile. */
#ifndef MAIL_LMTP_READ_H
#define MAIL_LMTP_READ_H

#include "base/arena.h"
#include "base/str.h"

enum lmtp_verb {
    LMTP_UNKNOWN,
    LMTP_LHLO,
    LMTP_HELO,
    LMTP_MAIL,
    LMTP_RCPT,
    LMTP_DATA,
    LMTP_RSET,
    LMTP_NOOP,
    LMTP_QUIT,
    LMTP_VRFY,
    LMTP_HELP
};

struct lmtp_command {
    enum lmtp_verb verb; /* LMTP_HELO: EHLO, too */
    const char *wrong;   /* the reply to a command that is not well-formed; NULL: it is */
    /* Address of MAIL or RCPT, in the arena: without brackets, route and needless quotes. n 0: the null
     * sender. */
    struct str address;
    int64_t size;       /* SIZE of MAIL; 0: not given */
    bool international; /* the address is not ASCII */
    bool utf8;          /* SMTPUTF8 of MAIL */
};

/* Reads a line without its CRLF. */
struct lmtp_command lmtp_command_read(struct arena *a, struct str line);

/* The data of a mail ends with CRLF.CRLF, or begins with .CRLF and is empty. No other sequence ends it: a
 * server in front that reads LF.LF or CR.CR as text must not be a way to smuggle a second mail in
 * (CVE-2023-51764). A dot at the start of a line, and a line ends with CRLF, is removed; all other bytes
 * stay. */
enum lmtp_place { PLACE_LINE, PLACE_TEXT, PLACE_CR, PLACE_DOT, PLACE_DOT_CR, PLACE_END };

/* Reads some of `in`, and writes the data of the mail to `out`, which has room for in.n + 1 bytes. Begin
 * with PLACE_LINE. Returns the number of bytes read: all, or those up to the end of the mail. Then *at is
 * PLACE_END. */
size_t lmtp_data_read(enum lmtp_place *at, struct str in, char *out, size_t *written);

#endif
