/* The process that decodes a picture. */
#include "files/picture.h"

#include "base/limits.h"
#include "files/confined.h"

#include <dlfcn.h>
#include <gd.h>
#include <stdarg.h>
#include <stdio.h>
#include <jpeglib.h> /* needs stdio.h before it */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE_MAX 4096 /* longest side of the result, in pixels */

/* ---- libgd ----------------------------------------------------------------------------------- */

/* libgd needs more than 50 libraries, for formats that deskd does not read. The program is not linked
 * against it, because the loader would need most of the time of each start for them. This process alone
 * loads it, before it is confined. */
#define LIBGD "libgd.so.3"
#define GD_FUNCTIONS(F)     \
    F(ImageAlphaBlending)   \
    F(ImageCopyResampled)   \
    F(ImageCreateFromGif)   \
    F(ImageCreateFromPng)   \
    F(ImageCreateFromWebp)  \
    F(ImageCreateTrueColor) \
    F(ImageFilledRectangle) \
    F(ImageGif)             \
    F(ImageJpeg)            \
    F(ImagePng)             \
    F(ImageSaveAlpha)       \
    F(SetErrorMethod)

/* The functions of libgd with the types of gd.h, without the prefix gd. */
struct gd {
#define GD_MEMBER(name) __typeof__(gd##name) *name;
    GD_FUNCTIONS(GD_MEMBER)
};

/* Returns false if the library or one of the functions is missing. */
static bool load_gd(struct gd *gd) {
    static const struct {
        const char *name;
        size_t at;
    } functions[] = {
#define GD_ROW(name) {"gd" #name, offsetof(struct gd, name)},
        GD_FUNCTIONS(GD_ROW)};
    void *library = dlopen(LIBGD, RTLD_NOW | RTLD_LOCAL), *function = library;
    for (size_t i = 0; function && i < sizeof functions / sizeof *functions; i++) {
        function = dlsym(library, functions[i].name);
        memcpy((char *)gd + functions[i].at, &function, sizeof function);
    }
    return function != NULL;
}

/* ---- JPEG ------------------------------------------------------------------------------------ */

static void child_give_up(j_common_ptr d) {
    (void)d;
    _exit(1);
}

static void say_nothing(j_common_ptr d) { (void)d; }

/* Returns the divisor of the size at which the JPEG is decoded. Decoding at 1/8, 1/4 or 1/2 costs a
 * fraction of the time and memory. The shorter side stays at least `side` pixels. */
static unsigned reduction(unsigned width, unsigned height, int side) {
    unsigned shorter = width < height ? width : height, by = 8;
    while (by > 1 && shorter / by < (unsigned)side) by /= 2;
    return by;
}

/* Adobe programs write the four inks inverted. */
static int colour(const unsigned char *p, bool inks, bool inverted) {
    if (!inks) return gdTrueColor(p[0], p[1], p[2]);
    int c[4];
    for (int i = 0; i < 4; i++) c[i] = inverted ? p[i] : 255 - p[i];
    return gdTrueColor(c[0] * c[3] / 255, c[1] * c[3] / 255, c[2] * c[3] / 255);
}

static gdImagePtr decode_jpeg(const struct gd *gd, int side) {
    struct jpeg_decompress_struct d;
    struct jpeg_error_mgr errors;
    d.err = jpeg_std_error(&errors);
    errors.error_exit = child_give_up;
    errors.output_message = say_nothing;
    jpeg_create_decompress(&d);
    jpeg_stdio_src(&d, stdin);
    jpeg_read_header(&d, TRUE);
    bool inks = d.jpeg_color_space == JCS_CMYK || d.jpeg_color_space == JCS_YCCK;
    d.out_color_space = inks ? JCS_CMYK : JCS_RGB;
    d.scale_num = 1;
    d.scale_denom = reduction(d.image_width, d.image_height, side);
    jpeg_start_decompress(&d);
    gdImagePtr image = gd->ImageCreateTrueColor((int)d.output_width, (int)d.output_height);
    unsigned bytes = inks ? 4 : 3;
    JSAMPARRAY row = (*d.mem->alloc_sarray)((j_common_ptr)&d, JPOOL_IMAGE, d.output_width * bytes, 1);
    while (image && d.output_scanline < d.output_height) {
        int *out = image->tpixels[d.output_scanline];
        if (jpeg_read_scanlines(&d, row, 1) != 1) return NULL;
        for (unsigned x = 0; x < d.output_width; x++)
            out[x] = colour(row[0] + x * bytes, inks, d.saw_Adobe_marker);
    }
    return image;
}

/* Suppresses messages of libgd, which would go to standard error. */
static void keep_quiet(int priority, const char *format, va_list arguments) {
    (void)priority, (void)format, (void)arguments;
}

/* ---- the process ----------------------------------------------------------------------------- */

enum task_form { FORM_SQUARE = 1, FORM_FRAME, FORM_BANNER, FORM_WITHIN };
struct picture_task {
    enum task_form form;
    int side, width, height;
};

static gdImagePtr child_decode(const struct gd *gd, int first, int side) {
    switch (first) {
    case 0xFF: return decode_jpeg(gd, side);
    case 'G': return gd->ImageCreateFromGif(stdin);
    case 'R': return gd->ImageCreateFromWebp(stdin);
    default: return gd->ImageCreateFromPng(stdin);
    }
}

static gdImagePtr blank_image(const struct gd *gd, int width, int height) {
    gdImagePtr image = gd->ImageCreateTrueColor(width, height);
    if (image == NULL) return NULL;
    gd->ImageAlphaBlending(image, 0);
    gd->ImageSaveAlpha(image, 1);
    gd->ImageFilledRectangle(image, 0, 0, width - 1, height - 1,
                             gdTrueColorAlpha(0, 0, 0, gdAlphaTransparent));
    return image;
}

static gdImagePtr middle_square(const struct gd *gd, gdImagePtr whole, int side) {
    int shorter = gdImageSX(whole) < gdImageSY(whole) ? gdImageSX(whole) : gdImageSY(whole);
    gdImagePtr square = blank_image(gd, side, side);
    if (square)
        gd->ImageCopyResampled(square, whole, 0, 0, (gdImageSX(whole) - shorter) / 2,
                               (gdImageSY(whole) - shorter) / 2, side, side, shorter, shorter);
    return square;
}

static gdImagePtr scaled_image(const struct gd *gd, gdImagePtr whole, int width, int height) {
    gdImagePtr small = blank_image(gd, width, height);
    if (small)
        gd->ImageCopyResampled(small, whole, 0, 0, 0, 0, width, height, gdImageSX(whole), gdImageSY(whole));
    return small;
}

/* The middle part of a picture that has these proportions, without transparency. */
static gdImagePtr banner_image(const struct gd *gd, gdImagePtr whole, int width, int height) {
    int64_t shown = (int64_t)gdImageSX(whole) * height / width;
    int high = shown < 1 ? 1 : shown > gdImageSY(whole) ? gdImageSY(whole) : (int)shown;
    gdImagePtr small = gd->ImageCreateTrueColor(width, height);
    if (small)
        gd->ImageCopyResampled(small, whole, 0, 0, 0, (gdImageSY(whole) - high) / 2, width, height,
                               gdImageSX(whole), high);
    return small;
}

/* Returns false if the words are no task. side: the decoder keeps so many pixels of the shorter side. */
static bool task_read(const char *what, struct picture_task *t) {
    *t = (struct picture_task){0};
    if (sscanf(what, "square %d", &t->side) == 1) t->form = FORM_SQUARE;
    else if (sscanf(what, "frame %d", &t->side) == 1) t->form = FORM_FRAME;
    else if (sscanf(what, "banner %dx%d", &t->width, &t->height) == 2) t->form = FORM_BANNER;
    else if (sscanf(what, "within %dx%d", &t->width, &t->height) == 2) t->form = FORM_WITHIN;
    if (t->form == FORM_BANNER) t->side = t->width;
    if (t->form == FORM_WITHIN) t->side = t->width < t->height ? t->width : t->height;
    bool sized = t->form != FORM_BANNER || t->height > 0;
    return sized && t->side >= 1 && t->side <= SIDE_MAX && t->width <= SIDE_MAX && t->height <= SIDE_MAX;
}

static gdImagePtr task_image(const struct gd *gd, gdImagePtr whole, const struct picture_task *t) {
    switch (t->form) {
    case FORM_SQUARE: return middle_square(gd, whole, t->side);
    case FORM_BANNER: return banner_image(gd, whole, t->width, t->height);
    case FORM_WITHIN: return scaled_image(gd, whole, t->width, t->height);
    case FORM_FRAME: break;
    }
    return gdImageSX(whole) > t->side || gdImageSY(whole) > t->side ? NULL : whole;
}

int picture_child(const char *what) {
    static const struct confined_limits limits = {
        .memory = INT64_C(512) << 20, .answer = LIMIT_PICTURE, .seconds = 5};
    struct picture_task task;
    bool given = task_read(what, &task);
    struct gd gd;
    if (!load_gd(&gd)) _exit(CONFINED_NO_LIBRARY);
    gd.SetErrorMethod(keep_quiet);
    confined_enter(&limits);
    int first = getc(stdin);
    if (!given || ungetc(first, stdin) == EOF) _exit(1);
    gdImagePtr whole = child_decode(&gd, first, task.side), made = NULL;
    if (task.form == FORM_FRAME && first != 'G') _exit(1);
    if (whole) made = task_image(&gd, whole, &task);
    if (made == NULL) _exit(1);
    if (task.form == FORM_FRAME) gd.ImageGif(made, stdout);
    else if (first == 0xFF || task.form == FORM_BANNER) gd.ImageJpeg(made, stdout, 85);
    else gd.ImagePng(made, stdout);
    _exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1);
}
