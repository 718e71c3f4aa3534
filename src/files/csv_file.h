/* CSV files (RFC 4180) that people upload: any size, in constant memory.
 *
 * A cell may be quoted, a doubled quote stands for one, and a quoted cell may have line breaks. Lines end
 * with CRLF, LF or CR, also mixed in one file. Empty lines are left out. A wrong row is refused, and the
 * rows behind it are read. A file that can't be read on (another encoding, NUL, a quote that never closes,
 * a row of 8 MiB) ends there. */
#ifndef FILES_CSV_FILE_H
#define FILES_CSV_FILE_H

#include "base/arena.h"
#include "base/str.h"

#define CSV_COLUMNS 256          /* cells of a row, at most */
#define CSV_ROW_BYTES (1 << 20)  /* UTF-8 of all cells of a row, at most */
#define CSV_READ_BYTES (8 << 20) /* a file with a longer row can't be read on */

enum csv_encoding { CSV_ENCODING_NONE, CSV_UTF8, CSV_UTF16, CSV_WINDOWS_1252 };

/* Texts of csv_why. Each has a word of the API (res/csv_reasons.def). */
#define CSV_WHY_UNREADABLE "The file can't be read."
#define CSV_WHY_CUT "The file is cut within a character of UTF-16."
#define CSV_WHY_NOT_UTF_8 "The file is not valid UTF-8. Name its encoding, such as WINDOWS_1252."
#define CSV_WHY_NOT_UTF_16 "The file is not valid UTF-16: a surrogate has no partner."
#define CSV_WHY_NO_MARK "The file is not UTF-16: it has no byte order mark."
#define CSV_WHY_NOT_WINDOWS_1252 \
    "The file is not Windows-1252: this encoding has no character for one of its bytes."
#define CSV_WHY_NUL "The file has a NUL character, so it is not CSV of the stated encoding."
#define CSV_WHY_WRONG_MARK "The file begins with the byte order mark of another encoding."
#define CSV_WHY_QUOTE_NOT_CLOSED "The quote that begins in this line never closes."
#define CSV_WHY_QUOTE_TOO_LONG "The quote that begins in this line does not close within 8 MiB."
#define CSV_WHY_ENDLESS "There is no end of a row within 8 MiB."

struct csv_reader;

struct csv_row {
    int64_t line, number; /* line of its beginning, and its number; both begin with 1 */
    const char *refused;  /* a sentence; NULL: the row is right */
    struct str *cells;    /* valid UTF-8; those of a refused row are incomplete */
    int count;
};

/* The end of the last row that was read. */
struct csv_place {
    int64_t offset, line, rows; /* bytes; the line that follows; rows that were read */
};

/* Opens the file. encoding 0: UTF-16 by its byte order mark or a NUL in its first character, else UTF-8.
 * delimiter 0: the one of , ; and tab that the first line has most often. Returns NULL if the file can't be
 * opened, with errno. csv_close frees it. */
struct csv_reader *csv_open(const char *path, enum csv_encoding encoding, char delimiter);
void csv_close(struct csv_reader *r); /* NULL is allowed */
/* Reads the next row into the arena. Returns 1, 0 at the end, or -1: csv_why says why the file can't be read
 * on, and csv_line where. */
int csv_next(struct csv_reader *r, struct arena *a, struct csv_row *out);
void csv_mark(const struct csv_reader *r, struct csv_place *out);
/* Continues at a place of the same file, read with the same encoding and delimiter. Returns 0 or -1, as
 * csv_next. */
int csv_return(struct csv_reader *r, const struct csv_place *place);
const char *csv_why(const struct csv_reader *r);
int64_t csv_line(const struct csv_reader *r);
char csv_delimiter(const struct csv_reader *r);
enum csv_encoding csv_encoding(const struct csv_reader *r);

#endif
