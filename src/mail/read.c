#include "mail/read.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "files/confined.h"
#include "mail/answer.h"
#include "mail/read_child.h"

#include <errno.h>
#include <sodium.h>
#include <sys/mman.h>
#include <unistd.h>

static bool give_mail(int fd, struct str rest) {
    while (rest.n) {
        ssize_t n = write(fd, rest.p, rest.n);
        if (n <= 0) return false;
        rest = (struct str){rest.p + n, rest.n - (size_t)n};
    }
    return true;
}

/* Keeps the envelope, the size and the digest of a mail that can't be read. */
static int unread(struct incoming *out, const struct incoming *known, struct str fault) {
    *out = *known;
    out->text = out->quoted = S("");
    out->fault = fault;
    log_warn("%.*s", (int)fault.n, fault.p);
    return 0;
}

static int read_confined(struct arena *a, int in, int answer, struct str raw, struct incoming *out) {
    struct incoming known = *out;
    struct str bytes;
    int status;
    if (in < 0 || answer < 0 || !give_mail(in, raw))
        return UNAVAILABLE("mails that can't be read", "a mail can't be read: no memory for it: %s", strerror(errno));
    int rc = confined_run_status(MAIL_ARGUMENT, "read", in, answer, "a mail", &status);
    if (rc == 0) return unread(out, &known, str_fmt(a, "The mail can't be read: its reader %s.", confined_end(a, status, &mail_limits)));
    if (rc < 0) return rc;
    if (ftruncate(in, 0) == 0 && confined_answer(answer, ANSWER_MOST, a, &bytes) && answer_read(a, bytes, out)) return 1;
    return unread(out, &known, S("The mail can't be read: its reader returned an invalid answer."));
}

static struct str mail_digest(struct arena *a, struct str raw) {
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, (const unsigned char *)raw.p, raw.n);
    return str_hex(a, digest, sizeof digest);
}

int mail_read(struct arena *a, struct str raw, int64_t now, struct incoming *out) {
    *out = (struct incoming){.door = out->door,
                             .envelope_from = out->envelope_from,
                             .recipient = out->recipient,
                             .size = (int64_t)raw.n,
                             .sha256 = mail_digest(a, raw)};
    struct incoming known = *out;
    if (raw.n == 0) return unread(out, &known, S("The mail can't be read: it is empty."));
    if (raw.n > LIMIT_MAIL) return unread(out, &known, S("The mail can't be read: it is too long."));
    int in = memfd_create("mail", MFD_CLOEXEC), answer = memfd_create("read", MFD_CLOEXEC);
    int rc = read_confined(a, in, answer, raw, out);
    if (out->date > now + TIME_DAY) out->date = 0;
    if (in >= 0) close(in);
    if (answer >= 0) close(answer);
    return rc;
}
