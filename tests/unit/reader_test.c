/* Ends of the process that reads a mail. The first byte of a mail decides how its reader ends, as an
 * attacker could who controls it. Started without a prepared process, the reader is broken: it fails for
 * every mail. */
#include "mail/read.h"

#include "files/nursery.h"
#include "mail/read_child.h"

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

static struct arena *arena;

/* ---- the reader ------------------------------------------------------------------------------ */

static const struct confined_limits narrow = {
    .memory = INT64_C(768) << 20, .answer = 4096, .seconds = 1, .prints = true};

/* The limit is one of addresses, so the memory is not touched. A sanitizer has no limit. */
static void use_memory(void) {
    void *volatile bytes = "";
    for (int i = 0; i < 1000 && bytes; i++) bytes = malloc(1 << 20);
    abort();
}

static void use_processor(void) {
    for (volatile unsigned n = 0;; n++) continue;
}

static void write_much(void) {
    static char bytes[8192];
    while (write(CONFINED_ANSWER, bytes, sizeof bytes) > 0) continue;
}

/* The mail begins with a letter and the path of a file, which the first attempt makes. */
static void end_once(int sign) {
    char line[200] = "";
    if (pread(STDIN_FILENO, line, sizeof line - 1, 0) < 0) _exit(1);
    line[strcspn(line, "\n")] = 0;
    if (open(line + 1, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0) raise(sign);
}

static int hostile_reader(void) {
    char first = 0;
    if (pread(STDIN_FILENO, &first, 1, 0) != 1) _exit(1);
    if (first == 'k') end_once(SIGKILL);
    if (first == 'l') end_once(SIGALRM); /* other processes left it no CPU */
    if (first == 'K') raise(SIGKILL);
    if (first == 'L') raise(SIGALRM);
    if (first == '3' || first == '4' || first == '9') _exit(first - '0');
    if (first == 'F' || first == 'k' || first == 'l') return mail_child_run();
    confined_enter(&narrow);
    if (first == 'm') use_memory();
    if (first == 'p') use_processor();
    if (first == 'w') write_much();
    if (first == 'o') open("/etc/passwd", O_RDONLY);
    if (first == 'a') abort();
    _exit(0);
}

static int hostile_reader_brief(void) {
    char first = 0;
    if (pread(STDIN_FILENO, &first, 1, 0) != 1) _exit(1);
    if (first == 'F') return mail_child_run_brief();
    confined_enter(&mail_brief_limits);
    if (first == 'a') abort();
    use_processor();
    _exit(0);
}

static const struct nursery_kind hostile[] = {{MAIL_ARGUMENT, mail_child_prepare, hostile_reader},
                                              {MAIL_BRIEF_ARGUMENT, mail_child_prepare, hostile_reader_brief},
                                              {0}};

/* ---- tests ----------------------------------------------------------------------------------- */

static int result_of(const char *raw, struct incoming *m) {
    *m = (struct incoming){.recipient = S("support@example.com")};
    return mail_read(arena, str_of(raw), 0, &mail_wholly, m);
}

static void a_mail_that_ends_its_reader_fails_alone(void **state) {
    static const struct {
        const char *mail, *fault;
    } ends[] = {
        {"m", "needed more than 768 MiB of memory, or made a forbidden system call"},
        {"p", "was stopped after 10 seconds of CPU time"},
        {"w", "wrote more than"},
        {"o", "needed more than 768 MiB of memory, or made a forbidden system call"},
        {"a", "needed more than 768 MiB of memory, or made a forbidden system call"},
        {"K", "was killed"},
        {"L", "was stopped after 100 seconds"},
        {"3", "failed (status 3)"},
        {"4", "failed (status 4)"},
        {"9", "failed (status 9)"},
        {"x", "returned an invalid answer"},
    };
    struct incoming m;
    (void)state;
    nursery_allow(hostile);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_int_equal(result_of(ends[i].mail, &m), 0);
        if (m.fault.p == NULL || !strstr(m.fault.p, ends[i].fault))
            fail_msg("%s: %s", ends[i].mail, m.fault.p ? m.fault.p : "no fault");
        assert_int_equal(m.size, 1);
        assert_true(str_eq(m.recipient, S("support@example.com")));
        assert_int_equal(result_of("From: ada@example.com\n\nx", &m), 1);
    }
}

static void expect_a_second_reading(char first) {
    char folder[] = "/tmp/deskd-reader.XXXXXX";
    struct incoming m;
    assert_non_null(mkdtemp(folder));
    const char *path = str_fmt(arena, "%s/ended", folder).p;
    nursery_allow(hostile);
    assert_int_equal(result_of(str_fmt(arena, "%c%s\nFrom: ada@example.com\n\nHello", first, path).p, &m), 1);
    assert_int_equal(unlink(path), 0);
    rmdir(folder);
    assert_null(m.fault.p);
    assert_true(str_eq(m.from.address, S("ada@example.com")));
    assert_true(str_eq(m.text, S("Hello")));
}

static void a_mail_whose_reader_is_killed_once_is_read_again(void **state) {
    (void)state;
    expect_a_second_reading('k');
}

static void a_mail_whose_reader_got_no_cpu_once_is_read_again(void **state) {
    (void)state;
    expect_a_second_reading('l');
}

static int brief_result_of(const char *raw, struct incoming *m) {
    *m = (struct incoming){0};
    return mail_read(arena, str_of(raw), 0, &mail_briefly, m);
}

static void a_brief_reader_stops_after_its_budget(void **state) {
    struct incoming m;
    (void)state;
    nursery_allow(hostile);
    assert_int_equal(brief_result_of("From: ada@example.com\n\nx", &m), 1);
    assert_true(str_eq(m.from.address, S("ada@example.com")));
    assert_int_equal(brief_result_of("p", &m), MAIL_TAKES_LONG);
    assert_int_equal(brief_result_of("a", &m), 0);
    assert_non_null(m.fault.p);
}

static void a_reader_is_left_when_its_caller_gives_up(void **state) {
    struct incoming m = {0};
    int end = eventfd(1, EFD_CLOEXEC);
    const struct mail_effort until_end = {.cancel = end};
    (void)state;
    nursery_allow(hostile);
    int64_t begun = clock_monotonic();
    assert_int_equal(mail_read(arena, S("p"), 0, &until_end, &m), MAIL_TAKES_LONG);
    assert_true(clock_monotonic() - begun < 5000);
    close(end);
    end = eventfd(0, EFD_CLOEXEC);
    const struct mail_effort never = {.cancel = end};
    assert_int_equal(mail_read(arena, S("From: ada@example.com\n\nx"), 0, &never, &m), 1);
    close(end);
}

static void mails_wait_for_a_reader_that_can_not_read_a_good_mail(void **state) {
    struct incoming m;
    (void)state;
    nursery_allow(NULL);
    assert_int_equal(result_of("From: ada@example.com\n\nx", &m), -ERR_SERVICE_UNAVAILABLE);
    assert_null(m.fault.p);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], NURSERY_ARGUMENT) == 0) return nursery_child(hostile);
    if (argc == 3 && strcmp(argv[1], MAIL_ARGUMENT) == 0) return CONFINED_FAILED;
    if (sodium_init() < 0) return 1;
    arena = arena_new();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mail_that_ends_its_reader_fails_alone),
        cmocka_unit_test(a_mail_whose_reader_is_killed_once_is_read_again),
        cmocka_unit_test(a_mail_whose_reader_got_no_cpu_once_is_read_again),
        cmocka_unit_test(a_brief_reader_stops_after_its_budget),
        cmocka_unit_test(a_reader_is_left_when_its_caller_gives_up),
        cmocka_unit_test(mails_wait_for_a_reader_that_can_not_read_a_good_mail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
