/* The system calls that the picture process may make, and its results. */
#include "files/picture.h"

#include "base/error.h"
#include "files/confined.h"

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <fcntl.h>
#include <gd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the filter ------------------------------------------------------------------------------ */

static void open_file(void) { syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY); }
static void open_socket(void) { syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }
static void fork_child(void) { syscall(SYS_fork); }
static void run_program(void) { syscall(SYS_execve, "/bin/true", NULL, NULL); }
static void kill_parent(void) { syscall(SYS_kill, getppid(), 0); }
static void trace_parent(void) { syscall(SYS_ptrace, 16L, (long)getppid(), 0L, 0L); }
static void map_code(void) {
    syscall(SYS_mmap, NULL, 4096L, (long)(PROT_READ | PROT_EXEC), (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L,
            0L);
}
static void read_another(void) {
    char c;
    syscall(SYS_read, 7L, &c, 1L);
}
static void write_another(void) { syscall(SYS_write, 7L, "x", 1L); }
static void write_apart(void) { syscall(SYS_write, (long)CONFINED_ANSWER, "x", 1L); }
static void duplicate(void) { syscall(SYS_dup, 0L); }
static void change_limits(void) { syscall(SYS_prlimit64, 0L, 0L, NULL, NULL); }

static void read_input(void) {
    char c;
    if (syscall(SYS_read, 0L, &c, 1L) != 0) _exit(1);
}
static void write_answer(void) {
    if (syscall(SYS_write, 1L, "", 0L) != 0) _exit(1);
}
static void ask_for_memory(void) {
    for (size_t n = 1000; n < 8000000; n *= 2) {
        char *p = malloc(n);
        if (p == NULL) _exit(1);
        memset(p, 1, n);
        if ((p = realloc(p, 3 * n)) == NULL) _exit(1);
        free(p);
    }
}

static void look_at_paths(void) {
    struct stat st;
    static const char *const paths[] = {"/etc/passwd", "", "."};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (int fd = AT_FDCWD; fd < 3; fd = fd < 0 ? 0 : fd + 1)
            if (syscall(SYS_newfstatat, fd, paths[i], &st, AT_EMPTY_PATH) == 0 ||
                syscall(SYS_newfstatat, fd, paths[i], &st, 0) == 0)
                _exit(1);
}

/* Runs `act` in a confined process. Returns its exit status. */
static int status_of(void (*act)(void)) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(nothing, 7);
        dup2(nothing, CONFINED_ANSWER);
        if (!confine()) _exit(CONFINED_FAILED);
        act();
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void a_confined_process_is_killed_by_what_it_may_not_call(void **state) {
    void (*const acts[])(void) = {open_file,     open_socket,  fork_child, run_program,
                                  kill_parent,   trace_parent, map_code,   read_another,
                                  write_another, write_apart,  duplicate,  change_limits};
    (void)state;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        int status = status_of(acts[i]);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
            fail_msg("act %zu ended with status %d", i, status);
    }
}

static void a_confined_process_may_read_write_and_ask_for_memory(void **state) {
    void (*const acts[])(void) = {read_input, write_answer, ask_for_memory};
    (void)state;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) assert_int_equal(status_of(acts[i]), 0);
}

static void a_confined_process_learns_nothing_about_paths(void **state) {
    (void)state;
    assert_int_equal(status_of(look_at_paths), 0);
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Makes a picture of red, green and blue bands from left to right, as a temporary file open at its
 * beginning. */
static int banded(int width, int height, const char *type) {
    gdImagePtr image = gdImageCreateTrueColor(width, height);
    FILE *f = tmpfile();
    assert_non_null(f);
    for (int i = 0; i < 3; i++)
        gdImageFilledRectangle(image, width * i / 3, 0, width * (i + 1) / 3 - 1, height - 1,
                               gdTrueColor(i == 0 ? 255 : 0, i == 1 ? 255 : 0, i == 2 ? 255 : 0));
    if (strcmp(type, "jpeg") == 0) gdImageJpeg(image, f, 90);
    else if (strcmp(type, "png") == 0) gdImagePng(image, f);
    else if (strcmp(type, "webp") == 0) gdImageWebpEx(image, f, 95);
    else if (strcmp(type, "lossless webp") == 0) gdImageWebpEx(image, f, gdWebpLossless);
    else gdImageGif(image, f);
    gdImageDestroy(image);
    fflush(f);
    rewind(f);
    return fileno(f);
}

/* Returns the picture that the process makes of the file; NULL: it failed. */
static gdImagePtr made_of(int in, const char *what) {
    FILE *answer = tmpfile();
    int status = -1;
    assert_non_null(answer);
    pid_t child = fork();
    if (child == 0) {
        dup2(in, 0);
        dup2(fileno(answer), 1);
        picture_child(what);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFSIGNALED(status)); /* a broken picture must not cause a forbidden call */
    rewind(answer);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return NULL;
    int first = getc(answer);
    ungetc(first, answer);
    return first == 0xFF ? gdImageCreateFromJpeg(answer) : gdImageCreateFromPng(answer);
}

static gdImagePtr square_of(int in, int side) {
    char what[32];
    snprintf(what, sizeof what, "square %d", side);
    return made_of(in, what);
}

static bool is_near(gdImagePtr image, int x, int y, int r, int g, int b) {
    int c = gdImageGetTrueColorPixel(image, x, y);
    return abs(gdTrueColorGetRed(c) - r) < 24 && abs(gdTrueColorGetGreen(c) - g) < 24 &&
           abs(gdTrueColorGetBlue(c) - b) < 24;
}

static void the_middle_of_a_picture_is_kept_whatever_its_size_and_type(void **state) {
    static const struct {
        int width, height;
    } sizes[] = {{3, 3}, {90, 90}, {255, 255}, {768, 768}, {1500, 600}, {2049, 2051}, {2300, 1500}};
    static const char *const types[] = {"jpeg", "png", "gif"};
    (void)state;
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            bool tiny = sizes[i].width == 3; /* a JPEG of 3 pixels keeps no colours */
            gdImagePtr square = square_of(banded(sizes[i].width, sizes[i].height, types[t]), 256);
            if (square == NULL)
                fail_msg("%d x %d %s was not decoded", sizes[i].width, sizes[i].height, types[t]);
            assert_int_equal(gdImageSX(square), 256);
            assert_int_equal(gdImageSY(square), 256);
            if (!tiny && !is_near(square, 128, 128, 0, 255, 0))
                fail_msg("the middle of %d x %d %s is not green", sizes[i].width, sizes[i].height, types[t]);
            bool square_shaped = sizes[i].width < 2 * sizes[i].height;
            if (!tiny && square_shaped && i < 4 &&
                !(is_near(square, 10, 128, 255, 0, 0) && is_near(square, 245, 128, 0, 0, 255)))
                fail_msg("the sides of %d x %d %s are lost", sizes[i].width, sizes[i].height, types[t]);
            gdImageDestroy(square);
        }
}

static void a_banner_has_the_whole_width_and_the_middle_of_a_high_picture(void **state) {
    static const struct {
        int width, height, made_width, made_height;
    } cases[] = {{2000, 500, 1280, 320}, {1300, 2600, 1280, 960}, {700, 700, 700, 525}, {3000, 1, 1280, 1}};
    static const char *const types[] = {"jpeg", "png", "gif", "webp"};
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char what[32];
            snprintf(what, sizeof what, "banner %dx%d", cases[i].made_width, cases[i].made_height);
            gdImagePtr made = made_of(banded(cases[i].width, cases[i].height, types[t]), what);
            if (made == NULL) fail_msg("%d x %d %s", cases[i].width, cases[i].height, types[t]);
            int width = gdImageSX(made), height = gdImageSY(made);
            assert_int_equal(width, cases[i].made_width);
            assert_int_equal(height, cases[i].made_height);
            bool bands = height == 1 || (is_near(made, width / 20, height / 2, 255, 0, 0) &&
                                         is_near(made, width * 19 / 20, height / 2, 0, 0, 255));
            if (!bands)
                fail_msg("the sides of %d x %d %s are lost", cases[i].width, cases[i].height, types[t]);
            gdImageDestroy(made);
        }
    assert_null(made_of(banded(90, 90, "png"), "banner 90x0"));
}

/* A JPEG is decoded at a fraction of its size, but not at one whose shorter side is below that of the square. */
static void the_detail_of_a_long_jpeg_is_kept(void **state) {
    static const int sizes[][2] = {{640, 64}, {64, 640}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        gdImagePtr image = gdImageCreateTrueColor(sizes[i][0], sizes[i][1]);
        FILE *f = tmpfile();
        assert_non_null(f);
        for (int y = 0; y < sizes[i][1]; y++)
            gdImageLine(image, 0, y, sizes[i][0] - 1, y, y / 4 % 2 ? gdTrueColor(255, 255, 255) : 0);
        gdImageJpeg(image, f, 95);
        gdImageDestroy(image);
        fflush(f);
        rewind(f);
        gdImagePtr square = square_of(fileno(f), 64);
        assert_non_null(square);
        int dark = 0, light = 0;
        for (int y = 0; y < 64; y++) {
            int green = gdTrueColorGetGreen(gdImageGetTrueColorPixel(square, 32, y));
            dark += green < 64;
            light += green > 192;
        }
        assert_true(dark > 20 && light > 20);
        gdImageDestroy(square);
        fclose(f);
    }
}

/* Returns the path of an open file. */
static const char *path_of(int fd) {
    static char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

static void the_size_of_a_picture_is_read_from_its_header(void **state) {
    static const char *const types[] = {"jpeg", "png", "gif", "webp", "lossless webp"};
    static const enum picture_type kinds[] = {PICTURE_JPEG, PICTURE_PNG, PICTURE_GIF, PICTURE_WEBP,
                                              PICTURE_WEBP};
    (void)state;
    for (size_t t = 0; t < 5; t++) {
        struct picture p = {0};
        assert_int_equal(picture_look(path_of(banded(2300, 301, types[t])), &p), 1);
        if (p.type != kinds[t] || p.width != 2300 || p.height != 301)
            fail_msg("%s: %d x %d", types[t], p.width, p.height);
    }
}

static void a_thumbnail_has_the_shape_of_its_picture(void **state) {
    static const struct {
        int width, height;
        struct picture made;
    } cases[] = {{1600, 400, {.width = 200, .height = 50}}, {400, 1600, {.width = 50, .height = 200}},
                 {199, 3, {.width = 199, .height = 3}},     {8000, 1, {.width = 200, .height = 1}},
                 {201, 200, {.width = 200, .height = 199}}, {400, 101, {.width = 200, .height = 51}},
                 {101, 400, {.width = 51, .height = 200}},  {1500, 1500, {.width = 200, .height = 200}}};
    static const char *const types[] = {"jpeg", "png", "gif", "webp", "lossless webp"};
    (void)state;
    for (size_t t = 0; t < 5; t++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct picture p = {0}, small;
            char what[32];
            int fd = banded(cases[i].width, cases[i].height, types[t]);
            assert_int_equal(picture_look(path_of(fd), &p), 1);
            small = picture_within(&p, 200);
            assert_int_equal(small.width, cases[i].made.width);
            assert_int_equal(small.height, cases[i].made.height);
            snprintf(what, sizeof what, "within %dx%d", small.width, small.height);
            gdImagePtr made = made_of(fd, what);
            if (made == NULL) fail_msg("%s %d x %d was not decoded", types[t], p.width, p.height);
            assert_int_equal(gdImageSX(made), small.width);
            assert_int_equal(gdImageSY(made), small.height);
            if (small.height > 40 && small.width > 40 &&
                !is_near(made, small.width / 6, small.height / 2, 255, 0, 0))
                fail_msg("%s %d x %d: the left is not red", types[t], p.width, p.height);
            gdImageDestroy(made);
            close(fd);
        }
}

static void a_picture_that_claims_too_many_pixels_starts_no_process(void **state) {
    static const unsigned char bomb[] = "GIF89a\xFF\xFF\xFF\xFF\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF,";
    struct arena *a = arena_new();
    struct picture p = {0};
    struct thumbnail t;
    struct str square;
    FILE *f = tmpfile();
    (void)state;
    fwrite(bomb, 1, sizeof bomb - 1, f);
    fflush(f);
    assert_int_equal(picture_look(path_of(fileno(f)), &p), 1);
    assert_int_equal(p.width, 65535);
    assert_int_equal(picture_thumbnail("/nowhere", 200, a, &p, &t), 0); /* the file is not opened at all */
    assert_int_equal(picture_square("/nowhere", 200, a, &p, &square), 0);
    fclose(f);
    arena_free(a);
}

static void a_broken_picture_ends_the_process_and_nothing_else(void **state) {
    static const char *const broken[] = {
        "\xFF\xD8\xFF\xE0", "\xFF\xD8\xFF\xC0\x00\x0B\x08\xFF\xFF\xFF\xFF\x01\x01\x11\x00",
        "GIF89a\xFF\xFF",   "\x89PNG\r\n\x1a\n",
        "RIFF0000WEBPVP8 ", "none"};
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        FILE *f = tmpfile();
        fwrite(broken[i], 1, 15 < strlen(broken[i]) + 1 ? 15 : strlen(broken[i]), f);
        fflush(f);
        rewind(f);
        assert_null(square_of(fileno(f), 256));
        fclose(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_confined_process_is_killed_by_what_it_may_not_call),
        cmocka_unit_test(a_confined_process_may_read_write_and_ask_for_memory),
        cmocka_unit_test(a_confined_process_learns_nothing_about_paths),
        cmocka_unit_test(the_middle_of_a_picture_is_kept_whatever_its_size_and_type),
        cmocka_unit_test(a_banner_has_the_whole_width_and_the_middle_of_a_high_picture),
        cmocka_unit_test(the_detail_of_a_long_jpeg_is_kept),
        cmocka_unit_test(the_size_of_a_picture_is_read_from_its_header),
        cmocka_unit_test(a_thumbnail_has_the_shape_of_its_picture),
        cmocka_unit_test(a_picture_that_claims_too_many_pixels_starts_no_process),
        cmocka_unit_test(a_broken_picture_ends_the_process_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
