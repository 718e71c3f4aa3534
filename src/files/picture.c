#include "files/picture.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "files/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- headers --------------------------------------------------------------------------------- */

static int big_endian_16(const unsigned char *p) { return p[0] << 8 | p[1]; }

static bool png(const unsigned char *head, size_t n, struct picture *out) {
    if (n < 24 || memcmp(head, "\x89PNG\r\n\x1a\n", 8) != 0 || memcmp(head + 12, "IHDR", 4) != 0)
        return false;
    /* the two upper bytes of width and height */
    bool small = head[16] == 0 && head[17] == 0 && head[20] == 0 && head[21] == 0;
    *out = (struct picture){PICTURE_PNG, small ? big_endian_16(head + 18) : INT32_MAX,
                            small ? big_endian_16(head + 22) : INT32_MAX};
    return true;
}

static bool gif(const unsigned char *head, size_t n, struct picture *out) {
    if (n < 10 || (memcmp(head, "GIF87a", 6) != 0 && memcmp(head, "GIF89a", 6) != 0)) return false;
    *out = (struct picture){PICTURE_GIF, head[7] << 8 | head[6], head[9] << 8 | head[8]};
    return true;
}

static int little_endian_16(const unsigned char *p) { return p[0] | p[1] << 8; }
static int little_endian_24(const unsigned char *p) { return little_endian_16(p) | p[2] << 16; }

/* Reads the three kinds of WebP (RFC 9649): extended, which may be an animation, lossless, and lossy. */
static bool webp(const unsigned char *head, size_t n, struct picture *out) {
    if (n < 30 || memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WEBPVP8", 7) != 0) return false;
    *out = (struct picture){.type = PICTURE_WEBP};
    if (head[15] == 'X') {
        out->width = little_endian_24(head + 24) + 1;
        out->height = little_endian_24(head + 27) + 1;
    } else if (head[15] == 'L') { /* two numbers of 14 bits */
        out->width = (little_endian_16(head + 21) & 0x3FFF) + 1;
        out->height = (little_endian_24(head + 22) >> 6 & 0x3FFF) + 1;
    } else if (head[15] == ' ') {
        out->width = little_endian_16(head + 26) & 0x3FFF;
        out->height = little_endian_16(head + 28) & 0x3FFF;
    }
    return out->width > 0;
}

/* Skips segments up to the frame header: SOF0 to SOF15 without DHT, JPG and DAC (ISO/IEC 10918-1, table
 * B.1). */
static bool jpeg(FILE *f, struct picture *out) {
    unsigned char s[9];
    if (fseek(f, 2, SEEK_SET) != 0) return false;
    for (int segments = 0; segments < 256 && fread(s, 1, 4, f) == 4 && s[0] == 0xFF; segments++) {
        int kind = s[1], length = big_endian_16(s + 2);
        bool frame = kind >= 0xC0 && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC;
        if (length < 2) return false;
        if (frame) {
            if (fread(s, 1, 5, f) != 5) return false;
            *out = (struct picture){PICTURE_JPEG, big_endian_16(s + 3), big_endian_16(s + 1)};
            return true;
        }
        if (fseek(f, length - 2, SEEK_CUR) != 0) return false;
    }
    return false;
}

int picture_look(const char *path, struct picture *out) {
    unsigned char head[32];
    FILE *f = fopen(path, "rbe");
    if (f == NULL)
        return UNAVAILABLE("pictures that can't be read", "the picture %s can't be read: %s", path,
                           strerror(errno));
    size_t n = fread(head, 1, sizeof head, f);
    bool known = png(head, n, out) || gif(head, n, out) || webp(head, n, out) ||
                 (n > 3 && head[0] == 0xFF && head[1] == 0xD8 && jpeg(f, out));
    fclose(f);
    return known && out->width > 0 && out->height > 0;
}

/* ---- the parent process ---------------------------------------------------------------------- */

static int picture_made(const char *path, const char *what, struct arena *a, const struct picture *p,
                        struct str *out) {
    if ((int64_t)p->width * p->height > LIMIT_PIXELS) return 0;
    int in = open(path, O_RDONLY | O_CLOEXEC), answer = memfd_create("picture", MFD_CLOEXEC);
    int rc = in >= 0 && answer >= 0 ? confined_run(PICTURE_ARGUMENT, what, in, answer, "a picture")
                                    : UNAVAILABLE("pictures that can't be read",
                                                  "the picture %s can't be read: %s", path, strerror(errno));
    if (rc == 1 && !confined_answer(answer, LIMIT_PICTURE, a, out)) rc = 0;
    if (in >= 0) close(in);
    if (answer >= 0) close(answer);
    return rc;
}

int picture_square(const char *path, int side, struct arena *a, const struct picture *p, struct str *out) {
    return picture_made(path, str_fmt(a, "square %d", side).p, a, p, out);
}

struct picture picture_within(const struct picture *p, int box) {
    int longer = p->width > p->height ? p->width : p->height;
    if (longer <= box) return (struct picture){p->type, p->width, p->height};
    int64_t width = ((int64_t)p->width * box + longer / 2) / longer,
            height = ((int64_t)p->height * box + longer / 2) / longer;
    return (struct picture){p->type, width > 0 ? (int)width : 1, height > 0 ? (int)height : 1};
}

struct str thumbnail_type(const struct picture *p) {
    return p->type == PICTURE_JPEG ? S("image/jpeg") : S("image/png");
}

int picture_thumbnail(const char *path, int box, struct arena *a, const struct picture *p,
                      struct thumbnail *out) {
    struct picture small = picture_within(p, box);
    int rc = picture_made(path, str_fmt(a, "within %dx%d", small.width, small.height).p, a, p, &out->data);
    out->width = small.width;
    out->height = small.height;
    out->type = thumbnail_type(p);
    return rc;
}

int picture_logo(const char *path, int box, struct arena *a, const struct picture *p, struct thumbnail *out) {
    bool fits = p->width <= box && p->height <= box;
    if (p->type != PICTURE_GIF || !fits) return picture_thumbnail(path, box, a, p, out);
    *out = (struct thumbnail){.type = S("image/gif"), .width = p->width, .height = p->height};
    return picture_made(path, str_fmt(a, "frame %d", box).p, a, p, &out->data);
}

int picture_banner(const char *path, int width, struct arena *a, const struct picture *p,
                   struct thumbnail *out) {
    int wide = p->width < width ? p->width : width;
    int64_t high = (int64_t)p->height * wide / p->width, most = (int64_t)wide * 3 / 4;
    if (high > most) high = most;
    *out = (struct thumbnail){.type = S("image/jpeg"), .width = wide, .height = high > 0 ? (int)high : 1};
    return picture_made(path, str_fmt(a, "banner %dx%d", out->width, out->height).p, a, p, &out->data);
}
