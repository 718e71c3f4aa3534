#include "files/zip.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "files/content.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#define PIECE (64 * 1024)
#define ENTRY_OVERHEAD \
    1024 /* upper limit of the bytes of an entry beside its content; the name is written twice */

struct zip {
    struct arena *arena;
    struct contents from;
    struct zip_entry *entries;
    int count, next; /* next: index of the current entry */
    struct archive *archive;
    struct buf made; /* written bytes; those from `taken` on are not read yet */
    size_t taken;
    int fd; /* descriptor of the current entry; -1: none */
    int64_t written;
    int64_t looked; /* clock_monotonic of the last look at copies: keep_copies */
    bool ended, broken;
    char piece[PIECE];
};

static la_ssize_t keep_made(struct archive *archive, void *ctx, const void *p, size_t n) {
    struct zip *z = ctx;
    (void)archive;
    buf_add(&z->made, p, n);
    return (la_ssize_t)n;
}

/* Names are UTF-8. libarchive converts them by the locale of the thread, so write_entry_head sets one. */
static bool open_archive(struct zip *z) {
    z->archive = archive_write_new();
    return z->archive && archive_write_set_format_zip(z->archive) == ARCHIVE_OK &&
           archive_write_zip_set_compression_store(z->archive) == ARCHIVE_OK &&
           archive_write_set_options(z->archive, "zip:hdrcharset=UTF-8") == ARCHIVE_OK &&
           archive_write_set_bytes_per_block(z->archive, 0) == ARCHIVE_OK &&
           archive_write_open(z->archive, z, NULL, keep_made, NULL) == ARCHIVE_OK;
}

static void name_entries(struct zip *z) {
    struct str *names = arena_array(z->arena, (size_t)z->count + 1, sizeof *names);
    for (int i = 0; i < z->count; i++) names[i] = file_name_safe(z->arena, z->entries[i].name);
    file_names_unique(z->arena, names, z->count);
    for (int i = 0; i < z->count; i++) {
        z->entries[i].name = str_dup(z->arena, names[i]);
        z->entries[i].sha256 = str_dup(z->arena, z->entries[i].sha256);
    }
}

struct zip *zip_new(const struct contents *from, const struct zip_entry *entries, int n) {
    struct arena *a = arena_new();
    struct zip *z = ARENA_NEW(a, struct zip);
    z->arena = a;
    z->from = (struct contents){.folder = str_dup(a, str_of(from->folder)).p, .remote = from->remote};
    z->count = n;
    z->entries = arena_array(a, (size_t)n + 1, sizeof *z->entries);
    z->fd = -1;
    if (n) memcpy(z->entries, entries, (size_t)n * sizeof *entries);
    name_entries(z);
    z->broken = !open_archive(z);
    return z;
}

int64_t zip_about(const struct zip *z) {
    int64_t n = ENTRY_OVERHEAD;
    for (int i = 0; i < z->count; i++) n += z->entries[i].size + ENTRY_OVERHEAD;
    return n;
}

static bool zip_fails(struct zip *z, const char *why) {
    log_error("a ZIP was cut off: the content %s %s", z->next < z->count ? z->entries[z->next].sha256.p : "-",
              why);
    z->broken = true;
    return false;
}

static bool write_entry_head(struct zip *z) {
    const struct zip_entry *e = &z->entries[z->next];
    struct archive_entry *head = archive_entry_new();
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0),
             before = utf8 ? uselocale(utf8) : (locale_t)0;
    archive_entry_copy_pathname(head, e->name.p);
    archive_entry_set_size(head, e->size);
    archive_entry_set_filetype(head, AE_IFREG);
    archive_entry_set_perm(head, 0644);
    archive_entry_set_mtime(head, (time_t)(e->changed / 1000), 0);
    int rc = archive_write_header(z->archive, head);
    archive_entry_free(head);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return rc >= ARCHIVE_WARN;
}

/* The copies of a bucket stay while they are used, and a client may read slowly. */
static void keep_copies(struct zip *z) {
    int64_t now = clock_monotonic();
    if (z->from.remote == NULL || (z->looked && now - z->looked < 5 * TIME_MINUTE)) return;
    struct arena_mark mark = arena_mark(z->arena);
    for (int i = z->next; i < z->count; i++)
        if (z->entries[i].fd == 0)
            content_is_here(z->arena, &z->from, z->entries[i].sha256, z->entries[i].size);
    arena_return(z->arena, mark);
    z->looked = now;
}

static bool begin_entry(struct zip *z) {
    const struct zip_entry *e = &z->entries[z->next];
    z->fd = e->fd ? e->fd : open(content_path(z->arena, &z->from, e->sha256).p, O_RDONLY | O_CLOEXEC);
    z->written = 0;
    if (z->fd < 0) return zip_fails(z, strerror(errno));
    return write_entry_head(z) || zip_fails(z, archive_error_string(z->archive));
}

static bool end_entry(struct zip *z) {
    if (z->entries[z->next].fd == 0) close(z->fd);
    z->fd = -1;
    if (z->written != z->entries[z->next].size) return zip_fails(z, "has another size");
    if (archive_write_finish_entry(z->archive) < ARCHIVE_WARN)
        return zip_fails(z, archive_error_string(z->archive));
    z->next++;
    return true;
}

static bool write_piece(struct zip *z) {
    const struct zip_entry *e = &z->entries[z->next];
    int64_t most = e->fd && e->size - z->written < PIECE ? e->size - z->written : PIECE;
    ssize_t n = read(z->fd, z->piece, (size_t)most);
    if (n < 0) return errno == EINTR || zip_fails(z, strerror(errno));
    if (n == 0) return end_entry(z);
    z->written += n;
    if (z->written > z->entries[z->next].size) return zip_fails(z, "has another size");
    return archive_write_data(z->archive, z->piece, (size_t)n) == n ||
           zip_fails(z, archive_error_string(z->archive));
}

static bool make_more(struct zip *z) {
    z->made.n = z->taken = 0;
    keep_copies(z);
    if (z->fd >= 0) return write_piece(z);
    if (z->next < z->count) return begin_entry(z);
    z->ended = true;
    return archive_write_close(z->archive) >= ARCHIVE_WARN || zip_fails(z, archive_error_string(z->archive));
}

int64_t zip_read(void *zip, char *room, size_t n) {
    struct zip *z = zip;
    while (z->taken == z->made.n && !z->ended && !z->broken)
        if (!make_more(z)) return -1;
    if (z->broken) return -1;
    size_t left = z->made.n - z->taken, some = left < n ? left : n;
    if (some) memcpy(room, z->made.p + z->taken, some);
    z->taken += some;
    return (int64_t)some;
}

/* libarchive writes the end of the ZIP when it is freed, so free the buffer after it. */
void zip_free(void *zip) {
    struct zip *z = zip;
    if (z->archive) archive_write_free(z->archive);
    int shared = 0;
    for (int i = 0; i < z->count; i++) shared = z->entries[i].fd ? z->entries[i].fd : shared;
    if (z->fd >= 0 && z->fd != shared) close(z->fd);
    if (shared) close(shared);
    buf_free(&z->made);
    arena_free(z->arena);
}
