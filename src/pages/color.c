#include "pages/color.h"

#include <math.h>

#define ENOUGH 4.5 /* level AA, text of any size */

static int color_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool color_read(struct str text, struct rgb *out) {
    if (text.n != 7 || text.p[0] != '#') return false;
    for (int i = 0; i < 3; i++) {
        int high = color_digit(text.p[1 + 2 * i]), low = color_digit(text.p[2 + 2 * i]);
        if (high < 0 || low < 0) return false;
        out->c[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

void color_write(struct buf *out, struct rgb c) { buf_fmt(out, "#%02x%02x%02x", c.c[0], c.c[1], c.c[2]); }

static double luminance(struct rgb c) {
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double part = c.c[i] / 255.0;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* 1 to 21 */
static double color_contrast(struct rgb a, struct rgb b) {
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static const struct rgb black = {{0, 0, 0}}, white = {{255, 255, 255}};

struct rgb color_on(struct rgb back) {
    return color_contrast(back, white) >= color_contrast(back, black) ? white : black;
}

struct rgb color_between(struct rgb c, struct rgb end, int part) {
    for (int i = 0; i < 3; i++) c.c[i] = (unsigned char)(c.c[i] + (end.c[i] - c.c[i]) * part / 32);
    return c;
}

struct rgb color_deep(struct rgb c) {
    struct rgb text = color_on(c);
    return color_between(c, text.c[0] ? black : white, 12);
}

struct rgb color_readable(struct rgb c, struct rgb back) {
    struct rgb end = color_on(back);
    for (int step = 0; step < 32; step++) {
        struct rgb tried = color_between(c, end, step);
        if (color_contrast(tried, back) >= ENOUGH) return tried;
    }
    return end;
}
