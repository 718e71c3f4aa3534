/* The parts of a mail: its texts, and its files. */
#ifndef MAIL_BODY_H
#define MAIL_BODY_H

#include "core/mail/incoming.h"
#include "mail/parts.h"

/* One text of a mail, in one or two forms, as UTF-8 with any characters. */
struct body_piece {
    struct str text, html; /* p NULL: not in this form */
    int text_room, html_room;
};

struct body {
    struct arena *a;
    struct incoming *out; /* files, cut, signs.is_report and signs.is_calendar_reply are set */
    struct mail_lines lines;
    struct body_piece *pieces;
    int piece_count, piece_room, file_room, parts;
    bool has_status;  /* a part is a delivery status (RFC 3464), in a mail of any type */
    struct str notes; /* sentences for the reader: what is encrypted; empty: none */
};

/* Reads the parts of a whole mail. */
void body_read(struct body *b, struct str mail);

/* read_text.c: chooses and cleans the texts, and separates quotes and signatures from the sender's own
 * words. Sets text, quoted and html of b->out. */
void read_text(struct body *b);

#endif
