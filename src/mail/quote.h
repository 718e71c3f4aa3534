/* Separates what the sender of a mail wrote from the mails quoted in it and from the signature. It works on
 * lines, of a text or of HTML (quote_html.c). If in doubt, a line stays with the sender, because a
 * missing sentence is worse than a repeated one.
 *
 * The tail. The first line that begins a quote ends the new part: (1) the line that introduces a quote ("On
 * ... wrote:"), (2) the header of an earlier mail ("From: Sent: To: Subject:"), (3) a separator
 * ("-----Original Message-----"), (4) an element that a mail program marks, or (5) lines with ">" to the end
 * of the mail. (1), (4) and (5) do not count if the sender goes on to write below the quote.
 *
 * The middle. An introduced quote with the answer below it is folded, too, if it is the only one above the
 * tail. It has MIDDLE_LINES lines at least if the sender wrote above it as well, and more than a closing
 * below it, or if the quote goes on below the answer: the sender chose a shorter one as context. Answers
 * between several quotes need them, so all stays.
 *
 * Nothing is separated from a forwarded mail, and nothing if only the quote has text. The words of mail
 * programs are in mail/quote_words.h. */
#ifndef MAIL_QUOTE_H
#define MAIL_QUOTE_H

#include "base/arena.h"
#include "base/str.h"

enum quote_mark {
    MARK_QUOTE = 1,     /* an element in which a mail program puts a quoted mail begins */
    MARK_HISTORY = 2,   /* the same, but with all that follows it */
    MARK_SIGNATURE = 4, /* an element with the signature begins */
    MARK_DELIMITER = 8, /* the line is "-- ", which programs put before a signature (RFC 3676 section 4.3) */
};

struct quote_line {
    struct str text; /* without ">" and without blanks at both ends */
    int depth;       /* depth of the quotation: number of ">" */
    unsigned marks;
    size_t at, end; /* offset of the line in its text or HTML; of HTML also the offset behind its last text */
};

struct quote_lines {
    struct quote_line *line;
    int count, room;
};

#define QUOTE_LINES 50000 /* a text of more lines has none here: nothing of it is separated */

/* Quoted lines, or those of the signature: [middle, middle_end) and [tail, number of lines). Either may be
 * empty. */
struct quote_folds {
    int middle, middle_end, tail;
};
struct quote_folds quote_folds_of(const struct quote_lines *l);

/* Returns true if the HTML can be cut before this line: all texts of earlier lines are before the cut, those
 * of later ones behind it. A browser moves texts: wrongly nested elements are repeated, and texts in a table
 * are put before it. */
bool quote_may_cut(const struct quote_lines *l, int line);

void quote_lines_of_text(struct arena *a, struct str text, struct quote_lines *out);

/* Returns true if the subject is that of a forwarded mail: "Fwd:", "WG:", in many languages. */
bool subject_is_forward(struct str subject);

/* The lines of HTML (quote_html.c). Only the confined process and fuzz targets parse HTML. */
/* Each line has the offset of the tag with which it begins, so that the HTML can be cut there. Quotations
 * give the depth. */
void quote_lines_of_html(struct arena *a, struct str html, struct quote_lines *out);

#endif
