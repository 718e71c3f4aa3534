/* The prepared process: it forks confined processes, several at once, is replaced if it ends, and gives
 * them nothing. */
#include "files/nursery.h"

#include "files/confined.h"

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct confined_limits limits = {.memory = INT64_C(256) << 20, .answer = 4096, .seconds = 5};

static int put(const char *s) { return write(STDOUT_FILENO, s, strlen(s)) == (ssize_t)strlen(s) ? 0 : 1; }

static int run_echo(void) {
    char room[100];
    confined_enter(&limits);
    ssize_t n = read(STDIN_FILENO, room, sizeof room);
    _exit(n > 0 && write(STDOUT_FILENO, room, (size_t)n) == n ? 0 : 7);
}

static int run_crash(void) {
    confined_enter(&limits);
    open("/etc/passwd", O_RDONLY);
    _exit(0);
}

/* Before it is confined, the process reports its descriptors, its environment and its parent. */
static int run_tell(void) {
    char text[100];
    int open_fds = 0;
    for (int fd = 0; fd < 1000; fd++) open_fds += fcntl(fd, F_GETFD) != -1;
    snprintf(text, sizeof text, "%d descriptors, environment %s, parent %d", open_fds,
             getenv("NURSERY_SECRET") ? "kept" : "empty", (int)getppid());
    return put(text);
}

/* Reads its input and kills the prepared process. Without one it is a start of the program, which answers
 * with the input. */
static bool is_spawned;
static int run_kill(void) {
    char room[100];
    ssize_t n = read(STDIN_FILENO, room, sizeof room);
    if (is_spawned) return n > 0 && write(STDOUT_FILENO, room, (size_t)n) == n ? 0 : 7;
    put("half an answer");
    kill(getppid(), SIGKILL);
    for (;;) pause();
}

static bool is_prepared;
static void prepare_flag(void) { is_prepared = true; }
static int run_prepared(void) { return put(is_prepared ? "prepared" : "not prepared"); }

static const struct nursery_kind kinds[] = {{"--echo", NULL, run_echo},
                                            {"--crash", NULL, run_crash},
                                            {"--tell", NULL, run_tell},
                                            {"--kill", NULL, run_kill},
                                            {"--prepared", prepare_flag, run_prepared},
                                            {0}};

/* Runs a kind. Returns what confined_run does, and the answer in room. */
static int run(const char *kind, const char *input, char room[200]) {
    int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
    assert_int_equal(pwrite(in, input, strlen(input), 0), strlen(input));
    int rc = confined_run(kind, "x", in, out, "a test");
    ssize_t n = pread(out, room, 199, 0);
    room[n < 0 ? 0 : n] = 0;
    close(in);
    close(out);
    return rc;
}

static int parent_of_fork(void) {
    char room[200];
    int pid = 0;
    assert_int_equal(run("--tell", "", room), 1);
    assert_int_equal(sscanf(strstr(room, "parent "), "parent %d", &pid), 1);
    return pid;
}

static void a_fork_reads_its_input_and_writes_its_answer(void **state) {
    (void)state;
    char room[200];
    assert_int_equal(run("--echo", "hello", room), 1);
    assert_string_equal(room, "hello");
    assert_int_equal(run("--prepared", "", room), 1);
    assert_string_equal(room, "prepared");
}

static void a_fork_that_fails_or_crashes_harms_no_other(void **state) {
    (void)state;
    char room[200];
    int pid = parent_of_fork(), in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC),
        status;
    assert_int_equal(confined_run_status("--crash", "x", in, out, -1, "a test", &status), 0);
    struct arena *a = arena_new();
    assert_string_equal(confined_end(a, status, &limits),
                        "needed more than 256 MiB of memory, or made a forbidden system "
                        "call");
    assert_int_equal(run("--echo", "", room), 0);
    assert_int_equal(confined_run_status("--echo", "x", in, out, -1, "a test", &status), 0);
    assert_string_equal(confined_end(a, status, &limits), "failed (status 7)");
    assert_int_equal(parent_of_fork(), pid);
    arena_free(a);
    close(in);
    close(out);
}

static void a_fork_has_three_descriptors_and_no_environment(void **state) {
    (void)state;
    char room[200];
    int kept = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */
    setenv("NURSERY_SECRET", "x", 1);
    assert_int_equal(run("--tell", "", room), 1);
    assert_non_null(strstr(room, "3 descriptors, environment empty"));
    close(kept);
}

static void a_prepared_process_that_ends_is_replaced_and_its_work_runs_again(void **state) {
    (void)state;
    char room[200];
    int pid = parent_of_fork();
    assert_int_equal(run("--kill", "question", room), 1);
    assert_string_equal(room, "question");
    assert_int_not_equal(parent_of_fork(), pid);
    kill(parent_of_fork(), SIGKILL); /* while nothing runs */
    assert_int_equal(run("--echo", "again", room), 1);
    assert_string_equal(room, "again");
}

static void *echo_often(void *arg) {
    char room[200], text[20];
    for (int i = 0; i < 50; i++) {
        snprintf(text, sizeof text, "%d of %d", i, (int)(intptr_t)arg);
        if (run("--echo", text, room) != 1 || strcmp(room, text) != 0) return (void *)"wrong";
    }
    return NULL;
}

static void several_callers_get_their_own_answers(void **state) {
    (void)state;
    pthread_t callers[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, echo_often, (void *)(intptr_t)i), 0);
    for (int i = 0; i < 8; i++) {
        void *wrong;
        pthread_join(callers[i], &wrong);
        assert_null(wrong);
    }
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], NURSERY_ARGUMENT) == 0) return nursery_child(kinds);
    for (const struct nursery_kind *k = kinds; argc == 3 && k->argument; k++)
        if (strcmp(argv[1], k->argument) == 0) return is_spawned = true, k->run();
    nursery_allow(kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fork_reads_its_input_and_writes_its_answer),
        cmocka_unit_test(a_fork_that_fails_or_crashes_harms_no_other),
        cmocka_unit_test(a_fork_has_three_descriptors_and_no_environment),
        cmocka_unit_test(a_prepared_process_that_ends_is_replaced_and_its_work_runs_again),
        cmocka_unit_test(several_callers_get_their_own_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
