/* The answer of the process that reads a mail: the members of struct incoming as a list of records. One table says what each may be. The
 * reader of the answer refuses everything else, because the process may be under the control of the mail. */
#ifndef MAIL_ANSWER_H
#define MAIL_ANSWER_H

#include "base/buf.h"
#include "core/mail/incoming.h"

#define ANSWER_MOST (LIMIT_MAIL + INT64_C(16) * 1024 * 1024) /* bytes of an answer */

/* Writes the answer, piece by piece. Returns false if a piece can't be written. */
typedef bool answer_sink(void *ctx, struct str piece);
bool answer_write(const struct incoming *m, answer_sink *sink, void *ctx);

/* Reads an answer into `m`. The texts are slices of it. Returns false if the answer is not valid; then `m` is to be thrown away. */
bool answer_read(struct arena *a, struct str answer, struct incoming *m);

#endif
