#include "mail/recipients.h"

#include "base/buf.h"
#include "base/disk.h"
#include "base/log.h"
#include "base/random.h"
#include "core/all/finish.h"
#include "core/mail/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *recipients_path(struct arena *a, struct str inbox) {
    return str_fmt(a, "%s/recipients", inbox.p).p;
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct str recipients_of(struct arena *a, int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0) return (struct str){0};
    char *bytes = arena_bytes(a, (size_t)st.st_size + 1);
    size_t n = 0;
    for (ssize_t got; n < (size_t)st.st_size && (got = read(fd, bytes + n, (size_t)st.st_size - n)) != 0;) {
        if (got < 0 && errno != EINTR) return (struct str){0};
        if (got > 0) n += (size_t)got;
    }
    return (struct str){bytes, n};
}

/* p NULL with errno. */
static struct str recipients_read(struct arena *a, struct str inbox) {
    int fd = open(recipients_path(a, inbox), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return (struct str){0};
    struct str text = recipients_of(a, fd);
    int fault = errno;
    close(fd);
    errno = fault;
    return text;
}

int recipients_take(struct arena *a, struct str inbox, struct str address) {
    struct arena_mark mark = arena_mark(a);
    struct str key = mailbox_key(a, address), rest = recipients_read(a, inbox);
    int fault = errno, found = rest.p ? 0 : -1;
    while (rest.p && key.n && found == 0) found = str_eq(str_cut(&rest, '\n'), key);
    arena_return(a, mark);
    errno = fault;
    return found;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int compare_recipients(const void *a, const void *b) {
    return strcmp(((const struct str *)a)->p, ((const struct str *)b)->p);
}

static struct str recipients_text(struct arena *a, const struct str *addresses, int n) {
    struct str *keys = arena_array(a, (size_t)n + 1, sizeof *keys);
    struct buf b = {0};
    int count = 0;
    for (int i = 0; i < n; i++) {
        struct str key = mailbox_key(a, addresses[i]);
        if (key.n) keys[count++] = str_dup(a, key);
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_recipients);
    for (int i = 0; i < count; i++)
        if (i == 0 || !str_eq(keys[i], keys[i - 1])) buf_fmt(&b, "%s\n", keys[i].p);
    return buf_take(&b, a);
}

static int recipients_put(const char *draft, const char *path, struct str text) {
    int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), fault = 0;
    if (fd < 0) return errno;
    /* as a draft of a mail: another process of the desk that starts leaves it alone */
    flock(fd, LOCK_EX | LOCK_NB);
    ssize_t n = write(fd, text.p, text.n);
    if (n != (ssize_t)text.n || fsync(fd) != 0) fault = n >= 0 && n != (ssize_t)text.n ? ENOSPC : errno;
    if (!fault && rename(draft, path) != 0) fault = errno;
    if (fault) unlink(draft);
    close(fd);
    return fault;
}

/* Makes the file hold exactly these addresses. Writes nothing if it does already. Returns 0 or errno. */
static int recipients_write(struct arena *a, struct str inbox, const struct str *addresses, int n) {
    struct str text = recipients_text(a, addresses, n), now = recipients_read(a, inbox);
    if (now.p && str_eq(now, text)) return 0;
    const char *draft = str_fmt(a, "%s/tmp/%s", inbox.p, random_uuid(a).p).p;
    int fault = recipients_put(draft, recipients_path(a, inbox), text);
    if (fault) return fault;
    return sync_path(inbox.p) == 0 ? 0 : errno;
}

/* ---- refreshing ------------------------------------------------------------------------------ */

#define RECIPIENTS_READ_MS 5000

/* Returns the number of addresses, or a negative error. */
static int recipients_list(struct work *w, void *list) { return mailbox_addresses(w, list); }

void recipients_refresh(struct desk *d) {
    struct work w;
    struct str *list;
    if (d->inbox.p == NULL) return;
    struct arena *a = arena_new();
    work_init(&w, d, a);
    int n = work_read(&w, RECIPIENTS_READ_MS, recipients_list, &list);
    int fault = n < 0 ? 0 : recipients_write(a, d->inbox, list, n);
    if (fault)
        log_often(LOG_ERROR, "failures to write the recipients", "%s/recipients can't be written: %s",
                  d->inbox.p, strerror(fault));
    arena_free(a);
}
