#include "api/call/gzip.h"

#include "base/limits.h"

#include <zlib.h>

#define LEVEL 1       /* level 6 costs twice as much CPU and saves a quarter of the bytes */
#define GZIP_FORM 16  /* added to the window: a gzip header and a CRC */
#define PART_ROOM 128 /* bytes that the two flushes around a plain part and its stored blocks add */

static bool refuses_weight(struct str parameters) {
    while (parameters.p) {
        struct str one = str_trim(str_cut(&parameters, ';'));
        if (one.n < 3 || (one.p[0] | 0x20) != 'q' || one.p[1] != '=') continue;
        for (size_t i = 2; i < one.n; i++)
            if (one.p[i] != '0' && one.p[i] != '.') return false;
        return true;
    }
    return false;
}

bool coding_accepted(struct str accept_encoding) {
    bool any = false, named = false, yes = false;
    for (struct str rest = accept_encoding; rest.p;) {
        struct str parameters = str_cut(&rest, ','), coding = str_trim(str_cut(&parameters, ';'));
        bool taken = !refuses_weight(parameters);
        if (str_eqi(coding, S("gzip")) || str_eqi(coding, S("x-gzip"))) named = true, yes = yes || taken;
        else if (str_eq(coding, S("*"))) any = taken;
    }
    return named ? yes : any;
}

struct packing {
    z_stream z;
    size_t done; /* bytes of the body */
};

/* Compresses the next bytes up to `end`, and flushes. */
static bool pack_to(struct packing *p, size_t end, int flush) {
    size_t n = end - p->done;
    p->z.avail_in = (uInt)n;
    int rc = deflate(&p->z, flush);
    p->done = end;
    if (n == 0 && rc == Z_BUF_ERROR) return true; /* it was flushed already */
    return p->z.avail_in == 0 && p->z.avail_out > 0 && rc == (flush == Z_FINISH ? Z_STREAM_END : Z_OK);
}

/* A full flush ends all matches before it. At level 0 bytes are stored. */
static bool pack_plain(struct packing *p, const struct plain_part *part) {
    if (!pack_to(p, part->at, Z_FULL_FLUSH) || deflateParams(&p->z, 0, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    return pack_to(p, part->at + part->n, Z_FULL_FLUSH) &&
           deflateParams(&p->z, LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
}

/* A small body has a smaller window: the stream then has 64 KiB of memory instead of 256. */
static bool packing_begin(struct packing *p, size_t n) {
    bool small = n <= LIMIT_PACKED_HERE;
    return n <= INT32_MAX && deflateInit2(&p->z, LEVEL, Z_DEFLATED, GZIP_FORM + (small ? 13 : 15),
                                          small ? 6 : 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

bool gzip_body(struct buf *body, const struct plain_part *parts, int count) {
    struct packing p = {.z = {0}};
    struct buf out = {0};
    if (!packing_begin(&p, body->n)) return false;
    buf_reserve(&out, deflateBound(&p.z, body->n) + (size_t)(count + 1) * PART_ROOM);
    p.z.next_in = (Bytef *)body->p;
    p.z.next_out = (Bytef *)out.p;
    p.z.avail_out = (uInt)out.cap;
    bool done = true;
    for (int i = 0; i < count && done; i++) done = pack_plain(&p, &parts[i]);
    done = done && pack_to(&p, body->n, Z_FINISH);
    out.n = out.cap - p.z.avail_out;
    deflateEnd(&p.z);
    if (!done || out.n >= body->n) return buf_free(&out), false;
    buf_fit(&out);
    buf_free(body);
    *body = out;
    return true;
}
