/* Reasons of errors of CSV rows, and of files that can't be read to their end, as words, so that a client can
 * show them in its own language. */
#ifndef RES_CSV_REASON_H
#define RES_CSV_REASON_H

#include "base/arena.h"
#include "base/error.h"
#include "base/words.h"

enum csv_reason {
    CSV_REASON_NONE,
#define REASON(word, code, text, other) CSV_##word,
#include "res/csv_reasons.def"
#undef REASON
    CSV_OTHER, /* an error with another code */
    CSV_REASON_COUNT
};

extern const struct word csv_reasons[];

enum error csv_reason_code(enum csv_reason reason);
struct str csv_reason_text(struct arena *a, enum csv_reason reason, int64_t most);
/* Finds the reason of an error of the API. It is not stored, because code and message state it. *most: the
 * number in the message; -1: none. */
enum csv_reason csv_reason_of(struct str code, struct str message, int64_t *most);
/* The same of the failure of a file. *line: the line that it names; 0: none. */
enum csv_reason csv_failure_of(struct str failure, int64_t *line);

#endif
