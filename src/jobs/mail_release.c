/* The job that processes a released mail: it reads the raw mail again, outside of the write. */
#include "core/all/finish.h"
#include "core/desk/job.h"

#include "base/log.h"
#include "core/mail/receive.h"
#include "files/content.h"
#include "jobs/mail_files.h"
#include "json/json.h"
#include "mail/read.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define READ_MS 10000
#define ATTEMPTS_MAX 5 /* then the mail is suspended again, because processing it fails for good */

struct releasing {
    int64_t id; /* id of the mail */
    int rc;     /* result of reading: 1, 0 if the mail is gone or was processed, or a negative error */
    struct mail_released mail;
    struct incoming read;
    struct mail_files files;
};

static int64_t released_id(struct arena *a, const struct job *j) {
    struct json *input;
    struct json_error err;
    int64_t id = 0;
    if (json_parse(a, j->input, &input, &err) < 0) return 0;
    const struct json *member = json_member(input, S("mail_id"));
    return member && str_to_int(member->text, &id) ? id : 0;
}

/* Faults that pass without anybody's doing: the job waits for their end. */
static bool fault_passes(int fault) { return fault == EMFILE || fault == ENFILE || fault == ENOMEM; }

/* Reads `size` bytes. Returns 0, -1 if there are fewer, or errno. */
static int raw_bytes(int fd, char *bytes, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, bytes + at, size - at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : -1;
        at += (size_t)n;
    }
    return 0;
}

/* Reads the raw mail, or sets *why: a sentence. Returns 0, or -ERR_SERVICE_UNAVAILABLE, logged, for a
 * fault that passes. */
static int raw_of(struct arena *a, const struct desk *d, const struct mail_released *m, struct str *raw,
                  struct str *why) {
    *raw = (struct str){0};
    *why = S("The raw mail is lost.");
    if (m->sha256.p == NULL) return 0;
    TRY(content_fetch(a, d->files, m->sha256, m->size));
    char *bytes = arena_bytes(a, (size_t)m->size + 1);
    int fd = open(content_path(a, d->files, m->sha256).p, O_RDONLY | O_CLOEXEC);
    int fault = fd < 0 ? errno : raw_bytes(fd, bytes, (size_t)m->size);
    if (fd >= 0) close(fd);
    if (fault == 0) *raw = (struct str){bytes, (size_t)m->size};
    if (fault <= 0 || fault == ENOENT) return 0;
    log_often(LOG_ERROR, "raw mails that can't be read", "the raw mail %s can't be read: %s", m->sha256.p,
              strerror(fault));
    *why = str_fmt(a, "The raw mail can't be read: %s.", strerror(fault));
    return fault_passes(fault) ? -ERR_SERVICE_UNAVAILABLE : 0;
}

static int load_released(struct work *w, void *arg) {
    struct releasing *r = arg;
    return mail_released_load(w->conn, w->arena, r->id, &r->mail);
}

static int read_released(struct work *w, struct releasing *r) {
    int64_t begun = clock_monotonic();
    struct str raw, why;
    TRY(raw_of(w->arena, w->desk, &r->mail, &raw, &why));
    if (raw.p == NULL) r->read = (struct incoming){.fault = why, .size = r->mail.size};
    else if (mail_read(w->arena, raw, clock_now(&w->desk->clock), &mail_wholly, &r->read) < 0)
        return -ERR_SERVICE_UNAVAILABLE;
    mail_fold_quoted(w->arena, &r->read);
    r->read.door = r->mail.door;
    r->read.envelope_from = r->mail.envelope_from;
    r->read.recipient = r->mail.recipient;
    r->read.begun = begun;
    TRY(mail_files_keep(w->arena, w->desk, (struct str){0}, &r->read, &r->files));
    return 1;
}

static void *mail_release_read(struct work *w, const struct job *j, const atomic_bool *stopping) {
    struct releasing *r = ARENA_NEW(w->arena, struct releasing);
    (void)stopping;
    r->id = released_id(w->arena, j);
    r->rc = work_read(w, READ_MS, load_released, r);
    if (r->rc == 1) r->rc = read_released(w, r);
    return r;
}

static int mail_release_run(struct work *w, const struct job *j) {
    struct releasing *r = j->outcome;
    int64_t none;
    if (r->rc < 0) return job_wait(w, j, w->now + TIME_MINUTE);
    if (j->attempts > ATTEMPTS_MAX) {
        r->read.fault = S("The mail could not be processed. The log says why.");
        r->read.file_count = r->files.count = 0;
    }
    w->actor.kind = ACTOR_MAIL;
    w->actor.cause = S("A mail server");
    if (r->rc == 1) {
        TRY(mail_files_create(w, &r->files, &r->read, &none));
        TRY(mail_process_released(w, &r->read, r->id));
        TRY(mail_files_let_go(w, &r->read));
    }
    return job_finish(w, j->id, JOB_COMPLETED, 1, 0, 0, S("[]"));
}
JOB_CODE(MAIL_RELEASE) = {
    .run = mail_release_run, .outside = mail_release_read, .threads = 1, .never_failed = true};
