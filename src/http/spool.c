#include "http/spool.h"

#include "base/error.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct spool {
    struct spool_folder *in;
    const struct sender *who;
    int64_t least;
    int fd;
    struct str path;
    int64_t size, held;
    crypto_hash_sha256_state sha256;
    GChecksum *md5;
};

struct spool *spool_open(struct arena *a, struct spool_folder *in, const struct sender *who, int64_t least) {
    struct spool *s = ARENA_NEW(a, struct spool);
    s->in = in;
    s->who = who;
    s->least = least;
    s->path = str_fmt(a, "%s/upload-XXXXXX", in->path);
    s->fd = mkostemp((char *)(uintptr_t)s->path.p, O_CLOEXEC); /* O_EXCL, 0600 */
    if (s->fd < 0) {
        log_often(LOG_ERROR, "refused uploads", "no temporary file in %s: %s", in->path, strerror(errno));
        return NULL;
    }
    crypto_hash_sha256_init(&s->sha256);
    s->md5 = g_checksum_new(G_CHECKSUM_MD5);
    return s;
}

const char *upload_refusal(enum ledger_full full) {
    static const char *const reasons[] = {
        [LEDGER_ROOM] = NULL,
        [LEDGER_TOTAL] = "Too many uploads are in progress. Try again later.",
        [LEDGER_ADDRESS] = "Too many uploads from this address are in progress. Try again when they have "
                           "ended.",
        [LEDGER_PERSON] = "Too many uploads of this user are in progress. Try again when they have ended.",
    };
    return reasons[full];
}

static const char *spool_hold(struct spool *s, int64_t n) {
    const char *reason = upload_refusal(ledger_take(&s->in->held, s->who, n, s->least));
    if (reason == NULL) s->held += n;
    else
        log_often(LOG_WARN, "refused uploads",
                  "an upload was refused: uploads in progress hold as much of %s as "
                  "the limit allows",
                  s->in->path);
    return reason;
}

const char *spool_write(struct spool *s, struct str piece) {
    crypto_hash_sha256_update(&s->sha256, (const unsigned char *)piece.p, piece.n);
    g_checksum_update(s->md5, (const guchar *)piece.p, (gssize)piece.n);
    const char *reason = spool_hold(s, (int64_t)piece.n);
    if (reason) return reason;
    s->size += (int64_t)piece.n;
    while (piece.n) {
        ssize_t n = write(s->fd, piece.p, piece.n);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            log_often(LOG_ERROR, "refused uploads", "writing %s: %s", s->path.p, strerror(errno));
            return "The server can't store files at the moment.";
        }
        piece = (struct str){piece.p + n, piece.n - (size_t)n};
    }
    return NULL;
}

static void spool_release(struct spool *s) {
    close(s->fd);
    g_checksum_free(s->md5);
}

void spool_close(struct spool *s, struct http_file *file) {
    gsize n = sizeof file->md5;
    g_checksum_get_digest(s->md5, file->md5, &n);
    crypto_hash_sha256_final(&s->sha256, file->sha256);
    file->path = s->path;
    file->size = s->size;
    spool_release(s);
}

void spool_abandon(struct spool *s) {
    if (s == NULL) return;
    spool_release(s);
    unlink(s->path.p);
    ledger_return(&s->in->held, s->who, s->held);
}

void spool_remove(struct spool_folder *in, const struct sender *who, const struct http_file *file) {
    unlink(file->path.p);
    ledger_return(&in->held, who, file->size);
}

bool md5_matches(struct str sent, const unsigned char md5[16]) {
    unsigned char bin[16];
    size_t n = 0;
    bool hex = sent.n == 32 && sodium_hex2bin(bin, sizeof bin, sent.p, sent.n, NULL, &n, NULL) == 0;
    bool base64 = !hex && sodium_base642bin(bin, sizeof bin, sent.p, sent.n, NULL, &n, NULL,
                                            sodium_base64_VARIANT_ORIGINAL) == 0;
    return (hex || base64) && n == sizeof bin && memcmp(bin, md5, sizeof bin) == 0;
}

void md5_of(unsigned char out[16], struct str bytes) {
    GChecksum *sum = g_checksum_new(G_CHECKSUM_MD5);
    gsize n = 16;
    g_checksum_update(sum, (const guchar *)bytes.p, (gssize)bytes.n);
    g_checksum_get_digest(sum, out, &n);
    g_checksum_free(sum);
}
