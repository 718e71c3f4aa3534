#include "mail/inbox.h"

#include "base/buf.h"
#include "base/disk.h"
#include "base/limits.h"
#include "base/random.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_LINE "deskd-mail 1\n"
#define ENVELOPE_MAX 4096 /* bytes of an envelope: two addresses of LMTP fit */

static const char *path_of(struct arena *a, struct str inbox, const char *folder, struct str name) {
    return str_fmt(a, "%s/%s/%s", inbox.p, folder, name.p).p;
}

struct str inbox_of(struct arena *a, struct str data) {
    return str_fmt(a, "%s/mail", data.p);
}

/* ---- the folders ------------------------------------------------------------------------------------------------------- */

static bool inbox_make_folder(const char *path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }

/* Removes a draft, unless the process that writes it still holds its lock. */
static void remove_abandoned(const char *path) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) unlink(path);
    if (fd >= 0) close(fd);
}

static void remove_drafts(struct arena *a, const char *path) {
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') remove_abandoned(str_fmt(a, "%s/%s", path, e->d_name).p);
    if (d) closedir(d);
}

struct str inbox_open(struct arena *a, struct str data) {
    static const char *const folders[] = {"", "/tmp", "/failed", "/new"}; /* new comes last: if it exists, all exist */
    struct str inbox = inbox_of(a, data);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!inbox_make_folder(str_fmt(a, "%s%s", inbox.p, folders[i]).p)) return (struct str){0};
    if (sync_path(inbox.p) != 0 || sync_path(data.p) != 0) return (struct str){0};
    remove_drafts(a, str_fmt(a, "%s/tmp", inbox.p).p);
    return inbox;
}

/* ---- storing --------------------------------------------------------------------------------------------------------------- */

static int inbox_write(int fd, struct str rest) {
    while (rest.n) {
        ssize_t n = write(fd, rest.p, rest.n);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        rest = (struct str){rest.p + n, rest.n - (size_t)n};
    }
    return 0;
}

/* An address that can't stand on a line is unknown. Paths of LMTP have no control characters. */
static void envelope_line(struct buf *b, const char *name, struct str address) {
    if (address.p == NULL || address.n > ENVELOPE_MAX / 3) return;
    for (size_t i = 0; i < address.n; i++)
        if ((unsigned char)address.p[i] < ' ' || address.p[i] == 0x7F) return;
    buf_fmt(b, "%s: <%.*s>\n", name, (int)address.n, address.p);
}

int inbox_begin(struct inbox_draft *d, struct arena *a, struct str inbox, const struct inbox_mail *mail) {
    const char *path = path_of(a, inbox, "tmp", random_uuid(a));
    *d = (struct inbox_draft){.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (d->fd < 0) return errno;
    d->path = path;
    if (flock(d->fd, LOCK_EX | LOCK_NB) != 0) return EAGAIN; /* the desk has just started and removes the draft */
    struct buf b = {0};
    buf_fmt(&b, FIRST_LINE "door: %s\n", word_of(mail_doors, mail->door));
    envelope_line(&b, "from", mail->envelope_from);
    envelope_line(&b, "to", mail->recipient);
    buf_char(&b, '\n');
    d->envelope = (int64_t)b.n;
    int fault = inbox_write(d->fd, buf_view(&b));
    buf_free(&b);
    return fault;
}

int inbox_add(struct inbox_draft *d, struct str bytes) {
    d->size += (int64_t)bytes.n;
    return inbox_write(d->fd, bytes);
}

int inbox_add_copy(struct inbox_draft *d, const struct inbox_draft *from) {
    char piece[32 * 1024];
    for (off_t at = from->envelope, end = from->envelope + from->size; at < end;) {
        ssize_t n = pread(from->fd, piece, sizeof piece, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        int fault = inbox_add(d, (struct str){piece, (size_t)n});
        if (fault) return fault;
        at += n;
    }
    return 0;
}

int inbox_sync(struct inbox_draft *d) { return fsync(d->fd) == 0 ? 0 : errno; }

/* Names sort by arrival, and behind those of older versions, which are UUIDs. */
static struct str inbox_name(struct arena *a) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return str_fmt(a, "m%019" PRId64 "-%s", (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, random_hex(a, 4).p);
}

int inbox_keep(struct inbox_draft *d, struct arena *a, struct str inbox) {
    const char *kept = path_of(a, inbox, "new", inbox_name(a));
    int rc = close(d->fd);
    d->fd = -1;
    if (rc != 0) return errno;
    if (rename(d->path, kept) != 0) return errno == ENOENT ? EAGAIN : errno; /* ENOENT: the desk has just started and removed the draft */
    d->kept = kept;
    return 0;
}

void inbox_drop(struct inbox_draft *d) {
    if (d->path == NULL) return;
    unlink(d->kept ? d->kept : d->path); /* the desk may have taken it already: then it comes twice */
    if (d->fd >= 0) close(d->fd);
    *d = (struct inbox_draft){.fd = -1};
}

int inbox_sync_names(struct str inbox) {
    char path[4096];
    snprintf(path, sizeof path, "%s/new", inbox.p);
    return sync_path(path) == 0 ? 0 : errno;
}

int inbox_finish(struct inbox_draft *d, struct arena *a, struct str inbox) {
    int fault = inbox_sync(d);
    if (!fault) fault = inbox_keep(d, a, inbox);
    return fault ? fault : inbox_sync_names(inbox);
}

int inbox_put(struct arena *a, struct str inbox, const struct inbox_mail *mail, struct str *name) {
    struct inbox_draft d;
    int fault = inbox_begin(&d, a, inbox, mail);
    if (!fault) fault = inbox_add(&d, mail->raw);
    if (!fault) fault = inbox_finish(&d, a, inbox);
    if (fault) inbox_drop(&d);
    else *name = str_leaf(str_of(d.kept));
    return fault;
}

/* ---- taking ------------------------------------------------------------------------------------------------------------------ */

static int compare_arrivals(struct str a, struct str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Puts a name in its place among the n names, and drops the last one if there are already `most`. Returns the new number. */
static int insert_name(struct arena *a, struct str *names, int n, int most, struct str name) {
    if (n == most && compare_arrivals(name, names[n - 1]) >= 0) return n;
    if (n < most) n++;
    int at = n - 1;
    for (; at > 0 && compare_arrivals(name, names[at - 1]) < 0; at--) names[at] = names[at - 1];
    names[at] = str_dup(a, name);
    return n;
}

int inbox_list(struct arena *a, struct str inbox, struct str *names, int most) {
    DIR *d = opendir(str_fmt(a, "%s/new", inbox.p).p);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') n = insert_name(a, names, n, most, str_of(e->d_name));
    if (d) closedir(d);
    return n;
}

static int inbox_read_all(struct arena *a, int fd, struct str *out) {
    struct stat st;
    if (fstat(fd, &st) != 0) return errno;
    if (!S_ISREG(st.st_mode) || st.st_size > LIMIT_MAIL + ENVELOPE_MAX) return EFBIG;
    char *bytes = arena_bytes(a, (size_t)st.st_size + 1);
    size_t n = 0;
    for (ssize_t got; n < (size_t)st.st_size && (got = read(fd, bytes + n, (size_t)st.st_size - n)) != 0;) {
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) n += (size_t)got;
    }
    *out = (struct str){bytes, n};
    return 0;
}

static struct str unbracketed(struct str s) {
    return s.n >= 2 && s.p[0] == '<' && s.p[s.n - 1] == '>' ? (struct str){s.p + 1, s.n - 2} : s;
}

static struct inbox_mail envelope_read(struct arena *a, struct str file) {
    struct inbox_mail m = {.door = DOOR_PIPE, .raw = file}, without = m;
    if (!str_starts(file, S(FIRST_LINE))) return without;
    str_cut(&m.raw, '\n');
    while (m.raw.p) {
        struct str value = str_cut(&m.raw, '\n'), name = str_cut(&value, ':');
        if (name.n == 0) return m.raw.p ? m : without;
        value = utf8_repaired(a, unbracketed(str_trim(value))); /* a peer may send any bytes */
        if (str_eq(name, S("from"))) m.envelope_from = value;
        if (str_eq(name, S("to"))) m.recipient = value;
        int door = str_eq(name, S("door")) ? word_id(mail_doors, value) : -1;
        if (door > 0) m.door = (enum mail_door)door;
    }
    return without;
}

int inbox_read(struct arena *a, struct str inbox, struct str name, struct inbox_mail *out) {
    int fd = open(path_of(a, inbox, "new", name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno;
    struct str file = {0};
    int fault = inbox_read_all(a, fd, &file);
    close(fd);
    if (!fault) *out = envelope_read(a, file);
    return fault;
}

bool inbox_done(struct arena *a, struct str inbox, struct str name) {
    return unlink(path_of(a, inbox, "new", name)) == 0 || errno == ENOENT;
}

bool inbox_fail(struct arena *a, struct str inbox, struct str name) {
    return rename(path_of(a, inbox, "new", name), path_of(a, inbox, "failed", name)) == 0 || errno == ENOENT;
}

/* Looks in new first: a mail moves from there to failed. */
enum inbox_place inbox_find(struct arena *a, struct str inbox, struct str name) {
    if (access(path_of(a, inbox, "new", name), F_OK) == 0) return INBOX_WAITS;
    return access(path_of(a, inbox, "failed", name), F_OK) == 0 ? INBOX_FAILED : INBOX_GONE;
}
