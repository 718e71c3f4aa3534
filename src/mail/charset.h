/* Texts of mails in the charsets that mail programs use, as UTF-8. */
#ifndef MAIL_CHARSET_H
#define MAIL_CHARSET_H

#include "base/arena.h"
#include "base/str.h"

/* Opens all charsets. glibc loads a library for most of them, which a confined process can't do later.
 * Charsets that are not installed are left out. */
void charsets_open(void);

/* Returns the text as valid UTF-8. Bytes that are not of the charset become U+FFFD. The charset of a text
 * is guessed if its name is unknown, missing or plainly wrong: UTF-8, then ISO-2022-JP, then Windows-1252. */
struct str charset_to_utf8(struct arena *a, struct str bytes, struct str charset);

/* Removes control characters from valid UTF-8 (U+0000 to U+001F, U+007F to U+009F). Texts keep tabs, and
 * get LF as their line break. In a line all of them become one blank, as do runs of blanks; the line is
 * trimmed and cut to `most` bytes. */
struct str text_without_controls(struct arena *a, struct str text);
struct str line_without_controls(struct arena *a, struct str text, size_t most);
/* Returns true if the text is of this form. */
bool text_is_plain(struct str text);
bool line_is_plain(struct str text);

/* the first bytes of valid UTF-8: whole characters, at most so many bytes */
struct str utf8_first(struct str s, size_t most);

#endif
