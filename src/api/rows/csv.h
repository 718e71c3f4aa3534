/* Replies as CSV (RFC 4180): UTF-8, a line of names first, CRLF at the end of each line. For routes with
 * .has_csv. */
#ifndef API_ROWS_CSV_H
#define API_ROWS_CSV_H

#include "api/call/call.h"

extern const struct field csv_args[]; /* format, for .args or as a group */

/* Returns true if the request asks for CSV: by format=csv, or by an Accept that admits text/csv and no
 * JSON. Call it after api_input. */
bool csv_asked(struct call *c);
/* Appends a cell to c->out. A text that a spreadsheet would take for a formula (it begins with = + - @,
 * tab or CR) gets a leading '. */
void csv_text(struct call *c, struct str s);  /* p NULL: an empty cell */
void csv_plain(struct call *c, struct str s); /* a number that is text already */
void csv_int(struct call *c, int64_t v);
void csv_time(struct call *c, int64_t v);                 /* ISO 8601; 0: an empty cell */
void csv_names(struct call *c, const char *const *names); /* the first line; NULL ends the list */
void csv_line_end(struct call *c);
int csv_reply(struct call *c, const char *file_name); /* sends c->out as a download */

#endif
