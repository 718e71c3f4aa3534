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

static const char *const folder_names[] = {
    [INBOX_NEW] = "new", [INBOX_LATER] = "later", [INBOX_SLOW] = "slow"};

struct str inbox_folder_path(struct arena *a, struct str inbox, enum inbox_folder folder) {
    return str_fmt(a, "%s/%s", inbox.p, folder_names[folder]);
}

static const char *path_of_file(struct arena *a, struct str inbox, struct inbox_file file) {
    return path_of(a, inbox, folder_names[file.folder], file.name);
}

struct str inbox_of(struct arena *a, struct str data) {
    return str_fmt(a, "%s/mail", data.p);
}

/* ---- the folders ----------------------------------------------------------------------------- */

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
    /* new comes last: if it exists, all exist */
    static const char *const folders[] = {"", "/tmp", "/failed", "/later", "/slow", "/new"};
    struct str inbox = inbox_of(a, data);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!inbox_make_folder(str_fmt(a, "%s%s", inbox.p, folders[i]).p)) return (struct str){0};
    if (sync_path(inbox.p) != 0 || sync_path(data.p) != 0) return (struct str){0};
    remove_drafts(a, str_fmt(a, "%s/tmp", inbox.p).p);
    return inbox;
}

/* ---- storing --------------------------------------------------------------------------------- */

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
    /* the desk has just started and removes the draft */
    if (flock(d->fd, LOCK_EX | LOCK_NB) != 0) return EAGAIN;
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
    return str_fmt(a, "m%019" PRId64 "-%s", (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
                   random_hex(a, 4).p);
}

int inbox_keep(struct inbox_draft *d, struct arena *a, struct str inbox) {
    const char *kept = path_of(a, inbox, "new", inbox_name(a));
    int rc = close(d->fd);
    d->fd = -1;
    if (rc != 0) return errno;
    /* ENOENT: the desk has just started and removed the draft */
    if (rename(d->path, kept) != 0) return errno == ENOENT ? EAGAIN : errno;
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

/* ---- taking ---------------------------------------------------------------------------------- */

static int compare_arrivals(struct str a, struct str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Puts a name in its place among the n names, and drops the last one if there are already `most`. Returns
 * the new number. */
static int insert_name(struct arena *a, struct str *names, int n, int most, struct str name) {
    if (n == most && compare_arrivals(name, names[n - 1]) >= 0) return n;
    if (n < most) n++;
    int at = n - 1;
    for (; at > 0 && compare_arrivals(name, names[at - 1]) < 0; at--) names[at] = names[at - 1];
    names[at] = str_dup(a, name);
    return n;
}

int inbox_list(struct arena *a, struct str inbox, enum inbox_folder folder, struct str *names, int most) {
    DIR *d = opendir(inbox_folder_path(a, inbox, folder).p);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') n = insert_name(a, names, n, most, str_of(e->d_name));
    if (d) closedir(d);
    return n;
}

/* Returns the number of files in a folder, and lowers *oldest to the first arrival, which the names begin
 * with. */
static int64_t inbox_count(struct arena *a, struct str inbox, const char *folder, int64_t *oldest) {
    DIR *d = opendir(str_fmt(a, "%s/%s", inbox.p, folder).p);
    int64_t n = 0, at;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        n++;
        if (e->d_name[0] != 'm' || strlen(e->d_name) < 20 ||
            !str_to_int((struct str){e->d_name + 1, 19}, &at))
            continue;
        if (oldest && (*oldest == 0 || at / 1000000 < *oldest)) *oldest = at / 1000000;
    }
    if (d) closedir(d);
    return n;
}

struct inbox_state inbox_state_of(struct arena *a, struct str inbox) {
    struct inbox_state s = {0};
    for (size_t i = 0; i < sizeof folder_names / sizeof *folder_names; i++)
        s.waiting += inbox_count(a, inbox, folder_names[i], &s.oldest);
    s.failed = inbox_count(a, inbox, "failed", NULL);
    return s;
}

bool inbox_smallest(struct arena *a, struct str inbox, enum inbox_folder folder, struct str *name) {
    DIR *d = opendir(inbox_folder_path(a, inbox, folder).p);
    off_t least = -1;
    struct stat st;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (least >= 0 && st.st_size >= least) continue;
        least = st.st_size;
        *name = str_dup(a, str_of(e->d_name));
    }
    if (d) closedir(d);
    return least >= 0;
}

/* Reads the first `most` bytes. */
static int inbox_read_bytes(struct arena *a, int fd, int64_t most, struct str *out, int64_t *whole) {
    struct stat st;
    if (fstat(fd, &st) != 0) return errno;
    if (!S_ISREG(st.st_mode) || st.st_size > LIMIT_MAIL + ENVELOPE_MAX) return EFBIG;
    size_t size = (size_t)(st.st_size < most ? st.st_size : most), n = 0;
    char *bytes = arena_bytes(a, size + 1);
    *whole = st.st_size;
    for (ssize_t got; n < size && (got = read(fd, bytes + n, size - n)) != 0;) {
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

static int inbox_read_part(struct arena *a, struct str inbox, struct inbox_file file, int64_t most,
                           struct inbox_mail *out, int64_t *whole) {
    int fd = open(path_of_file(a, inbox, file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno;
    struct str bytes = {0};
    int fault = inbox_read_bytes(a, fd, most, &bytes, whole);
    close(fd);
    if (!fault) *out = envelope_read(a, bytes);
    return fault;
}

int inbox_read(struct arena *a, struct str inbox, struct inbox_file file, struct inbox_mail *out) {
    int64_t whole;
    return inbox_read_part(a, inbox, file, LIMIT_MAIL + ENVELOPE_MAX, out, &whole);
}

int inbox_look(struct arena *a, struct str inbox, struct inbox_file file, struct inbox_mail *head,
               int64_t *size) {
    return inbox_read_part(a, inbox, file, ENVELOPE_MAX + INBOX_HEAD, head, size);
}

/* Also returns true if the file is not there any more, because another process of this folder has taken
 * the mail. */
static bool inbox_rename(struct arena *a, struct str inbox, struct inbox_file file, const char *to) {
    const char *from = path_of_file(a, inbox, file);
    if (rename(from, path_of(a, inbox, to, file.name)) == 0) return true;
    int why = errno;
    bool gone = why == ENOENT && access(from, F_OK) != 0; /* the other folder may be missing */
    errno = why;
    return gone;
}

bool inbox_done(struct arena *a, struct str inbox, struct inbox_file file) {
    return unlink(path_of_file(a, inbox, file)) == 0 || errno == ENOENT;
}

bool inbox_fail(struct arena *a, struct str inbox, struct inbox_file file) {
    return inbox_rename(a, inbox, file, "failed");
}

bool inbox_move(struct arena *a, struct str inbox, struct inbox_file file, enum inbox_folder to) {
    return inbox_rename(a, inbox, file, folder_names[to]);
}

/* Looks in the order in which a mail moves. */
enum inbox_place inbox_find(struct arena *a, struct str inbox, struct str name) {
    static const struct {
        const char *folder;
        enum inbox_place place;
    } places[] = {
        {"new", INBOX_WAITS}, {"later", INBOX_ASIDE}, {"slow", INBOX_ASIDE}, {"failed", INBOX_FAILED}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(path_of(a, inbox, places[i].folder, name), F_OK) == 0) return places[i].place;
    return INBOX_GONE;
}
