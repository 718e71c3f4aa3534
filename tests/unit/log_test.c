/* The format of log lines, and how often repeated lines are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char written[1 << 20];

/* Runs `log` with standard error redirected to a file, and copies its output to `written`. */
static void capture(void (*log)(void)) {
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int kept = dup(2);
    dup2(fileno(file), 2);
    log();
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    rewind(file);
    written[fread(written, 1, sizeof written - 1, file)] = '\0';
    fclose(file);
}

static int lines(void) {
    int n = 0;
    for (const char *at = written; (at = strchr(at, '\n')); at++) n++;
    return n;
}

static void log_odd_bytes(void) { log_error("a\nb\tc\x1b[31md\x7f\xc3\xa9 \\x0a ~"); }

static void bytes_outside_printable_ascii_are_escaped(void **state) {
    (void)state;
    capture(log_odd_bytes);
    assert_non_null(strstr(written, " error a\\x0ab\\x09c\\x1b[31md\\x7f\\xc3\\xa9 \\\\x0a ~\n"));
    assert_int_equal(lines(), 1);
}

static struct log_kind flood = {.name = "refused requests", .level = LOG_WARN};

static void log_flood(void) {
    for (int i = 0; i < 1000; i++) log_kind_line(&flood, "request %d was refused", i);
}

static void log_one_more(void) { log_kind_line(&flood, "request 1000 was refused"); }

static void a_second_goes_by(void) { atomic_fetch_sub(&flood.written, 1000); }

static void a_flood_of_lines_is_one_line_a_second_with_a_count(void **state) {
    (void)state;
    capture(log_flood);
    assert_non_null(strstr(written, " warn request 0 was refused\n"));
    int64_t missed = atomic_load(&flood.missed);
    /* one line, or a few if the machine paused for seconds */
    assert_true(lines() < 100 && missed > 0 && missed <= 999);
    a_second_goes_by();
    capture(log_one_more);
    char wanted[100];
    snprintf(wanted, sizeof wanted, " warn request 1000 was refused (and %lld more refused requests)\n",
             (long long)missed);
    assert_non_null(strstr(written, wanted));
    assert_int_equal(atomic_load(&flood.missed), 0);
}

static void the_count_of_a_flood_that_ended_is_written(void **state) {
    (void)state;
    atomic_store(&flood.missed, 41);
    a_second_goes_by();
    capture(log_flush);
    assert_non_null(strstr(written, " warn 41 more refused requests\n"));
    a_second_goes_by();
    capture(log_flush);
    assert_string_equal(written, "");
}

static void tokens_in_paths_are_hidden(void **state) {
    (void)state;
    struct arena *a = arena_new();
    static const char *const paths[][2] = {
        {"/api/v1/conversations/9223372036854775807/messages",
         "/api/v1/conversations/9223372036854775807/messages"},
        {"/api/v1/webhook/0123456789abcdef0123456789abcdef/incoming", "/api/v1/webhook/.../incoming"},
        {"/api/v1/webhook/7Hs9_-kLmNopQrStUvWxYz01", "/api/v1/webhook/..."},
        {"/docs/errors/RESOURCE_ACTION_NOT_AVAILABLE", "/docs/errors/RESOURCE_ACTION_NOT_AVAILABLE"},
        {"/api/v1/brands/1/templates/a_name_of_a_long_template",
         "/api/v1/brands/1/templates/a_name_of_a_long_template"},
        {"/AbCdEfGhIjKlMnOpQrSt", "/..."},
        {"//%31%32%33%34%35%36%37%38%39/", "//.../"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct str got = log_path(a, str_of(paths[i][0]));
        assert_int_equal(got.n, strlen(paths[i][1]));
        assert_memory_equal(got.p, paths[i][1], got.n);
    }
    char path[4000];
    for (size_t i = 0; i < sizeof path; i++) path[i] = i % 10 ? 'a' : '/';
    struct str cut = log_path(a, (struct str){path, sizeof path});
    assert_int_equal(cut.n, 515);
    assert_memory_equal(cut.p + 512, "...", 3);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_outside_printable_ascii_are_escaped),
        cmocka_unit_test(a_flood_of_lines_is_one_line_a_second_with_a_count),
        cmocka_unit_test(the_count_of_a_flood_that_ended_is_written),
        cmocka_unit_test(tokens_in_paths_are_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
