/* Any bytes of an IMAP server are read without a fault, the same in pieces of any size. A value that is read lies
 * within what was sent. */
#include "mail/imap_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sent {
    struct str rest;
    size_t piece;
};

static int sent_more(void *arg, char *to, size_t room) {
    struct sent *s = arg;
    size_t n = s->piece < room ? s->piece : room;
    if (n > s->rest.n) n = s->rest.n;
    memcpy(to, s->rest.p, n);
    s->rest = (struct str){s->rest.p + n, s->rest.n - n};
    return n ? (int)n : -1;
}

static int read_all(struct arena *a, struct str bytes, size_t piece, uint64_t *sum) {
    struct sent sent = {bytes, piece};
    struct imap_source *source = arena_alloc(a, sizeof *source);
    struct imap_response r;
    struct imap_mail m;
    int n = 0;
    source->more = sent_more, source->arg = &sent, source->left = 1 << 16;
    for (*sum = 0; imap_response_read(source, a, &r) == 0; n++) {
        int64_t number = 0;
        if (imap_mail_read(&r, &m)) *sum += (uint64_t)m.uid + m.body.n;
        if (m.body.n > bytes.n) abort();
        if (imap_code_read(r.text, S("UIDVALIDITY"), &number)) *sum ^= (uint64_t)number;
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *a = arena_new();
    struct str bytes = {(const char *)data, size};
    uint64_t whole, single;
    if (read_all(a, bytes, 1 << 16, &whole) != read_all(a, bytes, 1, &single) || whole != single) abort();
    struct str folder = imap_folder(a, bytes);
    for (size_t i = 0; i < folder.n; i++)
        if (folder.p[i] < ' ' || folder.p[i] > '~') abort();
    arena_free(a);
    return 0;
}
