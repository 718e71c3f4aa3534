/* (1) A dialogue has the same replies and stores the same mails whole as in pieces. (2) Each reply is a
 * line with a code. (3) The data of a mail is what a search for CRLF.CRLF and a replacement of each
 * "CRLF." give. The inbox is memory. */
#include "base/limits.h"
#include "mail/inbox.h"
#include "mail/lmtp_read.h"
#include "mail/lmtp_session.h"
#include "mail/recipients.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct buf stored; /* envelopes and mails in a row */
static int drafts;

int inbox_begin(struct inbox_draft *d, struct arena *a, struct str inbox, const struct inbox_mail *mail) {
    (void)a, (void)inbox;
    *d = (struct inbox_draft){.path = "tmp/x", .fd = 1};
    drafts++;
    buf_fmt(&stored, "[%.*s,%.*s]", (int)mail->envelope_from.n, mail->envelope_from.p, (int)mail->recipient.n,
            mail->recipient.p);
    return 0;
}
int inbox_add(struct inbox_draft *d, struct str bytes) {
    d->size += (int64_t)bytes.n;
    buf_str(&stored, bytes);
    return 0;
}
int inbox_add_copy(struct inbox_draft *d, const struct inbox_draft *from) {
    d->size = from->size;
    return 0;
}
int inbox_sync(struct inbox_draft *d) {
    (void)d;
    return 0;
}
int inbox_keep(struct inbox_draft *d, struct arena *a, struct str inbox) {
    (void)a, (void)inbox;
    d->kept = "new/x";
    d->fd = -1;
    drafts--;
    return 0;
}
void inbox_drop(struct inbox_draft *d) {
    if (d->path && !d->kept) drafts--;
    *d = (struct inbox_draft){.fd = -1};
}
int recipients_take(struct arena *a, struct str inbox, struct str address) {
    (void)a, (void)inbox;
    return address.n % 3 != 0;
}
static int synced(void *arg) {
    (void)arg;
    return 0;
}

static void check_replies(struct str text) {
    while (text.n) {
        struct str line = str_cut(&text, '\n');
        if (line.n < 5 || line.p[line.n - 1] != '\r' || strspn(line.p, "0123456789") != 3 ||
            (line.p[3] != ' ' && line.p[3] != '-'))
            abort();
        if (text.p == NULL) abort();
    }
}

/* Runs the dialogue in pieces of this size. Returns the replies; the caller frees them. */
static struct buf dialogue(struct str in, size_t piece) {
    static struct lmtp_counts counts;
    static const struct lmtp_setup setup = {
        .inbox = S("inbox"), .host = S("here"), .counts = &counts, .sync_names = synced};
    struct lmtp_session *s = lmtp_session_new(&setup);
    struct buf replies = {0};
    for (bool more = true; in.n && more;) {
        size_t n = in.n < piece ? in.n : piece;
        more = lmtp_session_feed(s, (struct str){in.p, n});
        in = (struct str){in.p + n, in.n - n};
    }
    buf_str(&replies, buf_view(lmtp_session_output(s)));
    lmtp_session_free(s);
    if (drafts != 0) abort();
    check_replies(buf_view(&replies));
    return replies;
}

static void check_dialogue(struct str in) {
    static const size_t pieces[] = {1, 7};
    stored.n = 0;
    struct buf whole = dialogue(in, LMTP_PIECE), mails = stored;
    stored = (struct buf){0};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        stored.n = 0;
        struct buf parts = dialogue(in, pieces[i]);
        if (!str_eq(buf_view(&parts), buf_view(&whole)) || !str_eq(buf_view(&stored), buf_view(&mails)))
            abort();
        buf_free(&parts);
    }
    buf_free(&whole);
    buf_free(&stored);
    stored = mails;
}

/* The data in the plainest way: *used is the number of bytes up to the end of the mail, or 0. */
static struct buf plain_data(struct str in, size_t *used) {
    struct buf text = {0}, out = {0};
    buf_text(&text, "\r\n");
    buf_str(&text, in);
    const char *end = memmem(text.p, text.n, "\r\n.\r\n", 5);
    *used = end ? (size_t)(end - text.p) + 3 : 0;
    size_t n = end ? (size_t)(end - text.p) + 2 : text.n;
    for (size_t i = 2; i < n; i++)
        if (text.p[i] != '.' || text.p[i - 1] != '\n' || text.p[i - 2] != '\r') buf_char(&out, text.p[i]);
    buf_free(&text);
    return out;
}

static void check_data(struct str in) {
    size_t expected_used, written;
    struct buf expected = plain_data(in, &expected_used);
    char *out = malloc(in.n + 1);
    enum lmtp_place at = PLACE_LINE;
    size_t used = lmtp_data_read(&at, in, out, &written);
    if ((at == PLACE_END) != (expected_used != 0) || (expected_used && used != expected_used)) abort();
    if (at == PLACE_DOT_CR) out[written] = '\r', written++; /* it waits for the next byte */
    if (!str_eq((struct str){out, written}, buf_view(&expected))) abort();
    free(out);
    buf_free(&expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct str in = {(const char *)data, size};
    check_dialogue(in);
    check_data(in);
    return 0;
}
