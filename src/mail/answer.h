/* The answer of the process that reads a mail: the members of struct incoming as a list of records. One
 * table says what each may be. The reader of the answer refuses everything else, because the process may
 * be under the control of the mail. */
#ifndef MAIL_ANSWER_H
#define MAIL_ANSWER_H

#include "base/buf.h"
#include "core/mail/incoming.h"

#define ANSWER_MOST (LIMIT_MAIL + INT64_C(16) * 1024 * 1024) /* bytes of an answer */

/* Bytes of values, and elements of lists: the process keeps to them, and the reader of the answer refuses
 * more. */
#define ANSWER_ADDRESS 320
#define ANSWER_NAME 250
#define ANSWER_LINE 2000   /* value of From, To, Cc or Subject */
#define ANSWER_SIGN 1000   /* value of a header that the mail rules read */
#define ANSWER_RESULT 4000 /* value of an Authentication-Results header */
#define ANSWER_RESULTS 20
#define ANSWER_LOOPS 10
#define ANSWER_MESSAGE_ID 998
#define ANSWER_CONTENT_ID 250
#define ANSWER_RECIPIENTS 50 /* recipients of a delivery report; an outgoing mail has one recipient */
#define ANSWER_STATUS 40
#define ANSWER_DIAGNOSTIC 400

/* Writes the answer, piece by piece. Returns false if a piece can't be written. */
typedef bool answer_sink(void *ctx, struct str piece);
bool answer_write(const struct incoming *m, answer_sink *sink, void *ctx);

/* Reads an answer into `m`. The texts are slices of it. Returns false if the answer is not valid; then `m`
 * is to be thrown away. */
bool answer_read(struct arena *a, struct str answer, struct incoming *m);

#endif
