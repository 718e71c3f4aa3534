/* Answers of a process under the control of a mail. An accepted answer is bounded, valid UTF-8, and can be
 * written and read again. */
#include "mail/answer.h"

#include "files/html_clean.h"
#include "mail/charset.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool gather(void *ctx, struct str piece) {
    buf_str(ctx, piece);
    return true;
}

static void check_line(struct str s, size_t most) {
    if (s.p && (s.n > most || !line_is_plain(s))) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct incoming m = {0}, again = {0};
    struct buf written = {0};
    if (answer_read(a, (struct str){(const char *)data, size}, &m)) {
        check_line(m.subject, 2000), check_line(m.from.name, 250), check_line(m.from.address, 320),
            check_line(m.message_id, 998);
        if (m.to_count > INCOMING_ADDRESSES || m.cc_count > INCOMING_ADDRESSES ||
            m.file_count > INCOMING_FILES)
            abort();
        if (m.reference_count > INCOMING_REFERENCES || m.authentication_count > 20 || m.signs.loop_count > 10)
            abort();
        for (int i = 0; i < m.to_count; i++) check_line(m.to[i].address, 320);
        for (int i = 0; i < m.file_count; i++)
            check_line(m.files[i].name, 255), check_line(m.files[i].type, 255);
        if (!text_is_plain(m.text) || !text_is_plain(m.quoted) || (m.html.p && !html_is_clean(m.html)))
            abort();
        if (!answer_write(&m, gather, &written) || !answer_read(a, buf_view(&written), &again)) abort();
        if (!str_eq(m.text, again.text) || m.file_count != again.file_count) abort();
    }
    buf_free(&written);
    arena_free(a);
    return 0;
}
