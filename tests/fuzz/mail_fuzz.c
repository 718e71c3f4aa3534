/* Mails of strangers. The reader ends with an answer that its parent accepts, and that has the same
 * members; the process never crashes. */
#include "mail/answer.h"
#include "mail/read_child.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool gather(void *ctx, struct str piece) {
    buf_str(ctx, piece);
    return true;
}

static void same(struct str a, struct str b) {
    if ((a.p == NULL) != (b.p == NULL) || !str_eq(a, b)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct incoming m, again = {0};
    struct buf answer = {0};
    if (size == 0) {
        arena_free(a);
        return 0;
    }
    mail_child_prepare();
    mail_read_here(a, (struct str){(const char *)data, size}, &m);
    if (!answer_write(&m, gather, &answer) || !answer_read(a, buf_view(&answer), &again)) abort();
    same(m.subject, again.subject), same(m.from.address, again.from.address), same(m.text, again.text),
        same(m.html, again.html);
    same(m.quoted, again.quoted), same(m.message_id, again.message_id);
    if (m.to_count != again.to_count || m.file_count != again.file_count ||
        m.reference_count != again.reference_count || m.report.is_read != again.report.is_read ||
        m.report.recipient_count != again.report.recipient_count || m.date != again.date)
        abort();
    for (int i = 0; i < m.file_count; i++)
        same(m.files[i].name, again.files[i].name), same(m.files[i].bytes, again.files[i].bytes);
    buf_free(&answer);
    arena_free(a);
    return 0;
}
