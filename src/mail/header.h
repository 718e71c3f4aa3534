/* Values of header fields: encoded words (RFC 2047), parameters (RFC 2045, 2231), addresses and
 * Message-IDs (RFC 5322). The input is any bytes. Each value is read in one pass, without recursion.
 * Broken forms that mail programs write are read as they are meant. */
#ifndef MAIL_HEADER_H
#define MAIL_HEADER_H

#include "core/mail/incoming.h"

#define HEADER_MOST 65536 /* bytes of a value that are read */

/* Returns the value as one line of at most `most` bytes, with encoded words decoded. */
struct str header_line(struct arena *a, struct str value, size_t most);

/* Returns the text before the first semicolon, in lower case: "text/plain", "attachment". */
struct str header_word(struct arena *a, struct str value);
bool header_is_type(struct str s); /* "text/plain" */
/* Returns a parameter, decoded, as valid UTF-8; p NULL: absent. */
struct str header_attribute(struct arena *a, struct str value, const char *name);

/* Appends the addresses of a list to `list`, which has room for `most`. Groups are flattened. Returns
 * false if there were more. */
bool header_people(struct arena *a, struct str value, struct mail_person *list, int *n, int most);

/* Returns the next Message-ID without angle brackets; p NULL: there is no other. */
struct str header_next_id(struct arena *a, struct str *rest);

/* Reads a date (RFC 5322 section 3.3), also in broken forms. Returns milliseconds since 1970, or 0 if the
 * text is not a date, or one before 1990. */
int64_t mail_date(struct str text);

#endif
