/* The process that decodes a picture. A decoder that a picture has taken over can do nothing with it: the process has little memory and time,
 * and a seccomp filter that leaves it standard input, standard output and memory. */
#include "files/picture.h"

#include "base/limits.h"

#include <gd.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <jpeglib.h> /* wants stdio.h before itself */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ---- confinement -------------------------------------------------------------------------------------------------- */

#define CHILD_MEMORY (512L * 1024 * 1024)
#define CHILD_SECONDS 5

static void limit(__rlimit_resource_t what, rlim_t most) { setrlimit(what, &(struct rlimit){most, most}); }

static void limit_resources(void) {
    if (!SANITIZED) limit(RLIMIT_AS, CHILD_MEMORY); /* a sanitizer reserves terabytes of addresses */
    limit(RLIMIT_CPU, CHILD_SECONDS);
    limit(RLIMIT_FSIZE, LIMIT_PICTURE);
    limit(RLIMIT_NOFILE, 16);
    alarm(2 * CHILD_SECONDS);
}

static bool allow(scmp_filter_ctx filter, int call) { return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0; }

static bool allow_if(scmp_filter_ctx filter, int call, struct scmp_arg_cmp condition) {
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &condition) == 0;
}

static bool allow_memory(scmp_filter_ctx filter) {
    const struct scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    return allow_if(filter, SCMP_SYS(mmap), no_code) && allow_if(filter, SCMP_SYS(mprotect), no_code) && allow(filter, SCMP_SYS(munmap)) &&
           allow(filter, SCMP_SYS(mremap)) && allow(filter, SCMP_SYS(madvise)) && allow(filter, SCMP_SYS(brk)) &&
           allow(filter, SCMP_SYS(futex));
}

static bool allow_pipes(scmp_filter_ctx filter) {
    return allow_if(filter, SCMP_SYS(read), SCMP_A0(SCMP_CMP_EQ, STDIN_FILENO)) &&
           allow_if(filter, SCMP_SYS(lseek), SCMP_A0(SCMP_CMP_EQ, STDIN_FILENO)) &&
           allow_if(filter, SCMP_SYS(write), SCMP_A0(SCMP_CMP_EQ, STDOUT_FILENO)) && allow(filter, SCMP_SYS(fstat)) &&
           allow(filter, SCMP_SYS(newfstatat));
}

/* A sanitizer writes reports, and looks at itself. */
static bool allow_sanitizer(scmp_filter_ctx filter) {
    static const int calls[] = {SCMP_SYS(getpid),         SCMP_SYS(gettid),       SCMP_SYS(sched_yield), SCMP_SYS(sigaltstack),
                                SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(nanosleep),   SCMP_SYS(clock_nanosleep)};
    bool ok = allow_if(filter, SCMP_SYS(write), SCMP_A0(SCMP_CMP_EQ, STDERR_FILENO));
    for (size_t i = 0; ok && i < sizeof calls / sizeof *calls; i++) ok = allow(filter, calls[i]);
    return ok;
}

bool picture_confine(void) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    bool ok = filter && allow_memory(filter) && allow_pipes(filter) && allow(filter, SCMP_SYS(exit_group)) &&
              allow(filter, SCMP_SYS(exit)) && allow(filter, SCMP_SYS(rt_sigreturn)) && allow(filter, SCMP_SYS(clock_gettime)) &&
              (!SANITIZED || allow_sanitizer(filter)) && seccomp_load(filter) == 0;
    if (filter) seccomp_release(filter);
    return ok;
}

/* ---- JPEG --------------------------------------------------------------------------------------------------------- */

static void child_give_up(j_common_ptr d) {
    (void)d;
    _exit(1);
}

static void say_nothing(j_common_ptr d) { (void)d; }

/* An eighth, a quarter or half of each side costs a fraction of the time and memory. The shorter side stays at least `side` pixels. */
static unsigned reduction(unsigned width, unsigned height, int side) {
    unsigned shorter = width < height ? width : height, by = 8;
    while (by > 1 && shorter / by < (unsigned)side) by /= 2;
    return by;
}

/* Adobe's programs write the four inks inverted. */
static int colour(const unsigned char *p, bool inks, bool inverted) {
    if (!inks) return gdTrueColor(p[0], p[1], p[2]);
    int c[4];
    for (int i = 0; i < 4; i++) c[i] = inverted ? p[i] : 255 - p[i];
    return gdTrueColor(c[0] * c[3] / 255, c[1] * c[3] / 255, c[2] * c[3] / 255);
}

static gdImagePtr decode_jpeg(int side) {
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
    gdImagePtr image = gdImageCreateTrueColor((int)d.output_width, (int)d.output_height);
    unsigned bytes = inks ? 4 : 3;
    JSAMPARRAY row = (*d.mem->alloc_sarray)((j_common_ptr)&d, JPOOL_IMAGE, d.output_width * bytes, 1);
    while (image && d.output_scanline < d.output_height) {
        int *out = image->tpixels[d.output_scanline];
        if (jpeg_read_scanlines(&d, row, 1) != 1) return NULL;
        for (unsigned x = 0; x < d.output_width; x++) out[x] = colour(row[0] + x * bytes, inks, d.saw_Adobe_marker);
    }
    return image;
}

/* libgd would write to standard error. */
static void keep_quiet(int priority, const char *format, va_list arguments) { (void)priority, (void)format, (void)arguments; }

/* ---- the process -------------------------------------------------------------------------------------------------- */

static gdImagePtr child_decode(int first, int side) {
    return first == 0xFF ? decode_jpeg(side) : first == 'G' ? gdImageCreateFromGif(stdin) : gdImageCreateFromPng(stdin);
}

int picture_child(const char *text) {
    int side = atoi(text), first;
    limit_resources();
    gdSetErrorMethod(keep_quiet);
    if (!picture_confine()) _exit(PICTURE_UNCONFINED);
    first = getc(stdin);
    if (side < 1 || side > 4096 || ungetc(first, stdin) == EOF) _exit(1);
    gdImagePtr whole = child_decode(first, side), square = whole ? gdImageCreateTrueColor(side, side) : NULL;
    if (square == NULL) _exit(1);
    int shorter = gdImageSX(whole) < gdImageSY(whole) ? gdImageSX(whole) : gdImageSY(whole);
    gdImageAlphaBlending(square, 0);
    gdImageSaveAlpha(square, 1);
    gdImageFilledRectangle(square, 0, 0, side - 1, side - 1, gdTrueColorAlpha(0, 0, 0, gdAlphaTransparent));
    gdImageCopyResampled(square, whole, 0, 0, (gdImageSX(whole) - shorter) / 2, (gdImageSY(whole) - shorter) / 2, side, side, shorter,
                         shorter);
    if (first == 0xFF) gdImageJpeg(square, stdout, 85);
    else gdImagePng(square, stdout);
    _exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1);
}
