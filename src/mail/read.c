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

const struct mail_effort mail_wholly = {.cancel = -1}, mail_briefly = {.brief = true, .cancel = -1};

static bool give_mail(int fd, struct str rest) {
    while (rest.n) {
        ssize_t n = write(fd, rest.p, rest.n);
        if (n <= 0) return false;
        rest = (struct str){rest.p + n, rest.n - (size_t)n};
    }
    return true;
}

/* ---- one process ----------------------------------------------------------------------------- */

/* The result of one process that reads a mail. */
struct reading {
    struct str fault; /* the end of a sentence; p NULL: the mail was read */
    bool by_chance;   /* another attempt may succeed */
    bool too_long;    /* it takes longer than the caller waits */
};

static int read_in(struct arena *a, const struct mail_effort *e, int in, int answer, struct str raw,
                   struct incoming *out, struct reading *r) {
    struct str bytes;
    int status;
    if (in < 0 || answer < 0 || !give_mail(in, raw))
        return UNAVAILABLE("mails that can't be read", "a mail can't be read: no memory for it: %s",
                           strerror(errno));
    const char *kind = e->brief ? MAIL_BRIEF_ARGUMENT : MAIL_ARGUMENT;
    int rc = confined_run_status(kind, "read", in, answer, e->cancel, "a mail", &status);
    if (rc < 0) return rc;
    if (rc == 0)
        *r = (struct reading){str_of(confined_end(a, status, &mail_limits)), confined_end_by_chance(status),
                              confined_end_by_budget(status)};
    else if (!confined_answer(answer, ANSWER_MOST, a, &bytes) || !answer_read(a, bytes, out))
        r->fault = S("returned an invalid answer");
    return 0;
}

/* Starts a process that reads the mail. Returns 0 and its result, or a negative error if none can be
 * started. */
static int read_once(struct arena *a, const struct mail_effort *e, struct str raw, struct incoming *out,
                     struct reading *r) {
    int in = memfd_create("mail", MFD_CLOEXEC), answer = memfd_create("read", MFD_CLOEXEC);
    *r = (struct reading){0};
    int rc = read_in(a, e, in, answer, raw, out, r);
    if (in >= 0) close(in);
    if (answer >= 0) close(answer);
    return rc;
}

/* ---- who is at fault: the mail or its reader ------------------------------------------------- */

#define READ_TRIES 3 /* attempts to read one mail, if the machine may be the cause */

/* Reads a mail that is known to be good. Returns 0 and the result, or a negative error. */
static int read_probe(struct arena *a, struct reading *r) {
    struct incoming m = {0};
    int rc =
        read_once(a, &mail_wholly, S("From: probe@example.com\r\nSubject: probe\r\n\r\nprobe\r\n"), &m, r);
    if (rc == 0 && r->fault.p == NULL && !str_eq(m.subject, S("probe")))
        r->fault = S("does not read what is written");
    return rc;
}

/* Reads the mail, again after an end by chance. Returns as mail_read does. */
static int read_surely(struct arena *a, const struct mail_effort *e, struct str raw, struct incoming *out,
                       struct str *fault) {
    const struct incoming known = *out;
    struct reading r = {.by_chance = true}, probe;
    for (int tries = 0; tries < READ_TRIES && r.by_chance; tries++) {
        *out = known;
        TRY(read_once(a, e, raw, out, &r));
    }
    if (r.fault.p == NULL) return 1;
    if (r.too_long) return MAIL_TAKES_LONG;
    TRY(read_probe(a, &probe));
    if (probe.fault.p)
        return UNAVAILABLE("mails that can't be read",
                           "mails that came in wait, because a mail that is known to be good can't be read: "
                           "its reader %.*s",
                           (int)probe.fault.n, probe.fault.p);
    *fault = STR_CAT(a, S("its reader "), r.fault);
    return 0;
}

/* Keeps the envelope, the size and the digest of a mail that can't be read. */
static int unread(struct arena *a, struct incoming *out, const struct incoming *known, struct str why) {
    *out = *known;
    out->text = out->quoted = S("");
    out->fault = STR_CAT(a, S("The mail can't be read: "), why, S("."));
    log_warn("%.*s", (int)out->fault.n, out->fault.p);
    return 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct str mail_digest(struct arena *a, struct str raw) {
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, (const unsigned char *)raw.p, raw.n);
    return str_hex(a, digest, sizeof digest);
}

int mail_read(struct arena *a, struct str raw, int64_t now, const struct mail_effort *e,
              struct incoming *out) {
    *out = (struct incoming){.door = out->door,
                             .envelope_from = out->envelope_from,
                             .recipient = out->recipient,
                             .size = (int64_t)raw.n,
                             .sha256 = mail_digest(a, raw)};
    const struct incoming known = *out;
    struct str fault = S("it is empty");
    if (raw.n == 0) return unread(a, out, &known, fault);
    if (raw.n > LIMIT_MAIL) return unread(a, out, &known, S("it is too long"));
    int rc = read_surely(a, e, raw, out, &fault);
    if (rc == 0) return unread(a, out, &known, fault);
    if (out->date > now + TIME_DAY) out->date = 0;
    return rc;
}
